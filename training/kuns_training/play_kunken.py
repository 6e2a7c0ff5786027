"""Kunken for a person at the terminal: what is shown, asked and understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from kuns_env.engine.view import View
from kuns_env.kunken.rules import MAX_PLAYERS, KunkenRules
from kuns_training.play_kunken_help import ASKING, MOVES, about_moves, how_to_play
from kuns_training.play_kunken_hints import hints
from kuns_training.play_kunken_prompt import Group, above_claim, grouped, points_of, understood
from kuns_training.play_kunken_tell import Teller
from kuns_training.play_kunken_words import Facts, Words
from kuns_training.play_prompt import REQUESTS
from kuns_training.play_words import can_show_suits, explained, plural

INDENT: Final = "    "
BETWEEN: Final = "   "
MOST_LISTED: Final = 12
"""Moves of a group with jokers that are listed unasked; the others are named by `moves`."""


class KunkenHost:
    """Shows Kunken to one person (`kuns_training.play_host.Host`)."""

    title = "Kunken"
    piece = "deal"
    unit = "point"
    length = "num_deals"
    most_players = MAX_PLAYERS
    opponent = "greedy"
    requests = REQUESTS | {"moves": "moves", "m": "moves"}

    def __init__(self, rules: KunkenRules, seat: int, names: Sequence[str], console: Console) -> None:
        self.rules, self.seat, self.console = rules, seat, console
        self.words = Words(rules, seat, names, can_show_suits(console))
        self.teller = Teller(self.words, console, Fraction(0), 0)
        self._turn: tuple[Any, ...] = ()
        self._next: list[str] = []

    def begin(self, view: View, base: Fraction, number: int) -> None:
        """Tell that an episode begins."""
        self.teller = Teller(self.words, self.console, base, number)
        self._turn, self._next = (), []
        self.teller.begin(view)

    def tell(self, before: View, move: str, after: View) -> None:
        """Tell what ``move`` did."""
        self.teller.tell(before, move, after)

    def flush(self) -> None:
        """Tell what has been held back."""
        self.teller.flush()

    def total(self, view: View) -> Fraction:
        """Return the points that the person has won since it sat down."""
        return self.teller.total_of(view)

    # --- the person's turn ------------------------------------------------------------------------------

    def prepare(self, view: View, legal: list[str]) -> tuple[str, str | None]:
        """Show the table once a turn, then the hand and the moves; return the prompt, or the move that is made.

        Made without asking: a draw where no card can be taken, and what is left of a meld that was typed whole.
        """
        if self._next:
            move = self._next.pop(0)
            if move in legal:
                return "", move
            self.say(Text.assemble("Not possible now: ", self.words.move(move), "."))
            self._next = []
        if legal == ["draw"]:
            return "", "draw"
        facts = view.to_dict()
        turn = (facts["hand"], facts["turn"])
        if turn != self._turn:
            self._turn = turn
            self.show_table(view)
        else:
            self.console.print(self.words.own_hand(facts))
        task = self.words.task(facts)
        if task is not None:
            self.say(task)
        self.show_moves(facts, legal, MOST_LISTED)
        last = f" to {len(legal)}" if len(legal) > 1 else ""
        return f"Your move, 1{last}: ", None

    def understood(self, typed: str, _view: View, legal: list[str]) -> tuple[str | None, str]:
        """Return the move that ``typed`` means, or None and what to say."""
        meant = understood(typed, legal, in_order(grouped(legal)), lambda move: self.words.move(move).plain)
        self._next = list(meant.then)
        return meant.move, meant.complaint

    def answer(self, request: str, words: list[str], view: View, legal: list[str]) -> None:
        """Give what the person asked for."""
        if request == "table":
            self.show_table(view)
        elif request == "moves":
            self.show_moves(view.to_dict(), legal, len(legal))
        elif request == "hint":
            for line in hints(view, self.words, legal):
                self.say(line)
        elif words and words[0] in MOVES:
            self.console.print(explained({words[0]: MOVES[words[0]]}))
        else:
            for paragraph in how_to_play(self.rules):
                self.console.print(paragraph)
            for title, meanings in (("Now you may", about_moves(legal)), ("You may type", ASKING)):
                self.console.print(f"\n{title}", style="bold")
                self.console.print(explained(meanings))

    def say(self, line: Text | str) -> None:
        """Show one line that is no event."""
        self.console.print(Text.assemble("  ", line))

    def show_table(self, view: View) -> None:
        """Show what the person knows."""
        facts = view.to_dict()
        self.console.print()
        for part in self.words.table(view):
            self.console.print(part)
        self.console.print(Text(f"Your hand, {len(facts['cards'][self.seat])} cards:"))
        self.console.print(self.words.own_hand(facts))

    # --- the moves --------------------------------------------------------------------------------------

    def show_moves(self, facts: Facts, legal: list[str], most: int) -> None:
        """List the moves by group, with their numbers; of those with jokers at most ``most`` of a group."""
        number = 1
        for group in grouped(legal):
            wild = group.title.endswith("joker")
            listed = group.moves[:most] if wild else group.moves
            entries = [self.entry(facts, number + i, move) for i, move in enumerate(listed)]
            if len(listed) < len(group.moves):
                entries.append(
                    Text(f"... and {len(group.moves) - len(listed)} more: type moves", style="dim")
                )
            if group.title:
                self.console.print(Text(f"  {group.title}:"))
            for line in self.filled(entries):
                self.console.print(line)
            number += len(group.moves)

    def entry(self, facts: Facts, number: int, move: str) -> Text:
        """Return a move with its number, and what it lays or brings."""
        word = move.split()[0]
        shown = Text(move) if word == "draw" else self.words.cards_of(move)
        note = ""
        if word in ("set", "run"):
            note = f" ({points_of(move)})"
        elif word == "take" and (above := len(above_claim(facts["bank"], move))):
            note = f" (and {plural(above, 'card')} above)"
        return Text.assemble(Text(f"{number} ", style="bold"), shown, Text(note, style="dim"))

    def filled(self, entries: Iterable[Text]) -> list[Text]:
        """Return entries in lines as wide as the console; none is broken."""
        lines = [Text(INDENT)]
        for entry in entries:
            used = lines[-1].cell_len
            if used > len(INDENT) and used + len(BETWEEN) + entry.cell_len >= self.console.width:
                lines.append(Text(INDENT))
                used = len(INDENT)
            lines[-1] = Text.assemble(lines[-1], BETWEEN if used > len(INDENT) else "", entry)
        return lines


def in_order(groups: Iterable[Group]) -> list[str]:
    """Return the moves in the order of their numbers."""
    return [move for group in groups for move in group.moves]
