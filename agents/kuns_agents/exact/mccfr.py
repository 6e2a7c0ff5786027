"""Monte Carlo counterfactual regret minimization for Kuns without side bets, with any number of players.

External sampling: M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo Sampling for Regret Minimization in
Extensive Games", NIPS 2009. An iteration traverses the game once for each player: the cards and the moves of the
others are drawn, and each move of that player counts. Cards are dealt exactly, with all hands from one deck.

Averaging: a player's average strategy weights each iteration's by the player's own reach. The paper's rule, which
adds the strategies that the sampled paths meet, gives these weights with two players only: with more, what
the other opponents do would weigh in. So of every stretch of iterations one is drawn, and its strategy is added in
all situations at once with its exact reach: what is expected of that sum is the sum over all iterations.

Discounting: by default what stretch ``k`` adds to regrets and to the average has weight ``k`` ("Linear CFR", N. Brown
and T. Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization", AAAI 2019; in
stretches, as the Pluribus of the same authors does, Science 2019).

With two players the average comes close to an equilibrium. With more no such thing is known of any of these
methods: judge the result by play.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from kuns_agents.archive import check_format, read_archive, write_archive
from kuns_agents.exact.mccfr_kernels import CALLED, COUNTED, Game, Sums, Work, advance
from kuns_agents.exact.public import END, PublicTree, public_tree
from kuns_agents.exact.space import HandSpace, hand_space
from kuns_agents.exact.table import TablePolicy, num_ante_rows, rows_of
from kuns_agents.hands import Floats, Integers, chances, tree
from kuns_agents.protocol import AgentError
from kuns_env import KunsRules
from kuns_env.engine.seeds import count
from kuns_env.kuns.state import NUM_ROUNDS
from kuns_env.rng import MAX_SEED

FORMAT: Final = "kuns-agents/mccfr"
VERSION: Final = 1
METHOD: Final = "external-sampling MCCFR"

MOVES: Final = 2
"""Call and fold."""
BYTES: Final = np.dtype(np.float64).itemsize
NUMBERS_A_ROW: Final = 5
"""Two regrets, two sums of the average, and room to work in."""
NUMBERS_AN_ANTE: Final = 3
"""For each hand of the dealer: its regret, its sum of the average, and room to work in."""
MOST_BYTES: Final = 2 << 30
"""The memory that a solver takes unless it is told that there is more."""
SHORTEST_STRETCH: Final = 1_000
ROWS_AN_ITERATION: Final = 10
"""A stretch has one iteration for so many rows, which keeps averaging to about a tenth of the time."""
MOST_ITERATIONS: Final = 1 << 48
CHECKPOINT_SECONDS: Final = 60.0
"""Time between two savings."""


def bytes_needed(rules: KunsRules) -> int:
    """Return the memory that `Mccfr` takes, in bytes, regrets and averages together.

    >>> bytes_needed(KunsRules.anted(3)), bytes_needed(KunsRules.anted(6))
    (7167840, 930601120)
    """
    public, space = public_tree(rules), hand_space(rules)
    antes = num_ante_rows(rules, space) * len(rules.ante_menu)
    return (int(rows_of(public, space)[-1]) * NUMBERS_A_ROW + antes * NUMBERS_AN_ANTE) * BYTES


def checked_memory(rules: KunsRules, most: int) -> None:
    """Refuse rules that take more than ``most`` bytes.

    Raises:
        ValueError: see above.
    """
    needed = bytes_needed(rules)
    if needed > most:
        raise ValueError(
            f"num_players={rules.num_players}, ante_menu={rules.ante_menu}: solving takes {needed:,} bytes, "
            f"and max_bytes={most:,} are allowed; fewer antes or players take less"
        )


def previous_decisions(public: PublicTree) -> Integers:
    """Return for each node the decision of the same player in the round before, -1 where there is none."""
    last = np.full((len(public), public.rules.num_players), END, np.int64)
    before = np.full(len(public), END, np.int64)
    for node in np.flatnonzero(public.rounds > 0):
        position = public.positions[node]
        before[node] = last[node, position]
        for after in (public.after_call[node], public.after_fold[node]):
            if after != END:
                last[after] = last[node]
                last[after, position] = node
    return before


def _game(rules: KunsRules) -> Game:
    public, space = public_tree(rules), hand_space(rules)
    first, second = space.splits
    deck = np.repeat(np.array(rules.ranks, np.int64) - 1, rules.num_suits)
    return Game(
        positions=public.positions,
        rounds=public.rounds,
        antes=public.antes,
        after_call=public.after_call,
        after_fold=public.after_fold,
        firsts=public.firsts,
        rows=rows_of(public, space),
        before=previous_decisions(public),
        menu=np.array(rules.ante_menu, np.int64),
        forced=rules.forced_ante,
        sees=int(rules.dealer_sees_hand),
        deck=deck,
        children=tree().children,
        index=space.index,
        strengths=chances(rules).strengths[space.nodes[-1]],
        splits=(first.starts, first.parents, first.chances, second.starts, second.parents, second.chances),
    )


def _zeros(rules: KunsRules, public: PublicTree, space: HandSpace) -> Sums:
    rows, antes = (
        (int(rows_of(public, space)[-1]), MOVES),
        (num_ante_rows(rules, space), len(rules.ante_menu)),
    )
    return Sums(np.zeros(rows), np.zeros(antes), np.zeros(rows), np.zeros(antes))


class Mccfr:
    """External-sampling MCCFR that can be stopped, saved and taken up again at any iteration."""

    def __init__(
        self, rules: KunsRules, seed: int = 0, *, linear: bool = True, max_bytes: int = MOST_BYTES
    ) -> None:
        """Begin with the strategy that takes every move with the same probability.

        Args:
            rules: Kuns without side bets and bankrolls, any number of players.
            seed: of the deals and of the moves that are drawn; the result is a function of it.
            linear: whether later iterations weigh more; see above.
            max_bytes: how much memory may be taken.

        Raises:
            ValueError: such rules, or these need more memory.
        """
        checked_memory(rules, count("max_bytes", max_bytes, 1, MAX_SEED))
        self.rules, self.linear = rules, bool(linear)
        self.seed = count("seed", seed, 0, MAX_SEED)
        self.public, self.space = public_tree(rules), hand_space(rules)
        self.sums = _zeros(rules, self.public, self.space)
        self.stretch = max(SHORTEST_STRETCH, len(self.sums.regrets) // ROWS_AN_ITERATION)
        """Iterations of which one stands in the average."""
        self._clock = np.zeros(1, np.int64)
        self._game = _game(rules)
        players = rules.num_players
        self._work = Work(
            deck=self._game.deck.copy(),
            hands=np.zeros((players, NUM_ROUNDS), np.int64),
            folds=np.zeros(players, np.int64),
            own=np.zeros(NUM_ROUNDS, np.int64),
            values=np.zeros(len(rules.ante_menu)),
            going=np.zeros(len(self.sums.regrets)),
            ante_chances=np.zeros(self.sums.ante_regrets.shape),
        )

    @property
    def iteration(self) -> int:
        """How many iterations are done; each traverses the game once for each player."""
        return int(self._clock[0])

    def run(self, iterations: int) -> None:
        """Do so many iterations more."""
        more = count("iterations", iterations, 0, MOST_ITERATIONS - self.iteration)
        advance(
            self._game,
            self.sums,
            self._work,
            self._clock,
            self.seed,
            self.stretch,
            self.linear,
            self.iteration + more,
        )

    def policy(self) -> TablePolicy:
        """Return the average strategy; in what it never comes to, the strategy of now."""
        called, counted = self.sums.average[:, CALLED], self.sums.average[:, COUNTED]
        calls = np.divide(called, counted, out=matched(self.sums.regrets)[:, 0], where=counted > 0)
        antes = self.sums.ante_average
        total = antes.sum(axis=1, keepdims=True)
        antes = np.divide(antes, total, out=matched(self.sums.ante_regrets), where=total > 0)
        return TablePolicy(self.rules, calls.clip(0, 1), antes)

    def regret(self) -> float:
        """Return the sum over all situations of the largest regret where it is positive, chips an iteration.

        The regret of the players together is at most that, as far as the samples tell. Only with two players
        does a small regret mean a small distance from an equilibrium.
        """
        full, rest = divmod(self.iteration, self.stretch)
        weight = (full * self.stretch / 2 if self.linear else full * self.stretch) + rest
        if weight == 0:
            return 0.0
        sums = (self.sums.regrets, self.sums.ante_regrets)
        return float(sum(regrets.max(axis=1).clip(0).sum() for regrets in sums) / weight)

    def info(self) -> dict[str, Any]:
        """Return how the strategy came about, as plain data."""
        return {
            "method": METHOD,
            "iterations": self.iteration,
            "seed": self.seed,
            "linear": self.linear,
            "stretch": self.stretch,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is needed to go on into the file ``path``; an older one is replaced in one step."""
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "linear": self.linear,
            "stretch": self.stretch,
            "iteration": self.iteration,
        }
        write_archive(path, meta, self.sums._asdict())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Mccfr:
        """Return the solver that was saved in the file ``path``.

        Raises:
            AgentError: the file is missing, damaged or of a newer version.
            ValueError: it takes more memory than is allowed.
        """
        meta, arrays = read_archive(path)
        check_format(path, meta, FORMAT, (VERSION,))
        try:
            rules = KunsRules.from_dict(meta["rules"])
            checked_memory(rules, max_bytes)
        except (KeyError, TypeError) as error:
            raise AgentError(f"{os.fspath(path)!r} is damaged: {error}") from None
        try:
            made = cls(rules, meta["seed"], linear=meta["linear"], max_bytes=max_bytes)
            made.stretch = count("stretch", meta["stretch"], 1, MOST_ITERATIONS)
            made._clock[0] = count("iteration", meta["iteration"], 0, MOST_ITERATIONS)
            for name, array in made.sums._asdict().items():
                _fill(array, name, arrays[name])
        except (KeyError, TypeError, ValueError) as error:
            raise AgentError(f"{os.fspath(path)!r} is damaged: {error}") from None
        return made


def _fill(array: Floats, name: str, given: Any) -> None:
    if given.shape != array.shape or given.dtype != array.dtype or not np.isfinite(given).all():
        raise ValueError(f"{name} must be finite float64 {array.shape}")
    array[:] = given


def matched(regrets: Floats) -> Floats:
    """Return the strategy of regret matching, one row for each of ``regrets``."""
    positive = regrets.clip(0)
    total = positive.sum(axis=1, keepdims=True)
    matching: Floats = np.full(regrets.shape, 1 / regrets.shape[1])
    np.divide(positive, total, out=matching, where=total > 0)
    return matching


def solve_mccfr(
    rules: KunsRules,
    iterations: int,
    seed: int = 0,
    *,
    linear: bool = True,
    max_bytes: int = MOST_BYTES,
    progress: Callable[[Mccfr], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> TablePolicy:
    """Return the average strategy of external-sampling MCCFR.

    Args:
        rules: Kuns without side bets and bankrolls, any number of players.
        iterations: how many in all, each with one traversal for each player.
        seed: the result is a function of it and of what stands before.
        linear: whether later iterations weigh more.
        max_bytes: how much memory may be taken.
        progress: called with the solver after every stretch.
        checkpoint: a file that is written every minute and at the end. If it is there, solving goes on from it,
            to the same result as without a break.

    Raises:
        ValueError: see `Mccfr`; or the file belongs to other rules, another seed, or more iterations.
        AgentError: the file is damaged.
    """
    wanted = count("iterations", iterations, 1, MOST_ITERATIONS)
    solver = Mccfr(rules, seed, linear=linear, max_bytes=max_bytes)
    if checkpoint is not None and Path(checkpoint).exists():
        solver = resumed(solver, checkpoint, wanted, max_bytes)
    saved = time.monotonic()
    try:
        while solver.iteration < wanted:
            solver.run(min(solver.stretch, wanted - solver.iteration))
            if progress is not None:
                progress(solver)
            if checkpoint is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
                solver.save(checkpoint)
                saved = time.monotonic()
    finally:
        if checkpoint is not None:
            solver.save(checkpoint)
    return solver.policy()


def resumed(fresh: Mccfr, path: str | os.PathLike[str], iterations: int, max_bytes: int) -> Mccfr:
    """Return the solver saved at ``path``, which must be what ``fresh`` would become.

    Raises:
        ValueError: it has other rules, another seed or other weights, or has done more than ``iterations``.
    """
    found = Mccfr.load(path, max_bytes=max_bytes)
    for name in ("rules", "seed", "linear", "stretch"):
        if getattr(found, name) != getattr(fresh, name):
            raise ValueError(
                f"{os.fspath(path)!r} was saved with {name}={getattr(found, name)}, not {getattr(fresh, name)}: "
                "go on with that, or name another file"
            )
    if found.iteration > iterations:
        raise ValueError(
            f"iterations={iterations}: {os.fspath(path)!r} has {found.iteration:,} already; ask for more"
        )
    return found
