"""Agents in files of Python code: ``FILE.py:NAME``."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

from kuns_agents.protocol import Agent, AgentError
from kuns_agents.raised import PASSED, in_words
from kuns_env.errors import quoted

ENDING: Final = ".py"
MEMBERS: Final = ("name", "act", "supports")
"""What makes an agent."""


def is_code(text: str) -> bool:
    """Return whether ``text`` names an agent in a file of code.

    >>> is_code("mine.py:Timid"), is_code("mine.npz"), is_code("policy:mine.npz")
    (True, False, False)
    >>> is_code("mine.py")  # the class is missing: `load_code` says so
    True
    """
    return text.endswith(ENDING) or text.rpartition(":")[0].endswith(ENDING)


@contextmanager
def staying() -> Iterator[None]:
    """Go back to the folder one is in, wherever agents' code goes: paths that are relative mean the same to the end."""
    try:
        before = Path.cwd()
    except OSError:  # it has been deleted
        yield
        return
    try:
        yield
    finally:
        os.chdir(before)


def load_code(text: str) -> Agent:
    """Return the agent that ``FILE.py:NAME`` names: a class, which is made without arguments, or an agent.

    The file is run, anew each time. Load only code that you trust.

    Raises:
        AgentError: there is no such file or name, or an error comes from the code.
    """
    file, _, name = (text, "", "") if text.endswith(ENDING) else text.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise AgentError(f"agent {text!r}: there is no file {file!r}")
    if not name:
        raise AgentError(f"agent {text!r}: must name a class, {file}:CLASS; {_classes(path)}")
    module = _run(path, text)
    if not hasattr(module, name):
        raise AgentError(f"agent {text!r}: {file} has no {name!r}; {_classes(path)}")
    found = getattr(module, name)
    try:
        with staying():
            agent: Agent = found() if isinstance(found, type) else found
            missing = [member for member in MEMBERS if not _has(agent, member)]
            if not missing:
                agent.path = path  # type: ignore[attr-defined]  # what identifies it, as for trained agents
    except PASSED:
        raise
    except BaseException as error:
        raise AgentError(f"agent {text!r}: could not be made: {in_words(error)}") from error
    if not missing and not isinstance(agent.name, str):
        raise AgentError(f"agent {text!r}: its name is {quoted(agent.name)}: must be text")
    if missing:
        raise AgentError(f"agent {text!r}: {name} is no agent: it has no `{missing[0]}`")
    return agent


def _has(agent: object, member: str) -> bool:
    """Return whether ``agent`` has this member; all but the name are methods."""
    return hasattr(agent, member) and (member == "name" or callable(getattr(agent, member)))


def _classes(path: Path) -> str:
    """Return in words which classes a file has; it is read, not run."""
    try:
        nodes = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError):
        return "it is not Python that can be read"
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    return f"its classes are: {', '.join(names)}" if names else "it has no classes"


def _run(path: Path, text: str) -> ModuleType:
    """Return the module that a file of code makes."""
    # A name of its own: files of the same name in two folders are two modules.
    name = f"kuns_agent_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    place = importlib.util.spec_from_file_location(name, path)
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    sys.modules[name] = module  # dataclasses look there
    try:
        with staying():
            place.loader.exec_module(module)
    except PASSED:
        raise
    except BaseException as error:
        raise AgentError(f"agent {text!r}: {path} raised {in_words(error)}") from error
    return module
