"""The rules of play, one record at a time (K2, K4, K6). A phase has two functions: what may be done, what it does."""

from kuns_env.jit import jit
from kuns_env.kuns import moves
from kuns_env.kuns.deal import (
    ask_first,
    begin_round,
    clear_offer,
    deal_round,
    end_episode,
    set_ante,
    start_hand,
    write_history,
)
from kuns_env.kuns.seats import first_seat, next_seat
from kuns_env.kuns.settle import settle
from kuns_env.kuns.state import AGAINST, ANTE, BET, NOBODY, NUM_ROUNDS, OFFER, RESPOND, STAKE, STAY, UNITS
from kuns_env.seats import distance_to

# --- money ------------------------------------------------------------------------------------------------


@jit.inline
def can_cover(state, rules, seat, chips):
    """K2.3: whether ``seat`` can pay or reserve ``chips`` more."""
    if rules["bankroll"] < 0:
        return True
    held = rules["bankroll"] + state["standing"][seat]
    bound = (int(state["paid"][seat]) + int(state["staked"][seat]) + chips) * UNITS
    return bound <= held


# --- the flow of a hand -----------------------------------------------------------------------------------


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
    """K7: settle. Nobody is to act until `go_on`: all of the hand can still be read."""
    clear_offer(state)
    settle(state, rules)
    state["hands_done"] += 1
    end_episode(state)


@jit.kernel
def go_on(state, rules):
    """K2.1, K2.2: after a hand the next deal, the choice to stay, or the end of the episode."""
    left = first_seat(state["seated"], state["dealer"], rules["num_players"])
    if rules["num_hands"] > 0:
        if state["hands_done"] < rules["num_hands"]:
            start_hand(state, rules, left, state["deck"][:0])
    elif state["hands_done"] >= rules["max_hands"]:
        state["truncated"] = 1
    else:
        state["next_dealer"] = left
        state["phase"] = STAY
        state["seat"] = first_seat(state["seated"], left, rules["num_players"])


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
    """Play ``move``, which must be legal, for the seat to act; after the end of a hand, go on."""
    before = state["hands_done"]
    apply_move(state, rules, move)
    if state["hands_done"] != before:
        go_on(state, rules)


@jit.kernel
def apply_move(state, rules, move):
    """Play ``move``; where it ends the hand, stop there."""
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
