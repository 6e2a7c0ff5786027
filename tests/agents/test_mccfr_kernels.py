"""The kernels of external-sampling MCCFR: deals, payoffs, regrets and averages against slow code of another make."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, sqrt

import numpy as np
import pytest

from kuns_agents.exact import mccfr_kernels as kernels
from kuns_agents.exact.mccfr import Mccfr, matched
from kuns_agents.hands import BETTING_SIZES, tree
from kuns_env import KunsRules, Table
from kuns_env.rng import stream_key

FOLDS = 0.15
"""How often players fold that play at random."""
SMALL = KunsRules(3, (1, 4, 5, 10), 4, forced_ante=1, ante_menu=(1, 2), side_bets=False)
"""Three players and a deck of sixteen cards."""
FOUR = KunsRules(4, forced_ante=2, ante_menu=(3,), side_bets=False)
BLIND = KunsRules(3, forced_ante=1, ante_menu=(1, 5), side_bets=False, dealer_sees_hand=False)


def hand_at(solver, round_, index):
    """Return the ranks of a hand."""
    counts = tree().counts[solver.space.nodes[round_ - 1][index]]
    return tuple(int(rank) + 1 for rank in np.flatnonzero(counts) for _ in range(counts[rank]))


def index_of(solver, ranks):
    return int(solver.space.index[tree().node(tuple(ranks))])


def key_of(*numbers):
    """Return the words of a random stream, as kernels take them."""
    return tuple(map(np.uint64, stream_key(*numbers)))


def dealt(solver, episode):
    """Deal once; return every position's ranks in the order in which they came, and the counter after it."""
    counter = kernels.deal(solver._game, solver._work, *key_of(solver.seed, 1, episode))
    cards = solver._work.deck[: 5 * solver.rules.num_players] + 1
    return cards.reshape(-1, 5).tolist(), counter


def ways(left, hand):
    """Return in how many ways ``hand`` can be taken from the counted cards ``left``, and what is left then."""
    total, rest = 1, Counter(left)
    for rank, number in Counter(hand).items():
        total *= comb(rest[rank], number)
        rest[rank] -= number
    return total, rest


def too_far(counted, expected):
    """Return by how many standard deviations a chi-square exceeds its mean (Wilson & Hilferty 1931)."""
    free = len(expected) - 1
    chi = sum((counted[cell] - mean) ** 2 / mean for cell, mean in expected.items())
    return ((chi / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))


@pytest.mark.parametrize("places", [(0, 1), (1, 2), (2, 0)])
def test_deals_have_the_chances_of_one_deck(places):
    solver, num_deals = Mccfr(SMALL, 3), 12_000
    deck = Counter(dict.fromkeys(SMALL.ranks, SMALL.num_suits))
    pairs = [hand_at(solver, 1, index) for index in range(len(solver.space.nodes[0]))]
    expected = {}
    for one in pairs:
        first, rest = ways(deck, one)
        for other in pairs:
            both = first * ways(rest, other)[0] / (comb(16, 2) * comb(14, 2))
            if both > 0:
                expected[one, other] = num_deals * both
    counted = Counter()
    for episode in range(num_deals):
        hands, _ = dealt(solver, episode)
        counted[tuple(tuple(sorted(hands[place][:2])) for place in places)] += 1
    assert sum(expected.values()) == pytest.approx(num_deals)
    assert too_far(counted, expected) < 4
    # Hands that have nothing to do with each other would be found out.
    alone = {pair: num_deals * ways(deck, pair)[0] / comb(16, 2) for pair in pairs}
    apart = {(one, other): alone[one] * alone[other] / num_deals for one in pairs for other in pairs}
    assert too_far(counted, apart) > 10


def test_hands_are_those_of_the_cards():
    solver = Mccfr(SMALL, 3)
    for episode in range(50):
        hands, _ = dealt(solver, episode)
        everything = Counter(rank for hand in hands for rank in hand)
        assert max(everything.values()) <= SMALL.num_suits
        for position, hand in enumerate(hands):
            wanted = [index_of(solver, hand[:size]) for size in BETTING_SIZES]
            assert solver._work.hands[position].tolist() == wanted


def positions_of(rules, dealer):
    """Return the position of each seat."""
    return [(seat - dealer - 1) % rules.num_players for seat in range(rules.num_players)]


@pytest.mark.parametrize("rules", [SMALL, FOUR, KunsRules.tiny()], ids=str)
def test_payoffs_are_the_engines(rules):
    solver, rng = Mccfr(rules), np.random.default_rng(5)
    seen = Counter()
    for seed in range(400):
        table, folds = Table(rules, seed=seed), np.zeros(rules.num_players, np.int64)
        record = table.state
        place = positions_of(rules, int(record["dealer"]))
        while not table.is_over:
            legal = table.legal_moves()
            move = str(rng.choice(legal, p=[FOLDS, 1 - FOLDS] if legal[0] == "fold" else None))
            if move == "fold":
                folds[place[table.to_play]] = int(table.state["round"])
            table.apply(move)
        record, hands = table.state, np.zeros((rules.num_players, 3), np.int64)
        still = [seat for seat in range(rules.num_players) if folds[place[seat]] == 0]
        for seat in still if len(still) > 1 else []:
            hands[place[seat], 2] = index_of(solver, [int(card) // 4 + 1 for card in record["hole"][seat]])
        for seat in still:
            args = (solver._game.strengths, hands, folds, place[seat], int(record["ante"]), rules.forced_ante)
            assert kernels.payoff(*args) == pytest.approx(float(table.payoffs(exact=True)[seat]), abs=1e-12)
        payoffs = table.payoffs(exact=True)
        seen[len(still) > 1, sum(payoffs[seat] == max(payoffs) for seat in still)] += 1
    wanted = [(True, 1), (True, 2), (False, 1), *([(True, 3)] if rules == SMALL else [])]
    assert all(seen[case] for case in wanted)  # won, split by two and by three, and taken alone


def played(solver, hands, ante, moves, dealer=0):
    """Return the payoff of every position at the engine's table, with these cards.

    Args:
        hands: ranks of every position in the order in which they come.
        ante: its place in the menu.
        moves: from (position, round) and the node to "call" or "fold".
    """
    rules = solver.rules
    place = positions_of(rules, dealer)
    seats = sorted(range(rules.num_players), key=lambda seat: place[seat])
    used, deck, told = Counter(), [], []
    still, first = list(seats), 0
    if len(rules.ante_menu) > 1:
        told.append(f"ante {rules.ante_menu[ante]}")
    node = int(solver.public.firsts[ante])
    for size in BETTING_SIZES:
        for number in range(first, size):
            for seat in still:
                rank = hands[place[seat]][number]
                deck.append("A23456789T"[rank - 1] + "cdhs"[used[rank]])
                used[rank] += 1
        first = size
        table = Table(rules, seed=1, options={"dealer": dealer, "deck": deck})
        for move in told:
            table.apply(move)
        while not table.is_over and int(table.state["num_cards"][table.to_play]) == size:
            seat = table.to_play
            assert solver.public.positions[node] == place[seat]
            move = moves(node, place[seat])
            told.append(move)
            table.apply(move)
            after = solver.public.after_call if move == "call" else solver.public.after_fold
            node = int(after[node])
            if move == "fold":
                still.remove(seat)
            if node >= 0 and solver.public.rounds[node] != BETTING_SIZES.index(size) + 1:
                break
        if table.is_over:
            return [float(table.payoffs(exact=True)[seat]) for seat in seats]
    raise AssertionError("the hand must end")


@pytest.mark.parametrize("rules", [SMALL, FOUR], ids=str)
def test_a_traversal_adds_the_regrets_that_the_table_shows(rules):
    """Others play a fixed move in each situation; what each of one's own moves brings is played out."""
    rng = np.random.default_rng(2)
    solver = Mccfr(rules, 9)
    regrets, public, work = solver.sums.regrets, solver.public, solver._work
    for episode in range(60):
        fixed = rng.random(len(regrets)) < 0.7
        me, ante = int(rng.integers(rules.num_players)), int(rng.integers(len(rules.ante_menu)))
        regrets[:, 0], regrets[:, 1] = fixed, ~fixed
        for node in np.flatnonzero(public.positions == me):
            rows = slice(solver._game.rows[node], solver._game.rows[node + 1])
            regrets[rows] = rng.random((rows.stop - rows.start, 2)) - 0.2
        before, chance = regrets.copy(), matched(regrets)[:, 0]
        hands, counter = dealt(solver, episode)
        held = work.hands.copy()

        def row_of(node, position, held=held):
            return solver._game.rows[node] + held[position, public.rounds[node] - 1]

        path = []

        def moves(node, position, quits=4, me=me, fixed=fixed, path=path, row_of=row_of):
            if position != me:
                return "call" if fixed[row_of(node, position)] else "fold"
            path.append(int(row_of(node, position)))
            return "fold" if public.rounds[node] == quits else "call"

        value = played(solver, hands, ante, moves)[me]
        found, _ = kernels.walk(solver._game, solver.sums, work, me, ante, *key_of(1, 2, 3), counter)
        wanted = before.copy()
        for round_, row in reversed(list(enumerate(path[:], 1))):
            folding = played(solver, hands, ante, lambda node, p, q=round_, m=moves: m(node, p, q))[me]
            mean = chance[row] * value + (1 - chance[row]) * folding
            wanted[row] += value - mean, folding - mean
            value = mean
        assert found == pytest.approx(value)
        np.testing.assert_allclose(regrets, wanted, atol=1e-12)


@pytest.mark.parametrize("rules", [SMALL, BLIND], ids=str)
def test_the_antes_regrets_are_those_of_its_walks(rules):
    solver = Mccfr(rules, 4)
    game, sums, work, dealer = solver._game, solver.sums, solver._work, rules.num_players - 1
    sums.ante_regrets[:] = np.random.default_rng(1).random(sums.ante_regrets.shape) - 0.3
    before, key = sums.ante_regrets.copy(), stream_key(5, 6, 7)
    chances = matched(before)
    kernels.traverse(game, sums, work, dealer, *key)
    row, values = (work.hands[dealer, 0] if rules.dealer_sees_hand else 0), work.values.copy()
    again = Mccfr(rules, 4)
    counter = kernels.deal(again._game, again._work, *key)
    for ante, value in enumerate(values):
        found, counter = kernels.walk(again._game, again.sums, again._work, dealer, ante, *key, counter)
        assert found == value
    before[row] += values - chances[row] @ values
    np.testing.assert_allclose(sums.ante_regrets, before)
    np.testing.assert_array_equal(sums.regrets, again.sums.regrets)


def test_others_moves_are_drawn_from_their_strategies():
    solver = Mccfr(SMALL, 1)
    solver.sums.regrets[:] = 3, 1
    solver.sums.ante_regrets[:] = 1, 4
    calls, antes, num = 0, 0, 4_000
    for episode in range(num):
        held, before = solver.sums, solver.sums.regrets.copy()
        kernels.traverse(solver._game, held, solver._work, 0, *key_of(1, 2, episode))
        calls += solver._work.folds[1] != 1
        changed = np.flatnonzero((held.regrets != before).any(axis=1))
        node = np.searchsorted(solver._game.rows, changed[0], side="right") - 1
        antes += solver.public.antes[node]
        held.regrets[:] = before
    assert calls / num == pytest.approx(0.75, abs=4 * sqrt(0.25 * 0.75 / num))
    assert antes / num == pytest.approx(0.8, abs=4 * sqrt(0.2 * 0.8 / num))


def ways_of_five(deck):
    """Return for each (two cards, two more, one more), as multisets, in how many ways they can come."""
    ranks = sorted(deck)
    found = {}
    for two in combinations_with_replacement(ranks, 2):
        first, rest = ways(deck, two)
        for more in combinations_with_replacement(ranks, 2):
            second, left = ways(rest, more)
            for last in ranks:
                found[two, more, last] = first * second * left[last]
    return {steps: number for steps, number in found.items() if number > 0}


def test_the_average_has_the_weights_of_the_players_own_reach():
    """Against every way in which a player's five cards can have come, deal step by deal step."""
    rules, rng, weights = SMALL, np.random.default_rng(8), (1.0, 3.0)
    solver = Mccfr(rules)
    sums, game = solver.sums, solver._game
    strategies = []
    for weight in weights:
        sums.regrets[:] = rng.random(sums.regrets.shape) - 0.3
        sums.ante_regrets[:] = rng.random(sums.ante_regrets.shape) - 0.3
        kernels.add_average(game, sums, solver._work, weight)
        strategies.append((weight, matched(sums.regrets)[:, 0], matched(sums.ante_regrets)))
    want, times = np.zeros_like(sums.average), np.zeros(len(sums.average))
    deck = Counter(dict.fromkeys(rules.ranks, rules.num_suits))
    for third in np.flatnonzero(solver.public.rounds == 3):
        second = game.before[third]
        path = (game.before[second], second, third)
        for (two, more, last), number in ways_of_five(deck).items():
            ranks = [*two, *more, last]
            hands = [index_of(solver, ranks[:size]) for size in BETTING_SIZES]
            rows = [game.rows[node] + hand for node, hand in zip(path, hands, strict=True)]
            for weight, calls, antes in strategies:
                reach = weight * number
                if solver.public.positions[third] == rules.num_players - 1:
                    reach *= antes[hands[0], solver.public.antes[third]]
                for row in rows:
                    want[row] += reach * calls[row], reach
                    reach *= calls[row]
            times[rows] += number
    assert (times > 0).all()
    np.testing.assert_allclose(sums.average, want / times[:, None], rtol=1e-9)
    chances = sum(weight * antes for weight, _, antes in strategies)
    np.testing.assert_allclose(sums.ante_average, chances)


def test_the_decision_before_is_that_of_the_same_player_in_the_round_before():
    solver = Mccfr(SMALL)
    public = solver.public
    for node, before in enumerate(solver._game.before):
        assert (before < 0) == (public.rounds[node] <= 1)
        if before >= 0:
            assert public.positions[before] == public.positions[node]
            assert public.rounds[before] == public.rounds[node] - 1
            assert public.antes[before] == public.antes[node]
            gone = public.folds[before] > 0
            np.testing.assert_array_equal(public.folds[before][gone], public.folds[node][gone])
