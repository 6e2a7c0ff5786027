"""A person plays Kuns in the terminal, against any agents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.console import Console

from kuns_env.engine.game import game_of, undealable
from kuns_env.engine.record import Record, Recorder, append_records
from kuns_env.engine.seeds import count, make_seed
from kuns_env.engine.table import Table
from kuns_env.engine.view import View
from kuns_env.kuns.rules import MAX_PLAYERS, KunsRules
from kuns_training.evaluate import check_agent, labels
from kuns_training.evaluate_games import AGENT_STREAM, AgentFailedError, ask
from kuns_training.play_prompt import REQUESTS, listed, understood
from kuns_training.play_tell import Teller
from kuns_training.table_help import ASKING, MOVES, about_moves, explained, how_to_play
from kuns_training.table_text import ENDED, SYMBOLS, Words, plural, sentence

if TYPE_CHECKING:
    from kuns_agents import Agent

Read = Callable[[str], str]
"""Shows a prompt and returns what was typed; `EOFError` ends the game."""

YOU: Final = "you"
ADVISER: Final = "equity"
MOST_HANDS: Final = 1_000
NO_CHOICE: Final = ("ante", "pass", "against", "stake")
"""First words of moves that are made for a person who has no other. Those that end or cost something are not."""


class Quit(Exception):  # noqa: N818 - no error
    """The person wants to stop."""


@dataclass(slots=True)
class Summary:
    """What came of it."""

    seed: int
    hands: int = 0
    """Hands that were finished."""
    total: Fraction = Fraction(0)
    """Chips that the person won."""
    finished: bool = False
    """Whether it was played to the end."""
    records: list[Record] = field(default_factory=list)
    """Each finished episode."""


class Play:
    """A person at the table.

    Args:
        rules: the rules of the game. Where an episode is one hand, ``hands`` of them are played and the deal
            goes round; a session (K2.2) is played once.
        opponents: who sits in the other seats, from seat 0 on; too few of them take turns.
        seat: where the person sits.
        hands: hands to play, 1 to 1,000; with a session, 1.
        seed: of the deals and the agents; None takes fresh entropy.
        record_file: a file to add a record of each finished episode to.
        console: where everything is shown.
        read: shows a prompt and returns what was typed.

    Raises:
        ValueError: a number out of range, no opponents, or one that does not play these rules.
    """

    def __init__(
        self,
        rules: KunsRules,
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
        self.seat = count("seat", seat, 0, rules.num_players - 1)
        self.hands = count("hands", hands, 1, MOST_HANDS)
        if rules.num_hands != 1 and hands != 1:
            raise ValueError(f"hands={hands}: these rules make a session of their own length (num_hands)")
        self.agents = seated(rules, opponents, self.seat)
        names = iter(labels([agent for agent in self.agents if agent is not None]))
        self.names = [YOU if agent is None else next(names) for agent in self.agents]
        self.record_file = record_file
        if Table(rules, 0).is_over:
            raise undealable(rules)
        self.console = console or Console(highlight=False)
        self.read: Read = read or self.ask_console
        self.words = Words(rules, self.seat, self.names, can_show_suits(self.console))
        self.summary = Summary(make_seed(seed))
        self._drawn: tuple[Any, ...] = ()

    def run(self) -> Summary:
        """Play until all hands are done or the person leaves, and return what came of it.

        Raises:
            AgentFailedError: an opponent did not choose a legal move.
        """
        self.console.rule("Kuns")
        self.console.print(self.welcome(), markup=False, emoji=False)  # agents have any name
        lot = Table(self.rules, self.summary.seed).dealer
        try:
            for episode in range(self.hands):
                dealer = (lot + episode) % self.rules.num_players
                self.play_episode(episode, dealer)
            self.summary.finished = True
        except (Quit, EOFError, KeyboardInterrupt):
            self.console.print("\nYou leave the table; a hand that was not finished does not count.")
        self.farewell()
        return self.summary

    def welcome(self) -> str:
        """Return who sits where, and how to get help."""
        others = [f"seat {seat} {name}" for seat, name in enumerate(self.names) if seat != self.seat]
        return f"You sit in seat {self.seat}. Against you: {', '.join(others)}.\n? explains, quit leaves."

    def farewell(self) -> None:
        """Say how it went, and how to get the same cards again."""
        summary = self.summary
        if summary.hands:
            verb = "lost" if summary.total < 0 else "won"
            result = (
                f"you {verb} {plural(str(abs(summary.total)), 'chip')}"
                if summary.total
                else "you came out even"
            )
            self.console.print(f"\nAfter {plural(summary.hands, 'hand')} {result}.")
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
        teller = Teller(self.words, self.console, self.summary.total, episode)
        before, hands_before = table.view(seat), self.summary.hands
        teller.begin(before)
        while not table.is_over:
            to_play = int(table.to_play or 0)
            agent = self.agents[to_play]
            if agent is None:
                teller.flush()
                move = self.ask_person(table)
            else:
                move = self.ask_agent(agent, table, rngs[to_play])
            recorder.apply(move)
            after = table.view(seat)
            teller.tell(before, move, after)
            self.summary.hands = hands_before + table.hands_done
            self.summary.total = teller.total_of(after)
            if agent is None and move == "leave":
                raise Quit
            if not table.seated[seat] and not table.is_over:
                teller.flush()
                self.console.print("\nYou are out of the session.")
                return
            before = after
        teller.flush()
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
        facts = view.to_dict()
        # The table is drawn once a round, and once more when its side bets begin.
        scene = (
            self.summary.hands,
            facts["round"],
            facts["phase"] == "bet",
            facts["phase"] in ("ante", "stay"),
        )
        if scene != self._drawn:
            self._drawn = scene
            if facts["phase"] != "stay":
                self.show_table(view)
        if facts["offer"]:
            offer = sentence(self.words.offer(facts["offer"], facts["ante"]))
            self.console.print(f"  {offer}", markup=False, emoji=False)
        legal, notes = view.legal_moves(), self.words.costs(view)
        if len(legal) == 1 and legal[0].split()[0] in NO_CHOICE:
            self.console.print(f"  {self.words.question(view)}: {legal[0]}, the only move.", markup=False)
            return legal[0]
        while True:
            typed = self.read(f"{self.words.question(view)}: {listed(legal, notes)}\n> ")
            words = typed.lower().split()
            request = REQUESTS.get(words[0]) if words else None
            if request is None:
                move, complaint = understood(typed, legal)
                if move is not None:
                    return move
                self.console.print(f"  {complaint}", markup=False)
            elif request == "quit":
                raise Quit
            else:
                self.answer(request, words[1:], view, legal)

    def answer(self, request: str, words: list[str], view: View, legal: list[str]) -> None:
        """Give what the person asked for."""
        if request == "table":
            self.show_table(view)
        elif request == "hint":
            self.console.print(f"  {self.hint(view)}", markup=False)
        elif words and words[0] in MOVES:
            self.console.print(explained({words[0]: MOVES[words[0]]}))
        else:
            for paragraph in how_to_play(self.rules):
                self.console.print(paragraph)
            for title, meanings in (("Now you may", about_moves(legal)), ("You may type", ASKING)):
                self.console.print(f"\n{title}", style="bold")
                self.console.print(explained(meanings))

    def show_table(self, view: View) -> None:
        """Show what the person knows."""
        self.console.print()
        self.console.print(self.words.status(view), style="bold")
        self.console.print(self.words.table(view))
        for bet in view.to_dict()["bets"]:
            told = sentence(self.words.bet(bet, view.to_dict()["ante"]))
            self.console.print(f"  {told}", markup=False, emoji=False)
        self.console.print(self.words.own_hand(view))

    def hint(self, view: View) -> str:
        """Return what the agent `equity` would do, and what the person's cards promise."""
        from kuns_agents import load

        try:
            adviser = load(ADVISER)
            check_agent(adviser, self.rules)
            moves = ask(adviser, [ADVISER] * len(self.names), view.views(), np.random.default_rng(0))
        except (ValueError, AgentFailedError) as problem:
            return f"No hint: {problem}"
        return f"{ADVISER} would choose: {move_text(view, int(moves[0]))}.{promise(view)}"


def promise(view: View) -> str:
    """Return in a sentence what share of the pot the viewer's hand can expect; nothing for a hand folded."""
    from kuns_agents.hands import chances, nodes_of

    record, seat = view.record, int(view.seat or 0)
    if not record["in_hand"][seat] or not record["num_cards"][seat] or view.to_dict()["phase"] in ENDED:
        return ""
    share = chances(view.rules).shares[nodes_of(view.views())[0], int(record["num_in"]) - 2]
    return f" If all who are in call to the end, your cards win {share:.0%} of the pot on average."


def move_text(view: View, move: int) -> str:
    """Return the text of a move of the viewer."""
    return str(game_of(view.rules).move_texts(int(view.seat or 0))[move])


def seated(rules: KunsRules, opponents: Sequence[Agent], seat: int) -> list[Agent | None]:
    """Return who sits where; None is the person."""
    if not opponents:
        raise ValueError("no opponents: name at least one agent")
    others = rules.num_players - 1
    if len(opponents) > others:
        seats = "there is 1 other seat" if others == 1 else f"there are {others} other seats"
        room = f": --players {len(opponents) + 1} makes room" if len(opponents) < MAX_PLAYERS else ""
        raise ValueError(f"{len(opponents)} opponents, but {seats}{room}")
    for agent in opponents:
        check_agent(agent, rules)
    agents: list[Agent | None] = [opponents[place % len(opponents)] for place in range(rules.num_players - 1)]
    agents.insert(seat, None)
    return agents


def can_show_suits(console: Console) -> bool:
    """Return whether the console's encoding has the symbols of the suits."""
    try:
        "".join(SYMBOLS.values()).encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
