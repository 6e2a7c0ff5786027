"""The rules of play, one record at a time (K2 to K6). A phase has two functions: what may be done, what it does."""

from kuns_env.cards import NUM_CARDS
from kuns_env.jit import jit
from kuns_env.kuns import moves
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS
from kuns_env.kuns.seats import distance_to, first_seat, next_seat
from kuns_env.kuns.settle import settle
from kuns_env.kuns.state import (
    AGAINST,
    ANTE,
    BET,
    DEAL,
    NOBODY,
    NUM_ROUNDS,
    OFFER,
    OVER,
    RESPOND,
    STAKE,
    STAY,
    UNITS,
)
from kuns_env.rng import below, shuffle

HAND_COUNTER_BITS = 16
"""Each hand draws from its own stretch of the game's stream, so no deal depends on what was played."""


# --- money ------------------------------------------------------------------------------------------------


@jit.inline
def can_cover(state, rules, seat, chips):
    """K2.3: whether ``seat`` can pay or reserve ``chips`` more."""
    if rules["bankroll"] < 0:
        return True
    held = rules["bankroll"] + state["standing"][seat]
    bound = (int(state["paid"][seat]) + int(state["staked"][seat]) + chips) * UNITS
    return bound <= held


# --- the deal ---------------------------------------------------------------------------------------------


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


# --- the flow of a hand -----------------------------------------------------------------------------------


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


@jit.kernel
def end_round(state, rules):
    """K6.1: a window after each betting round that leaves two or more players in."""
    if rules["side_bets"] == 1:
        clear_offer(state)
        state["phase"] = OFFER
        state["seat"] = first_seat(state["seated"], state["dealer"], rules["num_players"])
    else:
        end_window(state, rules)


@jit.kernel
def end_window(state, rules):
    """K4.1: the next cards, or the showdown after the third round."""
    if state["round"] == NUM_ROUNDS:
        end_hand(state, rules)
    else:
        begin_round(state, rules)


@jit.inline
def clear_offer(state):
    """Take the offer from the table."""
    state["offerer"] = NOBODY
    state["backed"] = NOBODY
    state["opposed"] = NOBODY
    state["stake_index"] = -1


@jit.kernel
def next_offerer(state, rules, after):
    """K6.1: ask the seat after ``after`` for an offer, or close the window after the dealer."""
    clear_offer(state)
    seat = next_seat(state["seated"], after, state["dealer"], rules["num_players"])
    if seat == NOBODY:
        end_window(state, rules)
    else:
        state["phase"] = OFFER
        state["seat"] = seat


@jit.kernel
def next_answer(state, rules, after):
    """K6.4: put the offer to the next who may take it, or let it lapse."""
    num_players = rules["num_players"]
    offerer = int(state["offerer"])
    seat = int(after)
    while True:
        seat += 1
        if seat == num_players:
            seat = 0
        if seat == offerer:
            next_offerer(state, rules, offerer)
            return
        dropped_out = state["seated"][seat] == 1 and state["in_hand"][seat] == 0
        if seat == state["opposed"] or dropped_out:
            state["phase"] = RESPOND
            state["seat"] = seat
            return


@jit.kernel
def end_hand(state, rules):
    """K7, K2.1, K2.2: settle, then the next deal, the choice to stay, or the end of the episode."""
    clear_offer(state)
    settle(state, rules)
    state["hands_done"] += 1
    left = first_seat(state["seated"], state["dealer"], rules["num_players"])
    if rules["num_hands"] > 0:
        if state["hands_done"] >= rules["num_hands"]:
            end_episode(state)
        else:
            start_hand(state, rules, left, state["deck"][:0])
    elif state["hands_done"] >= rules["max_hands"]:
        state["truncated"] = 1
        end_episode(state)
    else:
        state["next_dealer"] = left
        state["phase"] = STAY
        state["seat"] = first_seat(state["seated"], left, rules["num_players"])


@jit.kernel
def end_episode(state):
    """Nobody is to act."""
    state["phase"] = OVER
    state["seat"] = NOBODY


# --- what may be done -------------------------------------------------------------------------------------


@jit.inline
def legal_moves(state, rules, mask):
    """Write the legal moves of the seat to act into ``mask``, int8 ``(NUM_MOVES,)``: 1 legal, 0 not.

    It reads public facts only, so it may be handed a redacted record.
    """
    mask[:] = 0
    phase = state["phase"]
    if phase == BET:
        mask[moves.FOLD] = 1
        if can_cover(state, rules, state["seat"], int(state["ante"])):
            mask[moves.CALL] = 1
    elif phase == OFFER:
        legal_offer(state, rules, mask)
    elif phase == RESPOND:
        mask[moves.DECLINE] = 1
        if can_cover(state, rules, state["seat"], stake_chips(state, rules, state["stake_index"])):
            mask[moves.ACCEPT] = 1
    elif phase == STAKE:
        for i in range(rules["num_stakes"]):
            if can_cover(state, rules, state["seat"], stake_chips(state, rules, i)):
                mask[moves.STAKE_BASE + i] = 1
    elif phase == AGAINST:
        mark_hands(state, rules, mask, moves.AGAINST_BASE, state["backed"])
    elif phase == ANTE:
        for i in range(rules["num_antes"]):
            mask[moves.ANTE_BASE + i] = 1
    elif phase == STAY:
        mask[moves.STAY_ON] = 1
        mask[moves.LEAVE] = 1


@jit.inline
def stake_chips(state, rules, index):
    """K6.2: the chips of a stake, a multiple of the ante."""
    return rules["side_stakes"][index] * int(state["ante"])


@jit.inline
def legal_offer(state, rules, mask):
    """K6.1, K6.2: pass, or begin an offer; a player still in backs its own hand, so it names the other at once."""
    seat = state["seat"]
    # Stakes ascend: who cannot cover the first can cover none (K2.3).
    if can_cover(state, rules, seat, stake_chips(state, rules, 0)):
        base = moves.AGAINST_BASE if state["in_hand"][seat] == 1 else moves.BACK_BASE
        mark_hands(state, rules, mask, base, seat)
    mask[moves.PASS] = 1


@jit.inline
def mark_hands(state, rules, mask, base, but):
    """Mark ``base`` plus the distance of every hand still in, ``but`` one."""
    num_players = rules["num_players"]
    # The seat to act is itself no hand to name here: its place, one before ``base``, gets a 0.
    for other in range(num_players):
        place = base - 1 + distance_to(other, state["seat"], num_players)
        mask[place] = state["in_hand"][other] & (other != but)


# --- what it does -----------------------------------------------------------------------------------------


@jit.kernel
def apply(state, rules, move):
    """Play ``move``, which must be legal, for the seat to act."""
    seat = int(state["seat"])
    write_history(state, seat, move)
    phase = state["phase"]
    if phase == BET:
        apply_call_or_fold(state, rules, seat, move)
    elif phase == OFFER:
        apply_offer(state, rules, seat, move)
    elif phase == RESPOND:
        apply_answer(state, rules, seat, move)
    elif phase == STAKE:
        state["stake_index"] = move - moves.STAKE_BASE
        next_answer(state, rules, seat)
    elif phase == AGAINST:
        state["opposed"] = (seat + move - moves.AGAINST_BASE + 1) % rules["num_players"]
        state["phase"] = STAKE
    elif phase == ANTE:
        apply_ante(state, rules, move)
    else:
        apply_stay_or_leave(state, rules, seat, move)


@jit.kernel
def apply_ante(state, rules, move):
    """K3.1, K3.2: the dealer sets the ante, before or after the first cards."""
    set_ante(state, rules, move - moves.ANTE_BASE)
    if state["round"] == 0:
        deal_round(state, rules)
    ask_first(state, rules)


@jit.inline
def apply_call_or_fold(state, rules, seat, move):
    """K4.2: a call pays the ante to the main pot, a fold leaves the hand."""
    if move == moves.CALL:
        state["paid"][seat] += state["ante"]
        state["pot"] += state["ante"]
    else:
        state["in_hand"][seat] = 0
        state["num_in"] -= 1
        if state["num_in"] == 1:  # K4.4
            end_hand(state, rules)
            return
    following = next_seat(state["in_hand"], seat, state["dealer"], rules["num_players"])
    if following == NOBODY:
        end_round(state, rules)
    else:
        state["seat"] = following


@jit.inline
def apply_offer(state, rules, seat, move):
    """K6.1, K6.3: pass, or name the backed hand, or (who is still in) the hand that one's own is to beat."""
    if move == moves.PASS:
        next_offerer(state, rules, seat)
        return
    state["offerer"] = seat
    if state["in_hand"][seat] == 1:
        state["backed"] = seat
        state["opposed"] = (seat + move - moves.AGAINST_BASE + 1) % rules["num_players"]
        state["phase"] = STAKE
    else:
        state["backed"] = (seat + move - moves.BACK_BASE + 1) % rules["num_players"]
        state["phase"] = AGAINST


@jit.inline
def apply_answer(state, rules, seat, move):
    """K6.4: the first to accept takes the other side; its stake and the offerer's are reserved (K2.3)."""
    if move == moves.DECLINE:
        next_answer(state, rules, seat)
        return
    offerer = int(state["offerer"])
    bet = state["bets"][state["num_bets"]]
    bet[0] = offerer
    bet[1] = seat
    bet[2] = state["backed"]
    bet[3] = state["opposed"]
    bet[4] = rules["side_stakes"][state["stake_index"]]
    state["num_bets"] += 1
    chips = stake_chips(state, rules, state["stake_index"])
    state["staked"][offerer] += chips
    state["staked"][seat] += chips
    next_offerer(state, rules, offerer)


@jit.kernel
def apply_stay_or_leave(state, rules, seat, move):
    """K2.2: who leaves is out for good; the session ends as soon as fewer than two remain."""
    if move == moves.LEAVE:
        state["seated"][seat] = 0
        state["num_seated"] -= 1
        if state["num_seated"] < 2:
            end_episode(state)
            return
    following = next_seat(state["seated"], seat, state["next_dealer"], rules["num_players"])
    if following != NOBODY:
        state["seat"] = following
        return
    start_hand(state, rules, int(state["next_dealer"]), state["deck"][:0])
