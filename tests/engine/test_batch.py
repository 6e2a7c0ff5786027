"""A batch is its single games, whatever its size, its threads and its options, and refuses before it plays.

Clauses: K2.2, K7.1, K7.2, K9.2, N7.4, N9.1.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import COMPILED, COMPILED_ONLY, MINI, SHORT_DEALS, SMALL, any_rules
from kuns_env import Batch, IllegalMoveError, KunkenRules, KunsRules, OptionsError, Table
from kuns_env.engine.game import game_of
from kuns_env.engine.stepping import BLOCK

RULES = KunsRules(num_players=3, num_hands=2, forced_ante=1)
BOTH = pytest.mark.parametrize(
    "rules", [pytest.param(RULES, id="kuns"), pytest.param(SHORT_DEALS, id="kunken", marks=COMPILED_ONLY)]
)
STEPS = 60 if COMPILED else 12


class Difference(AssertionError):
    """The batch is not its single games."""


def choose(masks: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return a random legal move for every row."""
    return (masks * (rng.random(masks.shape) + 1e-9)).argmax(axis=1)


def compare(batch: Batch, table: Table, game: int, encoder: Any) -> None:
    """Raise `Difference` unless the batch's game is ``table``, in all that it gives out."""
    seat = table.to_play
    view = table.view(seat)
    facts = [
        ("record", batch.table(game).state.tobytes(), table.state.tobytes()),
        ("stream", batch.table(game).stream, table.stream),
        ("seat", batch.to_play[game], seat),
        ("mask", batch.masks[game].tobytes(), view.mask.tobytes()),
        ("observation", batch.observations[game].tobytes(), view.observation("table", encoder.pad).tobytes()),
        ("view", batch.views(np.array([game])).records[0].tobytes(), view.record.tobytes()),
    ]
    for name, mine, single in facts:
        if mine != single:
            raise Difference(f"game {game}, {name}: {mine!r}, not {single!r}")


def run(batch: Batch, steps: int, seed: int, first_slot: int = 0) -> None:
    """Play a batch beside its single games, which share nothing with it, and compare them after every step."""
    rules, rng = batch.rules, np.random.default_rng(seed)
    tables = [Table(rules, batch.seed, slot=first_slot + game) for game in range(len(batch))]
    final_seats = rng.integers(0, rules.num_players, len(batch))
    batch.final_seats = final_seats
    for _ in range(steps):
        for game, table in enumerate(tables):
            compare(batch, table, game, batch.encoder)
        moves = choose(batch.masks, rng)
        batch.step(moves)
        for game, table in enumerate(tables):
            done = table.hands_done
            table.apply(int(moves[game]))
            rewards = table.last_payoffs() if table.hands_done > done else [0.0] * rules.num_players
            if batch.rewards[game].tolist() != rewards:
                raise Difference(f"game {game}: rewards {batch.rewards[game]}, not {rewards}")
            flags = (bool(batch.dones[game]), bool(batch.truncations[game]))
            if flags != (table.is_over, table.truncated):
                raise Difference(f"game {game}: done and truncated {flags}")
            if table.is_over:
                final = table.view(int(final_seats[game])).observation("table", batch.encoder.pad)
                if batch.final_observations[game].tobytes() != final.tobytes():
                    raise Difference(f"game {game}: the final observation is not that of the finished game")
                seed_, slot, episode = table.stream
                tables[game] = Table(rules, seed_, slot=slot, episode=episode + 1)


@given(
    rules=any_rules(),
    seed=SMALL,
    size=st.integers(1, 7),
    threads=st.integers(1, 3),
    copies=st.booleans(),
    pad=st.booleans(),
    first_slot=st.sampled_from((0, 5, 2**40)),
)
def test_a_batch_equals_its_single_games(
    rules: Any, seed: int, size: int, threads: int, copies: bool, pad: bool, first_slot: int
) -> None:
    batch = Batch(rules, size, seed, copy=copies, num_threads=threads, pad=pad, first_slot=first_slot)
    run(batch, STEPS, seed, first_slot)


@COMPILED_ONLY
def test_long_deals_of_kunken_in_a_batch_equal_single_games() -> None:
    run(Batch(MINI, 3, seed=6), 400, 6)


@BOTH
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, BLOCK - 1, BLOCK + 1, 3 * BLOCK])
def test_sizes_around_a_block_and_threads_give_the_same(size: int, threads: int, rules: Any) -> None:
    batch = Batch(rules, size, seed=4, num_threads=threads)
    whole = Batch(rules, 3 * BLOCK, seed=4)
    rng = np.random.default_rng(1)
    for _ in range(STEPS if rules is RULES else STEPS // 2):
        moves = choose(whole.masks, rng)
        whole.step(moves)
        batch.step(moves[:size])
        assert batch._states.tobytes() == whole._states[:size].tobytes()
        assert batch.observations.tobytes() == whole.observations[:size].tobytes()
        assert (batch.rewards == whole.rewards[:size]).all()
        assert (batch.dones == whole.dones[:size]).all()
    assert whole.episodes.any() or whole._states["hands_done"].any() or not COMPILED


def broken(name: str, value: Callable[[Batch], Any]) -> type[Batch]:
    """Return a batch that answers one question wrongly."""
    return type("Broken", (Batch,), {name: property(value)})


BROKEN = {
    "observes the neighbour": broken("observations", lambda b: np.roll(b._output.observations, 1, axis=0)),
    "rewards the next seat": broken("rewards", lambda b: np.roll(Batch.rewards.fget(b), 1, axis=1)),  # type: ignore[attr-defined]
    "rewards late": broken("rewards", lambda b: 0 * Batch.rewards.fget(b)),  # type: ignore[attr-defined]
    "never done": broken("dones", lambda b: np.zeros(len(b), bool)),
    "always truncated": broken("truncations", lambda b: b.dones),
    "the new game's observation": broken("final_observations", lambda b: b.observations),
    "all moves legal": broken("masks", lambda b: np.maximum(b._output.masks, b._output.masks.max(axis=0))),
}


@BOTH
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_batch_is_found_out(fault: str, rules: Any) -> None:
    with pytest.raises((Difference, IllegalMoveError)):
        run(BROKEN[fault](rules, 6, seed=3), 3 * STEPS, 3)


# ---------------------------------------------------------------- refusals


def everything(batch: Batch) -> bytes:
    """Return all that a batch is."""
    parts = (batch._states, batch._streams.slots, batch._streams.episodes, *batch._output)
    return b"".join(part.tobytes() for part in parts) + str(batch.seed).encode()


@BOTH
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("game", [0, 3, 6])
@pytest.mark.parametrize("wrong", [-1, "one too many", 2**62, -(2**63), "illegal"])
def test_an_illegal_move_names_its_game_and_changes_nothing_in_any(
    game: int, wrong: Any, threads: int, rules: Any
) -> None:
    batch = Batch(rules, 7, seed=2, num_threads=threads)
    rng = np.random.default_rng(1)
    for _ in range(10):
        batch.step(choose(batch.masks, rng))
    before = everything(batch)
    moves = choose(batch.masks, rng)
    named = {"illegal": int(batch.masks[game].argmin()), "one too many": game_of(rules).num_moves}
    moves[game] = named.get(wrong, wrong)
    table = batch.table(game)
    with pytest.raises(IllegalMoveError, match=f"game {game}: seat {table.to_play} may not") as caught:
        batch.step(moves)
    assert (caught.value.game, caught.value.seat, caught.value.move) == (
        game,
        table.to_play,
        int(moves[game]),
    )
    assert caught.value.legal == table.legal_moves()
    assert everything(batch) == before
    assert pickle.loads(pickle.dumps(caught.value)).game == game


def test_the_first_of_several_illegal_moves_is_named() -> None:
    batch = Batch(RULES, 5, seed=2)
    moves = batch.masks.argmax(axis=1)
    moves[[2, 4]] = 99
    with pytest.raises(IllegalMoveError, match="game 2"):
        batch.step(moves)


@pytest.mark.parametrize(
    "kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
)
def test_moves_of_any_integer_type(kind: type) -> None:
    batch, same = Batch(RULES, 4, seed=2), Batch(RULES, 4, seed=2)
    moves = batch.masks.argmax(axis=1)
    batch.step(moves.astype(kind))
    same.step(moves.tolist())
    assert everything(batch) == everything(same)
    with pytest.raises(IllegalMoveError, match="game 3"):
        batch.step(np.array([*batch.masks.argmax(axis=1)[:3], np.iinfo(kind).max], kind))


# ---------------------------------------------------------------- some of the games


@BOTH
def test_stepping_some_games_leaves_the_others_alone(rules: Any) -> None:
    batch, whole = Batch(rules, 6, seed=2), Batch(rules, 6, seed=2)
    rows = np.array([4, 1])
    moves = batch.masks.argmax(axis=1)
    whole.step(moves)
    before = batch._states.copy()
    batch.step_rows(rows, moves[rows])
    assert batch._states[rows].tobytes() == whole._states[rows].tobytes()
    others = [0, 2, 3, 5]
    assert batch._states[others].tobytes() == before[others].tobytes()
    batch.step_rows(others, moves[others])
    assert everything(batch) == everything(whole)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 0], "twice"),
        ([6], "from 0 to 5"),
        ([-1], "from 0 to 5"),
        ([0.5], "rows"),
        ("ab", "rows"),
        ([[1]], "rows"),
    ],
)
def test_rows_that_are_not_there(rows: Any, message: str) -> None:
    batch = Batch(RULES, 6, seed=2)
    before = everything(batch)
    with pytest.raises(ValueError, match=message):
        batch.step_rows(rows, [0] * len(rows))
    assert everything(batch) == before


def test_no_rows_and_a_mask_of_rows() -> None:
    batch = Batch(RULES, 6, seed=2)
    before = everything(batch)
    batch.step_rows([], [])
    assert everything(batch) == before
    mask = np.array([True, False, False, True, False, False])
    assert batch.views(mask).games[:, 0].tolist() == [0, 3]
    assert len(batch.views()) == len(batch) == 6


# ---------------------------------------------------------------- restarts


def test_a_finished_game_begins_its_next_episode_in_the_same_step() -> None:
    batch = Batch(KunsRules(num_players=2, side_bets=False, ante_menu=(1,)), 3, seed=5)
    fold = np.zeros(3, np.int64)
    for episode in range(4):
        assert batch.episodes.tolist() == [episode] * 3
        batch.step(fold)
        assert batch.dones.all()
        assert not batch.truncations.any()
    # A game that is not done says so again.
    batch.step(np.ones(3, np.int64))
    assert not batch.dones.any()
    assert not batch.rewards.any()


@BOTH
def test_restart(rules: Any) -> None:
    batch = Batch(rules, 4, seed=5)
    start = everything(batch)
    rng = np.random.default_rng(1)
    for _ in range(3):
        batch.step(choose(batch.masks, rng))
    batch.restart()
    assert batch.episodes.tolist() == [1] * 4
    assert batch.table(2).state.tobytes() == Table(rules, 5, slot=2, episode=1).state.tobytes()
    batch.restart(6)
    assert batch.table(2).state.tobytes() == Table(rules, 6, slot=2).state.tobytes()
    batch.restart(5)
    assert everything(batch) == start


def test_a_refused_restart_changes_nothing() -> None:
    batch = Batch(RULES, 4, seed=5)
    before = everything(batch)
    for seed in (-1, 1.5, "x", 2**63, True):
        with pytest.raises(ValueError, match="seed="):
            batch.restart(seed)  # type: ignore[arg-type]
    with pytest.raises(OptionsError, match="twice"):
        batch.restart(7, options={"deck": ["Ah", "Ah"]})
    assert everything(batch) == before


def test_a_batch_of_deals_that_were_set_up_n9_1() -> None:
    batch = Batch(SHORT_DEALS, 3, seed=5)
    options = Table(SHORT_DEALS, seed=77).setup_options()
    batch.restart(6, options)
    for game in range(3):
        assert batch.table(game).setup_options() == options
        assert (batch.table(game).state["key"] == Table(SHORT_DEALS, 6, slot=game).state["key"]).all()
    before = everything(batch)
    with pytest.raises(OptionsError, match="bank"):
        batch.restart(7, options={**options, "bank": []})
    assert everything(batch) == before


def test_rules_under_which_nobody_can_be_dealt_a_hand_k2_3() -> None:
    with pytest.raises(ValueError, match="nobody can pay the forced ante"):
        Batch(KunsRules(forced_ante=5, bankroll=2), 3)


def test_without_a_seed_every_batch_is_another() -> None:
    assert Batch(RULES, 1).seed != Batch(RULES, 1).seed


def test_a_later_slot_is_a_shifted_batch() -> None:
    part, whole = Batch(RULES, 3, seed=5, first_slot=4), Batch(RULES, 7, seed=5)
    assert part._states.tobytes() == whole._states[4:].tobytes()


# ---------------------------------------------------------------- arrays and copies


ARRAYS = (
    "observations",
    "masks",
    "to_play",
    "rewards",
    "dones",
    "truncations",
    "episodes",
    "final_observations",
)


@BOTH
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_copies(name: str, rules: Any) -> None:
    batch = Batch(rules, 4, seed=5)
    before = everything(batch)
    kept = getattr(batch, name)
    kept_before = kept.copy()
    kept[:] = 1
    assert everything(batch) == before
    kept[:] = kept_before
    rng = np.random.default_rng(1)
    for _ in range(40):
        batch.step(choose(batch.masks, rng))
    assert (kept == kept_before).all(), "what was given out changed later"


@pytest.mark.parametrize("name", ["observations", "masks", "to_play", "episodes", "final_observations"])
def test_without_copies_windows_are_read_only(name: str) -> None:
    batch = Batch(RULES, 4, seed=5, copy=False)
    window = getattr(batch, name)
    assert not window.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        window[:] = 0
    assert np.shares_memory(window, getattr(batch, name))


@BOTH
def test_types_and_shapes(rules: Any) -> None:
    batch = Batch(rules, 4, seed=5)
    assert batch.observations.dtype == np.float32
    assert (batch.masks.dtype, batch.masks.shape) == (np.int8, (4, game_of(rules).num_moves))
    assert (batch.rewards.dtype, batch.rewards.shape) == (np.float64, (4, rules.num_players))
    assert batch.dones.dtype == batch.truncations.dtype == np.bool_
    assert batch.to_play.dtype == batch.episodes.dtype == np.int64


@pytest.mark.parametrize("seats", [3, -1, 0.5, True, [0, 1], [0, 0, 0, 9], [[0], [0, 1]], [], None])
def test_final_seats_that_are_not_there(seats: Any) -> None:
    batch = Batch(RULES, 4, seed=5)
    with pytest.raises(ValueError, match=r"final_seats=.* 0 to 2, or one for each of 4 games"):
        batch.final_seats = seats
    assert batch.final_seats.tolist() == [0] * 4


@pytest.mark.parametrize(
    "twin_of",
    [lambda b: pickle.loads(pickle.dumps(b)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
@pytest.mark.parametrize("options", [{}, {"copy": False, "pad": True, "num_threads": 2, "first_slot": 3}])
@BOTH
def test_a_pickled_batch_goes_on_identically(
    twin_of: Callable[[Batch], Batch], options: dict[str, Any], rules: Any
) -> None:
    batch = Batch(rules, 4, seed=5, **options)
    rng = np.random.default_rng(1)
    for _ in range(7):
        batch.step(choose(batch.masks, rng))
    twin = twin_of(batch)
    assert everything(twin) == everything(batch)
    for _ in range(60):
        moves = choose(batch.masks, rng)
        batch.step(moves)
        assert everything(twin) != everything(batch)
        twin.step(moves)
        assert everything(twin) == everything(batch)
        assert (twin.observations == batch.observations).all()


@pytest.mark.parametrize(("rules", "most"), [(RULES, 4_096), (KunkenRules(num_players=5), 32_768)])
def test_memory_is_counted_and_grows_with_the_games_alone(rules: Any, most: int) -> None:
    small, large = Batch(rules, 100, seed=1), Batch(rules, 200, seed=1)
    each = (large.nbytes - small.nbytes) / 100
    assert small.nbytes == 100 * each
    assert each < most, "bytes a game"
    before = large.nbytes
    rng = np.random.default_rng(1)
    for _ in range(50):
        large.step(choose(large.masks, rng))
    assert large.nbytes == before


FORK = """
    import multiprocessing, sys
    import numpy as np
    from kuns_env import Batch, KunsRules

    batch = Batch(KunsRules(num_players=3), 64, seed=1, num_threads=2)

    def play(batch):
        for _ in range(30):
            batch.step(batch.masks.argmax(axis=1))
        return batch._states.tobytes()

    def child(queue):
        queue.put(play(batch))

    play(batch)  # the threads exist now
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    worker = context.Process(target=child, args=(queue,))
    worker.start()
    theirs = queue.get(timeout=60)
    worker.join(10)
    assert worker.exitcode == 0
    assert theirs == play(batch)
    print("alike")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork there")
def test_a_forked_child_steps_with_threads_of_its_own(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(FORK)],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=root,
    )
    assert done.stdout == "alike\n", done.stderr


def test_a_copy_is_independent() -> None:
    batch = Batch(RULES, 4, seed=5)
    before, twin = everything(batch), copy.copy(batch)
    twin.step(twin.masks.argmax(axis=1))
    twin.final_seats = 1
    assert everything(batch) == before
    assert batch.final_seats.tolist() == [0] * 4


@BOTH
def test_the_repr_of_a_batch_and_of_views(rules: Any) -> None:
    batch = Batch(rules, 4, seed=5)
    played = f"{rules.game} with {rules.num_players} players"
    assert repr(batch) == f"<Batch: 4 games of {played}, seed 5>"
    assert repr(batch.views()) == f"<Views: 4 games of {played}>"
    view = batch.views().view(2)
    assert repr(view) == f"<View of seat {view.seat}: 1 game of {played}>"
    assert repr(batch.table(0).view()).startswith("<View of a spectator: ")


def test_a_number_that_is_refused_is_told_with_its_meaning() -> None:
    with pytest.raises(IllegalMoveError, match=r"game 0: seat \d may not 'accept' \(move 29\); legal"):
        Batch(RULES, 4, seed=5).step([29] * 4)


@BOTH
def test_states_are_those_of_its_tables(rules: Any) -> None:
    batch = Batch(rules, 3, seed=4)
    batch.step(batch.masks.argmax(axis=1))
    for game in range(3):
        assert batch.states[game : game + 1].tobytes() == batch.table(game)._states.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        Batch(rules, 1, 4, copy=False).states["seat"] = 1
