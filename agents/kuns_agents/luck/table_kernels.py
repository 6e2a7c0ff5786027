"""Kernels for Kuns at any table: what hands promise if all that are still in call to the end.

With ``m`` hands in, the share of the pot of one of them is taken to be ``1 / m`` plus `SLOPE` ``/ (m (m + 1))`` times
its balance: how many hands it beats less how many beat it. Of all that is linear in the balance this comes nearest
to "the best hand takes all", if the hands are equally likely to be in any order: the covariance of the two is
``(m - 1) / m``, the variance of the balance ``(m**2 - 1) / 3``. For two it is exact. Being linear it has a mean that is
known exactly, two hands at a time, whatever cards are still to come.
"""

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kuns.moves import ACCEPT, ANTE_BASE, CALL, DECLINE, FOLD
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS
from kuns_env.kuns.state import ANTE, BET, DEAL, NUM_ROUNDS, RESPOND
from kuns_env.kuns.value import SUIT_BITS

SLOPE = 3.0


@jit.inline
def node_of(table, state, seat, size):
    """Return the node of the first ``size`` cards of a seat."""
    node = 0
    for card in range(size):
        node = table.children[node, int(state["hole"][seat, card]) >> SUIT_BITS]
    return node


@jit.inline
def lead(table, one, other, is_complete):
    """Return by how much the hand at node ``one`` is expected to beat that at ``other``: -1 to 1 at the end."""
    if not is_complete:
        return 2.0 * (table.chances[one] - table.chances[other])
    mine, theirs = table.strengths[one], table.strengths[other]
    return 1.0 if mine > theirs else -1.0 if mine < theirs else 0.0


@jit.inline
def final_pot(state, rules, ante, in_hand, num_in):
    """Return the chips in the pot if all of ``in_hand`` call to the end; one alone pays no more (K4.4)."""
    pot = 0
    for seat in range(rules["num_players"]):
        paid = int(state["paid"][seat])
        pot += paid
        if in_hand[seat] == 1 and num_in > 1:
            pot += ante_to_come(rules, paid, ante)
    return pot


@jit.inline
def ante_to_come(rules, paid, ante):
    """Return the chips that a player who has ``paid`` still pays if it calls to the end."""
    return rules["forced_ante"] + NUM_ROUNDS * ante - paid


@jit.inline
def is_just_dealt(state):
    """Return whether cards were the last thing to happen."""
    last = int(state["num_history"]) - 1
    return last >= 0 and state["history"][last, 0] == DEAL


# --- chance -----------------------------------------------------------------------------------------------


@jit.inline
def count_unseen(table, state, num_dealt, out):
    """Write how many cards of each rank are not among the first ``num_dealt``; return how many in all."""
    total = 0
    for rank in range(out.shape[0]):
        out[rank] = table.copies[rank]
        total += out[rank]
    for place in range(num_dealt):
        out[int(state["deck"][place]) >> SUIT_BITS] -= 1
    return total - num_dealt


@jit.inline
def mean_of_two_more(table, node, unseen, total):
    """Return the mean of `Chances.shares` of a hand over its next two cards."""
    mean = 0.0
    for rank in range(unseen.shape[0]):
        for other in range(rank, unseen.shape[0]):
            ways = unseen[rank] * (unseen[rank] - 1) // 2 if rank == other else unseen[rank] * unseen[other]
            if ways > 0:
                mean += ways * table.chances[table.children[table.children[node, rank], other]]
    return mean / (total * (total - 1) // 2)


@jit.inline
def mean_lead_of_one_more(table, one, other, unseen, total):
    """Return the mean of `lead` over the last card of both hands."""
    won = 0
    for rank in range(unseen.shape[0]):
        if unseen[rank] == 0:
            continue
        mine = table.strengths[table.children[one, rank]]
        for card in range(unseen.shape[0]):
            ways = unseen[rank] * (unseen[card] - (1 if card == rank else 0))
            if ways > 0:
                theirs = table.strengths[table.children[other, card]]
                if mine != theirs:
                    won += ways if mine > theirs else -ways
    return won / (total * (total - 1))


@jit.inline
def write_gains(table, state, unseen, total, gains):
    """Write how much better than expected the first or second deal was for each seat that is in (K4.1)."""
    for seat in range(gains.shape[0]):
        gains[seat] = 0.0
        if state["in_hand"][seat] == 1:
            pair = node_of(table, state, seat, 2)
            if state["round"] == 1:
                gains[seat] = table.chances[pair]  # less the same for all: nobody had a card before
            else:
                four = table.chances[node_of(table, state, seat, 4)]
                gains[seat] = four - mean_of_two_more(table, pair, unseen, total)


@jit.inline
def surprise(table, state, one, other, unseen, total, gains):
    """Return how much better than expected the last deal was for seat ``one`` against seat ``other``."""
    if state["round"] < NUM_ROUNDS:
        return 2.0 * (gains[one] - gains[other])
    now = lead(table, node_of(table, state, one, HAND_SIZE), node_of(table, state, other, HAND_SIZE), True)
    mine, theirs = node_of(table, state, one, HAND_SIZE - 1), node_of(table, state, other, HAND_SIZE - 1)
    return now - mean_lead_of_one_more(table, mine, theirs, unseen, total)


@jit.inline
def add_chance(table, state, rules, room, out):
    """Add what the deal brought each seat, in chips: its share of the pot, and side bets on hands still in."""
    unseen, gains, surprises = room
    round_, num_in, num_players = int(state["round"]), int(state["num_in"]), rules["num_players"]
    num_new = num_in if round_ == NUM_ROUNDS else 2 * num_in
    total = count_unseen(table, state, int(state["deck_next"]) - num_new, unseen)
    if round_ < NUM_ROUNDS:
        write_gains(table, state, unseen, total, gains)
    ante = int(state["ante"]) if state["ante"] > 0 else rules["ante_menu"][0]
    weight = table.weights[round_ - 1, num_in]
    pot = final_pot(state, rules, ante, state["in_hand"], num_in)
    worth = weight * pot * SLOPE / (num_in * (num_in + 1))
    surprises[:, :] = 0.0
    for one in range(num_players):
        for other in range(one):
            if state["in_hand"][one] == 1 and state["in_hand"][other] == 1:
                value = surprise(table, state, one, other, unseen, total, gains)
                surprises[one, other], surprises[other, one] = value, -value
                out[one] += worth * value
                out[other] -= worth * value
    for place in range(int(state["num_bets"])):
        bet = state["bets"][place]
        chips = weight * int(bet[4]) * ante * surprises[bet[2], bet[3]]
        out[bet[0]] += chips
        out[bet[1]] -= chips


# --- decisions --------------------------------------------------------------------------------------------


@jit.inline
def bet_lead(table, nodes, in_hand, backed, opposed, is_complete):
    """Return how a side bet is expected to end for who backed (K6.5): -1 to 1."""
    if in_hand[backed] == 1 and in_hand[opposed] == 1:
        return lead(table, nodes[backed], nodes[opposed], is_complete)
    return float(in_hand[backed]) - float(in_hand[opposed])


@jit.inline
def add_value(table, state, rules, nodes, in_hand, ante, factor, out):
    """Add to ``out`` ``factor`` times what each seat wins if all of ``in_hand`` call to the end.

    Args:
        table: `kuns_agents.luck.table.Tables`.
        state: the record.
        rules: the rules' record.
        nodes: int64 ``(seats,)``: the hands.
        in_hand: int64 ``(seats,)``.
        ante: in chips.
        factor: to multiply by.
        out: float64 ``(seats,)``.
    """
    num_players, is_complete = rules["num_players"], state["round"] == NUM_ROUNDS
    num_in = 0
    for seat in range(num_players):
        num_in += in_hand[seat]
    # Who calls pays now what it would have paid later: the pot ends the same.
    pot = final_pot(state, rules, ante, in_hand, num_in)
    slope = SLOPE / (num_in * (num_in + 1))
    for seat in range(num_players):
        paid = int(state["paid"][seat])
        if in_hand[seat] == 0:
            out[seat] -= factor * paid
            continue
        balance = 0.0
        for other in range(num_players):
            if in_hand[other] == 1 and other != seat:
                balance += lead(table, nodes[seat], nodes[other], is_complete)
        to_come = ante_to_come(rules, paid, ante) if num_in > 1 else 0
        out[seat] += factor * (pot * (1.0 / num_in + slope * balance) - paid - to_come)
    for place in range(int(state["num_bets"])):
        bet = state["bets"][place]
        chips = (
            factor
            * int(bet[4])
            * ante
            * bet_lead(table, nodes, in_hand, int(bet[2]), int(bet[3]), is_complete)
        )
        out[bet[0]] += chips
        out[bet[1]] -= chips


@jit.inline
def add_dice(table, state, rules, move, policy, nodes, in_hand, out):
    """Add what the move that was drawn brought each seat more than those that might have been."""
    phase, seat, num_players = state["phase"], int(state["seat"]), rules["num_players"]
    size = min(2 * int(state["round"]), HAND_SIZE)
    for each in range(num_players):
        in_hand[each] = state["in_hand"][each]
        nodes[each] = node_of(table, state, each, size) if in_hand[each] == 1 else 0
    ante, weight = int(state["ante"]), table.dice_weight
    if phase == BET:
        known = policy[FOLD] + policy[CALL]
        call = (known if move == CALL else 0.0) - policy[CALL]
        # The two factors cancel: what is certain adds nothing.
        add_value(table, state, rules, nodes, in_hand, ante, weight * call, out)
        in_hand[seat] = 0
        add_value(table, state, rules, nodes, in_hand, ante, -weight * call, out)
    elif phase == ANTE:
        known = 0.0
        for place in range(rules["num_antes"]):
            known += policy[ANTE_BASE + place]
        for place in range(rules["num_antes"]):
            factor = (known if move == ANTE_BASE + place else 0.0) - policy[ANTE_BASE + place]
            add_value(table, state, rules, nodes, in_hand, rules["ante_menu"][place], weight * factor, out)
    elif phase == RESPOND:
        known = policy[ACCEPT] + policy[DECLINE]
        accept = (known if move == ACCEPT else 0.0) - policy[ACCEPT]
        side = bet_lead(
            table, nodes, in_hand, int(state["backed"]), int(state["opposed"]), state["round"] == NUM_ROUNDS
        )
        chips = weight * accept * side * rules["side_stakes"][state["stake_index"]] * ante
        out[state["offerer"]] += chips
        out[seat] -= chips


@jit
def write_terms(table, states, rules, moves, policy, out):
    """Write how lucky each seat was: in the cards before each decision, and in its dice.

    Args:
        table: `kuns_agents.luck.table.Tables`.
        states: full records, ``(B,)``.
        rules: one `RULES` record.
        moves: int64 ``(B,)``, below 0 where there is none.
        policy: float64 ``(B, A)``; rows of zeros where it is not known. ``(0, A)``: of none.
        out: float64 ``(B, P)``.
    """
    nodes, in_hand = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    unseen = np.zeros(table.copies.shape[0], np.int64)
    gains, surprises = np.zeros(MAX_PLAYERS), np.zeros((MAX_PLAYERS, MAX_PLAYERS))
    room = (unseen, gains, surprises)
    for i in range(states.shape[0]):
        state = states[i]
        out[i, :] = 0.0
        if is_just_dealt(state):
            add_chance(table, state, rules[0], room, out[i])
        if moves[i] >= 0 and policy.shape[0] > 0:
            add_dice(table, state, rules[0], moves[i], policy[i], nodes, in_hand, out[i])
