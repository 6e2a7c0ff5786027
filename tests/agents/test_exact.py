"""Exact strength in heads-up Kuns: known figures, the solver, and who is refused."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest

import kuns_agents
from kuns_agents.archive import read_archive, write_archive
from kuns_agents.drawing import draw_moves
from kuns_agents.exact import public
from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.ask import Asked, NoPolicyError
from kuns_agents.exact.cousins import COUSINS
from kuns_agents.exact.duel import DEALER, LEFT, duel, to_strategy, to_table
from kuns_agents.exact.follow import DRAWS, STATES, check_follows
from kuns_agents.exact.public import public_tree
from kuns_agents.exact.query import cards_of, recall_deals
from kuns_agents.exact.response import respond, value_of
from kuns_agents.exact.solver import ALGORITHMS, Solver
from kuns_agents.exact.space import hand_space
from kuns_agents.exact.table import TablePolicy, uniform
from kuns_agents.hands import WAYS, chances, tree
from kuns_env import Batch, KunkenRules, KunsRules, Table
from kuns_env.kuns import moves

DUEL = KunsRules.duel()
ONE_ANTE = COUSINS["one ante"]
FREE = KunsRules(num_players=2, side_bets=False)
"""Nothing is forced: folding costs nothing (K8.5)."""
SMALL_GAMES = [COUSINS[name] for name in ("tiny", "three ranks", "low half")]
SMALL_GAMES += [
    KunsRules(
        num_players=2, ranks=(1, 4, 5, 10), num_suits=3, forced_ante=3, ante_menu=menu, side_bets=False,
        dealer_sees_hand=sees, no_kuns_zero_is_ten=ten,
    )
    for menu, sees, ten in (((1, 2, 5), False, True), ((2,), True, True))
]  # fmt: skip


def agent_of(table):
    return TableAgent(table, "table")


def random_table(rules, seed):
    rng, even = np.random.default_rng(seed), uniform(rules)
    antes = rng.random(even.antes.shape)
    return TablePolicy(rules, rng.random(even.calls.shape), antes / antes.sum(axis=1, keepdims=True))


# --- figures of an independent calculation ----------------------------------------------------------------


def test_numbers_of_hands_and_states():
    assert hand_space(DUEL).sizes == (55, 715, 1992)
    assert [len(deals) for deals in recall_deals(DUEL)] == [55, 3025, 30240]
    assert len(uniform(DUEL).calls) + len(uniform(DUEL).antes) == 22_151


def test_chance_of_kuns():
    assert chances(DUEL).kuns[0] == pytest.approx(0.67704, abs=5e-6)


@pytest.mark.parametrize(("name", "wanted"), [("random", 3.8525), ("call", 0.4176), ("fold", 1.0)])
def test_exploitability_of_simple_agents(name, wanted):
    assert kuns_agents.exploitability(kuns_agents.load(name)).exploitability == pytest.approx(
        wanted, abs=5e-5
    )


def test_cautious_can_be_exploited_less_than_calling():
    found = [
        kuns_agents.exploitability(kuns_agents.load(name)).exploitability for name in ("cautious", "call")
    ]
    assert found[0] < found[1]


@pytest.mark.parametrize(("rules", "value", "near"), [(DUEL, 0.5200, 3e-4), (ONE_ANTE, 0.05974, 1e-5)])
def test_value_of_the_game(rules, value, near):
    last = kuns_agents.solve(rules, 2e-6).last
    assert last.low <= last.high <= last.low + 4e-6
    assert (last.low + last.high) / 2 == pytest.approx(value, abs=near)


def test_folding_cannot_be_exploited_where_nothing_is_forced():
    """K8.5, and the value of that game is 0: the dealer can secure nothing more, nor can the other side."""
    assert kuns_agents.exploitability(kuns_agents.load("fold"), FREE).exploitability == 0
    last = kuns_agents.solve(FREE, 1e-4).last
    assert -1e-4 <= last.low <= 0 <= last.high <= 3e-4


# --- hands, weights, trees --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [DUEL, *SMALL_GAMES])
@pytest.mark.parametrize("round_", range(3))
def test_meetings_are_the_product_over_ranks(rules, round_):
    """The factored weights against the plain product of binomials, for every pair of hands."""
    game, space = duel(rules), hand_space(rules)
    held, copies = tree().counts[space.nodes[round_]], chances(rules).copies
    left = copies - held
    pairs = WAYS[copies, held].prod(axis=1)[:, None] * WAYS[left[:, None, :], held[None, :, :]].prod(axis=2)
    pairs /= pairs.sum()
    reach = np.random.default_rng(1).random((len(held), game.columns))
    np.testing.assert_allclose(game.meet(round_, reach), pairs @ reach, atol=1e-15)
    if round_ == 2:
        strengths = chances(rules).strengths[space.nodes[2]]
        signs = np.sign(strengths[:, None] - strengths[None, :])
        total, won = game.show(reach)
        np.testing.assert_allclose(total, pairs @ reach, atol=1e-15)
        np.testing.assert_allclose(won, (pairs * signs) @ reach, atol=1e-15)


@pytest.mark.parametrize(
    "rules", [DUEL, KunsRules.anted(3), KunsRules.anted(4), COUSINS["blind ante"], ONE_ANTE]
)
def test_every_decision_of_played_games_is_a_node(rules):
    """And the node says what the record says; a move leads to the node that the tree names."""
    nodes, batch, rng = public_tree(rules), Batch(rules, 64, seed=3), np.random.default_rng(3)
    visited = set()
    before = np.full(64, -1)
    for _ in range(60):
        states = batch.states
        found = nodes.nodes_of(states)
        assert (nodes.antes[found] == states["ante_index"]).all()
        assert (nodes.sizes[found] == states["num_cards"][np.arange(64), states["seat"]]).all()
        came = before >= 0
        assert (found[came] == before[came]).all()
        visited.update(found.tolist())
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
        after = np.where(chosen == moves.CALL, nodes.after_call[found], nodes.after_fold[found])
        at_ante = nodes.rounds[found] == 0
        after[at_ante] = nodes.firsts[chosen[at_ante] - moves.ANTE_BASE]
        batch.step(chosen)
        assert (batch.dones == (after == public.END)).all()
        before = after
    assert len(visited) > min(len(nodes) / 2, 300)


def test_cards_are_different_and_remembered_in_order():
    deals = recall_deals(DUEL)[2]
    for rng in (None, np.random.default_rng(1)):
        cards = cards_of(deals.ranks, 4, rng).astype(np.int64)
        assert (np.diff(np.sort(cards, axis=1), axis=1) > 0).all()
        assert (cards // 4 == deals.ranks).all()
        assert (cards[:, 0] < cards[:, 1]).all()
        assert (cards[:, 2] < cards[:, 3]).all()


def test_a_strategy_and_its_table_are_the_same():
    table = random_table(DUEL, 1)
    assert (to_table(DUEL, to_strategy(table)).calls == table.calls).all()


# --- values and best responses ----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", SMALL_GAMES)
def test_values_sum_to_zero_and_best_responses_win_what_they_say(rules):
    game, policy = duel(rules), to_strategy(random_table(rules, 5))
    other = to_strategy(random_table(rules, 6))
    assert value_of(game, LEFT, policy, other) == pytest.approx(
        -value_of(game, DEALER, other, policy), abs=1e-12
    )
    answer = kuns_agents.best_response(agent_of(to_table(rules, policy)))
    for position in (LEFT, DEALER):
        won = value_of(game, position, to_strategy(answer.table), policy)
        assert won == pytest.approx(respond(game, position, policy).value, abs=1e-12)
        assert won >= value_of(game, position, other, policy) - 1e-12
        assert won == pytest.approx(answer.info["values"][position], abs=1e-12)


def test_a_best_response_wins_that_much_at_the_table():
    from kuns_training.evaluate import evaluate

    call = kuns_agents.load("call")
    wanted = kuns_agents.exploitability(call).exploitability
    payoff = evaluate([kuns_agents.best_response(call), call], DUEL, 20_000, seed=2).results[0].payoff
    assert payoff.low - payoff.half_width < wanted < payoff.high + payoff.half_width


# --- solver -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("rules", SMALL_GAMES)
def test_every_variant_comes_down(rules, algorithm):
    solver, found = Solver(rules, algorithm), []
    for _ in range(4):
        solver.step(len(found) * 300 + 1)
        low, high = solver.bounds()
        found.append(high - low)
    assert all(later < earlier for earlier, later in pairwise(found))
    assert 0 <= found[-1] < found[0] / 50


def test_solving_is_reproducible_and_shows_every_look():
    looks = []
    solution = kuns_agents.solve(KunsRules.tiny(), 1e-3, progress=looks.append)
    assert tuple(looks) == solution.looks
    assert looks[-1].exploitability <= 1e-3 < looks[0].exploitability
    again = kuns_agents.solve(KunsRules.tiny(), 1e-3)
    assert (again.table.calls == solution.table.calls).all()
    found = kuns_agents.exploitability(solution.table)
    assert found.exploitability == pytest.approx(solution.last.exploitability, abs=1e-12)


def test_iterations_end_a_solution_that_is_not_reached():
    assert kuns_agents.solve(KunsRules.tiny(), 0, max_iterations=45).last.iterations == 45


@pytest.mark.parametrize("name", COUSINS)
def test_the_cousins_are_solved(name):
    assert kuns_agents.solve(COUSINS[name], 1e-3).last.exploitability <= 1e-3


# --- equilibrium ------------------------------------------------------------------------------------------


def test_the_shipped_equilibrium():
    found = kuns_agents.exploitability(kuns_agents.load("equilibrium"))
    assert 0 <= found.exploitability < 2e-6
    assert found.own_values[DEALER] == pytest.approx(0.52013, abs=1e-5)


def test_exploitability_is_never_below_0():
    """High stakes and little to decide: the two best responses' values differ by rounding alone."""
    rules = KunsRules(num_players=2, side_bets=False, forced_ante=10_000, ante_menu=(1,))
    table = kuns_agents.solve(rules, 1e-6).table
    assert kuns_agents.exploitability(table).exploitability >= 0


def test_equilibrium_solves_other_rules_when_it_plays_them():
    found = kuns_agents.exploitability(kuns_agents.load("equilibrium"), KunsRules.tiny())
    assert 0 <= found.exploitability < 1e-4


def test_equilibrium_plays_sessions_and_refuses_the_rest_by_field():
    agent = kuns_agents.load("equilibrium")
    for rules in (KunsRules.duel(num_hands=5), KunsRules.duel(num_hands=None, max_hands=7)):
        assert agent.supports(rules) is None
        batch, rng = Batch(rules, 32, seed=1), np.random.default_rng(1)
        for _ in range(100):
            batch.step(agent.act(batch.views(), rng))
    for rules, field in (
        (KunsRules.anted(3), "num_players=3"),
        (KunsRules(num_players=2), "side_bets=True"),
        (KunsRules.duel(bankroll=9), "bankroll=9"),
        (KunkenRules(), "kunken"),
    ):
        assert field in agent.supports(rules)


# --- files ------------------------------------------------------------------------------------------------


def test_a_table_is_saved_and_loaded(tmp_path):
    agent = TableAgent(random_table(DUEL, 3), "mine", {"made": "here"})
    kuns_agents.save(agent, tmp_path / "a.npz")
    loaded = kuns_agents.load(tmp_path / "a.npz")
    assert (loaded.name, loaded.info, loaded.path) == ("mine", {"made": "here"}, tmp_path / "a.npz")
    np.testing.assert_allclose(loaded.table.calls, agent.table.calls, atol=1e-7)
    views = Batch(DUEL, 50, seed=1).views()
    np.testing.assert_allclose(loaded.policy(views), agent.policy(views), atol=1e-6)
    with pytest.raises(kuns_agents.AgentError, match="takes no greedy"):
        kuns_agents.load(f"{tmp_path / 'a.npz'}?greedy")


def test_a_damaged_table_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    kuns_agents.save(agent_of(uniform(DUEL)), path)
    meta, arrays = read_archive(path)
    for name, wrong in (
        ("calls", np.zeros(3)),
        ("antes", np.full((55, 4), np.nan)),
        ("calls", np.full(22_096, 2.0)),
    ):
        write_archive(path, meta, arrays | {name: wrong})
        with pytest.raises(kuns_agents.AgentError, match=name):
            kuns_agents.load(path)
    for key, wrong in (("version", 99), ("rules", {"num_players": 0})):
        write_archive(path, meta | {key: wrong}, arrays)
        with pytest.raises(kuns_agents.AgentError, match=str(key if key == "version" else "num_players")):
            kuns_agents.load(path)


# --- who is refused, and who is not -----------------------------------------------------------------------


class Asker:
    """A policy by a function of the view's row: the probability to call."""

    name = "asker"

    def __init__(self, call, reads="history"):
        self.call, self.reads = call, reads

    def supports(self, rules):
        return None

    def policy(self, views):
        calls = np.array([self.call(views, row) for row in range(len(views))], float)
        out = views.masks / views.masks.sum(axis=1, keepdims=True)
        bets = views.masks[:, moves.CALL] > 0
        out[bets, moves.CALL], out[bets, moves.FOLD] = calls[bets], 1 - calls[bets]
        return out


def hole(views, row):
    return views.records["hole"][row, views.seats[row]].astype(int)


def by_first_card(views, row):
    return 0.9 if hole(views, row)[0] // 4 < 4 else 0.2


def test_an_agent_that_looks_at_the_order_of_its_cards_is_measured_by_perfect_recall():
    tiny = KunsRules.tiny()
    found = kuns_agents.exploitability(Asker(by_first_card), tiny)
    assert 0 < found.exploitability < 5
    with pytest.raises(NoPolicyError, match=r"'asker'.*in another order"):
        kuns_agents.exploitability(Asker(by_first_card, "multiset"), tiny)


def test_an_agent_that_reads_the_multiset_is_the_same_by_perfect_recall():
    cautious = kuns_agents.load("cautious")
    patient = type("Patient", (type(cautious),), {"reads": "history"})()
    found = [kuns_agents.exploitability(agent).best_response_values for agent in (cautious, patient)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


class Remembering(Asker):
    def __init__(self):
        super().__init__(None)
        self.asked = 0

    def policy(self, views):
        self.asked += 1
        self.call = lambda views, row: 1 / (1 + self.asked % 7)
        return super().policy(views)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (Asker(lambda views, row: hole(views, row)[0] % 4 / 4), "with other suits"),
        (Remembering(), "when it is asked again"),
        (Asker(lambda views, row: 0.5, reads="session"), "reads='session'"),
        (Asker(lambda views, row: np.nan), "not finite"),
        (Asker(lambda views, row: 1.5), "below 0"),
        (Asker(lambda views, row: 1 / 0), "raised ZeroDivisionError"),
        (Asker(lambda views, row: sys.exit(0)), "raised SystemExit: 0"),
        (Asker(lambda views, row: 0.5, reads=np.arange(2)), r"reads=array\(\[0, 1\]\)"),
    ],
)
def test_what_is_no_policy_of_a_hand_is_refused_by_name(agent, words):
    with pytest.raises(NoPolicyError, match=f"(?s)'asker'.*{words}"):
        kuns_agents.exploitability(agent, KunsRules.tiny())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda views, row: np.nan, "not finite: 'fold': nan, 'call': nan, sum nan, here"),
        (lambda views, row: -0.5, "below 0: 'call': -0.5, sum 1, here"),
    ],
)
def test_wrong_probabilities_are_told_by_the_names_of_their_moves(call, words):
    with pytest.raises(NoPolicyError, match=words):
        kuns_agents.exploitability(Asker(call), KunsRules.tiny())


def test_wrong_sums_are_told_and_what_is_illegal_is_named():
    agent = Asker(lambda views, row: 0.5)
    agent.policy = lambda views: views.masks * 0.75
    with pytest.raises(
        NoPolicyError, match=r"not sum to 1: 'ante 1': 0\.75, 'ante 2': 0\.75, sum 1\.5, here"
    ):
        kuns_agents.exploitability(agent, KunsRules.tiny())
    agent.policy = lambda views: np.full(views.masks.shape, 1 / views.masks.shape[1])
    with pytest.raises(NoPolicyError, match=r"illegal moves: 'fold': 0\.0\d+, .*and \d+ more, sum 1, here"):
        kuns_agents.exploitability(agent, KunsRules.tiny())


class Playing(Asker):
    """Says that it calls with one probability, and calls with another."""

    name = "playing"

    def __init__(self, says, does):
        super().__init__(lambda views, row: says)
        self.does = Asker(lambda views, row: does)

    def act(self, views, rng):
        return draw_moves(self.does.policy(views), rng)


@pytest.mark.parametrize(
    ("says", "does", "words"),
    [
        (1.0, 0.99, "chose 'fold', which has probability 0, here"),
        (0.5, 0.99, "does not play by its `policy`: of 64 moves of `act`, "),
        (0.5, 0.2, "has probability 0.5, here"),
    ],
)
def test_who_does_not_play_by_its_policy_is_refused(says, does, words):
    with pytest.raises(NoPolicyError, match=f"'playing'.*{words}"):
        kuns_agents.exploitability(Playing(says, does), KunsRules.tiny())


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda views, rng: 1 / 0, "raised in `act`: ZeroDivisionError"),
        (lambda views, rng: np.full(len(views), 99), "chose the move 99 in `act`, which is illegal"),
        (lambda views, rng: np.zeros(3, np.int64), "must be integers of shape"),
        (lambda views, rng: np.zeros(len(views)), "type float64"),
    ],
)
def test_moves_that_are_none_are_refused(act, words):
    agent = Playing(0.5, 0.5)
    agent.act = act
    with pytest.raises(NoPolicyError, match=words):
        kuns_agents.exploitability(agent, KunsRules.tiny())


@pytest.mark.parametrize("chance", [0.0, 1e-9, 0.03, 0.5, 1.0])
def test_who_plays_by_its_policy_is_not_refused(chance):
    """By many generators: the bound is far beyond what chance does."""
    asked = Asked(Playing(chance, chance), KunsRules.tiny(), dealer=0)
    asked.check_moves()
    states = asked.states_at(3)
    cards = np.repeat(cards_of(states.ranks[:STATES], 3), DRAWS, axis=0)
    views = [asked.situations.views(3, cards) for _ in range(2)]
    for seed in range(20):
        check_follows(asked.agent, *views, np.random.default_rng(seed))


def test_names_of_presets_are_no_rules():
    call = kuns_agents.load("call")
    for wrong in (
        lambda: kuns_agents.solve("kuns-duel"),
        lambda: kuns_agents.exploitability(call, "kuns-duel"),
        lambda: kuns_agents.best_response(call, "kuns-duel"),
    ):
        with pytest.raises(
            ValueError, match=r"rules='kuns-duel': must be a KunsRules, which kuns_env.preset"
        ):
            wrong()


def test_an_agent_without_a_policy_is_refused_by_name():
    class Silent:
        name = "silent"

    with pytest.raises(NoPolicyError, match="'silent' has no `policy`"):
        kuns_agents.exploitability(Silent())
    with pytest.raises(NoPolicyError, match="'random' is a name: load the agent first"):
        kuns_agents.exploitability("random")


@pytest.mark.parametrize(
    ("supports", "words"),
    [
        (lambda rules: 1 / 0, "raised in `supports`: ZeroDivisionError"),
        (lambda rules: sys.exit(0), "raised in `supports`: SystemExit: 0"),
        (lambda rules: True, "by True: must be None, or a text"),
        (lambda rules: "only chess", "^only chess$"),
    ],
)
def test_who_does_not_say_that_it_plays_these_rules_is_refused(supports, words):
    agent = Asker(lambda views, row: 0.5)
    agent.supports = supports
    with pytest.raises(NoPolicyError, match=words):
        kuns_agents.exploitability(agent, KunsRules.tiny())


@pytest.mark.parametrize("missing", ["name", "supports"])
def test_half_an_agent_is_refused(missing):
    half = type("Half", (), {"name": "half", "supports": None, "policy": lambda self, views: views.masks})
    delattr(half, missing)
    with pytest.raises(NoPolicyError, match=f"has no `{missing}`"):
        kuns_agents.exploitability(half())


def test_an_agent_that_knows_its_seat_is_measured_in_both():
    tiny = KunsRules.tiny()
    by_seat = Asker(lambda views, row: 0.9 if views.seats[row] == 0 else 0.3)
    found = kuns_agents.exploitability(by_seat, tiny)
    parts = [kuns_agents.exploitability(Asked(by_seat, tiny, dealer).table()) for dealer in (0, 1)]
    assert len(found.tables) == 2
    assert found.exploitability == pytest.approx(sum(part.exploitability for part in parts) / 2, abs=1e-12)
    with pytest.raises(NoPolicyError, match="seat 0 and in seat 1"):
        kuns_agents.best_response(by_seat, tiny)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        (KunsRules.anted(3), "num_players=3"),
        (KunsRules(num_players=2), "side_bets=True"),
        (KunsRules.duel(bankroll=20), "bankroll=20"),
        (KunsRules.duel(num_hands=2), "num_hands=2"),
        (KunkenRules(), "kunken"),
    ],
)
def test_rules_without_an_exact_measure_are_refused_by_field(rules, field):
    for measure in (
        kuns_agents.solve,
        lambda rules: kuns_agents.exploitability(kuns_agents.load("call"), rules),
    ):
        with pytest.raises(ValueError, match=field):
            measure(rules)


@pytest.mark.parametrize(
    "wrong",
    [
        {"exploitability": -1},
        {"exploitability": np.nan},
        {"algorithm": "magic"},
        {"max_iterations": 0},
        {"look_every": 0},
    ],
)
def test_bad_options_of_the_solver_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        kuns_agents.solve(KunsRules.tiny(), **{"exploitability": 1e-3} | wrong)


def test_a_record_that_is_no_decision_is_refused():
    table = Table(DUEL, seed=1)
    for move in ("ante 1", "fold"):
        table.apply(move)
    with pytest.raises(ValueError, match="no decision"):
        public_tree(DUEL).nodes_of(np.array([table.state]))
