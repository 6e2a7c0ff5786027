"""The deal: how an episode, a deal and a turn begin, and how a deal ends (N2, N5)."""

from kuns_env.jit import jit
from kuns_env.kunken.bits import with_card
from kuns_env.kunken.cards import JOKER, NO_CARD, NUM_NATURALS
from kuns_env.kunken.hands import receive
from kuns_env.kunken.rules import MAX_CARDS, MAX_PLAYERS, NUM_DECKS
from kuns_env.kunken.settle import settle
from kuns_env.kunken.state import ACQUIRE, NOBODY, OVER
from kuns_env.rng import below, shuffle

DEAL_COUNTER_BITS = 16
"""Each deal draws from its own stretch of the game's stream, so that no deal depends on what was played."""
SHUFFLE_COUNTER_BITS = 12
"""Each shuffle of a deal draws from a part of that stretch."""


@jit.kernel
def start_game(state, rules, key_0, key_1, dealer, hands, bank, stock):
    """Begin an episode: the dealer by lot (N2.1), the first deal dealt or set up.

    Args:
        state: the record, zeros or an episode of the same rules; all of it is overwritten.
        rules: a `RULES` record.
        key_0: first word of the game's random stream.
        key_1: second word.
        dealer: the first dealer, or -1 for the lot.
        hands: int8 array: the hands of the first deal, one after the other (N9.1); unread if there is no ``bank``.
        bank: int8 array: its bank, from bottom to top; empty for a shuffled deck.
        stock: int8 array: its stock, from the next card on.
    """
    state["key"][0] = key_0
    state["key"][1] = key_1
    state["hands_done"] = 0
    state["truncated"] = 0
    state["last_winner"] = NOBODY
    state["last_express"] = 0
    state["last_turns"] = 0
    num_players = rules["num_players"]
    for seat in range(MAX_PLAYERS):
        state["seated"][seat] = 1 if seat < num_players else 0
        state["payoff"][seat] = 0
        state["standing"][seat] = 0
        state["last_scores"][seat] = 0
        state["last_takes"][seat] = 0
        state["last_laid"][seat] = 0
    if state["turns"] == 0:  # a record that was never played: its places hold zeros, which are cards
        state["num_history"] = state["history"].shape[0]
        state["num_melds"] = state["melds"].shape[0]
    lot, _ = below(key_0, key_1, 0, num_players)
    clear_deal(state)
    if bank.shape[0] == 0:
        shuffle_deck(state, rules)
    else:
        set_up(state, hands, bank, stock, rules)
    begin_deal(state, rules, lot if dealer < 0 else dealer)


@jit.kernel
def clear_deal(state):
    """Empty every field that belongs to one deal."""
    # Zeros, not leftovers: two records in the same position are equal byte for byte.
    for i in range(int(state["num_history"])):
        state["history"][i] = 0
        state["drawn"][i] = NO_CARD
    for number in range(int(state["num_melds"])):
        clear_meld(state["melds"][number])
    state["num_history"] = 0
    state["num_melds"] = 0
    state["reshuffles"] = 0
    state["turns"] = 0
    state["bank_one"] = 0
    state["bank_two"] = 0
    state["num_bank"] = 0
    for i in range(MAX_CARDS):
        state["bank"][i] = NO_CARD
        state["first_bank"][i] = NO_CARD
        state["stock"][i] = NO_CARD
    for seat in range(MAX_PLAYERS):
        state["one"][seat] = 0
        state["two"][seat] = 0
        state["known_one"][seat] = 0
        state["known_two"][seat] = 0
        state["dealt_one"][seat] = 0
        state["dealt_two"][seat] = 0
        state["laid_points"][seat] = 0
        state["opened"][seat] = 0
        state["num_cards"][seat] = 0
        state["num_laid"][seat] = 0
        state["takes"][seat] = 0


@jit.kernel
def clear_meld(meld):
    """Make ``meld`` no meld."""
    meld["kind"] = 0
    meld["owner"] = 0
    meld["low"] = 0
    meld["size"] = 0
    meld["suit"] = 0
    meld["jokers"] = 0
    meld["cards"][:] = NO_CARD
    meld["layers"][:] = NO_CARD


@jit.kernel
def shuffle_deck(state, rules):
    """N2.2: shuffle by the deal's stretch of the stream, deal the hands, turn the first card of the bank."""
    stock = state["stock"]
    count = 0
    for card in range(NUM_NATURALS):
        for _ in range(NUM_DECKS):
            stock[count] = card
            count += 1
    for _ in range(rules["num_jokers"]):
        stock[count] = JOKER
        count += 1
    counter = (int(state["hands_done"]) + 1) << DEAL_COUNTER_BITS
    shuffle(state["key"][0], state["key"][1], counter, stock, 0, count, count)
    # Dealt from the far end: the stock begins in place 0, as where it is set up, so that the records are the same.
    for seat in range(rules["num_players"]):
        for _ in range(rules["hand_size"]):
            count -= 1
            receive(state, seat, stock[count])
            stock[count] = NO_CARD
    count -= 1
    put_on_bank(state, stock[count])
    stock[count] = NO_CARD
    state["stock_next"] = 0
    state["num_stock"] = count


@jit.kernel
def set_up(state, hands, bank, stock, rules):
    """N9.1: the cards as they were named."""
    size = rules["hand_size"]
    for i in range(hands.shape[0]):
        receive(state, i // size, hands[i])
    for i in range(bank.shape[0]):
        put_on_bank(state, bank[i])
    for i in range(stock.shape[0]):
        state["stock"][i] = stock[i]
    state["stock_next"] = 0
    state["num_stock"] = stock.shape[0]


@jit.inline
def put_on_bank(state, card):
    """Lay ``card`` on the top of the bank."""
    bit = 1 << int(card)
    state["bank"][state["num_bank"]] = card
    state["num_bank"] += 1
    state["bank_two"] |= state["bank_one"] & bit
    state["bank_one"] |= bit


@jit.kernel
def cut_bank(state, size):
    """Leave the lowest ``size`` cards of the bank."""
    for i in range(size, int(state["num_bank"])):
        state["bank"][i] = NO_CARD
    state["num_bank"] = 0
    state["bank_one"] = 0
    state["bank_two"] = 0
    for i in range(size):
        put_on_bank(state, state["bank"][i])


@jit.kernel
def begin_deal(state, rules, dealer):
    """N2.3: remember what was dealt; the player at the left of the dealer begins."""
    state["dealer"] = dealer
    state["num_first_bank"] = state["num_bank"]
    state["num_first_stock"] = state["num_stock"] - state["stock_next"]
    one, two = state["bank_one"], state["bank_two"]
    for i in range(int(state["num_bank"])):
        state["first_bank"][i] = state["bank"][i]
    for seat in range(rules["num_players"]):
        held, both = state["one"][seat], state["two"][seat]
        state["dealt_one"][seat] = held
        state["dealt_two"][seat] = both
        one, two = one | held, two | both | (one & held)
    for i in range(int(state["stock_next"]), int(state["num_stock"])):
        one, two = with_card(one, two, state["stock"][i])
    state["deck_one"] = one
    state["deck_two"] = two
    begin_turn(state, rules, int(dealer))


@jit.inline
def begin_turn(state, rules, last):
    """N4.1: the player at the left of ``last`` is to draw or take."""
    seat = last + 1 if last + 1 < rules["num_players"] else 0
    state["seat"] = seat
    state["phase"] = ACQUIRE
    state["turns"] += 1
    state["turn_melds"] = state["num_melds"]
    state["turn_laid"] = state["num_laid"][seat]
    state["turn_points"] = 0
    state["claim"] = NO_CARD
    clear_debt(state)


@jit.inline
def clear_debt(state):
    """Nothing is owed."""
    state["need"] = 0
    state["claim_at"] = NO_CARD
    state["claim_due"] = 0
    state["leave"] = 0


@jit.kernel
def end_turn(state, rules):
    """N5.1: the next turn, after a new stock where the old one is used up; or the end of the deal."""
    if state["stock_next"] == state["num_stock"]:
        if state["reshuffles"] == rules["max_reshuffles"] or state["num_bank"] == 1:
            end_deal(state, rules, NOBODY)
            return
        reshuffle(state)
    begin_turn(state, rules, int(state["seat"]))


@jit.kernel
def reshuffle(state):
    """N5.1: all of the bank but its top card becomes the stock."""
    below_top = int(state["num_bank"]) - 1
    for i in range(below_top):
        state["stock"][i] = state["bank"][i]
    top = state["bank"][below_top]
    cut_bank(state, 0)
    put_on_bank(state, top)
    state["reshuffles"] += 1
    counter = (int(state["hands_done"]) + 1) << DEAL_COUNTER_BITS
    counter += int(state["reshuffles"]) << SHUFFLE_COUNTER_BITS
    shuffle(state["key"][0], state["key"][1], counter, state["stock"], 0, below_top, below_top)
    state["stock_next"] = 0
    state["num_stock"] = below_top


@jit.kernel
def end_deal(state, rules, winner):
    """N7.4: settle. Nobody is to act until `go_on`: all of the deal can still be read."""
    settle(state, rules, winner)
    state["hands_done"] += 1
    state["phase"] = OVER
    state["seat"] = NOBODY


@jit.kernel
def go_on(state, rules):
    """N2.1: after a deal the next one, dealt by the player to the left, or the end of the episode."""
    if state["hands_done"] == rules["num_deals"]:
        return
    dealer = int(state["dealer"]) + 1
    clear_deal(state)
    shuffle_deck(state, rules)
    begin_deal(state, rules, dealer if dealer < rules["num_players"] else 0)
