"""Who takes part: what is an agent, what it is called, and what identifies it."""

from __future__ import annotations

import hashlib
import itertools
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import kuns_env
from kuns_agents.code_file import MEMBERS, staying
from kuns_agents.raised import PASSED, in_words, writable
from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count
from kuns_env.errors import quoted

if TYPE_CHECKING:
    from kuns_agents import Agent

MOST_AGENTS: Final = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent that takes part."""

    label: str
    """Its name, with a number where a name comes twice."""
    name: str
    file: str | None = None
    """Path of the file that it was read from, as it was given; of several with commas between them."""
    greedy: bool | None = None
    """Whether a trained agent takes the likeliest move instead of drawing one; None for all others."""
    sha256: str | None = None
    """Hash of that file; of several, of their hashes, a line each."""
    spec: str | None = None
    """What it was loaded by, a name or a path; None where it came as an object."""


def check_agents(agents: Sequence[Agent], rules: Rules) -> None:
    """Refuse a wrong number of agents, and agents that do not play ``rules``."""
    if len(agents) < 2:
        raise ValueError(f"{len(agents)} agent{'' if agents else 's'} given: at least two are needed")
    count("number of agents", len(agents), 2, MOST_AGENTS)
    for agent in agents:
        check_agent(agent, rules)


def check_agent(agent: Agent, rules: Rules) -> None:
    """Refuse what is no agent, and an agent that does not play ``rules``."""
    if isinstance(agent, str):
        raise ValueError(
            f"{quoted(agent)} is a name: load the agent first, by kuns_agents.load({quoted(agent)})"
        )
    if isinstance(agent, type):
        raise ValueError(f"the class {agent.__name__} is not an agent: make one of it, {agent.__name__}()")
    for member in MEMBERS:
        if not hasattr(agent, member):
            raise ValueError(f"{quoted(agent)} is not an agent: it has no `{member}`")
    if not isinstance(agent.name, str):
        raise ValueError(f"the name of an agent is {quoted(agent.name)}: must be text")
    refusal = why_not(agent, rules)
    if refusal is not None:
        raise ValueError(refusal)


def why_not(agent: Agent, rules: Rules) -> str | None:
    """Return None if ``agent`` plays ``rules``, else a sentence that names it and says why not."""
    try:
        with staying():
            refusal: object = agent.supports(rules)
    except PASSED:
        raise
    except BaseException as error:
        return f"agent {agent.name!r} raised when asked whether it plays these rules: {in_words(error)}"
    if refusal is None:
        return None
    if not isinstance(refusal, str):
        return (
            f"agent {agent.name!r} answered supports(rules) by {quoted(refusal)}: must be None, or a text that says "
            "why not"
        )
    refusal = writable(refusal)
    if refusal.startswith(f"agent {agent.name!r}"):
        return refusal
    return f"agent {agent.name!r} does not play these rules: {refusal}"


def labels(agents: Sequence[Agent]) -> list[str]:
    """Return a name for each agent, all different: see `numbered`."""
    return numbered([writable(agent.name) for agent in agents])


def numbered(names: Sequence[str]) -> list[str]:
    """Return ``names``, all different: the second of a name is ``name#2``, or the next that is free.

    >>> numbered(["call", "fold", "call"])
    ['call', 'fold', 'call#2']
    """
    taken, made = set(names), list[str]()
    for number, name in enumerate(names):
        label = name
        if name in names[:number]:
            label = next(free for i in itertools.count(2) if (free := f"{name}#{i}") not in taken)
            taken.add(label)
        made.append(label)
    return made


def entry(label: str, agent: Agent, spec: str | None = None) -> Entry:
    """Return what identifies ``agent``, which was loaded by ``spec``."""
    files = files_of(agent)
    if not files:
        return Entry(label, writable(agent.name), spec=spec)
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    digest = digests[0] if len(files) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    place = ", ".join(map(shown, files))
    greedy = getattr(agent, "greedy", None)
    told = greedy if isinstance(greedy, bool) else None  # of an agent in a file of code it may be anything
    return Entry(label, writable(agent.name), place, told, digest, spec)


def files_of(agent: Agent) -> list[Path]:
    """Return the files that an agent was read from: of one that is made of several agents, theirs."""
    path = getattr(agent, "path", None)
    if path is not None:
        return [Path(path)]
    return [file for part in getattr(agent, "agents", ()) for file in files_of(part)]


def shown(file: Path) -> str:
    """Return the path of an agent's file as it was given; of one that ships with `kuns_agents`, from that package on.

    Where the package is installed differs from machine to machine, and what is written is to be the same.
    """
    import kuns_agents

    package = Path(kuns_agents.__file__).resolve().parent
    if file.is_relative_to(package):
        return file.relative_to(package.parent).as_posix()
    return str(file)


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    return {
        "kuns-env": kuns_env.__version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }
