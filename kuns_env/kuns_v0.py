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

from kuns_env.engine.aec import TableEnv
from kuns_env.engine.checked import CheckedEnv
from kuns_env.errors import RulesError
from kuns_env.kuns.rules import KunsRules


class raw_env(TableEnv):  # noqa: N801  (PettingZoo's name for it)
    """Kuns without the checks of `env`: an illegal move raises `IllegalMoveError` and changes nothing.

    Args:
        rules: what is played; None for `KunsRules` with ``fields``.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        mask_in_info: carry the mask in the info instead of the observation.
        encoder: ``"table"`` or ``"history"``.
        pad: lay out observations for eight players.
        render_seat: whose view is rendered: a seat, None for a spectator, ``"all"`` for everything.
        fields: fields of `KunsRules`, such as ``num_players=3``, in place of ``rules``.

    Raises:
        RulesError: not rules of Kuns, a bad field, or both rules and fields.
        ValueError: there is no such encoder, render mode or seat.
    """

    metadata: ClassVar[dict[str, Any]] = TableEnv.metadata | {"name": "kuns_v0"}

    def __init__(
        self,
        rules: KunsRules | None = None,
        render_mode: str | None = None,
        mask_in_info: bool = False,
        encoder: str = "table",
        pad: bool = False,
        render_seat: int | str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(
            rules_of(rules, fields),
            render_mode=render_mode,
            mask_in_info=mask_in_info,
            encoder=encoder,
            pad=pad,
            render_seat=render_seat,
        )


def rules_of(rules: KunsRules | None, fields: dict[str, Any]) -> KunsRules:
    """Return ``rules``, or the rules with ``fields`` where None is given.

    Raises:
        RulesError: not rules of Kuns, a bad field, or both rules and fields.
    """
    if rules is None:
        return KunsRules.from_dict(fields)
    if fields:
        raise RulesError(f"give rules or fields of them, not both: {', '.join(fields)}")
    if not isinstance(rules, KunsRules):
        raise RulesError(f"rules must be KunsRules, not {rules!r}")
    return rules


def env(
    rules: KunsRules | None = None,
    render_mode: str | None = None,
    mask_in_info: bool = False,
    encoder: str = "table",
    pad: bool = False,
    render_seat: int | str | None = None,
    **fields: Any,
) -> CheckedEnv:
    """Return Kuns with the checks of PettingZoo's usual wrappers: an illegal move ends the game.

    As with PettingZoo's ``TerminateIllegalWrapper``, who made it is rewarded with -1 and all others with 0, whatever is
    in the pot: that can be less than the hand would have cost. Choose by the mask, or take `raw_env`, which raises.

    Takes what `raw_env` takes.
    """
    return CheckedEnv(raw_env(rules, render_mode, mask_in_info, encoder, pad, render_seat, **fields))
