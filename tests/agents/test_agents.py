"""What the agents of Kuns have in common: legal, deterministic, batched, blind to what is hidden and to suits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuns_agents
from games import SMALL, kuns_rules
from kuns_env import Batch, KunsRules, Table, Views
from kuns_env.engine.game import game_of
from kuns_env.kuns import moves
from kuns_env.kuns.state import AGAINST, ANTE, BET, OFFER, RESPOND, STAKE

NAMES = [
    name for name in kuns_agents.NAMES_OF["kuns"] if kuns_agents.load(name).supports(KunsRules()) is None
]
"""Those that play under all rules; the others have tests of their own."""
FIXED = [name for name in NAMES if name != "random"]


def random_views(rules, seed, num_games=8, steps=40):
    """Yield the views of many games that are played at random: positions that no agent would come to."""
    batch, random = Batch(rules, num_games, seed=seed), kuns_agents.load("random")
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        views = batch.views()
        yield views
        batch.step(random.act(views, rng))


def assert_legal(agent, views):
    rng = np.random.default_rng(0)
    chosen = agent.act(views, rng)
    assert chosen.shape == (len(views),)
    assert chosen.dtype == np.int64
    assert views.masks[np.arange(len(views)), chosen].all(), agent.name
    policy = agent.policy(views)
    assert policy.dtype == np.float64
    assert (policy[views.masks == 0] == 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-12)
    assert (policy[np.arange(len(views)), chosen] > 0).all()


@given(kuns_rules(), SMALL)
@settings(max_examples=25)
def test_every_move_is_legal_under_all_rules(rules, seed):
    for name in NAMES:
        assert kuns_agents.load(name).supports(rules) is None
    for views in random_views(rules, seed):
        for name in NAMES:
            assert_legal(kuns_agents.load(name), views)


class Cheat(type(kuns_agents.load("call"))):
    """Leaves out the mask: the check above must find it."""

    def choose(self, views):
        return np.full(len(views), moves.CALL)


def test_an_illegal_move_is_found():
    with pytest.raises(AssertionError):
        assert_legal(Cheat(), next(random_views(KunsRules.duel(), 1)))


@given(kuns_rules(), SMALL)
@settings(max_examples=15)
def test_a_batch_is_its_single_views(rules, seed):
    views = list(random_views(rules, seed, steps=25))[-1]
    for name in NAMES:
        agent = kuns_agents.load(name)
        together = agent.act(views, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        assert [
            int(agent.act(views[row : row + 1], rng)[0]) for row in range(len(views))
        ] == together.tolist()
        policies = [agent.policy(views[row : row + 1])[0] for row in range(len(views))]
        assert (np.array(policies) == agent.policy(views)).all()
        # A strided window, and one that may not be written to, are views as well.
        assert (agent.act(views[::2], np.random.default_rng(seed))[:1] == together[:1]).all()
        masks = views.masks.copy()
        masks.flags.writeable = False
        frozen = Views(rules, views.seats, views.records, masks, views.games)
        assert (agent.act(frozen, np.random.default_rng(seed)) == together).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_moves(name):
    played = []
    for _ in range(2):
        batch, agent, rng = Batch(KunsRules(), 50, seed=3), kuns_agents.load(name), np.random.default_rng(4)
        for _ in range(40):
            batch.step(agent.act(batch.views(), rng))
        played.append(batch._states.tobytes())
    assert played[0] == played[1]


@pytest.mark.parametrize("name", FIXED)
def test_agents_without_dice_draw_nothing(name):
    rng = np.random.default_rng(5)
    before = rng.bit_generator.state
    kuns_agents.load(name).act(next(random_views(KunsRules(), 1)), rng)
    assert rng.bit_generator.state == before


def test_random_draws_evenly_from_the_legal_moves():
    views = (
        Table(KunsRules(num_players=2), seed=1).view(Table(KunsRules(num_players=2), seed=1).to_play).views()
    )
    many = views[np.zeros(40_000, np.int64)]
    chosen = kuns_agents.load("random").act(many, np.random.default_rng(1))
    counts = np.bincount(chosen, minlength=moves.NUM_MOVES)[views.masks[0] > 0]
    assert counts.sum() == len(many)
    assert (abs(counts - len(many) / len(counts)) < 5 * (len(many) / len(counts)) ** 0.5).all()


@given(kuns_rules(), SMALL, st.integers(0, 30))
@settings(max_examples=25)
def test_hidden_cards_change_nothing(rules, seed, steps):
    """Paired worlds: the seat cannot tell them apart, so no agent plays otherwise."""
    table, random = Table(rules, seed=seed), np.random.default_rng(seed)
    for _ in range(steps):
        if not table.is_over:
            table.apply(random.choice(table.legal_moves()))
    if table.is_over:
        return
    seat = table.to_play
    other = table.determinize(seat, np.random.default_rng(seed + 1))
    for name in NAMES:
        agent = kuns_agents.load(name)
        moves_made = [
            agent.act(world.view(seat).views(), np.random.default_rng(6)) for world in (table, other)
        ]
        assert moves_made[0] == moves_made[1]


@given(kuns_rules(), SMALL)
@settings(max_examples=15)
def test_suits_change_nothing(rules, seed):
    rng = np.random.default_rng(seed)
    for views in random_views(rules, seed, steps=12):
        relabelled = views.records.copy()
        hole = relabelled["hole"]
        relabelled["hole"] = np.where(hole >= 0, hole // 4 * 4 + rng.permutation(4)[hole % 4], hole)
        others = Views(rules, views.seats, relabelled, views.masks, views.games)
        for name in NAMES:
            agent = kuns_agents.load(name)
            assert (agent.policy(views) == agent.policy(others)).all()


@pytest.mark.parametrize("name", ["cautious", "equity"])
def test_the_order_of_own_cards_changes_nothing(name):
    """`reads` is "multiset": which card came when does not matter."""
    agent = kuns_agents.load(name)
    assert agent.reads == kuns_agents.MULTISET
    rng = np.random.default_rng(7)
    for views in random_views(KunsRules(), 7, num_games=64):
        shuffled = views.records.copy()
        for row in range(len(views)):
            seat = views.seats[row]
            count = shuffled["num_cards"][row, seat]
            shuffled["hole"][row, seat, :count] = rng.permutation(shuffled["hole"][row, seat, :count])
        others = Views(views.rules, views.seats, shuffled, views.masks, views.games)
        assert (agent.policy(views) == agent.policy(others)).all()


# --- call and fold ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("call", {"call", "ante 1", "pass", "decline", "stay"}),
        ("fold", {"fold", "ante 1", "pass", "decline", "stay"}),
    ],
)
def test_what_call_and_fold_do(name, wanted):
    agent, rules = kuns_agents.load(name), KunsRules(3, num_hands=None, max_hands=4)
    seen = set()
    for seed in range(30):
        table, random = Table(rules, seed=seed), np.random.default_rng(seed)
        while not table.is_over:
            texts = game_of(rules).move_texts(table.to_play)
            move = texts[int(agent.act(table.view(table.to_play).views(), random)[0])]
            if not table.legal_moves()[0].startswith(("stake", "against")):
                seen.add(move)
            table.apply(random.choice(table.legal_moves()))
    assert seen == wanted


def test_call_folds_what_it_cannot_pay():
    """K2.3: a player that cannot pay the ante has only a fold."""
    table = Table(KunsRules(2, bankroll=1, ante_menu=(2,)), seed=1)
    agent = kuns_agents.load("call")
    assert table.legal_moves() == ["fold"]
    assert agent.act(table.view(table.to_play).views(), np.random.default_rng(0)).tolist() == [moves.FOLD]


# --- equity -----------------------------------------------------------------------------------------------


def equity_move(rules, dealer, deck, played):
    table = Table(rules, seed=1, options={"dealer": dealer, "deck": deck})
    for move in played:
        table.apply(move)
    agent = kuns_agents.load("equity")
    texts = game_of(rules).move_texts(table.to_play)
    return texts[int(agent.act(table.view(table.to_play).views(), np.random.default_rng(0))[0])]


def test_equity_sets_the_ante_by_its_hand():
    """K3.1: seat 0 deals; its cards are the second and the fourth."""
    duel = KunsRules.duel()
    assert equity_move(duel, 0, ["2c", "3h", "2d", "7c"], []) == "ante 8"
    assert equity_move(duel, 0, ["2c", "Th", "3d", "Tc"], []) == "ante 1"
    # With money for 12 chips beyond the forced one, three antes of 4 are the most that it can pay (K2.3).
    poor = KunsRules(2, forced_ante=1, side_bets=False, bankroll=13)
    assert equity_move(poor, 0, ["2c", "3h", "2d", "7c"], []) == "ante 4"


HOPELESS = ["Ac", "2c", "Ad", "5c", "Ah", "5d", "As", "9c", "7c", "9d"]
"""Dealer 0; seat 1 ends with A A A A 7: no kuns, last digit 1."""


@pytest.mark.parametrize(
    ("forced", "wanted"),
    [(1, "fold"), (100, "call")],
    ids=["a small pot is not worth a call", "a large one is"],
)
def test_equity_weighs_the_pot(forced, wanted):
    rules = KunsRules(2, forced_ante=forced, side_bets=False)
    assert equity_move(rules, 0, HOPELESS, ["ante 1", *["call"] * 4]) == wanted


def test_equity_defends_a_stake_on_its_own_hand():
    """K6.5: a folded hand loses the bet, so a stake on the table makes a call right."""
    rules = KunsRules(2, forced_ante=1, side_stakes=(100,))
    start = ["ante 1", "call", "call"]
    window = ["pass", "pass", "call", "call"]
    bet = ["against 0", "stake 100", "accept", "pass"]
    assert equity_move(rules, 0, HOPELESS, [*start, *window, "pass", "pass"]) == "fold"
    assert equity_move(rules, 0, HOPELESS, [*start, *bet, *window[2:], "pass", "pass"]) == "call"


BEST = ["8h", "2c", "5s", "5c", "7c", "5d", "9d", "9c", "As", "9h"]
"""Dealer 0; seat 1 ends with 8 5 7 9 A: kuns and ten."""


def test_equity_bets_on_a_hand_that_beats_good_ones():
    """K6.2, K6.3, K6.4."""
    rules = KunsRules(2)
    calls = ["ante 1", *["call", "call", "pass", "pass"] * 2, "call", "call"]
    assert equity_move(rules, 0, BEST, calls) == "against 0"
    assert equity_move(rules, 0, BEST, [*calls, "against 0"]) == "stake 4"
    assert equity_move(rules, 0, HOPELESS, calls) == "pass"
    # The dealer offers: seat 1 takes it with the best hand and declines with the worst.
    offer = [*calls, "pass", "against 1", "stake 4"]
    assert equity_move(rules, 0, BEST, offer) == "accept"
    assert equity_move(rules, 0, HOPELESS, offer) == "decline"


def test_equity_keeps_every_ante_to_come_back_when_it_stakes():
    """K2.3: a stake is reserved when the bet is made."""
    rules = KunsRules(2, bankroll=6, ante_menu=(1,))
    calls = ["call", "call", "pass", "pass", "call", "call", "pass", "pass", "call", "call"]
    assert equity_move(rules, 0, BEST, [*calls, "against 0"]) == "stake 2"


def test_the_break_even_pot_of_a_last_hand_is_one_over_its_share():
    from kuns_agents.equity import knowledge
    from kuns_agents.hands import chances

    rules = KunsRules.duel()
    table, known = chances(rules), knowledge(rules)
    nodes = table.possible(5)
    np.testing.assert_allclose(known.break_even[nodes] * table.shares[nodes], 1, rtol=1e-9)
    # Folding later is worth something: earlier hands need less than if they went on to the end.
    for size, rounds in ((2, 3), (4, 2)):
        nodes = table.possible(size)
        assert (known.break_even[nodes] * table.shares[nodes] <= rounds).all()
        assert (known.break_even[nodes] > 0).all()


def test_decisions_of_every_kind_were_looked_at():
    phases = {int(phase) for views in random_views(KunsRules(), 1, 64) for phase in views.records["phase"]}
    assert phases >= {ANTE, BET, OFFER, AGAINST, STAKE, RESPOND}
