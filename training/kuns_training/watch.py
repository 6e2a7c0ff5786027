"""What happens between the rollouts of a run: snapshots, evaluations, checkpoints, and the end when asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch as th
from stable_baselines3.common.callbacks import BaseCallback

from kuns_agents import save as save_agent
from kuns_training import checkpoint, curve
from kuns_training.algorithms import cooling
from kuns_training.config import Config
from kuns_training.curve_exact import WORDS, Exact, measure_exact, write_exact
from kuns_training.export import agent_of
from kuns_training.pool import Pool
from kuns_training.progress import Reporter
from kuns_training.run_folder import RunFolder, label
from kuns_training.settings import DqnSettings
from kuns_training.stop_signal import StopSignal
from kuns_training.vec_env import KunsVecEnv

if TYPE_CHECKING:
    from kuns_agents import Agent
    from kuns_training.imitation import Imitation


class StopRun(Exception):  # noqa: N818 - a request, not an error
    """Ends a run between two rollouts, after its checkpoint."""


class Watch(BaseCallback):
    """The part of a run that SB3 does not do. All of it happens between rollouts, where a checkpoint is whole."""

    def __init__(
        self,
        config: Config,
        folder: RunFolder,
        pool: Pool,
        judges: list[Agent],
        env: KunsVecEnv,
        reporter: Reporter,
        stop: StopSignal,
        imitation: Imitation | None = None,
    ) -> None:
        super().__init__()
        self.config, self.folder, self.env = config, folder, env
        self.pool, self.judges = pool, judges
        self.reporter, self.stop = reporter, stop
        self.imitation = imitation
        """The start of the run, where it has one."""
        self.rules = config.make_rules()
        self.points: list[curve.Point] = []
        self.exact: list[Exact] = []
        """Exploitability at the same times, where it can be computed."""
        self.average: dict[str, th.Tensor] | None = None
        self._averaged_updates = 0
        self._next_snapshot = 0
        self._points_done = 0
        self._seconds = 0.0
        self.seconds_of_curve = 0.0
        """Time of `seconds` that the evaluations have taken."""
        self._since = self._last_checkpoint = time.monotonic()

    # --- what is kept in a checkpoint -----------------------------------------------------------------------

    @property
    def fixed(self) -> list[Agent]:
        """The agents that the settings name, in an order that is always the same."""
        teacher = [] if self.imitation is None else [self.imitation.teacher]
        return [*self.pool.fixed, *teacher]

    def state(self) -> dict[str, Any]:
        """Return what a resumed run needs to know."""
        return {
            "pool": self.pool,
            "points": self.points,
            "exact": self.exact,
            "average": self.average,
            "averaged_updates": self._averaged_updates,
            "next_snapshot": self._next_snapshot,
            "points_done": self._points_done,
            "seconds": self.seconds,
            "seconds_of_curve": self.seconds_of_curve,
            "imitation": self.imitation,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        self.pool, self.points, self.average = state["pool"], state["points"], state["average"]
        self._averaged_updates = state["averaged_updates"]
        self._next_snapshot, self._points_done = state["next_snapshot"], state["points_done"]
        self._seconds = state["seconds"]
        # Older checkpoints lack these.
        self.exact = state.get("exact", [])
        self.seconds_of_curve = state.get("seconds_of_curve", 0.0)
        self.imitation = state.get("imitation")

    @property
    def seconds(self) -> float:
        """Time that the run has taken, all its parts together."""
        return self._seconds + time.monotonic() - self._since

    # --- what happens ---------------------------------------------------------------------------------------

    def _on_rollout_start(self) -> None:
        self._anneal()
        self._average()
        self._take_snapshot()
        self._evaluate_if_due()
        self._let_go(self.model.num_timesteps)

    def between_imitations(self) -> None:
        """Tell how far imitation is, save what is due, and stop if asked."""
        assert self.imitation is not None
        self._let_go(self.imitation.steps)

    def _let_go(self, steps: int) -> None:
        self.reporter.update(steps)
        if self.stop.is_set:
            self.save()
            raise StopRun
        if time.monotonic() - self._last_checkpoint >= self.config.checkpoint_seconds:
            self.save()

    def _on_step(self) -> bool:
        return True

    def save(self) -> None:
        """Write a checkpoint, and the agent as it is by then: it can be tried while the run goes on."""
        checkpoint.save(self.folder.checkpoint, self.model, self.env, self.state(), self.fixed)
        save_agent(self.agent(), self.folder.agent)
        self._last_checkpoint = time.monotonic()

    def agent(self, name: str | None = None) -> Agent:
        """Return the learner as it plays now: its averaged weights where they are kept."""
        name = label(self.config) if name is None else name
        return agent_of(self.model, self.config, name, self.average)

    def _anneal(self) -> None:
        settings = self.config.algorithm
        if not isinstance(settings, DqnSettings):
            learner: Any = self.model
            remaining = learner._current_progress_remaining
            learner.ent_coef = cooling(settings.entropy, settings.final_entropy)(remaining)

    def _average(self) -> None:
        updates: int = self.model._n_updates
        if self.config.averaging == 0 or updates == self._averaged_updates:
            return
        self._averaged_updates = updates
        weights = {name: tensor.detach().clone() for name, tensor in self.model.policy.state_dict().items()}
        if self.average is None:
            self.average = weights
            return
        for name, tensor in self.average.items():
            tensor.lerp_(weights[name], 1 - self.config.averaging)

    def _take_snapshot(self) -> None:
        steps = self.model.num_timesteps
        if not self.pool.plays_itself or steps < self._next_snapshot:
            return
        self._next_snapshot = steps + self.config.snapshot_every
        self.pool.add(self.agent(f"self@{steps}"))
        self.env.set_opponents(self.pool.agents, self.pool.weights)

    def _evaluate_if_due(self) -> None:
        if not self.config.curve_points:
            return
        due = self.model.num_timesteps * self.config.curve_points // self.config.total_steps
        if due > self._points_done or not self.points:
            self._points_done = due
            self.evaluate()

    def finish(self) -> None:
        """Do what would have come before the next rollout: average the last update, measure the last agent."""
        self._average()
        if self.config.curve_points:
            self.evaluate()

    def evaluate(self) -> None:
        """Add a point to the curve, and write it."""
        steps = self.model.num_timesteps
        if not self.judges or (self.points and self.points[-1].steps == steps):
            return
        self.reporter.evaluate()
        start = time.monotonic()
        agent = self.agent()
        if self.config.keep_agents:
            self.folder.points.mkdir(exist_ok=True)
            save_agent(agent, self.folder.kept_agent(steps))
        found = curve.measure(agent, self.judges, self.rules, self.config.curve_deals, steps, self.seconds)
        self.points.extend(found)
        for point in found:
            self.logger.record(f"curve/{point.opponent}", point.payoff)
        exact = self.exploitability()
        self.seconds_of_curve += time.monotonic() - start
        self.reporter.point(found, exact)
        curve.write_csv(self.folder.curve, self.points)

    def exploitability(self) -> Exact | None:
        """Return how exploitable the learner is now, and keep it as a row; None where that cannot be computed."""
        steps = self.model.num_timesteps
        if self.exact and self.exact[-1].steps == steps:
            return self.exact[-1]
        found = measure_exact(self.agent(), self.rules, steps, self.seconds)
        if found is not None:
            self.exact.append(found)
            self.logger.record(f"curve/{WORDS}", found.exploitability)
            write_exact(self.folder.exact, self.exact)
        return found
