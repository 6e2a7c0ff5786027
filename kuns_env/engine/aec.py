"""One game as a PettingZoo AECEnv: a `Table` with agents in place of seats. It fits every game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo.utils.env import AECEnv

from kuns_env.engine.game import Array, Rules, game_of, undealable
from kuns_env.engine.saved import NO_ACTION, as_action
from kuns_env.engine.seat_spaces import observation_box
from kuns_env.engine.table import Table
from kuns_env.engine.view import ONE_ROW, SPECTATOR
from kuns_env.errors import IllegalMoveError, RulesError
from kuns_env.fields import RulesBase

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
EVERYTHING: Final = "all"
"""The ``render_seat`` that shows every card."""

KIT_OPTIONS: Final = {"options": 1}
"""PettingZoo's `api_test` hands these to every environment: they set up nothing."""

BEFORE_RESET: Final = {
    *("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "table"),
    *("_cumulative_rewards", "_states"),
}
"""What there is only once there is a game."""


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """A `Table` played by ``player_0``, ``player_1``, …, one for each seat.

    An agent observes what its seat knows: ``{"observation", "action_mask"}``, or with ``mask_in_info`` the
    bare encoding, the mask then lying in ``infos[agent]["action_mask"]``. A mask is int8 and holds the
    legal moves of the agent to act, and all ones for every other agent, waiting or finished.

    When a hand or deal ends, every agent is rewarded with what it won (K7.2, N7.4); all other rewards are 0. In Kuns
    an agent whose seat leaves the session is terminated, takes its last step with None, and never acts again (K2.2),
    and a session that is cut off truncates its agents.

    Args:
        rules: a rules object; the game follows from its type.
        render_mode: None, ``"ansi"``, ``"human"`` (prints what ``ansi`` returns after every step) or
            ``"rgb_array"``.
        mask_in_info: carry the mask in the info instead of the observation.
        encoder: how observations are encoded.
        pad: lay out observations for the most players that the game has.
        render_seat: whose view is rendered: a seat; None for a spectator, who sees public facts only; or
            ``"all"`` for everything.

    Raises:
        RulesError: under these rules no hand can be dealt.
        ValueError: there is no such encoder, render mode or seat.
        ImportError: ``"rgb_array"`` without Pillow.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "table",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    _table: Table | None = None

    def __init__(
        self,
        rules: Rules,
        *,
        render_mode: str | None = None,
        mask_in_info: bool = False,
        encoder: str = "table",
        pad: bool = False,
        render_seat: int | str | None = None,
    ) -> None:
        super().__init__()
        check_render(game_of(rules).num_players, render_mode, render_seat)
        if render_mode == "rgb_array":
            picture_of(game_of(rules).package)  # missing Pillow is told now, not in the middle of a game
        self.rules = rules
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.mask_in_info = bool(mask_in_info)
        self._encoding = (encoder, bool(pad))
        self._look_up()
        if Table(rules, 0).is_over:
            raise undealable(rules)
        self.possible_agents = [f"player_{seat}" for seat in range(self._game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: self._make_space() for agent in self.possible_agents}
        self._action_spaces = {agent: Discrete(self._game.num_moves) for agent in self.possible_agents}
        size = self._game.state_dtype.itemsize
        self.state_space = Box(0, np.iinfo(np.uint8).max, (size,), np.uint8)

    def _look_up(self) -> None:
        """Find what the rules lead to; it is shared by all environments and left out of pickles."""
        self._game = game_of(self.rules)
        self._encoder = self._game.encoder(*self._encoding)
        self._viewers = [np.array([seat], np.int64) for seat in range(self._game.num_players)]
        self._all_moves = np.ones(self._game.num_moves, np.int8)

    def _make_space(self) -> Box | Dict:
        box = observation_box(self._encoder)
        if self.mask_in_info:
            return box
        return Dict({"observation": box, "action_mask": Box(0, 1, (self._game.num_moves,), np.int8)})

    def observation_space(self, agent: str) -> Box | Dict:
        """Return the space of what ``agent`` observes: the same object at every call."""
        return self._observation_spaces[self._named(agent)]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of the moves of ``agent``: the same object at every call."""
        return self._action_spaces[self._named(agent)]

    def _named(self, agent: str) -> str:
        if agent not in self._seats:
            raise ValueError(f"no agent {agent!r}; there are: {', '.join(self.possible_agents)}")
        return agent

    # --- play -----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin episode 0 of ``seed``; without a seed the next episode of the one that is being played.

        Args:
            seed: 0 to 2**63 - 1. Before the first seed, None takes fresh entropy.
            options: how the first hand is set up, as in RULES.md (K10, N9).

        Raises:
            OptionsError: the options do not fit the rules. The old game goes on as it was.
        """
        episode = 0
        if seed is None and self._table is not None:
            seed, _, episode = self._table.stream
            episode += 1
        self._attach(Table(self.rules, seed, None if options == KIT_OPTIONS else options, episode=episode))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[self._seat.item()]
        self._rewarded = False
        self._write_infos()
        if self.render_mode == "human":
            self.render()

    def _attach(self, table: Table) -> None:
        self._table = table
        # Windows on the record: reading them is much quicker than asking the table.
        states = self._states = table._states
        self._seat, self._hands, self._seated = states["seat"], states["hands_done"], states["seated"]
        self._seated_before = self._seated.tobytes()

    def step(self, action: int | None) -> None:
        """Play ``action``, the number of a move, for the agent to act; None for one that has finished.

        Raises:
            IllegalMoveError: the move is not legal, or not a number, or the game is over; it says who
                tried what and what is legal instead. Nothing has changed.
            ValueError: an agent that has finished takes another step than None.
        """
        agent = self.agent_selection
        if not self.agents:
            raise IllegalMoveError(None, action, [])
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        hands = self._hands.item()
        self._apply(action)
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._rewarded = False
        if self._hands.item() != hands:
            self._reward()
        seat = self._seat.item()
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
        if seat < 0 or self._seated.tobytes() != self._seated_before:
            self._retire()
        elif self.mask_in_info:  # of the others nothing has changed
            self.infos[agent] = self._info(agent)
            self.infos[self.agent_selection] = self._info(self.agent_selection)
        if self.render_mode == "human":
            self.render()

    def _apply(self, action: Any) -> None:
        try:
            # A table plays texts as well; an action of a space is a number.
            self.table.apply(NO_ACTION if isinstance(action, str) else action)
        except IllegalMoveError:
            table = self.table
            error = table._refusal(action)
            error.add_note(f"legal moves by number: {table.legal_actions()}")
            raise error from None

    def _reward(self) -> None:
        """K7.2, N7.4: give every agent what it won in the hand or deal that has just ended."""
        payoffs = self.table.last_payoffs()
        self.rewards = {agent: payoffs[self._seats[agent]] for agent in self.agents}
        self._accumulate_rewards()
        self._rewarded = True

    def _retire(self) -> None:
        """Terminate who has left or cannot go on (K2.2, K2.3); at the end everybody, or truncate them."""
        seated = self._seated_before = self._seated.tobytes()
        over = self.table.is_over
        for agent in self.agents:
            if over and self.table.truncated:
                self.truncations[agent] = True
            elif over or not seated[self._seats[agent]]:
                self.terminations[agent] = True
        self._deads_step_first()
        self._write_infos()

    def _write_infos(self) -> None:
        """Make the infos of all agents anew."""
        self.infos = {agent: self._info(agent) for agent in self.agents}

    def _info(self, agent: str) -> dict[str, Any]:
        return {"action_mask": self._mask(agent, self._seats[agent])} if self.mask_in_info else {}

    # --- what is known --------------------------------------------------------------------------------------

    def observe(self, agent: str) -> Any:
        """Return what the seat of ``agent`` knows, and what it may do; a copy."""
        try:
            seat = self._seats[agent]
        except KeyError:
            seat = self._seats[self._named(agent)]
        observation = self._encoder.encode(self._states, ONE_ROW, self._viewers[seat])[0]
        if self.mask_in_info:
            return observation
        return {"observation": observation, "action_mask": self._mask(agent, seat)}

    def _mask(self, agent: str, seat: int) -> Array:
        """Return the legal moves of the agent to act; all ones for any other, waiting or finished."""
        if self._seat.item() != seat or self.terminations.get(agent, True) or self.truncations[agent]:
            return self._all_moves.copy()
        return self._game.mask(self._states, seat)

    @property
    def table(self) -> Table:
        """The game that is being played. To try moves out, take its `clone`: this one belongs to the agents."""
        if self._table is None:
            raise AttributeError("table cannot be accessed before reset")
        return self._table

    def move_text(self, action: int) -> str:
        """Return the text of the move ``action`` for the agent to act."""
        return self.table.move_text(action)

    def move_id(self, move: str) -> int:
        """Return the number of the move ``move`` for the agent to act."""
        return self.table.move_id(move)

    def state(self) -> Array:
        """Return the full record as bytes, uint8 ``(state_space.shape)``. NOT FOR AGENTS.

        It holds everybody's cards, the undealt deck and the random state: use it to check, to save or for
        a critic that is thrown away after training, never for anything that plays.
        """
        if self._table is None:
            raise AttributeError("state cannot be accessed before reset")
        return self._states.view(np.uint8).copy()

    # --- rendering ------------------------------------------------------------------------------------------

    def render(self) -> Any:
        """Return the table as `render_mode` says, seen by ``render_seat``."""
        if self.render_mode is None:
            logger.warn(
                "render() does nothing: no render_mode was given; there are: " + ", ".join(RENDER_MODES)
            )
            return None
        known, viewer = self._rendered()
        if self.render_mode == "rgb_array":
            return picture_of(self._game.package)(self.rules, known[0], viewer)
        text = self._game.to_text(known, viewer)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n\n")
        return None

    def _rendered(self) -> tuple[Array, int | None]:
        """Return the record to show, redacted unless everything was asked for by name, and the viewer."""
        states = self.table._states
        if self.render_seat == EVERYTHING:
            return states.copy(), None
        viewer = None if self.render_seat is None else int(self.render_seat)
        return self._game.redact(states, ONE_ROW, np.array([SPECTATOR if viewer is None else viewer])), viewer

    def close(self) -> None:
        """Release nothing: there is nothing to be released."""

    # --- copies ---------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Say why an attribute is not there yet."""
        if name in BEFORE_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the game, its agents and the spaces; not what the rules lead to, nor windows on the record."""
        left_out = ("_game", "_encoder", "_viewers", "_all_moves", "_states", "_seat", "_hands", "_seated")
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore what `__getstate__` kept."""
        self.__dict__.update(state)
        self._look_up()
        if self._table is not None:
            self._attach(self._table)


class NamedEnv(TableEnv):
    """The `TableEnv` of one game, which takes fields of its rules as arguments: the ``raw_env`` of its module.

    An illegal move raises `IllegalMoveError` and changes nothing.

    Args:
        rules: what is played; None for the game's own rules with ``fields``.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        mask_in_info: carry the mask in the info instead of the observation.
        encoder: ``"table"`` or ``"history"``.
        pad: lay out observations for the most players that the game has.
        render_seat: whose view is rendered: a seat, None for a spectator, ``"all"`` for everything.
        fields: fields of the rules, such as ``num_players=3``, in place of ``rules``.

    Raises:
        RulesError: not rules of this game, a bad field, or both rules and fields.
        ValueError: there is no such encoder, render mode or seat.
    """

    rules_type: ClassVar[type[RulesBase]]

    def __init__(
        self,
        rules: Rules = None,
        render_mode: str | None = None,
        mask_in_info: bool = False,
        encoder: str = "table",
        pad: bool = False,
        render_seat: int | str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(
            rules_of(self.rules_type, rules, fields),
            render_mode=render_mode,
            mask_in_info=mask_in_info,
            encoder=encoder,
            pad=pad,
            render_seat=render_seat,
        )


def rules_of(rules_type: type[RulesBase], rules: Rules, fields: dict[str, Any]) -> Rules:
    """Return ``rules``, or the rules with ``fields`` where None is given.

    Raises:
        RulesError: not rules of this type, a bad field, or both rules and fields.
    """
    if rules is None:
        return rules_type.from_dict(fields)
    if fields:
        raise RulesError(f"give rules or fields of them, not both: {', '.join(fields)}")
    if not isinstance(rules, rules_type):
        raise RulesError(f"rules must be {rules_type.__name__}, not {rules!r}")
    return rules


def picture_of(package: str) -> Callable[[Rules, Any, int | None], npt.NDArray[np.uint8]]:
    """Return what draws the game of ``package``.

    Raises:
        ImportError: Pillow is not installed.
    """
    draw: Callable[[Rules, Any, int | None], npt.NDArray[np.uint8]]
    draw = import_module(f"{package}.render").rgb_array
    return draw


def check_render(num_players: int, render_mode: object, render_seat: object) -> None:
    """Check what is to be rendered.

    Raises:
        ValueError: there is no such mode or seat.
    """
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode={render_mode!r}: must be None or one of {', '.join(RENDER_MODES)}")
    if render_seat is None or render_seat == EVERYTHING:
        return
    if isinstance(render_seat, str) or not NO_ACTION < as_action(render_seat) < num_players:
        raise ValueError(
            f"render_seat={render_seat!r}: must be a seat from 0 to {num_players - 1}, "
            f"None for a spectator, or {EVERYTHING!r}"
        )
