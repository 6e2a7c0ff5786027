"""Checkpoints: everything that a run needs to go on as if it had never stopped.

A checkpoint is taken between two rollouts, where no decision is half learned: weights, optimizer, counters,
random states, all games in the middle of their hands, the snapshots in the pool, and the rows of the curve. It is
a pickle: load only those that you made. Agents of a file of code are not in it, only which of the pool they are: they
are loaded from their file again, and begin anew.
"""

from __future__ import annotations

import io
import pickle
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch as th
from stable_baselines3.common.base_class import BaseAlgorithm

from kuns_agents.code_file import ENDING
from kuns_env.files import replacing
from kuns_training.dqn import MaskedDQN, MaskedReplayBuffer
from kuns_training.run_folder import RunError
from kuns_training.vec_env import KunsVecEnv

if TYPE_CHECKING:
    from kuns_agents import Agent

VERSION: Final = 1

COUNTERS: Final = (
    "num_timesteps",
    "_n_updates",
    "_episode_num",
    "_current_progress_remaining",
    "_last_obs",
    "_last_episode_starts",
    "ep_info_buffer",
    "ep_success_buffer",
    # DQN:
    "_n_calls",
    "exploration_rate",
    "explorer",
)
"""Attributes of SB3's algorithms that change as they learn, where an algorithm has them."""

REPLAYED: Final = ("observations", "next_observations", "actions", "rewards", "dones", "next_masks")
"""Arrays of a replay buffer."""


def random_states() -> dict[str, Any]:
    """Return the states of the global generators, which SB3 and torch draw from."""
    return {"numpy": np.random.get_state(), "python": random.getstate(), "torch": th.get_rng_state()}  # noqa: NPY002


def set_random_states(states: dict[str, Any]) -> None:
    """Set the global generators to ``states``."""
    np.random.set_state(states["numpy"])  # noqa: NPY002
    random.setstate(states["python"])
    th.set_rng_state(states["torch"])


@contextmanager
def own_process_state(torch_threads: int) -> Iterator[None]:
    """Let SB3 seed the global generators and torch use some threads, and put both back as they were."""
    states, threads = random_states(), th.get_num_threads()
    th.set_num_threads(torch_threads)
    try:
        yield
    finally:
        set_random_states(states)
        th.set_num_threads(threads)


def model_state(model: BaseAlgorithm) -> dict[str, Any]:
    """Return what an algorithm has learned and where it is."""
    state: dict[str, Any] = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "counters": {name: getattr(model, name) for name in COUNTERS if hasattr(model, name)},
    }
    if isinstance(model, MaskedDQN):
        buffer = model.replay_buffer
        size = buffer.size()
        state["replay"] = {name: getattr(buffer, name)[:size] for name in REPLAYED}
        state["replay_place"] = (buffer.pos, buffer.full)
    return state


def set_model_state(model: BaseAlgorithm, state: dict[str, Any]) -> None:
    """Take up what `model_state` gave."""
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    for name, value in state["counters"].items():
        setattr(model, name, value)
    if isinstance(model, MaskedDQN):
        buffer: MaskedReplayBuffer = model.replay_buffer
        for name, array in state["replay"].items():
            getattr(buffer, name)[: len(array)] = array
        buffer.pos, buffer.full = state["replay_place"]


class _Packer(pickle.Pickler):
    """Writes the place of an agent instead of the agent."""

    def __init__(self, file: io.BytesIO, agents: Sequence[Agent]) -> None:
        super().__init__(file)
        self._places = {id(part): place for place, part in enumerate(from_code(agents))}

    def persistent_id(self, obj: Any) -> int | None:
        """Return the place of an agent of a file of code; None of all else."""
        return self._places.get(id(obj))


class _Unpacker(pickle.Unpickler):
    """Finds agents again by their place."""

    def __init__(self, file: io.BytesIO, agents: Sequence[Agent]) -> None:
        super().__init__(file)
        self._agents = from_code(agents)

    def persistent_load(self, pid: Any) -> Agent:
        """Return the agent in a place."""
        agent: Agent = self._agents[pid]
        return agent


def from_code(agents: Sequence[Agent]) -> list[Agent]:
    """Return those that were made by a file of code, the parts of profiles among them.

    Their classes are found by no import, and may hold what cannot be pickled.
    """
    parts = [part for agent in agents for part in (agent, *getattr(agent, "agents", ()))]
    return [part for part in parts if str(getattr(part, "path", "")).endswith(ENDING)]


def packed(data: object, agents: Sequence[Agent]) -> bytes:
    """Return ``data`` as a pickle without those of ``agents`` that come from code."""
    file = io.BytesIO()
    _Packer(file, agents).dump(data)
    return file.getvalue()


def unpacked(data: bytes, agents: Sequence[Agent]) -> Any:
    """Return what `packed` was given, with ``agents`` that were loaded in the same order."""
    return _Unpacker(io.BytesIO(data), agents).load()


def save(
    path: Path, model: BaseAlgorithm, env: KunsVecEnv, run: dict[str, Any], fixed: Sequence[Agent] = ()
) -> None:
    """Write a checkpoint, all of it or nothing.

    Args:
        path: of the file.
        model: the algorithm, between two rollouts.
        env: its games.
        run: whatever else is to be kept.
        fixed: agents that the settings name, in their order; those from code are not written, see `from_code`.
    """
    state = {
        "version": VERSION,
        "model": model_state(model),
        # In one pickle: the opponents in the games and those in the pool are the same objects.
        "games": packed((env.games, run), fixed),
        "random": random_states(),
    }
    with replacing(path) as beside:
        th.save(state, beside)


def load(path: Path, model: BaseAlgorithm, env: KunsVecEnv, fixed: Sequence[Agent] = ()) -> dict[str, Any]:
    """Take up the checkpoint at ``path`` and return what was kept with it; ``fixed`` as for `save`.

    Raises:
        RunError: the file is damaged or of another version.
    """
    try:
        state = th.load(path, weights_only=False)
        version = state["version"]
    except Exception as error:  # a damaged pickle may raise anything
        raise RunError(
            f"{path}: damaged checkpoint ({type(error).__name__}: {error}); begin anew with --fresh"
        ) from None
    if version != VERSION:
        raise RunError(
            f"{path}: checkpoint of version {version}, this program reads {VERSION}; begin anew with --fresh"
        )
    set_model_state(model, state["model"])
    run: dict[str, Any]
    env.games, run = unpacked(state["games"], fixed)
    # Without a last observation `learn` would begin all games again.
    assert model._last_obs is not None
    set_random_states(state["random"])
    return run
