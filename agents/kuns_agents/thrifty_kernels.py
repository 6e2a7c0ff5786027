"""The kernel of `thrifty`: it lets the bank grow, and takes it when it is worth it or when it is about to be lost."""

from typing import Final

from kuns_agents.compiler import jit
from kuns_agents.greedy_kernels import NO_MOVE, NUM_BITS, most_points
from kuns_agents.plan_kernels import (
    RUN_CARDS,
    RUN_JOKERS,
    SET_CARDS,
    SET_JOKERS,
    best_plan,
    look_at_hand,
    look_at_table,
)
from kuns_env.kunken import moves, tables
from kuns_env.kunken.bits import NATURALS, lowest, num_held, popcount, with_card
from kuns_env.kunken.cards import FIRST_HIGH, HIGH_POINTS, JOKER, LOW_POINTS, NUM_SUITS
from kuns_env.kunken.melds import SUITS_OF_RANK
from kuns_env.kunken.state import ACQUIRE, LEAST_MELD, OWE, WIN

A_CARD: Final = 1 << 10
"""What a plan counts for a card laid, beside its points: more than all points there are in a hand of 60 cards."""
LOW_WORTH: Final = A_CARD + LOW_POINTS
HIGH_WORTH: Final = A_CARD + HIGH_POINTS
DISCARDED: Final = 1
"""Cards that a plan may leave in hand and still go out."""

# Thresholds, in the order of `kuns_agents.thrifty.Thresholds`.
ENOUGH, FEW, LAST_DRAWS, LEFT = range(4)

MOST_BESIDE_A_JOKER: Final = 2
"""Cards that have no place in a meld without a joker, in a meld with one."""

OF_RANK: Final = 3
BESIDE: Final = 3
ONE_OFF: Final = 2
HIGH_CARD: Final = 1
IN_BANK: Final = 1
"""What it is worth to a card that is not alone of its rank that the bank holds another."""
MOST_WORTH: Final = 1 << 20


@jit
def choose_thrifty(records, seats, masks, rules, thresholds, work, out):
    """Write the move of `thrifty` for every row.

    Args:
        records: redacted `STATE` records ``(B,)``.
        seats: int64 ``(B,)``, the seats to act.
        masks: int8 ``(B, NUM_MOVES)``.
        rules: one `RULES` record.
        thresholds: int64, see above.
        work: `kuns_agents.plan_kernels.workspace`.
        out: int64 ``(B,)``.
    """
    layers, steps, slots, facts = work
    for row in range(records.shape[0]):
        out[row] = thrifty_move(
            records[row], int(seats[row]), masks[row], rules[0], thresholds, layers, steps, slots, facts
        )


@jit.kernel
def thrifty_move(state, seat, mask, rules, thresholds, layers, steps, slots, facts):
    """Return the move of `thrifty` in one position."""
    phase = state["phase"]
    if phase == ACQUIRE:
        return acquired(state, seat, mask, rules, thresholds, layers, steps, slots, facts)
    found = most_points(mask)
    if found >= moves.SWAP_BASE:
        return found
    if found >= 0:
        one, two = state["one"][seat], state["two"][seat]
        if phase == OWE and state["claim_at"] >= 0:
            one, two = with_bank(state, int(state["claim_at"]) + 1, one, two)
        left, _ = plan(state, one, two, rules, layers, steps, slots, facts)
        if (
            phase == OWE
            or state["opened"][seat] == 1
            or left <= DISCARDED
            or presses(state, seat, rules, thresholds)
        ):
            planned = planned_move(mask, facts)
            if planned >= 0:
                return planned
            if phase == OWE:
                return found
    return moves.DISCARD_BASE + least_useful(state["one"][seat], state["two"][seat], state["bank_one"])


@jit.kernel
def with_bank(state, place, one, two):
    """Return the words of a hand with the cards of the bank from ``place`` on."""
    for i in range(place, int(state["num_bank"])):
        one, two = with_card(one, two, state["bank"][i])
    return one, two


@jit.kernel
def plan(state, one, two, rules, layers, steps, slots, facts):
    """Plan to lay as many of these cards as there is a place for; return how many stay, and the points laid."""
    look_at_hand(one, two, facts)
    look_at_table(state, facts)
    worth = best_plan(facts, LOW_WORTH, HIGH_WORTH, rules["identical_cards_in_set"], layers, steps, slots)
    return popcount(one) + popcount(two) - worth // A_CARD, worth % A_CARD


# --- the bank ---------------------------------------------------------------------------------------------


@jit.kernel
def presses(state, seat, rules, thresholds):
    """Return whether it is now or never: another is about to go out, or the stock is at its end (N5.1)."""
    fewest = MOST_WORTH
    for other in range(rules["num_players"]):
        if other != seat:
            fewest = min(fewest, int(state["num_cards"][other]))
    last_draws = int(state["num_stock"]) - int(state["stock_next"])
    return fewest <= thresholds[FEW] or last_draws <= thresholds[LAST_DRAWS]


@jit.kernel
def may_go_out(state, one, two):
    """Return False only if some cards have no place, and more of them than jokers and the discard take care of."""
    if state["num_melds"] > 0:
        return True
    naturals = one & NATURALS
    runs = naturals & (naturals >> NUM_SUITS) & (naturals >> (2 * NUM_SUITS))
    rest = naturals & ~(runs | runs << NUM_SUITS | runs << (2 * NUM_SUITS))
    alone = 0
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        at = card // NUM_SUITS * NUM_SUITS
        mates = NUM_BITS[(naturals >> at) & SUITS_OF_RANK] + NUM_BITS[(two >> at) & SUITS_OF_RANK]
        if mates < LEAST_MELD:
            alone += num_held(one, two, card)
    return alone <= DISCARDED + MOST_BESIDE_A_JOKER * num_held(one, two, JOKER)


@jit.kernel
def acquired(state, seat, mask, rules, thresholds, layers, steps, slots, facts):
    """Return the take that is worth most, if it is worth enough, else the draw (N4.1)."""
    best, found, seen, to_win = -MOST_WORTH, moves.DRAW, 0, rules["settlement"] == WIN
    enough = points_to_take(state, rules, thresholds)
    is_deepest, pressed = True, presses(state, seat, rules, thresholds)
    for place in range(int(state["num_bank"])):
        card = int(state["bank"][place])
        bit = 1 << card
        deep = state["bank_two"] & bit & ~seen != 0
        move = (moves.DEEP_BASE if deep else moves.TAKE_BASE) + card
        seen |= bit
        if mask[move] == 0:
            continue
        one, two = with_bank(state, place, state["one"][seat], state["two"][seat])
        # The deepest take brings most points; another is better only if with it there is less to get rid of.
        if is_deepest or to_win or may_go_out(state, one, two):
            left, points = plan(state, one, two, rules, layers, steps, slots, facts)
            out = left <= DISCARDED
            worth = -left if to_win else points
            if out and state["num_laid"][seat] == 0 and not to_win:
                worth *= 2  # N6.2
            is_enough = left <= thresholds[LEFT] if to_win else worth >= enough
            if (pressed or out or is_enough) and worth > best:
                best, found = worth, move
        is_deepest = False
    return found


@jit.inline
def points_to_take(state, rules, thresholds):
    """Return how many points a take has to bring: once anybody has opened, more than there are."""
    for seat in range(rules["num_players"]):
        if state["opened"][seat] == 1:
            return MOST_WORTH
    return thresholds[ENOUGH]


# --- the play ---------------------------------------------------------------------------------------------


@jit.kernel
def planned_move(mask, facts):
    """Return the first legal move that the plan has a place for: new melds first, the lowest runs first; or -1."""
    for move in range(moves.SET_BASE, moves.DISCARD_BASE):
        if mask[move] == 1 and is_planned(move, facts):
            return move
    return NO_MOVE


@jit.kernel
def is_planned(move, facts):
    """Return whether every card of a meld or lay-off goes where the plan wants it."""
    kind, place = tables.KIND[move], int(tables.PLACE[move])
    in_set = kind == tables.SET or kind == tables.FOURTH
    step = NUM_SUITS if kind == tables.RUN else 0
    for i in range(tables.SIZE[move]):
        card = int(tables.CARDS[move, i])
        if in_set:
            if card == JOKER:
                room = facts[SET_JOKERS + place // NUM_SUITS]
            else:
                room = facts[SET_CARDS + card] - ((tables.TWO[move] >> card) & 1)
        else:
            room = facts[(RUN_JOKERS if card == JOKER else RUN_CARDS) + place + i * step]
        if room <= 0:
            return False
    return True


@jit.kernel
def least_useful(one, two, bank):
    """Return the type of the card of a hand that fits the others worst; a joker only where there is no other."""
    naturals = one & NATURALS
    least, found, rest = MOST_WORTH, JOKER, naturals
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        at = card // NUM_SUITS * NUM_SUITS
        mates = NUM_BITS[(naturals >> at) & SUITS_OF_RANK] + NUM_BITS[(two >> at) & SUITS_OF_RANK] - 1
        worth = OF_RANK * mates
        worth += BESIDE * (((naturals << NUM_SUITS >> card) & 1) + ((naturals >> NUM_SUITS >> card) & 1))
        worth += ONE_OFF * (
            ((naturals << (2 * NUM_SUITS) >> card) & 1) + ((naturals >> (2 * NUM_SUITS) >> card) & 1)
        )
        if mates > 0 and (bank >> at) & SUITS_OF_RANK != 0:
            worth += IN_BANK
        if card >= FIRST_HIGH * NUM_SUITS:
            worth += HIGH_CARD
        if worth < least:
            least, found = worth, card
    return found
