"""One seat against opponents in many games as `gymnasium.vector.VectorEnv`, over `SeatGames`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from kuns_env.engine.game import Array, Rules
from kuns_env.engine.seat import ROTATE, SeatGames
from kuns_env.engine.seat_spaces import (
    FRAMES_A_SECOND,
    LOSE,
    RAISE,
    RENDER_MODES,
    LegalMultiDiscrete,
    check_choice,
    observation_box,
    picture,
    split,
)


class SeatVectorEnv(VectorEnv[Array, Array, Array]):
    """`SeatEnv` for many games at once, without a Python loop over them.

    Infos are arrays, with ``_key`` marking the games for which they hold: those of `SeatEnv`.

    Args:
        rules: a rules object.
        num_envs: games.
        opponents: an agent or a pool of agents; uniformly random play where None.
        weights: of the pool.
        seat: the learner's seat, or "rotate".
        seed: until `reset` is given one; one for all games.
        pad: lay out observations for the most players that the game has.
        num_threads: threads for the rules of the game.
        illegal_moves: "raise" or "lose", as in `SeatEnv`.
        render_mode: None, "ansi" or "rgb_array".
        autoreset_mode: ``NEXT_STEP`` (default, as in gymnasium's own vector environments and as its observation
            wrappers demand): the step that ends an episode gives its last observation, and the next step ignores
            the move and gives the first of the new episode. ``SAME_STEP`` wastes no step, which in hands of two or
            three decisions is much: the new episode's observation comes at once, the last one as
            ``infos["final_obs"]``.
    """

    def __init__(
        self,
        rules: Rules,
        num_envs: int = 1,
        opponents: Any = None,
        *,
        weights: Any = None,
        seat: int | str = ROTATE,
        seed: int | None = None,
        pad: bool = False,
        illegal_moves: str = RAISE,
        num_threads: int = 1,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._forfeit = check_choice("illegal_moves", illegal_moves, (RAISE, LOSE)) == LOSE
        mode = as_autoreset_mode(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_A_SECOND,
            "autoreset_mode": mode,
        }
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.games = SeatGames(
            rules, opponents, num_envs, seed, weights=weights, seats=seat, pad=pad, num_threads=num_threads
        )
        self.num_envs = self.games.num_games
        self._untouched = True
        self._over = np.zeros(self.num_envs, bool)
        """Games that wait for the step in which they begin anew; none in ``SAME_STEP``."""
        self.single_observation_space = observation_box(self.games.encoder)
        self.single_action_space = spaces.Discrete(self.games.num_moves)
        self.observation_space = observation_box(self.games.encoder, num_games=self.num_envs)
        self.action_space = LegalMultiDiscrete(self.num_envs, self.games.num_moves, self.action_masks)

    @property
    def rules(self) -> Rules:
        """The rules of all games."""
        return self.games.rules

    def action_masks(self) -> Array:
        """Return the legal moves, int8 ``(N, num_moves)``; all ones where a game waits to begin anew."""
        masks = self.games.masks
        masks[self._over] = 1
        return masks

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in every game; see `SeatEnv.reset`."""
        if seed is not None or options or not self._untouched:
            self.games.reset(seed, options)
        super().reset(seed=None if seed is None else self.games.seed)  # gymnasium wants an int of Python
        self._untouched = False
        self._over[:] = False
        return self.games.observations, self._infos(np.zeros(self.num_envs, bool))

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play a move in every game.

        Raises:
            IllegalMoveError: a move is not legal; it names the game. Nothing has changed in any game.
            ValueError: not as many integers as games.
        """
        games = self.games
        moves = np.asarray(actions)
        if moves.shape != (self.num_envs,):
            raise ValueError(
                f"actions have shape {moves.shape}: must be ({self.num_envs},), one for each game"
            )
        if moves.dtype.kind not in "iu":  # also of games whose move is ignored
            raise ValueError(f"actions are of type {moves.dtype}: must be integers")
        rows = np.flatnonzero(~self._over)
        games.step(moves[rows], rows, forfeit_illegal=self._forfeit)
        self._untouched = False
        dones, truncations = games.dones, games.truncations
        observations = games.observations
        if not self._same_step:
            observations[dones] = games.final_observations[dones]
            self._over = dones
        return observations, games.rewards, dones & ~truncations, truncations, self._infos(dones)

    def _infos(self, dones: Array) -> dict[str, Any]:
        games = self.games
        ends = {"episode_payoff": games.episode_payoffs, "episode_hands": games.episode_hands}
        if games.forfeits.any():
            ends["illegal_move"] = games.forfeits
        seats, last_seats = games.seats, games.episode_seats
        now = {
            "action_mask": self.action_masks(),
            "seat": seats if self._same_step else np.where(dones, last_seats, seats),
            "skipped_hands": games.skipped_hands,
            "skipped_payoff": games.skipped_payoffs,
        }
        infos = marked(now, np.ones(self.num_envs, bool))
        if not dones.any():
            return infos
        if not self._same_step:
            return infos | marked(ends, dones)
        final_obs = np.full(self.num_envs, None, object)
        finals = games.final_observations[dones]
        final_obs[dones] = np.fromiter(finals, object, len(finals))
        last = marked({"action_mask": np.ones_like(now["action_mask"]), "seat": last_seats} | ends, dones)
        return infos | marked({"final_obs": final_obs, "final_info": last}, dones)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy; its space of moves, which is copied as a plain one, looks at its own games again."""
        self.__dict__.update(state)
        self.action_space = LegalMultiDiscrete(self.num_envs, self.games.num_moves, self.action_masks)

    def render(self) -> tuple[Any, ...] | None:
        """Return what the learner sees in each game; where an episode is over, in the one that begins next."""
        pictures = tuple(
            picture(self.rules, self.games.views(np.array([row])), self.render_mode)
            for row in range(self.num_envs if self.render_mode else 1)
        )
        return pictures if self.render_mode else None


def marked(values: Mapping[str, Any], rows: Array) -> dict[str, Any]:
    """Return ``values`` in gymnasium's vector form: ``_key`` says for which games each holds."""
    return dict(values) | {f"_{name}": rows.copy() for name in values}


def as_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return one of the two modes that are offered.

    Raises:
        ValueError: another one.
    """
    try:
        found = AutoresetMode(mode)
    except ValueError:
        found = AutoresetMode.DISABLED
    if found is AutoresetMode.DISABLED:
        raise ValueError(
            f"autoreset_mode={mode!r}: must be AutoresetMode.NEXT_STEP or AutoresetMode.SAME_STEP"
        )
    return found


def make_seat_vector_env(
    rules: Any = "kuns", num_envs: int = 1, opponents: Any = None, *, game: str = "kuns", **settings: Any
) -> SeatVectorEnv:
    """Return a `SeatVectorEnv`: what `gymnasium.make_vec` calls; see `make_seat_env`."""
    rules, others = split(rules, game, settings)
    return SeatVectorEnv(rules, num_envs, opponents, **{"illegal_moves": LOSE, **others})
