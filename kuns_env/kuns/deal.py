"""The deal: how an episode and a hand begin, and how cards are dealt (K2, K3.1, K4.1)."""

from kuns_env.cards import NUM_CARDS
from kuns_env.jit import jit
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS
from kuns_env.kuns.seats import first_seat
from kuns_env.kuns.state import ANTE, BET, DEAL, NOBODY, NUM_ROUNDS, OVER, UNITS
from kuns_env.rng import below, shuffle

HAND_COUNTER_BITS = 16
"""Each hand draws from its own stretch of the game's stream, so no deal depends on what was played."""


@jit.kernel
def start_game(state, rules, key_0, key_1, dealer, prefix):
    """Begin an episode: all seats taken, the dealer by lot (K2.1), the first hand dealt.

    Args:
        state: the record; all of it is overwritten.
        rules: a `RULES` record.
        key_0: first word of the game's random stream.
        key_1: second word.
        dealer: the first dealer, or -1 for the lot.
        prefix: int8 array: the first cards of the first deck (K10.1), may be empty.
    """
    state["key"][0] = key_0
    state["key"][1] = key_1
    state["hands_done"] = 0
    state["truncated"] = 0
    state["showdown"] = 0
    num_players = rules["num_players"]
    state["num_seated"] = num_players
    for seat in range(MAX_PLAYERS):
        state["seated"][seat] = 1 if seat < num_players else 0
        state["payoff"][seat] = 0
        state["standing"][seat] = 0
    state["shown"][:] = -1
    lot, _ = below(key_0, key_1, 0, num_players)
    state["dealer"] = lot if dealer < 0 else dealer
    state["hole"][:] = -1
    state["deck"][:] = -1
    clear_hand(state)
    start_hand(state, rules, int(state["dealer"]), prefix)


@jit.kernel
def clear_hand(state):
    """Empty every field that belongs to one hand."""
    # Zeros, not leftovers: two records in the same position are equal byte for byte.
    state["history"][: int(state["num_history"])] = 0
    state["bets"][: int(state["num_bets"])] = 0
    state["round"] = 0
    state["next_dealer"] = NOBODY
    state["ante_index"] = -1
    state["ante"] = 0
    state["pot"] = 0
    state["num_bets"] = 0
    state["num_history"] = 0
    state["deck_next"] = 0
    state["num_cards"][:] = 0
    state["paid"][:] = 0
    state["staked"][:] = 0
    state["in_hand"][:] = 0
    state["num_in"] = 0
    clear_offer(state)


@jit.kernel
def start_hand(state, rules, dealer, prefix):
    """K2.3, K2.4, K3.1: those who cannot play are out, the forced ante is paid, the dealer deals or sets the ante."""
    leave_if_broke(state, rules)
    if state["num_seated"] <= 1:
        end_episode(state)  # the last hand stays readable
        return
    clear_hand(state)
    if state["seated"][dealer] == 0:  # K2.2: the deal passes on to the left
        dealer = first_seat(state["seated"], dealer, rules["num_players"])
    state["dealer"] = dealer
    for seat in range(rules["num_players"]):
        if state["seated"][seat] == 1:
            state["in_hand"][seat] = 1
            state["paid"][seat] = rules["forced_ante"]
            state["num_in"] += 1
            state["pot"] += rules["forced_ante"]
    state["hole"][:] = -1
    shuffle_deck(state, rules, prefix)
    if rules["num_antes"] == 1:
        set_ante(state, rules, 0)
        begin_round(state, rules)
        return
    if rules["dealer_sees_hand"] == 1:
        deal_round(state, rules)
    state["phase"] = ANTE
    state["seat"] = state["dealer"]


@jit.kernel
def leave_if_broke(state, rules):
    """K2.3: who cannot pay the forced ante, or has nothing left, is out before the deal."""
    if rules["bankroll"] < 0:
        return
    for seat in range(rules["num_players"]):
        held = rules["bankroll"] + state["standing"][seat]
        if state["seated"][seat] == 1 and (held <= 0 or held < rules["forced_ante"] * UNITS):
            state["seated"][seat] = 0
            state["num_seated"] -= 1


@jit.kernel
def shuffle_deck(state, rules, prefix):
    """Order the deck by the hand's stretch of the stream, as far as the hand can need cards (K3.1, K10.1)."""
    deck = state["deck"]
    for i in range(NUM_CARDS):
        deck[i] = rules["deck"][i]
    for i in range(prefix.shape[0]):
        for j in range(i, rules["num_cards"]):
            if deck[j] == prefix[i]:
                deck[i], deck[j] = deck[j], deck[i]
    counter = (int(state["hands_done"]) + 1) << HAND_COUNTER_BITS
    needed = HAND_SIZE * rules["num_players"]
    shuffle(state["key"][0], state["key"][1], counter, deck, prefix.shape[0], needed, rules["num_cards"])


@jit.kernel
def deal_round(state, rules):
    """K3.1, K4.1: two cards, two more, one more, to each player still in, one at a time from the left of the dealer."""
    state["round"] += 1
    num_players = rules["num_players"]
    place = int(state["deck_next"])
    for _ in range(1 if state["round"] == NUM_ROUNDS else 2):
        seat = int(state["dealer"])
        for _ in range(num_players):
            seat += 1
            if seat == num_players:
                seat = 0
            if state["in_hand"][seat] == 1:
                state["hole"][seat, state["num_cards"][seat]] = state["deck"][place]
                state["num_cards"][seat] += 1
                place += 1
    state["deck_next"] = place
    write_history(state, DEAL, state["round"])


@jit.inline
def write_history(state, seat, move):
    """Add one public event of this hand."""
    place = state["num_history"]
    state["history"][place, 0] = seat
    state["history"][place, 1] = move
    state["num_history"] = place + 1


@jit.kernel
def set_ante(state, rules, index):
    """K3.1, K3.3: the ante of all three rounds."""
    state["ante_index"] = index
    state["ante"] = rules["ante_menu"][index]


@jit.kernel
def begin_round(state, rules):
    """K4.1, K4.2: deal, then ask from the left of the dealer."""
    deal_round(state, rules)
    ask_first(state, rules)


@jit.inline
def ask_first(state, rules):
    """K4.2: the first to call or fold."""
    state["phase"] = BET
    state["seat"] = first_seat(state["in_hand"], state["dealer"], rules["num_players"])


@jit.inline
def clear_offer(state):
    """Take the offer from the table."""
    state["offerer"] = NOBODY
    state["backed"] = NOBODY
    state["opposed"] = NOBODY
    state["stake_index"] = -1


@jit.kernel
def end_episode(state):
    """Nobody is to act."""
    state["phase"] = OVER
    state["seat"] = NOBODY
