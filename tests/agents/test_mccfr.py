"""External-sampling MCCFR: reproducible, resumable, close to an equilibrium where two play, and careful with memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kuns_agents import exploitability
from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.mccfr import Mccfr, bytes_needed, solve_mccfr
from kuns_agents.protocol import AgentError
from kuns_env import KunsRules

SMALL = KunsRules(3, (1, 4, 5, 10), 4, forced_ante=1, ante_menu=(1, 2), side_bets=False)
"""Three players and a deck of sixteen cards."""
BLIND = replace(SMALL, ante_menu=(1, 5), dealer_sees_hand=False)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one.sums, other.sums, strict=True))


def test_a_seed_gives_one_result_whatever_the_breaks(tmp_path):
    whole, parts, other = Mccfr(SMALL, 7), Mccfr(SMALL, 7), Mccfr(SMALL, 8)
    whole.run(5_000)
    other.run(5_000)
    for steps in (1, 998, 1, 0, 1_700, 2_300):
        parts.run(steps)
        parts.save(tmp_path / "state.npz")
        parts = Mccfr.load(tmp_path / "state.npz")
    assert parts.iteration == 5_000
    assert same(whole, parts)
    assert not same(whole, other)


def test_solving_goes_on_from_a_checkpoint(tmp_path):
    path, told = tmp_path / "deep.npz", []
    want = solve_mccfr(SMALL, 6_000, 2)

    def stop(solver):
        told.append(solver.iteration)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_mccfr(SMALL, 6_000, 2, progress=stop, checkpoint=path)
    assert Mccfr.load(path).iteration == told[-1] < 6_000
    found = solve_mccfr(
        SMALL, 6_000, 2, progress=lambda solver: told.append(solver.iteration), checkpoint=path
    )
    np.testing.assert_array_equal(found.calls, want.calls)
    np.testing.assert_array_equal(found.antes, want.antes)
    assert told == sorted(told)
    assert [entry.name for entry in tmp_path.iterdir()] == ["deep.npz"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": BLIND}, "rules"),
        ({"seed": 3}, "seed=2, not 3"),
        ({"linear": False}, "linear=True, not False"),
        ({"iterations": 999}, "has 2,000 already"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(tmp_path, change, message):
    path = tmp_path / "state.npz"
    options = {"rules": SMALL, "iterations": 2_000, "seed": 2, "checkpoint": path}
    solve_mccfr(**options)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        solve_mccfr(**options | change)
    assert path.read_bytes() == before


def test_damaged_files_are_refused(tmp_path):
    path, solver = tmp_path / "state.npz", Mccfr(SMALL)
    with pytest.raises(AgentError, match="there is no"):
        Mccfr.load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(AgentError, match="damaged"):
        Mccfr.load(path)
    TableAgent(solver.policy(), "table").save(path)
    with pytest.raises(AgentError, match="format"):
        Mccfr.load(path)
    solver.sums.regrets[3, 1] = np.nan
    solver.save(path)
    with pytest.raises(AgentError, match=r"damaged: regrets must be finite float64 \(\d+, 2\)"):
        Mccfr.load(path)


@pytest.mark.parametrize("linear", [True, False])
def test_heads_up_it_comes_close_to_an_equilibrium(linear):
    solver = Mccfr(KunsRules.tiny(), 1, linear=linear)
    found = []
    for iterations in (0, 3_000, 30_000, 300_000):
        solver.run(iterations - solver.iteration)
        found.append(exploitability(TableAgent(solver.policy(), "table")).exploitability)
    assert found[0] > 5 * found[1] > 10 * found[2] > 20 * found[3]
    assert found[3] < 0.01


def test_heads_up_of_full_size():
    policy = solve_mccfr(KunsRules.duel(), 3_000_000, 1)
    assert exploitability(TableAgent(policy, "table")).exploitability < 0.03


def test_before_the_first_iteration_every_move_is_as_likely():
    policy = Mccfr(SMALL).policy()
    assert (policy.calls == 1 / 2).all()
    assert (policy.antes == 1 / 2).all()
    assert Mccfr(SMALL).regret() == 0


def test_regrets_fall_with_three_players():
    solver, found = Mccfr(SMALL, 1), []
    for iterations in (10_000, 90_000, 400_000):
        solver.run(iterations)
        found.append(solver.regret())
    assert found[0] > 2 * found[1] > 3 * found[2]


def test_memory_is_stated_and_refused_before_it_is_taken():
    rules = KunsRules.anted(7)
    with pytest.raises(ValueError, match=r"num_players=7, ante_menu=\(1, 2, 4, 8\): .* 4,090,758,240 bytes"):
        Mccfr(rules)
    solver, needed = Mccfr(SMALL), bytes_needed(SMALL)
    arrays = (*solver.sums, solver._work.going, solver._work.ante_chances)
    assert needed == sum(array.nbytes for array in arrays)
    assert Mccfr(SMALL, max_bytes=needed).iteration == 0
    with pytest.raises(ValueError, match=f"{needed:,} bytes, and max_bytes={needed - 1:,}"):
        Mccfr(SMALL, max_bytes=needed - 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mccfr(KunsRules(3)), "side_bets=True: must be False"),
        (lambda: Mccfr(replace(KunsRules.anted(3), bankroll=20)), "bankroll=20"),
        (lambda: Mccfr(SMALL, -1), "seed=-1"),
        (lambda: Mccfr(SMALL, max_bytes=0.5), "max_bytes=0.5"),
        (lambda: Mccfr(SMALL).run(-1), "iterations=-1"),
        (lambda: solve_mccfr(SMALL, 0), "iterations=0"),
        (lambda: solve_mccfr(SMALL, True), "iterations=True"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
