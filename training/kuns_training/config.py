"""The settings of a training run: one dataclass, checked, saved with the run as JSON."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from kuns_env import preset
from kuns_env.engine.game import PRESETS, Rules
from kuns_env.fields import parse_json
from kuns_env.rng import MAX_SEED
from kuns_training.defaults import HEADS, curve_defaults, defaults_of
from kuns_training.settings import (
    MOST_STEPS,
    MOST_TRANSITIONS,
    A2cSettings,
    ConfigError,
    DqnSettings,
    PpoSettings,
    WarmSettings,
    check_fields,
    number,
    one_of,
    whole,
)

DEFAULT_PRESET: Final = "kuns-duel"
ALGORITHMS: Final = ("ppo", "a2c", "dqn")
ACTIVATIONS: Final = ("relu", "tanh")
MOST_GAMES: Final = 65_536
MOST_LAYERS: Final = 8
MOST_UNITS: Final = 4_096
MOST_THREADS: Final = 256
MOST_POINTS: Final = 10_000
MOST_DEALS: Final = 1_000_000
MOST_SECONDS: Final = 86_400.0

BY_RUN: Final[Any] = None
"""As a setting's value: what is right for this game, and for a run of this length (`kuns_training.defaults`)."""

LONGEST_LABEL: Final = 40
DIGEST_SIZE: Final = 4


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that changes a run. Immutable, checked, JSON-friendly; saved with the run.

    >>> Config(num_games=0)
    Traceback (most recent call last):
        ...
    kuns_training.settings.ConfigError: num_games=0: must be an integer from 1 to 65,536
    """

    algo: str = "ppo"
    """`ppo`, `a2c` or `dqn`."""
    game: str = DEFAULT_PRESET
    """The preset of rules to train on."""
    rules: dict[str, Any] = field(default_factory=dict)
    """Fields of the rules that differ from the preset's, such as ``{"num_players": 3}``."""
    seed: int = 1
    """Of deals, opponents, weights and exploration: the same settings and seed train the same agent."""
    total_steps: int = BY_RUN
    """Decisions of the learner, over all games. The last rollout is played to its end, so up to
    ``num_games * rollout_steps`` decisions more are made."""
    num_games: int = BY_RUN
    """Games that are played at once."""
    pad: bool = False
    """Lay out observations for the most players of the game, so that the agent can sit at any table."""
    hidden: tuple[int, ...] = BY_RUN
    """Units of the hidden layers of each network."""
    activation: str = "relu"
    """Between the layers: `relu` or `tanh`."""
    shared_layers: int = BY_RUN
    """How many of the hidden layers policy and value have in common; 0 to all of them. Not for `dqn`."""
    head: str = BY_RUN
    """How moves are scored: `linear`, by a layer with an output for each, or `moves`, the legal ones one by one by what
    they are. `dqn` has `linear`."""
    head_units: int = 64
    """Hidden units of the head `moves`."""
    skip_forced: bool = BY_RUN
    """Play moves that are the only legal one by themselves: the learner makes decisions only where it has a choice."""
    opponents: dict[str, float] = BY_RUN
    """Weights of the pool: `self` for the learner's snapshots, names of built-in agents, paths of saved ones."""
    num_snapshots: int = 8
    """Past selves that are kept in the pool; the newest has half the weight of `self`."""
    snapshot_every: int = BY_RUN
    """Decisions between two snapshots."""
    averaging: float = 0.0
    """Decay per update of the running average of the weights that is saved as the agent; 0 saves the last."""
    curve_points: int = BY_RUN
    """Evaluations during the run, beside the one at its start; by default fewer in a shorter run, one for a million
    decisions and at least 2; 0 for none."""
    curve_deals: int = BY_RUN
    """Deals of each evaluation against each opponent, the same every time, each played in every seat; by default
    fewer in a shorter run, in proportion and at least 512."""
    curve_opponents: tuple[str, ...] = BY_RUN
    """Built-in agents or saved agents to evaluate against."""
    keep_agents: bool = False
    """Keep the agent of every point of the curve, as `points/DECISIONS.npz`."""
    checkpoint_seconds: float = 30.0
    """Most seconds of training that a killed run can lose."""
    torch_threads: int = 1
    """Threads of the arithmetic. A network this small gains little by more, and loses much on a busy machine."""
    warm: WarmSettings = BY_RUN
    """The start by imitation."""
    ppo: PpoSettings = BY_RUN
    """Settings of `ppo`."""
    a2c: A2cSettings = BY_RUN
    """Settings of `a2c`."""
    dqn: DqnSettings = BY_RUN
    """Settings of `dqn`."""

    def __post_init__(self) -> None:
        """Check every field, and that they fit together."""
        one_of("algo", self.algo, ALGORITHMS)
        one_of("game", self.game, tuple(PRESETS))
        one_of("activation", self.activation, ACTIVATIONS)
        self._fill(defaults_of(self.game, self.algo))
        check_fields("", self, {"total_steps": _RANGES["total_steps"]})
        self._fill(curve_defaults(self.game, self.total_steps))
        check_fields("", self, _RANGES)
        one_of("head", self.head, HEADS)
        for name in ("pad", "skip_forced", "keep_agents"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name}={getattr(self, name)!r}: must be True or False")
        object.__setattr__(self, "hidden", _layers(self.hidden))
        object.__setattr__(self, "opponents", _weights(self.opponents))
        object.__setattr__(self, "curve_opponents", _names("curve_opponents", self.curve_opponents))
        for name, kind in _NESTED.items():
            if not isinstance(getattr(self, name), kind):
                raise ConfigError(f"{name}={getattr(self, name)!r}: must be a {kind.__name__}")
        if not isinstance(self.rules, Mapping):
            raise ConfigError(f"rules={self.rules!r}: must be a mapping of fields to values")
        # Kept as JSON gives it back, so that a saved config compares equal.
        object.__setattr__(self, "rules", json.loads(json.dumps(dict(self.rules))))
        self.make_rules()
        object.__setattr__(self, "rules", changed_fields(self.game, self.rules))
        self._check_sizes()

    def _fill(self, defaults: Mapping[str, Any]) -> None:
        for name, by_default in defaults.items():
            if getattr(self, name) is BY_RUN:
                object.__setattr__(self, name, by_default)

    def _check_sizes(self) -> None:
        settings = self.algorithm
        if self.shared_layers > len(self.hidden):
            raise ConfigError(
                f"shared_layers={self.shared_layers}: must be at most the {len(self.hidden)} layers of hidden"
            )
        if self.algo == "dqn":
            if self.num_games > self.dqn.buffer_size:
                raise ConfigError(
                    f"dqn.buffer_size={self.dqn.buffer_size}: must be at least num_games={self.num_games}"
                )
            return
        rollout = self.num_games * settings.rollout_steps
        if rollout > MOST_TRANSITIONS:
            raise ConfigError(
                f"num_games={self.num_games} times {self.algo}.rollout_steps={settings.rollout_steps} "
                f"is {rollout:,} decisions in memory: must be at most {MOST_TRANSITIONS:,}"
            )
        # A last minibatch of one decision would have advantages without a deviation: NaN.
        if self.algo == "ppo" and rollout % self.ppo.batch_size:
            raise ConfigError(
                f"ppo.batch_size={self.ppo.batch_size}: must divide num_games * ppo.rollout_steps = {rollout}"
            )
        if rollout < 2:
            raise ConfigError(
                f"num_games=1 and {self.algo}.rollout_steps=1: at least two decisions are needed"
            )

    @property
    def algorithm(self) -> PpoSettings | A2cSettings | DqnSettings:
        """The settings of the algorithm in use."""
        settings: PpoSettings | A2cSettings | DqnSettings = getattr(self, self.algo)
        return settings

    @property
    def rules_label(self) -> str:
        """The changed rules as part of a file's name: ``"3p"``, or nothing where the preset is as it is."""
        changed = dict(self.rules)
        players = changed.pop("num_players", None)
        parts = [] if players is None else [f"{players}p"]
        parts += [f"{name}{_word(value)}" for name, value in changed.items()]
        label = "-".join(parts)
        if len(label) <= LONGEST_LABEL:
            return label
        text = json.dumps(self.rules, sort_keys=True)
        return hashlib.blake2s(text.encode(), digest_size=DIGEST_SIZE).hexdigest()

    def make_rules(self) -> Rules:
        """Return the rules object.

        Raises:
            RulesError: a field of `rules` is refused.
        """
        base = preset(self.game)
        return type(base).from_dict(base.to_dict() | self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return every setting as plain data."""
        data: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return data

    def to_json(self) -> str:
        """Return `to_dict` as JSON for people."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the settings in ``data``; what is not named has its default.

        Raises:
            ConfigError: an unknown setting, or a value that is not allowed.
        """
        if not isinstance(data, Mapping):
            raise ConfigError(f"settings must be a mapping, not {data!r}")
        values = _known("", cls, data)
        defaults = defaults_of(one_of("game", values.get("game", DEFAULT_PRESET), tuple(PRESETS)))
        for name, kind in _NESTED.items():
            if isinstance(values.get(name), Mapping):
                values[name] = dataclasses.replace(defaults[name], **_known(f"{name}.", kind, values[name]))
        return cls(**values)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the settings that `to_json` wrote."""
        try:
            data = parse_json(text)
        except ValueError as error:
            raise ConfigError(f"not the JSON of training settings: {error}") from None
        return cls.from_dict(data)

    def differences(self, other: Config) -> list[str]:
        """Return in words where ``other`` differs: ``"seed: 1, now 2"``."""
        mine, theirs = _flat(self.to_dict()), _flat(other.to_dict())
        names = [*mine, *(name for name in theirs if name not in mine)]
        for flat, config in ((mine, self), (theirs, other)):
            # Fields of rules that only one of them has changed are the preset's in the other.
            whole_rules = _flat({"rules": config.make_rules().to_dict()})
            flat.update((name, whole_rules[name]) for name in names if name in whole_rules)
        derived: set[str] = set()
        theirs_by_default = curve_defaults(other.game, other.total_steps)
        for name, by_default in curve_defaults(self.game, self.total_steps).items():
            if (mine[name], theirs[name]) == (by_default, theirs_by_default[name]):
                derived.add(name)
        return [
            f"{name}: {_shown(mine, name)}, now {_shown(theirs, name)}"
            for name in names
            if name not in derived and mine.get(name) != theirs.get(name)
        ]


_NESTED: Final[dict[str, Any]] = {
    "warm": WarmSettings,
    "ppo": PpoSettings,
    "a2c": A2cSettings,
    "dqn": DqnSettings,
}

_RANGES: Final[dict[str, tuple[float, float]]] = {
    "seed": (0, MAX_SEED),
    "total_steps": (1, MOST_STEPS),
    "num_games": (1, MOST_GAMES),
    "shared_layers": (0, MOST_LAYERS),
    "head_units": (1, MOST_UNITS),
    "num_snapshots": (1, 1_000),
    "snapshot_every": (1, MOST_STEPS),
    "averaging": (0.0, 0.999999),
    "curve_points": (0, MOST_POINTS),
    "curve_deals": (2, MOST_DEALS),
    "checkpoint_seconds": (0.0, MOST_SECONDS),
    "torch_threads": (1, MOST_THREADS),
}


def changed_fields(game: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of rules in ``values`` that differ from those of the preset ``game``.

    >>> changed_fields("kuns-duel", {"num_players": 3, "side_bets": False})
    {'num_players': 3}
    """
    base = preset(game).to_dict()
    return {name: value for name, value in values.items() if value != base[name]}


def _word(value: object) -> str:
    """Return a value with nothing in it that a file's name should not have: ``[1, 2]`` as ``1_2``."""
    return re.sub(r"\W+", "_", json.dumps(value)).strip("_")


def _shown(flat: Mapping[str, Any], name: str) -> str:
    return repr(flat[name]) if name in flat else "not set"


def _layers(value: object) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= MOST_LAYERS:
        raise ConfigError(f"hidden={value!r}: must be 1 to {MOST_LAYERS} sizes of layers")
    return tuple(whole(f"hidden[{i}]", size, 1, MOST_UNITS) for i, size in enumerate(value))


def _names(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
        raise ConfigError(f"{name}={value!r}: must be a list of names of agents")
    return tuple(value)


def _weights(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ConfigError(f"opponents={value!r}: must be a mapping of agents to weights")
    weights = {name: number(f"opponents[{name!r}]", weight, 0.0, 1e6) for name, weight in value.items()}
    if not sum(weights.values()) > 0:
        raise ConfigError(f"opponents={value!r}: at least one weight must be above 0")
    return weights


def _known(prefix: str, kind: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    names = [entry.name for entry in dataclasses.fields(kind)]
    for name in data:
        if name not in names:
            raise ConfigError(
                f"no setting {prefix + str(name)!r}; there are: {', '.join(prefix + n for n in names)}"
            )
    return dict(data)


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
