"""What `kuns play` needs of a game: somebody who shows it to one person and understands what is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from rich.console import Console

from kuns_env.engine.game import Rules, game_of
from kuns_env.engine.view import View
from kuns_training.arena.asking import AgentFailedError, ask
from kuns_training.arena.entries import check_agent

if TYPE_CHECKING:
    from kuns_agents import Agent

HOSTS: Final = {
    "kuns": ("kuns_training.play_kuns", "KunsHost"),
    "kunken": ("kuns_training.play_kunken", "KunkenHost"),
}
"""Game to module and class. Loaded on use."""


class Host(Protocol):
    """Shows one game to one person. It is handed views of that person's seat and nothing else.

    It is made from the rules, the person's seat, the names of all seats' players and a console.
    """

    title: str
    piece: str
    """What is dealt, played and settled: ``hand`` or ``deal``."""
    unit: str
    """What is won: ``chip`` or ``point``."""
    length: str
    """The field of the rules that says how many pieces an episode has."""
    most_players: int
    opponent: str
    """The agent that sits opposite where none is named."""
    requests: dict[str, str]
    """What may be typed instead of a move, and what it asks for; ``quit`` is one of them."""

    def begin(self, view: View, base: Fraction, number: int) -> None:
        """Tell that an episode begins; the person had won ``base`` in ``number`` pieces before."""
        ...

    def tell(self, before: View, move: str, after: View) -> None:
        """Tell what ``move`` did."""
        ...

    def flush(self) -> None:
        """Tell what has been held back to be told together."""
        ...

    def total(self, view: View) -> Fraction:
        """Return what the person has won since it sat down."""
        ...

    def prepare(self, view: View, legal: list[str]) -> tuple[str, str | None]:
        """Show what the person has to see before it moves; return the prompt, or the move that is made for it."""
        ...

    def understood(self, typed: str, view: View, legal: list[str]) -> tuple[str | None, str]:
        """Return the move that ``typed`` means, or None and what to say."""
        ...

    def answer(self, request: str, words: list[str], view: View, legal: list[str]) -> None:
        """Give what was asked for, ``words`` being what was typed behind it."""
        ...


HostMaker = Callable[[Rules, int, Sequence[str], Console], Host]


def host_class(game: str) -> Any:
    """Return the class of the host of ``game``."""
    module, name = HOSTS[game]
    return getattr(import_module(module), name)


def advice(adviser: str, view: View) -> tuple[str | None, str]:
    """Return the move that the agent ``adviser`` would choose; or None, and why there is none."""
    from kuns_agents import load

    try:
        agent: Agent = load(adviser)
        check_agent(agent, view.rules)
        seating = [adviser] * view.rules.num_players
        moves = ask(agent, seating, view.views(), np.random.default_rng(0))
    except (ValueError, AgentFailedError) as problem:
        return None, str(problem)
    return move_text(view, int(moves[0])), ""


def move_text(view: View, move: int) -> str:
    """Return the text of a move of the viewer."""
    return str(game_of(view.rules).move_texts(int(view.seat or 0))[move])
