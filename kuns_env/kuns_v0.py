"""Kuns for PettingZoo (AEC).

>>> from kuns_env import kuns_v0
>>> env = kuns_v0.env(num_players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     finished = termination or truncation
...     env.step(None if finished else int(observation["action_mask"].argmax()))
>>> env.agents
[]
"""

from __future__ import annotations

from typing import Any, ClassVar

from kuns_env.engine.aec import NamedEnv
from kuns_env.engine.checked import CheckedEnv
from kuns_env.kuns.rules import KunsRules


class raw_env(NamedEnv):  # noqa: N801  (PettingZoo's name for it)
    """Kuns without the checks of `env`: an illegal move raises `IllegalMoveError` and changes nothing.

    Takes ``rules`` or fields of `KunsRules`, and the settings that `NamedEnv` lists.
    """

    metadata: ClassVar[dict[str, Any]] = NamedEnv.metadata | {"name": "kuns_v0"}
    rules_type = KunsRules


def env(rules: KunsRules | None = None, *settings: Any, **fields: Any) -> CheckedEnv:
    """Return Kuns with the checks of PettingZoo's usual wrappers: an illegal move ends the game.

    As with PettingZoo's ``TerminateIllegalWrapper``, who made it is rewarded with -1 and all others with 0, whatever is
    in the pot: that can be less than the hand would have cost. Choose by the mask, or take `raw_env`, which raises.

    Takes what `raw_env` takes.
    """
    return CheckedEnv(raw_env(rules, *settings, **fields))
