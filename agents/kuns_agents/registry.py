"""Agents by name or by file: `load` and `save`."""

from __future__ import annotations

import difflib
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kuns_agents.code_file import is_code, load_code
from kuns_agents.protocol import Agent, AgentError
from kuns_env.errors import quoted

KUNS: Final = "kuns"
KUNKEN: Final = "kunken"
"""The games that agents play."""

AGENTS: Final = {
    "random": ("kuns_agents.simple:RandomAgent", (KUNS, KUNKEN)),
    "call": ("kuns_agents.simple:CallAgent", (KUNS,)),
    "fold": ("kuns_agents.simple:FoldAgent", (KUNS,)),
    "cautious": ("kuns_agents.cautious:CautiousAgent", (KUNS,)),
    "equity": ("kuns_agents.equity:EquityAgent", (KUNS,)),
    "equilibrium": ("kuns_agents.exact.equilibrium:EquilibriumAgent", (KUNS,)),
    "mccfr-3": ("kuns_agents.exact.mccfr_agent:Mccfr3Agent", (KUNS,)),
    "greedy": ("kuns_agents.greedy:GreedyAgent", (KUNKEN,)),
    "thrifty": ("kuns_agents.thrifty:ThriftyAgent", (KUNKEN,)),
}
"""Agent name to ``module:attribute`` and games. Loaded on use, so that `import kuns_agents` stays quick."""

WEIGHTS: Final = Path(__file__).resolve().parent / "weights"
"""The trained agents that come with this package: ``policy-PRESET.npz``, and a card ``policy-PRESET.md`` to each."""

TRAINED: Final = {path.stem: path.stem.split("-")[1] for path in sorted(WEIGHTS.glob("policy-*.npz"))}
"""Name of each of them to its game, with which the name of every preset begins."""

NAMES: Final = (*AGENTS, *TRAINED)
"""The agents that are loaded by name alone."""

NAMES_OF: Final = {
    game: tuple(name for name in NAMES if game == TRAINED.get(name) or game in AGENTS.get(name, ("", ()))[1])
    for game in (KUNS, KUNKEN)
}
"""Those that play a game, by the name of the game."""

PROFILE: Final = "profile:"
"""Begins the name of a profile: an agent for each seat, ``profile:cautious,equity,call``."""

POLICY: Final = "policy"
"""Prefix of a trained agent: ``policy:PATH``."""

AGENT_FILE: Final = "agent.npz"
"""The agent in the folder of a training run."""

NOTHING: Final = ("", f"{POLICY}:")
"""What names no agent, though for `Path` it is the folder one is in."""

GREEDY: Final = "greedy"
"""Option of a trained agent: ``policy:PATH?greedy`` takes the likeliest move instead of drawing one."""


def load(agent: str | os.PathLike[str], **options: Any) -> Agent:
    """Return the agent with this name, or the trained agent in this file or folder of a run.

    >>> load("random").name
    'random'

    Args:
        agent: one of `NAMES`; or the path of an ``.npz`` file or of a folder that holds `AGENT_FILE`, with
            or without ``policy:`` before it. After a trained one, also after the name of one, ``?greedy``.
            Or ``FILE.py:NAME``, a class of an agent in a file of code, which is run. Or ``profile:`` and such
            names, one for each seat, with commas between them.
        options: what the agent's maker takes: ``greedy=True`` for a trained one.

    Raises:
        AgentError: there is no such agent, or its file is missing, damaged or of another version.
    """
    try:
        return _load(agent, options)
    except OSError as error:  # a path that is too long, say, or one that may not be read
        raise AgentError(f"agent {quoted(agent)}: {error.strerror or error}") from error


def _load(agent: str | os.PathLike[str], options: dict[str, Any]) -> Agent:
    """Return what `load` returns."""
    text = os.fspath(agent) if isinstance(agent, os.PathLike) else agent
    if not isinstance(text, str) or text in NOTHING:
        raise AgentError(f"agent {quoted(agent)}: must be a name or a path")
    if text.startswith(PROFILE):
        return _profile(text, options)
    if text in AGENTS:
        if options:
            raise AgentError(f"agent {text!r} takes no options, and was given {', '.join(options)}")
        made: Agent = _attribute(AGENTS[text][0])()
        return made
    if text.partition("?")[0] in TRAINED:
        return _shipped(text, options)
    if is_code(text):
        if options:
            raise AgentError(f"agent {text!r} takes no options, and was given {', '.join(options)}")
        return load_code(text)
    if text.startswith(f"{POLICY}:"):
        return _trained(text.removeprefix(f"{POLICY}:"), options)
    if _looks_like_a_path(text):
        return _trained(text, options)
    close = difflib.get_close_matches(text, NAMES, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise AgentError(
        f"no agent {quoted(text)}{hint}; there are: {', '.join(NAMES)}, "
        f"or the path of a trained agent: an .npz file or a folder with {AGENT_FILE}, or code: FILE.py:CLASS"
    )


def save(agent: Agent, path: str | os.PathLike[str]) -> None:
    """Write a trained agent into the file ``path``, from which `load` returns it.

    Raises:
        AgentError: the agent is not a trained one.
    """
    writer = getattr(agent, "save", None)
    if writer is None:
        raise AgentError(f"agent {agent.name!r} has nothing to save: it is loaded by its name")
    writer(path)


def _attribute(place: str) -> Any:
    module, attribute = place.split(":")
    return getattr(import_module(module), attribute)


def _looks_like_a_path(text: str) -> bool:
    bare = text.partition("?")[0]
    return bare.endswith(".npz") or Path(bare).exists() or Path(bare).name != bare


def _profile(text: str, options: dict[str, Any]) -> Agent:
    """Return the agents that are named, each in its seat; ``options`` go to every one of them."""
    names = text.removeprefix(PROFILE).split(",")
    if len(names) < 2:
        raise AgentError(
            f"agent {text!r}: must name an agent for each seat, such as {PROFILE}cautious,equity,call"
        )
    made: Agent = _attribute("kuns_agents.profile:ProfileAgent")(
        [load(name.strip(), **options) for name in names]
    )
    return made


def _shipped(text: str, options: dict[str, Any]) -> Agent:
    """Return a trained agent of this package."""
    name, mark, flag = text.partition("?")
    return _trained(f"{WEIGHTS / name}.npz{mark}{flag}", options)


def _trained(text: str, options: dict[str, Any]) -> Agent:
    bare, _, flag = text.partition("?")
    if flag not in ("", GREEDY):
        raise AgentError(f"agent {text!r}: unknown option {flag!r}; there is: {GREEDY}")
    if flag:
        options = {GREEDY: True} | options
    unknown = [name for name in options if name not in (GREEDY, "epsilon")]
    if unknown:
        raise AgentError(f"agent {text!r}: unknown option {unknown[0]!r}; there are: {GREEDY}, epsilon")
    path = Path(bare)
    if path.is_dir():
        if not (path / AGENT_FILE).is_file():
            raise AgentError(f"the folder {bare!r} holds no {AGENT_FILE}: no agent was saved there")
        path = path / AGENT_FILE
    loaded: Agent = _attribute("kuns_agents.agent_file:load_file")(path, **options)
    return loaded
