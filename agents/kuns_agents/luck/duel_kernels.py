"""Kernels for heads-up Kuns without side bets: what a table makes of two given hands that it plays against itself.

Values are chips to the left of the dealer; the dealer has the opposite. Hands are places in `HandSpace`.
"""

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kuns.moves import ANTE_BASE, CALL, FOLD
from kuns_env.kuns.state import ANTE, BET, NUM_ROUNDS
from kuns_env.kuns.value import SUIT_BITS

LEFT, DEALER = 0, 1
CARDS_BEFORE = (0, 2, 4)
"""Cards in hand before each round's are dealt (K4.1)."""
CARDS_AFTER = (2, 4, 5)


@jit.inline
def after_call(table, round_, left, dealer, ante):
    """Return what it is worth that both have called in ``round_``, from 0."""
    if round_ < NUM_ROUNDS - 1:
        return table.called[round_][left, dealer, ante]
    mine, other = table.strengths[left], table.strengths[dealer]
    if mine == other:
        return 0.0
    return table.stakes[ante] if mine > other else -table.stakes[ante]


@jit.inline
def dealer_asked(table, round_, left, dealer, ante):
    """Return what it is worth that the left of the dealer has called."""
    chance = table.calls[DEALER][round_][dealer, ante]
    loss = table.losses[round_, ante]
    return loss + chance * (after_call(table, round_, left, dealer, ante) - loss)


@jit.inline
def left_asked(table, round_, left, dealer, ante):
    """Return what the round is worth before anybody is asked."""
    chance = table.calls[LEFT][round_][left, ante]
    loss = table.losses[round_, ante]
    return -loss + chance * (dealer_asked(table, round_, left, dealer, ante) + loss)


@jit.inline
def unseen(table, round_, left, dealer, out):
    """Write how many cards of each rank neither hand holds; return how many in all, -1 if there are no such hands."""
    total = 0
    for rank in range(out.shape[0]):
        out[rank] = (
            table.copies[rank]
            - table.counts[table.nodes[round_][left], rank]
            - table.counts[table.nodes[round_][dealer], rank]
        )
        if out[rank] < 0:
            return -1
        total += out[rank]
    return total


@jit
def write_last_deal(table, out):
    """Write into ``out``, ``(hands of four, hands of four, antes)``, what the deal of the last card leads to."""
    left_cards = np.empty(table.copies.shape[0], np.int64)
    antes = out.shape[2]
    for left in range(out.shape[0]):
        for dealer in range(out.shape[1]):
            out[left, dealer, :] = 0.0
            total = unseen(table, 1, left, dealer, left_cards)
            if total < 0:
                continue
            for rank in range(left_cards.shape[0]):
                for other in range(left_cards.shape[0]):
                    ways = left_cards[rank] * (left_cards[other] - (1 if other == rank else 0))
                    if ways <= 0:
                        continue
                    ours = table.places[table.children[table.nodes[1][left], rank]]
                    theirs = table.places[table.children[table.nodes[1][dealer], other]]
                    for ante in range(antes):
                        out[left, dealer, ante] += ways * left_asked(table, 2, ours, theirs, ante)
            for ante in range(antes):
                out[left, dealer, ante] /= total * (total - 1)


@jit
def write_second_deal(table, out):
    """Write into ``out``, ``(hands of two, hands of two, antes)``, what the deal of two more cards leads to."""
    left_cards = np.empty(table.copies.shape[0], np.int64)
    for left in range(out.shape[0]):
        for dealer in range(out.shape[1]):
            out[left, dealer, :] = 0.0
            total = unseen(table, 0, left, dealer, left_cards)
            if total >= 0:
                add_second_deals(table, left, dealer, left_cards, out)
                for ante in range(out.shape[2]):
                    # Two cards of ``total``, and two of the rest.
                    out[left, dealer, ante] /= total * (total - 1) // 2 * ((total - 2) * (total - 3) // 2)


@jit
def add_second_deals(table, left, dealer, left_cards, out):
    """Add to ``out[left, dealer]`` all ways to deal two cards to each, for `write_second_deal`."""
    pairs = table.nodes[0]
    for mine in range(pairs.shape[0]):
        ways = ways_to_deal(table.counts[pairs[mine]], left_cards)
        if ways == 0:
            continue
        ours = table.places[joined(table, pairs[left], pairs[mine])]
        for rank in range(left_cards.shape[0]):
            left_cards[rank] -= table.counts[pairs[mine], rank]
        for other in range(pairs.shape[0]):
            both = ways * ways_to_deal(table.counts[pairs[other]], left_cards)
            if both == 0:
                continue
            theirs = table.places[joined(table, pairs[dealer], pairs[other])]
            for ante in range(out.shape[2]):
                out[left, dealer, ante] += both * left_asked(table, 1, ours, theirs, ante)
        for rank in range(left_cards.shape[0]):
            left_cards[rank] += table.counts[pairs[mine], rank]


@jit.inline
def ways_to_deal(pair, left_cards):
    """Return in how many ways two cards of these ranks, ``(ranks,)``, come from ``left_cards``, ``(ranks,)``."""
    ways = 1
    for rank in range(pair.shape[0]):
        if pair[rank] == 1:
            ways *= left_cards[rank]
        elif pair[rank] == 2:
            ways *= left_cards[rank] * (left_cards[rank] - 1) // 2
    return ways


@jit.inline
def joined(table, node, other):
    """Return the node of two hands together."""
    for rank in range(table.counts.shape[1]):
        for _ in range(table.counts[other, rank]):
            node = table.children[node, rank]
    return node


@jit
def write_first_deal(table, out):
    """Write into ``out``, ``(antes + 1,)``, what a hand is worth before the deal: with each ante, and with all open."""
    pairs = table.nodes[0]
    antes = out.shape[0] - 1
    left_cards = table.copies.copy()
    out[:] = 0.0
    total = 0
    for left in range(pairs.shape[0]):
        ways = ways_to_deal(table.counts[pairs[left]], left_cards)
        for rank in range(left_cards.shape[0]):
            left_cards[rank] -= table.counts[pairs[left], rank]
        for dealer in range(pairs.shape[0]):
            both = ways * ways_to_deal(table.counts[pairs[dealer]], left_cards)
            total += both
            row = dealer if table.antes.shape[0] > 1 else 0
            for ante in range(antes):
                if both > 0:
                    value = both * left_asked(table, 0, left, dealer, ante)
                    out[ante] += value
                    out[antes] += table.antes[row, ante] * value
        for rank in range(left_cards.shape[0]):
            left_cards[rank] += table.counts[pairs[left], rank]
    for place in range(antes + 1):
        out[place] /= total


# --- the terms of a decision ------------------------------------------------------------------------------


@jit.inline
def place_of(table, state, seat, size):
    """Return the place of the first ``size`` cards of a seat among the hands of that size."""
    node = 0
    for card in range(size):
        node = table.children[node, int(state["hole"][seat, card]) >> SUIT_BITS]
    return table.places[node]


@jit.inline
def ante_value(table, left, dealer, ante, is_seen):
    """Return what an ante is worth that the dealer sets: with given hands, or before there are any (K3.2)."""
    return left_asked(table, 0, left, dealer, ante) if is_seen else table.starts[ante]


@jit.inline
def before_ante(table, left, dealer, is_seen):
    """Return what a hand is worth in which the ante is still to be set."""
    value = 0.0
    row = dealer if is_seen else 0
    for ante in range(table.stakes.shape[0]):
        value += table.antes[row, ante] * ante_value(table, left, dealer, ante, is_seen)
    return value


@jit.inline
def hand_begins(table, state):
    """Return what a hand is worth before any card, with the first dealer drawn by lot for 0 (K2.1)."""
    return 0.0 if state["hands_done"] == 0 else table.starts[table.starts.shape[0] - 1]


@jit.inline
def value_before(table, state, round_, seats, ante, sees_hand):
    """Return what the hand was worth before the cards of ``round_`` were dealt, its ante set."""
    if round_ > 0:
        size = CARDS_BEFORE[round_]
        left, dealer = place_of(table, state, seats[LEFT], size), place_of(table, state, seats[DEALER], size)
        return table.called[round_ - 1][left, dealer, ante]
    if table.stakes.shape[0] == 1:  # no ante was set: the hand begins here
        return hand_begins(table, state)
    if sees_hand:  # no card has come since the ante
        size = CARDS_AFTER[0]
        left, dealer = place_of(table, state, seats[LEFT], size), place_of(table, state, seats[DEALER], size)
        return left_asked(table, 0, left, dealer, ante)
    return table.starts[ante]


@jit.inline
def ante_terms(table, state, seats, move, policy, sees_hand):
    """Return the terms of the dealer's choice of an ante (K3.1)."""
    left, dealer = -1, -1
    if sees_hand:
        size = CARDS_AFTER[0]
        left, dealer = place_of(table, state, seats[LEFT], size), place_of(table, state, seats[DEALER], size)
    terms = before_ante(table, left, dealer, sees_hand) - hand_begins(table, state)
    if move >= 0 and policy.shape[0] > 0:
        known = 0.0
        for ante in range(table.stakes.shape[0]):
            chance = policy[ANTE_BASE + ante]
            known += chance
            terms -= chance * ante_value(table, left, dealer, ante, sees_hand)
        terms += known * ante_value(table, left, dealer, move - ANTE_BASE, sees_hand)
    return terms


@jit.inline
def bet_terms(table, state, seats, move, policy, sees_hand):
    """Return the terms of a call or a fold (K4.2)."""
    round_, ante = int(state["round"]) - 1, int(state["ante_index"])
    size = CARDS_AFTER[round_]
    left, dealer = place_of(table, state, seats[LEFT], size), place_of(table, state, seats[DEALER], size)
    terms, loss = 0.0, table.losses[round_, ante]
    if state["seat"] == seats[LEFT]:  # is asked first: the cards have just come
        before = value_before(table, state, round_, seats, ante, sees_hand)
        terms += left_asked(table, round_, left, dealer, ante) - before
        fold, call = -loss, dealer_asked(table, round_, left, dealer, ante)
    else:
        fold, call = loss, after_call(table, round_, left, dealer, ante)
    if move >= 0 and policy.shape[0] > 0:
        known = policy[CALL] + policy[FOLD]
        terms += known * (call if move == CALL else fold) - policy[CALL] * call - policy[FOLD] * fold
    return terms


@jit
def write_terms(table, states, moves, policy, sees_hand, out):
    """Write how lucky the left of the dealer was: in the cards before each decision, and in its dice.

    Args:
        table: `kuns_agents.luck.duel.Tables`.
        states: full records, ``(B,)``.
        moves: int64 ``(B,)``, below 0 where there is none.
        policy: float64 ``(B, A)``; rows of zeros where it is not known. ``(0, A)``: of none.
        sees_hand: whether the dealer sets the ante after the first cards (K3.2).
        out: float64 ``(B,)``.
    """
    nothing = np.zeros(0)
    for i in range(states.shape[0]):
        state = states[i]
        dealer = int(state["dealer"])
        seats = (1 - dealer, dealer)
        known = policy[i] if policy.shape[0] > 0 else nothing
        if state["phase"] == ANTE:
            out[i] = ante_terms(table, state, seats, moves[i], known, sees_hand)
        elif state["phase"] == BET:
            out[i] = bet_terms(table, state, seats, moves[i], known, sees_hand)
        else:  # whether to stay in a session (K2.2)
            out[i] = 0.0
