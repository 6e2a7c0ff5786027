"""A person plays in the terminal, against any agents. What belongs to one game is in its `Host`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from rich.console import Console

from kuns_env.engine.game import Rules, undealable
from kuns_env.engine.record import Record, Recorder, append_records
from kuns_env.engine.seeds import count, make_seed
from kuns_env.engine.table import Table
from kuns_training.arena.asking import ask
from kuns_training.arena.entries import check_agent, labels
from kuns_training.arena.games import AGENT_STREAM
from kuns_training.play_host import Host, host_class
from kuns_training.play_words import plural

if TYPE_CHECKING:
    from kuns_agents import Agent

Read = Callable[[str], str]
"""Shows a prompt and returns what was typed; `EOFError` ends the game."""

YOU: Final = "you"
MOST_HANDS: Final = 1_000
LEAVE: Final = "leave"
"""The move with which a person leaves a session for good."""


class Quit(Exception):  # noqa: N818 - no error
    """The person wants to stop."""


@dataclass(slots=True)
class Summary:
    """What came of it."""

    seed: int
    hands: int = 0
    """Hands or deals that were finished."""
    total: Fraction = Fraction(0)
    """Chips or points that the person won."""
    finished: bool = False
    """Whether it was played to the end."""
    records: list[Record] = field(default_factory=list)
    """Each finished episode."""


class Play:
    """A person at the table.

    Args:
        rules: the rules of the game. Where an episode is one hand or deal, ``hands`` of them are played and the
            deal goes round; a session (K2.2), or an episode of several deals (N2.1), is played once.
        opponents: who sits in the other seats, from seat 0 on; too few of them take turns.
        seat: where the person sits.
        hands: hands or deals to play, 1 to 1,000; with a session, 1.
        seed: of the deals and the agents; None takes fresh entropy.
        record_file: a file to add a record of each finished episode to.
        console: where everything is shown.
        read: shows a prompt and returns what was typed.

    Raises:
        ValueError: a number out of range, no opponents, or one that does not play these rules.
    """

    def __init__(
        self,
        rules: Rules,
        opponents: Sequence[Agent],
        *,
        seat: int = 0,
        hands: int = 1,
        seed: int | None = None,
        record_file: Path | None = None,
        console: Console | None = None,
        read: Read | None = None,
    ) -> None:
        self.rules = rules
        maker = host_class(rules.game)
        self.seat = count("seat", seat, 0, rules.num_players - 1)
        self.hands = count("hands", hands, 1, MOST_HANDS)
        if getattr(rules, maker.length) != 1 and hands != 1:
            raise ValueError(
                f"hands={hands}: these rules make a session of their own length ({maker.length})"
            )
        self.agents = seated(rules, opponents, self.seat, maker.most_players)
        names = iter(labels([agent for agent in self.agents if agent is not None]))
        self.names = [YOU if agent is None else next(names) for agent in self.agents]
        self.record_file = record_file
        if Table(rules, 0).is_over:
            raise undealable(rules)
        self.console = console or Console(highlight=False)
        self.read: Read = read or self.ask_console
        # Where it is told what a player does, its seat is named too.
        self.told = [YOU if agent is None else agent.name for agent in self.agents]
        self.host: Host = maker(rules, self.seat, self.told, self.console)
        self.summary = Summary(make_seed(seed))

    def run(self) -> Summary:
        """Play until all hands are done or the person leaves, and return what came of it.

        Raises:
            AgentFailedError: an opponent did not choose a legal move.
        """
        self.console.rule(self.host.title)
        self.console.print(self.welcome(), markup=False, emoji=False)  # agents have any name
        lot = Table(self.rules, self.summary.seed).dealer
        try:
            for episode in range(self.hands):
                dealer = (lot + episode) % self.rules.num_players
                self.play_episode(episode, dealer)
            self.summary.finished = True
        except (Quit, EOFError, KeyboardInterrupt):
            self.console.print(
                f"\nYou leave the table; a {self.host.piece} that was not finished does not count."
            )
        self.farewell()
        return self.summary

    def welcome(self) -> str:
        """Return who sits where, and how to get help."""
        others = [f"seat {seat} {name}" for seat, name in enumerate(self.told) if seat != self.seat]
        return f"You sit in seat {self.seat}. Against you: {', '.join(others)}.\n? explains, quit leaves."

    def farewell(self) -> None:
        """Say how it went, and how to get the same cards again."""
        summary = self.summary
        if summary.hands:
            verb = "lost" if summary.total < 0 else "won"
            result = (
                f"you {verb} {plural(str(abs(summary.total)), self.host.unit)}"
                if summary.total
                else "you came out even"
            )
            self.console.print(f"\nAfter {plural(summary.hands, self.host.piece)} {result}.")
        self.console.print(f"Thank you for playing. The same cards again: --seed {summary.seed}", style="dim")

    # --- one episode ------------------------------------------------------------------------------------

    def play_episode(self, episode: int, dealer: int) -> None:
        """Play one hand, or one session, to its end."""
        seed, seat = self.summary.seed, self.seat
        recorder = Recorder(Table(self.rules, seed, {"dealer": dealer}, episode=episode))
        table = recorder.table
        rngs = [
            np.random.default_rng([AGENT_STREAM, seed, episode, each]) for each in range(len(self.agents))
        ]
        before, hands_before = table.view(seat), self.summary.hands
        self.host.begin(before, self.summary.total, episode)
        while not table.is_over:
            to_play = int(table.to_play or 0)
            agent = self.agents[to_play]
            if agent is None:
                self.host.flush()
                move = self.ask_person(table)
            else:
                move = self.ask_agent(agent, table, rngs[to_play])
            recorder.apply(move)
            after = table.view(seat)
            self.host.tell(before, move, after)
            self.summary.hands = hands_before + table.hands_done
            self.summary.total = self.host.total(after)
            if agent is None and move == LEAVE:
                raise Quit
            if not table.seated[seat] and not table.is_over:
                self.host.flush()
                self.console.print("\nYou are out of the session.")
                return
            before = after
        self.host.flush()
        self.keep(recorder.record(self.names))

    def keep(self, record: Record) -> None:
        """Keep the record of a finished episode, in the file at once if there is one."""
        self.summary.records.append(record)
        if self.record_file is not None:
            append_records(self.record_file, [record])

    def ask_agent(self, agent: Agent, table: Table, rng: np.random.Generator) -> str:
        """Return the move of an agent, as text."""
        moves = ask(agent, self.names, table.view(int(table.to_play or 0)).views(), rng)
        return table.move_text(int(moves[0]))

    def ask_console(self, prompt: str) -> str:
        """Return what is typed, `EOFError` where nothing can be."""
        if sys.stdin is None:
            raise EOFError
        return self.console.input(prompt, markup=False, emoji=False)

    # --- the person's turn ------------------------------------------------------------------------------

    def ask_person(self, table: Table) -> str:
        """Return the person's move.

        Raises:
            Quit: the person leaves.
        """
        view = table.view(self.seat)
        legal = view.legal_moves()
        prompt, move = self.host.prepare(view, legal)
        while move is None:
            typed = self.read(prompt)
            words = typed.lower().split()
            request = self.host.requests.get(words[0]) if words else None
            if request is None:
                move, complaint = self.host.understood(typed, view, legal)
                if move is None:
                    self.console.print(f"  {complaint}", markup=False)
            elif request == "quit":
                raise Quit
            else:
                self.host.answer(request, words[1:], view, legal)
        return move


def seated(rules: Rules, opponents: Sequence[Agent], seat: int, most_players: int) -> list[Agent | None]:
    """Return who sits where; None is the person."""
    if not opponents:
        raise ValueError("no opponents: name at least one agent")
    others = rules.num_players - 1
    if len(opponents) > others:
        seats = "there is 1 other seat" if others == 1 else f"there are {others} other seats"
        room = f": --players {len(opponents) + 1} makes room" if len(opponents) < most_players else ""
        raise ValueError(f"{len(opponents)} opponents, but {seats}{room}")
    for agent in opponents:
        check_agent(agent, rules)
    agents: list[Agent | None] = [opponents[place % len(opponents)] for place in range(rules.num_players - 1)]
    agents.insert(seat, None)
    return agents
