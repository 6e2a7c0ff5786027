"""Kernels of `equity`: what a hand is worth against players that always call, and the moves that follow.

Money is counted in antes of the hand. Players still in are taken to call to the end on hands that the seat
has not seen; the seat itself folds later wherever that is better. Against such players this is the best
that can be done with chances as in `hands.Chances`.
"""

from typing import Any, NamedTuple

import numpy as np

from kuns_agents.compiler import jit
from kuns_agents.hands_kernels import money_left, node_of
from kuns_env.kuns import moves
from kuns_env.kuns.rules import HAND_SIZE
from kuns_env.kuns.state import ANTE, BET, NUM_ROUNDS, OFFER, RESPOND, STAKE

HALVINGS = 60
"""Steps of the search for a break-even pot: the last bit of a float64."""
FIRST_CARDS = 2
"""Cards in hand when the first round is bet."""
FAVOURITE = 0.5
"""Side bets are made on a hand that beats a good hand more often than not."""


@jit
def after_four(shares, children, unseen, node, others, pot, extra):
    """Return what a hand of four cards expects once it has called: the fifth card, then call or fold.

    Args:
        shares: float64 ``(nodes, 7)``.
        children: int64 ``(nodes, ranks)``.
        unseen: int64 ``(nodes, ranks)``: cards of each rank that are not in the hand.
        node: the hand.
        others: players still in, but the seat itself.
        pot: the main pot at the end, in antes.
        extra: what open side bets on the hand add to a certain win, in antes.

    Returns:
        Antes, the call just made not counted.
    """
    total, left = 0.0, 0
    for rank in range(unseen.shape[1]):
        copies = unseen[node, rank]
        if copies > 0:
            left += copies
            child = children[node, rank]
            worth = shares[child, others - 1] * pot + shares[child, 0] * extra - 1.0
            if worth > 0.0:
                total += copies * worth
    return total / left


@jit
def after_two(shares, children, unseen, node, others, pot, extra):
    """Return what a hand of two cards expects once it has called; arguments as in `after_four`."""
    total, left = 0.0, 0
    for rank in range(unseen.shape[1]):
        left += max(unseen[node, rank], 0)
    for first in range(unseen.shape[1]):
        copies = unseen[node, first]
        if copies > 0:
            three = children[node, first]
            for second in range(unseen.shape[1]):
                both = copies * unseen[three, second]
                if both > 0:
                    four = children[three, second]
                    worth = after_four(shares, children, unseen, four, others, pot, extra) - 1.0
                    if worth > 0.0:
                        total += both * worth
    return total / (left * (left - 1))


@jit
def call_worth(shares, children, unseen, sizes, node, others, pot, extra):
    """Return what a call is worth over a fold, in antes; arguments as in `after_four`."""
    if sizes[node] == HAND_SIZE:
        return shares[node, others - 1] * pot + shares[node, 0] * extra - 1.0
    if sizes[node] == FIRST_CARDS:
        return after_two(shares, children, unseen, node, others, pot, extra) - 1.0
    return after_four(shares, children, unseen, node, others, pot, extra) - 1.0


@jit
def write_break_even(shares, children, unseen, sizes, nodes, out):
    """Write the pot at the end, in antes, from which each hand is worth a call.

    Args:
        shares: float64 ``(nodes, 7)``.
        children: int64 ``(nodes, ranks)``.
        unseen: int64 ``(nodes, ranks)``.
        sizes: int64 ``(nodes,)``.
        nodes: int64: the hands of two, four and five cards that the deck can make.
        out: float64 ``(nodes, 7)``; infinite for a hand that cannot win.
    """
    for node in nodes:
        rounds = 1 if sizes[node] == HAND_SIZE else (3 if sizes[node] == FIRST_CARDS else 2)
        for others in range(1, shares.shape[1] + 1):
            share = shares[node, others - 1]
            if share <= 0.0:
                out[node, others - 1] = np.inf
                continue
            # A hand that never folds breaks even at `high`; folding later can only make a call better.
            low, high = 0.0, rounds / share
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                if call_worth(shares, children, unseen, sizes, node, others, middle, 0.0) > 0.0:
                    high = middle
                else:
                    low = middle
            out[node, others - 1] = high


@jit
def before_cards(shares, children, unseen, others, pot):
    """Return what a hand is worth, in antes, before its first two cards are dealt (K3.2)."""
    total, left = 0.0, 0
    for rank in range(unseen.shape[1]):
        left += unseen[0, rank]
    for first in range(unseen.shape[1]):
        if unseen[0, first] > 0:
            one = children[0, first]
            for second in range(unseen.shape[1]):
                both = unseen[0, first] * unseen[one, second]
                if both > 0:
                    worth = after_two(shares, children, unseen, children[one, second], others, pot, 0.0) - 1.0
                    total += both * max(worth, 0.0)
    return total / (left * (left - 1))


@jit
def write_antes(shares, children, unseen, rules, nodes, out):
    """Write the place in the menu of the ante at which each hand expects most (K3.1); the lowest of equals.

    Args:
        shares: float64 ``(nodes, 7)``.
        children: int64 ``(nodes, ranks)``.
        unseen: int64 ``(nodes, ranks)``.
        rules: a `RULES` record.
        nodes: int64: the hands of two cards that the deck can make, or the empty hand (K3.2).
        out: int64 ``(nodes, 7)``.
    """
    for node in nodes:
        for others in range(1, rules["num_players"]):
            best = -1.0
            for index in range(rules["num_antes"]):
                ante = float(rules["ante_menu"][index])
                pot = (others + 1) * (rules["forced_ante"] / ante + NUM_ROUNDS)
                if node == 0:
                    worth = before_cards(shares, children, unseen, others, pot)
                else:
                    worth = after_two(shares, children, unseen, node, others, pot, 0.0) - 1.0
                if max(worth, 0.0) * ante > best:
                    best = max(worth, 0.0) * ante
                    out[node, others - 1] = index


class Knowledge(NamedTuple):
    """The tables that `choose_equity` reads."""

    children: Any  # int64 (nodes, ranks)
    sizes: Any  # int64 (nodes,)
    unseen: Any  # int64 (nodes, ranks)
    shares: Any  # float64 (nodes, 7)
    against_good: Any  # float64 (nodes,)
    break_even: Any  # float64 (nodes, 7)
    antes: Any  # int64 (nodes, 7)


@jit.inline
def final_pot(state, rules, seat):
    """Return the chips in the main pot at the end if every player still in calls to the end."""
    to_act, other = 1, int(seat)  # the seat itself, then those up to the dealer (K4.2)
    while other != state["dealer"]:
        other += 1
        if other == rules["num_players"]:
            other = 0
        to_act += state["in_hand"][other]
    later = (NUM_ROUNDS - int(state["round"])) * int(state["num_in"])
    return int(state["pot"]) + int(state["ante"]) * (to_act + later)


@jit.inline
def open_stakes(state, seat):
    """Return the antes staked, for it, on the hand of ``seat`` in bets of its own: a fold loses them (K6.5)."""
    total = 0
    for i in range(int(state["num_bets"])):
        bet = state["bets"][i]
        if (bet[0] == seat and bet[2] == seat) or (bet[1] == seat and bet[3] == seat):
            total += int(bet[4])
    return total


@jit.inline
def affordable(state, rules, seat, chips):
    """Return whether ``seat`` can stake ``chips`` and still pay every ante to come (K2.3)."""
    left = money_left(state, rules, seat)
    later = (NUM_ROUNDS - int(state["round"])) * int(state["ante"])
    return left < 0 or chips + later <= left


@jit.inline
def first_legal(mask):
    """Return the legal move with the lowest number."""
    move = 0
    while mask[move] == 0:
        move += 1
    return move


@jit.inline
def call_pays(state, rules, seat, node, knowledge):
    """Return whether a call is worth more than a fold; all others still in are taken to call to the end."""
    # Costs and prizes of a hand grow with its ante alike: only their ratio decides.
    pot = final_pot(state, rules, seat) / float(state["ante"])
    others, stakes = int(state["num_in"]) - 1, open_stakes(state, seat)
    if stakes == 0:
        return pot > knowledge.break_even[node, others - 1]
    shares, children, unseen = knowledge.shares, knowledge.children, knowledge.unseen
    # A fold loses the stake, a win gains it: two stakes lie between them.
    return call_worth(shares, children, unseen, knowledge.sizes, node, others, pot, 2.0 * stakes) > 0.0


@jit.inline
def first_opposed(mask):
    """Return the move that opposes the next player to the left; where no stake can be covered only a pass is legal."""
    for move in range(moves.AGAINST_BASE, moves.STAKE_BASE):
        if mask[move] == 1:
            return move
    return moves.PASS


@jit
def choose_equity(records, seats, masks, rules, knowledge, out):
    """Write the move of `equity` for every row.

    Args:
        records: redacted `STATE` records ``(B,)``.
        seats: int64 ``(B,)``, the seats to act.
        masks: int8 ``(B, NUM_MOVES)``.
        rules: one `RULES` record.
        knowledge: `Knowledge`.
        out: int64 ``(B,)``.
    """
    children, against_good, antes = knowledge.children, knowledge.against_good, knowledge.antes
    for row in range(records.shape[0]):
        state, seat, mask = records[row], int(seats[row]), masks[row]
        phase, node, others = state["phase"], node_of(state, seat, children), int(state["num_in"]) - 1
        if phase == BET:
            call = call_pays(state, rules[0], seat, node, knowledge)
            out[row] = moves.CALL if call and mask[moves.CALL] == 1 else moves.FOLD
        elif phase == ANTE:
            out[row] = moves.ANTE_BASE + affordable_ante(state, rules[0], seat, antes[node, others - 1])
        elif phase == STAKE:
            out[row] = affordable_stake(state, rules[0], seat, mask)
        elif phase == OFFER:
            chips = rules[0]["side_stakes"][0] * int(state["ante"])
            back = state["in_hand"][seat] == 1 and against_good[node] > FAVOURITE
            back = back and affordable(state, rules[0], seat, chips)
            out[row] = first_opposed(mask) if back else moves.PASS
        elif phase == RESPOND:
            chips = rules[0]["side_stakes"][state["stake_index"]] * int(state["ante"])
            take = state["opposed"] == seat and against_good[node] > FAVOURITE
            take = take and mask[moves.ACCEPT] == 1 and affordable(state, rules[0], seat, chips)
            out[row] = moves.ACCEPT if take else moves.DECLINE
        else:
            # `stay` comes before `leave`. It never begins to back another's hand: any hand named will do.
            out[row] = first_legal(mask)


@jit.inline
def affordable_ante(state, rules, seat, wanted):
    """Return ``wanted``, or the place of the highest ante below it that can be paid in all three rounds (K2.3)."""
    left = money_left(state, rules, seat)
    index = wanted
    while left >= 0 and index > 0 and NUM_ROUNDS * rules["ante_menu"][index] > left:
        index -= 1
    return index


@jit.inline
def affordable_stake(state, rules, seat, mask):
    """Return the move for the highest stake that leaves enough for every ante to come, else for the lowest."""
    best = first_legal(mask)
    for index in range(rules["num_stakes"]):
        chips = rules["side_stakes"][index] * int(state["ante"])
        if mask[moves.STAKE_BASE + index] == 1 and affordable(state, rules, seat, chips):
            best = moves.STAKE_BASE + index
    return best
