"""What the two gymnasium environments of a learner's seat share: spaces, arguments and pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from kuns_env.engine import seat_loops
from kuns_env.engine.game import Array, Rules, game_of, preset, rules_from_dict
from kuns_env.engine.view import Views
from kuns_env.errors import RulesError

RENDER_MODES: Final = ("ansi", "rgb_array")
RAISE: Final = "raise"
LOSE: Final = "lose"
FRAMES_A_SECOND: Final = 1


class LegalDiscrete(spaces.Discrete):
    """`Discrete` whose `sample` without a mask draws from the moves that are legal now.

    Programs that know of no masks (``check_env``, random exploration) sample from the space; a copy that was
    saved by itself knows no game and is a plain `Discrete`.
    """

    def __init__(self, num_moves: int, masks: Callable[[], Array]) -> None:
        self._masks = masks
        super().__init__(num_moves)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random legal move."""
        if mask is None and probability is None:
            mask = self._masks()
        if probability is None:
            return super().sample(mask)
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain `Discrete`: a saved model must not hold the game."""
        return spaces.Discrete, (int(self.n),)


class LegalMultiDiscrete(spaces.MultiDiscrete):
    """The same for many games: a legal move in each."""

    def __init__(self, num_games: int, num_moves: int, masks: Callable[[], Array]) -> None:
        self._masks = masks
        super().__init__(np.full(num_games, num_moves, np.int64))

    def sample(self, mask: Any = None, probability: Any = None) -> Array:
        """Return a random legal move for each game, int64 ``(N,)``."""
        if mask is not None or probability is not None:
            return super().sample(mask) if probability is None else super().sample(mask, probability)
        moves = np.empty(len(self.nvec), np.int64)
        seat_loops.pick(self._masks(), self.np_random.random(len(moves)), moves)
        return moves

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain `MultiDiscrete`."""
        return spaces.MultiDiscrete, (np.array(self.nvec),)


def observation_box(encoder: Any, *, num_games: int | None = None) -> spaces.Box:
    """Return the space of an encoding, of ``num_games`` of them at once if given."""
    # Entries that these rules never use have no range; gymnasium warns of such a space.
    low, high = encoder.low, np.maximum(encoder.high, encoder.low + 1)
    if num_games is not None:
        everywhere = (num_games, *[1] * low.ndim)
        low, high = np.tile(low, everywhere), np.tile(high, everywhere)
    return spaces.Box(low, high, dtype=encoder.dtype.type)


def picture(rules: Rules, views: Views, render_mode: str | None) -> Any:
    """Return a batch of one view as ``render_mode`` says: a text, an image ``(H, W, 3)`` uint8, or None."""
    if render_mode is None:
        gymnasium.logger.warn(
            f"render() does nothing without a render_mode; there are: {', '.join(RENDER_MODES)}"
        )
        return None
    if render_mode == "ansi":
        return views.view(0).text()
    seat = int(views.seats[0])
    return import_module(f"{game_of(rules).package}.render").rgb_array(rules, views.records[0], seat)


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """Return ``value`` if it is one of ``choices``.

    Raises:
        ValueError: it is not.
    """
    if value not in choices:
        raise ValueError(f"{name}={value!r}: must be one of {', '.join(map(repr, choices))}")
    return value


def split(rules: Any, game: str, settings: Mapping[str, Any]) -> tuple[Rules, dict[str, Any]]:
    """Return the rules that are meant, and ``settings`` without the fields of them.

    Args:
        rules: a preset's name, a mapping of fields, or a rules object.
        game: whose fields a mapping holds: ``kuns`` or ``kunken``.
        settings: of an environment; beside a preset's name also fields of the rules.

    Raises:
        RulesError: a field that the preset fixes, or fields beside rules that are no preset.
    """
    named = isinstance(rules, str)
    base = preset(rules) if named else rules_from_dict(game, rules) if isinstance(rules, Mapping) else rules
    known = [field.name for field in dataclasses.fields(game_of(base).rules)]
    fields = {name: value for name, value in settings.items() if name in known}
    others = {name: value for name, value in settings.items() if name not in known}
    if fields and not named:
        raise RulesError(f"give rules or fields of them, not both: {', '.join(fields)}")
    return (preset(rules, **fields) if fields else base), others
