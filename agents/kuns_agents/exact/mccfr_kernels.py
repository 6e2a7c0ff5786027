"""Kernels of external-sampling MCCFR over the public tree of Kuns without side bets.

Positions, nodes and hands are those of `PublicTree` and `HandSpace`; a *row* is a hand at a node, as in `rows_of`.

One thing makes a traversal quick: who folds has paid what it has paid, whatever the others do next. Of the two
moves that the traverser tries at each of its decisions, only the call leads on, so a traversal is one path.
"""

from typing import Any, NamedTuple

import numpy as np

from kuns_agents.compiler import jit
from kuns_env.kuns.rules import HAND_SIZE
from kuns_env.rng import below, draw, shuffle, stream_key

FIRST_SLOT = 1 << 48
"""Slots of the random streams from here on are the traversers': no game that is played has a slot so high."""
MOMENT_SLOT = FIRST_SLOT - 1
"""Slot of the streams that say which iterations stand in the average."""
UNIT_SHIFT, UNIT = np.uint64(11), 1.0 / (1 << 53)
"""From a random word to a number from 0 to 1: its upper 53 bits."""
CALL, FOLD = 0, 1
"""Columns of the regrets of a call or fold."""
CALLED, COUNTED = 0, 1
"""Columns of the average: reach times the chance to call, and reach."""


class Game(NamedTuple):
    """What never changes. All arrays int64, but for ``chances``."""

    positions: Any
    """`PublicTree.positions`, with the next five; ``(nodes,)``, ``firsts`` ``(antes,)``."""
    rounds: Any
    antes: Any
    after_call: Any
    after_fold: Any
    firsts: Any
    rows: Any
    """`rows_of`: ``(nodes + 1,)``."""
    before: Any
    """The decision of the same player in the round before, -1 where there is none, ``(nodes,)``."""
    menu: Any
    """Chips of each ante, ``(antes,)``."""
    forced: int
    """K2.4."""
    sees: int
    """Whether the dealer has seen two cards when it sets the ante (K3.2): 1 or 0."""
    deck: Any
    """Rank of each card from 0, ``(cards,)``."""
    children: Any
    """`Tree.children`."""
    index: Any
    """`HandSpace.index`."""
    strengths: Any
    """Of each hand of five (K5), by its index."""
    splits: Any
    """``starts, parents, chances`` of both `Splits`, one after the other: six arrays."""


class Sums(NamedTuple):
    """What is learned. All float64."""

    regrets: Any
    """``(rows, 2)``: of call and fold."""
    ante_regrets: Any
    """``(hands of two or one, antes)``."""
    average: Any
    """``(rows, 2)``: see `CALLED` and `COUNTED`."""
    ante_average: Any
    """As `ante_regrets`: sums of probabilities."""


class Work(NamedTuple):
    """Room to work in."""

    deck: Any
    """As `Game.deck`."""
    hands: Any
    """Index of the hand of each position in each round, int64 ``(players, 3)``."""
    folds: Any
    """The round in which each position folded, 0 for those still in, int64 ``(players,)``."""
    own: Any
    """Rows at which the traverser has called, int64 ``(3,)``."""
    values: Any
    """What each ante is worth to the traverser, or the chance of each, float64 ``(antes,)``."""
    going: Any
    """How likely a player's own moves make it come to a row and call there, float64 ``(rows,)``."""
    ante_chances: Any
    """The chance of each ante with each hand, as `Sums.ante_regrets`."""


@jit.inline
def unit(key_0, key_1, counter):
    """Return a uniform float64 from 0 to 1, 1 excluded."""
    return (draw(key_0, key_1, counter) >> UNIT_SHIFT) * UNIT


@jit.inline
def call_chance(regrets, row):
    """Return the chance to call at ``row`` by regret matching (Hart & Mas-Colell 2000)."""
    call, fold = max(regrets[row, CALL], 0.0), max(regrets[row, FOLD], 0.0)
    total = call + fold
    return call / total if total > 0 else 1 / 2


@jit.inline
def write_ante_chances(regrets, row, out):
    """Write the chance of each ante at ``row`` by regret matching into ``out``, float64 ``(antes,)``."""
    total = 0.0
    for ante in range(out.shape[0]):
        out[ante] = max(regrets[row, ante], 0.0)
        total += out[ante]
    for ante in range(out.shape[0]):
        out[ante] = out[ante] / total if total > 0 else 1 / out.shape[0]


@jit.inline
def deal(game, work, key_0, key_1):
    """Deal five cards to every position, all orders of the deck equally likely; return the counter after it.

    Who folds gets no more cards (K4.1); what it would have got is then as good as left in the deck.
    """
    cards = HAND_SIZE * work.hands.shape[0]
    for card in range(work.deck.shape[0]):
        work.deck[card] = game.deck[card]
    counter = shuffle(key_0, key_1, 0, work.deck, 0, cards, work.deck.shape[0])
    for position in range(work.hands.shape[0]):
        first = HAND_SIZE * position
        node = game.children[game.children[0, work.deck[first]], work.deck[first + 1]]
        work.hands[position, 0] = game.index[node]
        node = game.children[game.children[node, work.deck[first + 2]], work.deck[first + 3]]
        work.hands[position, 1] = game.index[node]
        work.hands[position, 2] = game.index[game.children[node, work.deck[first + 4]]]
    return counter


@jit.inline
def payoff(strengths, hands, folds, me, ante, forced):
    """Return the net chips of ``me``, which has not folded, at the end of a hand (K4.4, K5.6, K7.1).

    Args:
        strengths: int64, of each hand of five.
        hands: int64 ``(players, 3)``: see `Work`.
        folds: int64 ``(players,)``: the round in which each folded, 0 for those still in.
        me: position.
        ante: chips.
        forced: chips that everyone has paid before the deal (K2.4).
    """
    best = strengths[hands[me, 2]]
    others, ties, beaten = 0, 1, False
    for position in range(folds.shape[0]):
        if position != me:
            if folds[position] > 0:
                others += forced + (folds[position] - 1) * ante
                continue
            others += forced + hands.shape[1] * ante
            strength = strengths[hands[position, 2]]
            beaten |= strength > best
            ties += strength == best
    own = forced + hands.shape[1] * ante
    if beaten:
        return -1.0 * own
    # Alone, what one has paid comes back: how much of it there was does not matter.
    return (others + own) / ties - own if ties > 1 else 1.0 * others


@jit.inline
def walk(game, sums, work, me, ante, key_0, key_1, counter):
    """Traverse what follows an ante for ``me``; return what it is worth to it, and the counter after it.

    The others' moves are drawn from their strategies. Where ``me`` decides, both moves count.
    """
    chips, calls = game.menu[ante], 0
    work.folds[:] = 0
    node = game.firsts[ante]
    while node >= 0:
        position, round_ = game.positions[node], game.rounds[node]
        row = game.rows[node] + work.hands[position, round_ - 1]
        if position == me:
            work.own[calls] = row
            calls += 1
            node = game.after_call[node]
            continue
        chance = unit(key_0, key_1, counter)
        counter += 1
        if chance < call_chance(sums.regrets, row):
            node = game.after_call[node]
        else:
            work.folds[position] = round_
            node = game.after_fold[node]
    value = payoff(game.strengths, work.hands, work.folds, me, chips, game.forced)
    for call in range(calls - 1, -1, -1):
        row = work.own[call]
        folding = -1.0 * (game.forced + call * chips)  # K4.2
        chance = call_chance(sums.regrets, row)
        gain = value - folding
        sums.regrets[row, CALL] += (1 - chance) * gain
        sums.regrets[row, FOLD] -= chance * gain
        value = folding + chance * gain
    return value, counter


@jit.inline
def traverse(game, sums, work, me, key_0, key_1):
    """Deal a hand, and add what was sampled of the regrets of ``me`` to `Sums.regrets` and `Sums.ante_regrets`."""
    counter = deal(game, work, key_0, key_1)
    antes, dealer = game.firsts.shape[0], work.hands.shape[0] - 1
    if antes == 1:
        walk(game, sums, work, me, 0, key_0, key_1, counter)
        return
    row = work.hands[dealer, 0] if game.sees else 0
    if me == dealer:
        for ante in range(antes):
            work.values[ante], counter = walk(game, sums, work, me, ante, key_0, key_1, counter)
        mean, chances = 0.0, work.ante_chances[row]
        write_ante_chances(sums.ante_regrets, row, chances)
        for ante in range(antes):
            mean += chances[ante] * work.values[ante]
        for ante in range(antes):
            sums.ante_regrets[row, ante] += work.values[ante] - mean
        return
    write_ante_chances(sums.ante_regrets, row, work.values)
    point, ante = unit(key_0, key_1, counter), 0
    while ante < antes - 1 and point >= work.values[ante]:
        point -= work.values[ante]
        ante += 1
    walk(game, sums, work, me, ante, key_0, key_1, counter + 1)


@jit.inline
def add_node(game, sums, work, node, starts, parents, chances, weight):
    """Add to the average what the strategy of now does at one node of the second or third round."""
    row, first = game.rows[node], game.rows[game.before[node]]
    for hand in range(starts.shape[0] - 1):
        reach = 0.0
        for k in range(starts[hand], starts[hand + 1]):
            reach += chances[k] * work.going[first + parents[k]]
        work.going[row + hand] = reach * call_chance(sums.regrets, row + hand)
        sums.average[row + hand, CALLED] += weight * work.going[row + hand]
        sums.average[row + hand, COUNTED] += weight * reach


@jit.kernel
def add_average(game, sums, work, weight):
    """Add to the average, with a weight, the strategy of now in every situation, by its player's own reach."""
    dealer = work.hands.shape[0] - 1
    antes = game.firsts.shape[0]
    for row in range(work.ante_chances.shape[0]):
        write_ante_chances(sums.ante_regrets, row, work.ante_chances[row])
        for ante in range(antes):
            sums.ante_average[row, ante] += weight * work.ante_chances[row, ante]
    for node in range(game.rounds.shape[0]):
        if game.rounds[node] == 1:
            for hand in range(game.rows[node + 1] - game.rows[node]):
                row, reach = game.rows[node] + hand, 1.0
                if game.positions[node] == dealer:
                    reach = work.ante_chances[hand if game.sees else 0, game.antes[node]]
                work.going[row] = reach * call_chance(sums.regrets, row)
                sums.average[row, CALLED] += weight * work.going[row]
                sums.average[row, COUNTED] += weight * reach
        elif game.rounds[node] == 2:
            add_node(game, sums, work, node, game.splits[0], game.splits[1], game.splits[2], weight)
        elif game.rounds[node] > 2:
            add_node(game, sums, work, node, game.splits[3], game.splits[4], game.splits[5], weight)


@jit.inline
def moment(seed, number, stretch):
    """Return the iteration of stretch ``number`` whose strategy stands in the average: any, equally likely."""
    key_0, key_1 = stream_key(seed, MOMENT_SLOT, number)
    picked, _ = below(key_0, key_1, 0, stretch)
    return number * stretch + picked


@jit.inline
def scale(table, factor):
    """Multiply all of ``table``, two-dimensional, by ``factor``."""
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] *= factor


@jit.kernel
def advance(game, sums, work, clock, seed, stretch, linear, until):
    """Go on to iteration ``until``; what comes out does not depend on where one stops on the way.

    Args:
        game: `Game`.
        sums: `Sums`; changed.
        work: `Work`.
        clock: int64 ``(1,)``: iterations done; changed. Whoever stops this program finds it true.
        seed: of all random numbers.
        stretch: iterations of which one stands in the average.
        linear: whether what stretch ``k`` adds to regrets and average has weight ``k``; else all weights are equal.
        until: iterations.
    """
    while clock[0] < until:
        number = clock[0] // stretch
        chosen = moment(seed, number, stretch)
        end = (number + 1) * stretch
        for iteration in range(clock[0], min(until, end)):
            if iteration == chosen:
                add_average(game, sums, work, 1.0 * (number + 1 if linear else 1))
            for me in range(work.hands.shape[0]):
                key_0, key_1 = stream_key(seed, FIRST_SLOT + me, iteration)
                traverse(game, sums, work, me, key_0, key_1)
        clock[0] = min(until, end)
        if linear and clock[0] == end:
            factor = (number + 1) / (number + 2)
            scale(sums.regrets, factor)
            scale(sums.ante_regrets, factor)
