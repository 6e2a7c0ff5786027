"""The learner's seat of many games as a Stable-Baselines3 `VecEnv`, natively batched.

    env = KunsVecEnv(KunsRules.duel(), num_envs=1024, opponents=load("cautious"), seed=1)
    MaskablePPO("MlpPolicy", env).learn(100_000)

The whole example is in docs/training.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from kuns_agents.code_file import staying
from kuns_agents.raised import PASSED, in_words
from kuns_env.engine.seat import ROTATE, SeatGames
from kuns_env.engine.seat_spaces import observation_box
from kuns_env.engine.seeds import make_seed

CLOCK_DIGITS = 6
"""Digits of the time in `info["episode"]["t"]`, as SB3's own monitor gives them."""


@contextmanager
def opponents_act() -> Iterator[None]:
    """Stay in one's folder wherever opponents go, and let them end nothing.

    Raises:
        ValueError: one raised what is no `Exception`, such as `SystemExit`, which would end the run without a word.
    """
    with staying():
        try:
            yield
        except (Exception, *PASSED):
            raise
        except BaseException as error:
            raise ValueError(f"an opponent raised {in_words(error)}") from error


class KunsVecEnv(VecEnv):
    """`SeatGames` with the interface of SB3. Rewards are float64 chips; a game that ends begins anew at once.

    The infos of an ended episode hold ``terminal_observation``, ``TimeLimit.truncated``, ``seat`` and
    ``episode``: ``r`` is what it brought, skipped hands included (so that the mean of ``r`` over the sum of
    ``hands`` is chips per hand), ``l`` the learner's decisions, ``t`` seconds since the start. A step in which
    hands were skipped has ``skipped_hands`` and ``skipped_payoff``.

    Args:
        rules: a rules object.
        num_envs: games.
        opponents: an agent or a pool of agents; uniformly random play where None.
        seed: of everything.
        weights: of the pool.
        seats: the learner's seat, or "rotate".
        pad: lay out observations for the most players that the game has.
        num_threads: threads for the rules of the game.
        mask_in_info: give each info the mask of the next decision as ``action_mask``.
        skip_forced: play a move that is the only legal one inside the step that comes before it, and add its reward to
            that step's: what is no choice is no decision. Only the first decision of an episode may be forced.
    """

    render_mode: str | None = None

    def __init__(
        self,
        rules: Any,
        num_envs: int = 1,
        opponents: Any = None,
        seed: int | None = None,
        *,
        weights: Any = None,
        seats: int | str = ROTATE,
        pad: bool = False,
        num_threads: int = 1,
        mask_in_info: bool = False,
        skip_forced: bool = False,
    ) -> None:
        with opponents_act():
            self.games = SeatGames(
                rules,
                opponents,
                num_envs,
                seed,
                weights=weights,
                seats=seats,
                pad=pad,
                num_threads=num_threads,
            )
        self.mask_in_info = mask_in_info
        self.skip_forced = skip_forced
        self._untouched = True
        self._next_seed: int | None = None
        self._moves: Any = None
        self._start = time.monotonic()
        observation_space = observation_box(self.games.encoder)
        super().__init__(self.games.num_games, observation_space, spaces.Discrete(self.games.num_moves))

    # --- play -----------------------------------------------------------------------------------------------

    def action_masks(self) -> np.ndarray:
        """Return the legal moves of every game, int8 ``(N, num_moves)``."""
        return self.games.masks

    def set_opponents(self, opponents: Any, weights: Any = None) -> None:
        """Replace the pool of opponents; see `SeatGames.set_opponents`."""
        self.games.set_opponents(opponents, weights)

    def reset(self) -> np.ndarray:
        """Begin every game again and return the observations, float32 ``(N, size)``.

        The first reset begins with the episodes 0; a later one goes on to the next episode of every game, unless
        `seed` has been called in between.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("options must be the same for all games")
        if self._next_seed is not None or options or not self._untouched:
            with opponents_act():
                self.games.reset(self._next_seed, options)
        self._untouched, self._next_seed = False, None
        self._reset_options()
        self.reset_infos = self._infos()
        return self.games.observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take the moves, integers ``(N,)``."""
        self._moves = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play them; return observations, rewards, dones and infos.

        Raises:
            IllegalMoveError: a move is not legal; it names the game. Nothing has changed in any game.
        """
        self._untouched = False
        games = self.games
        with opponents_act():  # wherever opponents go
            games.step(self._moves)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rewards, dones = games.rewards, games.dones
        self._tell(infos)
        while self.skip_forced:
            masks = games.masks
            forced = np.flatnonzero((masks.sum(axis=1, dtype=np.int64) == 1) & ~dones)
            if not len(forced):
                break
            with opponents_act():
                games.step(masks[forced].argmax(axis=1), forced)
            rewards += games.rewards
            dones |= games.dones
            self._tell(infos)
        return games.observations, rewards, dones, self._with_masks(infos)

    def _infos(self) -> list[dict[str, Any]]:
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._tell(infos)
        return self._with_masks(infos)

    def _tell(self, infos: list[dict[str, Any]]) -> None:
        """Add to ``infos`` what the last step of the games is to be told of."""
        games = self.games
        self._add_ends(infos, np.flatnonzero(games.dones))
        skipped = games.skipped_hands
        rows = np.flatnonzero(skipped)
        columns = (rows.tolist(), skipped[rows].tolist(), games.skipped_payoffs[rows].tolist())
        for row, hands, payoff in zip(*columns, strict=True):
            info = infos[row]
            info["skipped_hands"] = info.get("skipped_hands", 0) + hands
            info["skipped_payoff"] = info.get("skipped_payoff", 0.0) + payoff

    def _with_masks(self, infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.mask_in_info:
            for info, mask in zip(infos, self.games.masks, strict=True):
                info["action_mask"] = mask
        return infos

    def _add_ends(self, infos: list[dict[str, Any]], rows: np.ndarray) -> None:
        """Write what SB3 wants to know of the games ``rows``, whose episode has ended."""
        if not len(rows):
            return
        games = self.games
        seconds = round(time.monotonic() - self._start, CLOCK_DIGITS)
        columns = (
            games.final_observations[rows],
            games.truncations[rows].tolist(),
            games.episode_seats[rows].tolist(),
            games.episode_payoffs[rows].tolist(),
            games.episode_lengths[rows].tolist(),
            games.episode_hands[rows].tolist(),
        )
        for row, final, truncated, seat, payoff, length, hands in zip(rows.tolist(), *columns, strict=True):
            infos[row] |= {
                "terminal_observation": final,
                "TimeLimit.truncated": truncated,
                "seat": seat,
                "episode": {"r": payoff, "l": length, "t": seconds, "hands": hands},
            }

    # --- what SB3 asks of its environments ------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Take the seed of the next reset, fresh entropy where None; it is one for all games."""
        self._next_seed = make_seed(seed)
        return [self._next_seed] * self.num_envs

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method once for all games and return its answer as a list of one.

        ``env_method("action_masks")`` is thus ``[masks (N, num_moves)]``, which sb3-contrib stacks at no cost; a
        row a game would take a thousand times as long. With ``indices`` the masks are those of these games.
        """
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name == "action_masks" and indices is not None:
            answer = answer[list(self._get_indices(indices))]
        return [answer]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return the attribute ``attr_name``, which all games share, once for each game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all games.

        Raises:
            ValueError: of some of them only: they share it.
        """
        if indices is not None and len(list(self._get_indices(indices))) < self.num_envs:
            raise ValueError(
                f"{attr_name} is shared by all {self.num_envs} games: it cannot be set for some of them"
            )
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each game, there are no single environments to wrap; but True for SB3's `Monitor`.

        SB3 asks for it to learn whether ``info["episode"]`` may be believed.
        """
        return [issubclass(wrapper_class, Monitor)] * len(list(self._get_indices(indices)))

    def _get_indices(self, indices: VecEnvIndices) -> Iterable[int]:
        """Return the numbers of the games that ``indices`` names."""
        chosen = list(super()._get_indices(indices))
        if any(not -self.num_envs <= index < self.num_envs for index in chosen):
            raise IndexError(f"indices={indices!r}: there are {self.num_envs} games")
        return chosen

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return None for each game: many games at once are not drawn."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing is held."""
