"""One seat against opponents as `gymnasium.Env`, over `SeatGames`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from kuns_env.engine.game import Array, Rules
from kuns_env.engine.seat import ROTATE, SeatGames
from kuns_env.engine.seat_spaces import (
    FRAMES_A_SECOND,
    LOSE,
    RAISE,
    RENDER_MODES,
    LegalDiscrete,
    check_choice,
    observation_box,
    picture,
    split,
)
from kuns_env.engine.view import View, Views
from kuns_env.errors import IllegalMoveError


class SeatEnv(gymnasium.Env[Array, Any]):
    """One game from the learner's seat: a step is its decision and everybody else's up to its next.

    The observation is the `table` encoding; the legal moves come by `action_masks` and as ``info["action_mask"]``
    (all ones when the episode is over). ``info`` also holds the ``seat``, and the hands that passed without a
    decision of the learner as ``skipped_hands`` and ``skipped_payoff`` (see `SeatGames`); at the end of an episode
    ``episode_payoff`` and ``episode_hands``: all it won, skipped hands included, and in how many hands.
    `reset` without a seed goes on to the next episode.

    >>> from kuns_env import KunsRules
    >>> env = SeatEnv(KunsRules.duel(), seed=1)
    >>> observation, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))

    Args:
        rules: a rules object.
        opponents: an agent or a pool of agents; uniformly random play where None.
        weights: of the pool.
        seat: the learner's seat, or "rotate": another one each episode.
        seed: until `reset` is given one.
        pad: lay out observations for the most players that the game has.
        illegal_moves: "raise" an error and change nothing; or "lose", which is what `gymnasium.make` sets: the
            episode ends, the game is abandoned and ``info["illegal_move"]`` is True. The reward is then minus all
            that is at stake for the seat in the hand, minus 1, and ``episode_payoff`` counts it. At stake is in
            Kuns what it has paid and staked, which is what a fold costs; in Kunken, where nobody can give up, the
            most that a deal can cost. What is no integer is an error either way.
        render_mode: None, "ansi" or "rgb_array": what the learner's seat sees.
        slot: the stream slot: game ``slot`` of a vector environment with this seed has the same deals.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_A_SECOND}  # noqa: RUF012 - as gymnasium declares it

    def __init__(
        self,
        rules: Rules,
        opponents: Any = None,
        *,
        weights: Any = None,
        seat: int | str = ROTATE,
        seed: int | None = None,
        pad: bool = False,
        illegal_moves: str = RAISE,
        render_mode: str | None = None,
        slot: int = 0,
    ) -> None:
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._forfeit = check_choice("illegal_moves", illegal_moves, (RAISE, LOSE)) == LOSE
        self.games = SeatGames(
            rules, opponents, 1, seed, weights=weights, seats=seat, pad=pad, first_slot=slot, keep_finals=True
        )
        self._untouched = True
        self._over = False
        self.observation_space = observation_box(self.games.encoder)
        self.action_space = LegalDiscrete(self.games.num_moves, self.action_masks)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.games.rules

    @property
    def view(self) -> View:
        """What the learner's seat knows now; after the end, what it knew then."""
        return self._views().view(0)

    def _views(self) -> Views:
        return self.games.final_view(0) if self._over else self.games.views()

    def action_masks(self) -> Array:
        """Return the legal moves, int8 ``(num_moves,)``; all ones when the episode is over."""
        masks: Array = self.games.masks[0]
        return np.ones_like(masks) if self._over else masks

    def legal_moves(self) -> list[str]:
        """Return the texts of the legal moves; none when the episode is over."""
        return [] if self._over else self.view.legal_moves()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode: episode 0 of ``seed``, else the next one.

        Args:
            seed: 0 to 2**63 - 1, or None.
            options: how the first hand is set up, as in RULES.md (K10, N9).

        Raises:
            OptionsError: the options do not fit the rules. Nothing has changed.
        """
        # The game over has begun its next episode already, as a new one has its first.
        if seed is not None or options or not (self._untouched or self._over):
            self.games.reset(seed, options)
        super().reset(seed=None if seed is None else self.games.seed)  # gymnasium wants an int of Python
        self._untouched, self._over = False, False
        return self.games.observations[0], self._info()

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play ``action``, then let the others play until the learner is to decide again, or its episode is over.

        Raises:
            IllegalMoveError: the rules do not allow it here (unless illegal moves lose), or the episode is over.
                Nothing has changed.
            ValueError: not an integer.
        """
        if self._over:
            raise IllegalMoveError(None, action, [])
        games = self.games
        games.step(np.asarray(action).reshape(-1), forfeit_illegal=self._forfeit)
        self._untouched = False
        self._over = bool(games.dones[0])
        truncated = bool(games.truncations[0])
        observation = games.final_observations[0] if self._over else games.observations[0]
        return observation, float(games.rewards[0]), self._over and not truncated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        games = self.games
        info: dict[str, Any] = {
            "action_mask": self.action_masks(),
            "seat": int((games.episode_seats if self._over else games.seats)[0]),
            "skipped_hands": int(games.skipped_hands[0]),
            "skipped_payoff": float(games.skipped_payoffs[0]),
        }
        if self._over:
            info["episode_payoff"] = float(games.episode_payoffs[0])
            info["episode_hands"] = int(games.episode_hands[0])
            if games.forfeits[0]:
                info["illegal_move"] = True
        return info

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy; its space of moves, which is copied as a plain one, looks at its own games again."""
        self.__dict__.update(state)
        self.action_space = LegalDiscrete(self.games.num_moves, self.action_masks)

    def render(self) -> Any:
        """Return what the learner's seat sees, as `render_mode` says."""
        return picture(self.rules, self._views(), self.render_mode)


def make_seat_env(
    rules: Any = "kuns", opponents: Any = None, *, game: str = "kuns", **settings: Any
) -> SeatEnv:
    """Return a `SeatEnv`: what `gymnasium.make` calls. Illegal moves lose, unless said otherwise.

    >>> make_seat_env("kuns-duel", num_hands=2).rules.num_hands
    2

    Programs written for gymnasium, its ``check_env`` for one, know of no masks and of no moves that are refused.

    Args:
        rules: a rules object, the name of a preset, or a mapping of fields.
        opponents: as `SeatEnv` takes them.
        game: whose fields a mapping holds.
        settings: its other arguments, and fields of the rules that the preset does not fix.

    Raises:
        RulesError: a field that the preset fixes, or fields beside rules that are no preset.
    """
    rules, others = split(rules, game, settings)
    return SeatEnv(rules, opponents, **{"illegal_moves": LOSE, **others})
