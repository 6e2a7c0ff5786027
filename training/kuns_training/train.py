"""Train an agent by self-play, so that it can be stopped at any moment and goes on with the same call.

    from kuns_training.config import Config
    from kuns_training.train import train

    folder = train(Config(seed=3))
    agent = kuns_agents.load(folder)

Sources: PPO, Schulman et al. 2017 (arXiv:1707.06347); play against one's own past, Heinrich & Silver 2016
(arXiv:1603.01121).
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import Logger, configure

from kuns_env.files import replacing
from kuns_training import checkpoint, curve
from kuns_training.algorithms import EnvMaker, make_env, make_model
from kuns_training.arena.report import measure
from kuns_training.config import Config
from kuns_training.imitation import Imitation, load_teacher
from kuns_training.pool import Pool, load_judges
from kuns_training.progress import Reporter, Silence, summary
from kuns_training.run_folder import EXACT, RunFolder, default_folder, write_json
from kuns_training.stop_signal import StopSignal
from kuns_training.vec_env import KunsVecEnv
from kuns_training.watch import StopRun, Watch

NO_LOGS_IN_BETWEEN = 10**9
"""SB3's log of off-policy algorithms counts episodes, of which a thousand games end hundreds a step."""
UPDATES_BETWEEN_LOGS = 10


class TrainingStopped(KeyboardInterrupt):
    """Ctrl-C, or the system, has ended a run. It is saved, and the same call goes on with it.

    Attributes:
        folder: of the run.
        steps: decisions made so far.
        finished: whether the end came when nothing was left to train.
    """

    def __init__(self, folder: Path, steps: int, finished: bool = False) -> None:
        self.folder, self.steps, self.finished = folder, steps, finished
        super().__init__(
            finished_text(folder)
            if finished
            else f"stopped after {steps:,} decisions and saved in {folder}: the same command goes on with it"
        )


def finished_text(folder: Path) -> str:
    """Return what to say of a stop that came after the training."""
    return f"stopped, but the agent in {folder} is finished: the same command only evaluates it"


def train(
    config: Config,
    folder: str | os.PathLike[str] | None = None,
    *,
    fresh: bool = False,
    reporter: Reporter | None = None,
    maker: EnvMaker = KunsVecEnv,
) -> Path:
    """Train, or go on with, the run of these settings, and return its folder.

    The folder holds the agent (``agent.npz``, for `kuns_agents.load`), SB3's own ``model.zip``, the curve as CSV
    and PNG, the settings, a TensorBoard log and the last checkpoint. A run that is finished is returned as it is.

    Args:
        config: the settings.
        folder: of the run; by default ``runs/`` and game, algorithm and seed.
        fresh: begin anew, whatever the folder holds of a run.
        reporter: is told how it goes; nothing is printed where None.
        maker: of the environment.

    Raises:
        RunError: the folder holds another run, or another process trains there.
        ConfigError: an opponent is missing or does not play these rules.
        TrainingStopped: by Ctrl-C or SIGTERM, after saving; in the last evaluation of a run, after its end.
        DivergedError: the network broke; the last checkpoint is whole.
    """
    place = RunFolder(default_folder(config) if folder is None else folder)
    reporter = Silence() if reporter is None else reporter
    with place.locked():
        pool = Pool(config)  # what it refuses is refused before anything is written
        judges = load_judges(config)
        teacher = load_teacher(config)
        if fresh:
            place.clear()
        place.claim(config)
        if place.is_finished:
            reporter.note(
                f"{place.path}: this run is finished; nothing is left to train (--fresh begins anew)"
            )
            return place.path
        with checkpoint.own_process_state(config.torch_threads):
            env = make_env(config, pool.agents or None, pool.weights or None, maker)
            imitation = None if teacher is None else Imitation(config, teacher)
            _run(Watch(config, place, pool, judges, env, reporter, StopSignal(), imitation))
    return place.path


def _run(watch: Watch) -> None:
    config, folder, reporter = watch.config, watch.folder, watch.reporter
    with watch.stop.listening():
        model = make_model(config, watch.env)
        model.set_logger(_logger(folder))
        watch.init_callback(model)  # `learn` would do it, but a run may have nothing left to learn
        if folder.checkpoint.is_file():
            watch.set_state(checkpoint.load(folder.checkpoint, model, watch.env, watch.fixed))
            reporter.note(f"{folder.path}: going on after {model.num_timesteps:,} decisions")
        try:
            _imitate(model, watch)
            reporter.begin(model.num_timesteps, config.total_steps)
            _learn(model, config, watch)
            _finish(model, config, folder, watch)
            imitated = 0 if watch.imitation is None else watch.imitation.steps
            reporter.note(summary(model.num_timesteps + imitated, watch.seconds, watch.seconds_of_curve))
            if watch.stop.is_set:
                raise TrainingStopped(folder.path, model.num_timesteps, finished=True)
        except StopRun:
            raise TrainingStopped(folder.path, model.num_timesteps) from None
        finally:
            reporter.end()
            model.logger.close()


def _imitate(model: BaseAlgorithm, watch: Watch) -> None:
    imitation, reporter = watch.imitation, watch.reporter
    if imitation is None or imitation.is_done:
        return
    reporter.note(f"imitating {imitation.teacher.name}: {imitation.settings.steps:,} decisions")
    reporter.begin(imitation.steps, imitation.settings.steps)
    imitation.run(model, watch)
    reporter.end()


def _learn(model: BaseAlgorithm, config: Config, watch: Watch) -> None:
    left = config.total_steps - model.num_timesteps
    if left > 0:
        often = NO_LOGS_IN_BETWEEN if config.algo == "dqn" else UPDATES_BETWEEN_LOGS
        model.learn(left, callback=watch, log_interval=often, reset_num_timesteps=False)


def _finish(model: BaseAlgorithm, config: Config, folder: RunFolder, watch: Watch) -> None:
    """Write what a run leaves behind; the result last, because it says that all the rest is there."""
    watch.finish()
    watch.save()
    with replacing(folder.model) as beside, beside.open("wb") as handle:
        model.save(handle)
    if watch.points:
        measured = measure(config.make_rules(), " ")
        curve.draw(folder.picture, watch.points, picture_title(config), measured, watch.exact)
    write_json(folder.result, result_of(config, watch))


def result_of(config: Config, watch: Watch) -> dict[str, Any]:
    """Return the facts of a finished run."""
    exact = watch.exploitability()
    return {
        "steps": watch.model.num_timesteps,
        "seconds": round(watch.seconds, 1),
        "seconds_of_curve": round(watch.seconds_of_curve, 1),
        "game": config.game,
        "rules": config.make_rules().to_dict(),
        EXACT: None if exact is None else dataclasses.asdict(exact),
    }


def picture_title(config: Config) -> str:
    """Return the title of the curve's picture."""
    changes = ", ".join(f"{name}={value}" for name, value in config.rules.items())
    game = config.game + (f" ({changes})" if changes else "")
    return f"{config.algo.upper()} on {game}, seed {config.seed}"


def _logger(folder: RunFolder) -> Logger:
    return configure(str(folder.tensorboard), ["tensorboard"])
