"""PettingZoo's usual checks in one light layer.

The usual stack is `TerminateIllegalWrapper` inside `AssertOutOfBoundsWrapper` inside
`OrderEnforcingWrapper`. Each looks up every attribute through the one below, which makes a loop seven times
slower than the game. This layer does what the three do; a test plays it beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from kuns_env.engine.aec import TableEnv
from kuns_env.errors import IllegalMoveError

ILLEGAL_REWARD = -1.0


def forward(name: str) -> property:
    """Return a property that reads ``name`` from the environment inside, once that has been reset."""

    def get(self: CheckedEnv) -> Any:
        if not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return getattr(self.env, name)

    return property(get, doc=f"``{name}`` of the environment inside.")


class CheckedEnv(OrderEnforcingWrapper[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is not typed
    """A `TableEnv` with the checks of PettingZoo's usual wrappers.

    - An illegal move ends the game: ``illegal_reward`` for who made it, 0 for the others, and a warning.
    - A move that is not in the action space is an AssertionError, and nothing changes.
    - Whatever comes before `reset` is an error; a step after the end is a warning.

    It differs from the stack where that stumbles: a bool is refused as no move; a first `reset` that fails
    does not count; and after an illegal move the masks in infos are all ones, as for every finished agent.

    Args:
        env: the environment inside.
        illegal_reward: the reward of an illegal move.
    """

    env: TableEnv

    def __init__(self, env: TableEnv, illegal_reward: float = ILLEGAL_REWARD) -> None:
        super().__init__(env)
        self.illegal_reward = float(illegal_reward)

    agents = forward("agents")
    agent_selection = forward("agent_selection")
    rewards = forward("rewards")
    terminations = forward("terminations")
    truncations = forward("truncations")
    infos = forward("infos")
    _cumulative_rewards = forward("_cumulative_rewards")

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode, as the environment inside does."""
        self.env.reset(seed=seed, options=options)
        self._has_reset = True
        self._has_updated = True

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last step, flags and info of the agent to act."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen

    def step(self, action: int | None) -> None:
        """Play ``action`` for the agent to act; None for one that has finished.

        Raises:
            AssertionError: before `reset`, or not an action of the action space. Nothing has changed.
            ValueError: an agent that has finished takes another step than None.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        env = self.env
        self._has_updated = True
        if not env.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = env.agent_selection
        if type(action) is not int or not 0 <= action < env.action_space(agent).n:
            finished = env.terminations[agent] or env.truncations[agent]
            inside = not isinstance(action, bool) and env.action_space(agent).contains(action)
            if not inside and not (finished and action is None):
                raise AssertionError("action is not in action space")
        try:
            env.step(action)
        except IllegalMoveError:
            self._lose(agent)

    def _lose(self, agent: str) -> None:
        """End the game with ``agent``, which made an illegal move, losing."""
        EnvLogger.warn_on_illegal_move()
        env = self.env
        env._cumulative_rewards[agent] = 0
        env.terminations = dict.fromkeys(env.agents, True)
        env.truncations = dict.fromkeys(env.agents, True)
        env.rewards = dict.fromkeys(env.agents, 0.0)
        env.rewards[agent] = self.illegal_reward
        env._accumulate_rewards()
        env._deads_step_first()
        env._write_infos()

    def __str__(self) -> str:
        """Return the name of the environment."""
        return str(self.env)
