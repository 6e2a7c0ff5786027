"""Kunken for PettingZoo (AEC).

>>> from kuns_env import kunken_v0
>>> env = kunken_v0.env(num_players=3)
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
from kuns_env.kunken.rules import KunkenRules


class raw_env(NamedEnv):  # noqa: N801  (PettingZoo's name for it)
    """Kunken without the checks of `env`: an illegal move raises `IllegalMoveError` and changes nothing.

    Takes ``rules`` or fields of `KunkenRules`, and the settings that `NamedEnv` lists.
    """

    metadata: ClassVar[dict[str, Any]] = NamedEnv.metadata | {"name": "kunken_v0"}
    rules_type = KunkenRules


def env(rules: KunkenRules | None = None, *settings: Any, **fields: Any) -> CheckedEnv:
    """Return Kunken with the checks of PettingZoo's usual wrappers: an illegal move ends the game.

    As with PettingZoo's ``TerminateIllegalWrapper``, who made it is rewarded with -1 and all others with 0, whatever
    the score: that is less than many deals cost. Choose by the mask, or take `raw_env`, which raises.

    Takes what `raw_env` takes.
    """
    return CheckedEnv(raw_env(rules, *settings, **fields))
