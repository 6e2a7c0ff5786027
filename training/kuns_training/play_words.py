"""Words that the games share when they are told to a person at a terminal: names, cards, amounts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from kuns_env.engine.game import game_of
from kuns_env.engine.view import View

SYMBOLS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
STYLES: Final = {"c": "green", "d": "bright_blue", "h": "red", "s": "bold"}
HIDDEN: Final = "?"
JOKER: Final = "*"
JOKER_STYLE: Final = "bold magenta"
SUM_STYLE: Final = "bold"


def joined(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plural(amount: int | str, word: str) -> str:
    """Return an amount and its noun.

    >>> plural(1, "chip"), plural("7/2", "chip")
    ('1 chip', '7/2 chips')
    """
    return f"{amount} {word}" if str(amount) == "1" else f"{amount} {word}s"


def sentence(text: str) -> str:
    """Return ``text`` with a capital letter.

    >>> sentence("you call")
    'You call'
    """
    return text[0].upper() + text[1:]


def signed(amount: Fraction) -> str:
    """Return an amount with a sign.

    >>> signed(Fraction(7, 2)), signed(Fraction(0))
    ('+7/2', '0')
    """
    return f"+{amount}" if amount > 0 else str(amount)


def amounts(view: View, field: str) -> list[Fraction]:
    """Return exact amounts of every seat, ``payoff`` of the last hand or ``standing`` of the episode."""
    units = game_of(view.rules).units
    return [Fraction(int(amount), units) for amount in view.record[field][: view.rules.num_players]]


def explained(meanings: dict[str, str]) -> Grid:
    """Return words and their meanings, one below the other."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for word, meaning in meanings.items():
        grid.add_row(f"  {word}", meaning)
    return grid


def can_show_suits(console: Console) -> bool:
    """Return whether the console's encoding has the symbols of the suits."""
    try:
        "".join(SYMBOLS.values()).encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Names:
    """Turns seats and cards into text for one person.

    Args:
        rules: the rules of the game.
        seat: where the person sits.
        labels: the names of all seats' players; the person's is not used.
        symbols: show suits as symbols; a terminal that has none gets letters.
    """

    def __init__(self, rules: Any, seat: int, labels: Sequence[str], symbols: bool = True) -> None:
        self.rules, self.seat, self.labels, self.symbols = rules, seat, labels, symbols

    def name(self, seat: int) -> str:
        """Return what a seat is called in a sentence."""
        if seat == self.seat:
            return "you"
        return "your opponent" if self.rules.num_players == 2 else f"seat {seat}"

    def player(self, seat: int) -> str:
        """Return what a seat is called where it does something: with its player's name, where there are several."""
        named = seat != self.seat and self.rules.num_players > 2
        return f"{self.name(seat)} ({self.labels[seat]})" if named else self.name(seat)

    def does(self, seats: Sequence[int], verb: str, verbs: str) -> str:
        """Return who does what: ``verb`` for you and for several, ``verbs`` for one other."""
        one_other = len(seats) == 1 and seats[0] != self.seat
        others = [seat for seat in seats if seat != self.seat]
        if len(others) > 1 and self.rules.num_players > 2:
            names = ["you"] * (len(others) < len(seats)) + [f"seats {joined([str(seat) for seat in others])}"]
        else:
            names = [self.player(seat) for seat in seats]
        return f"{joined(names)} {verbs if one_other else verb}"

    def card(self, text: str) -> Text:
        """Return one card in its colour; a joker on the table with the card that it stands for."""
        if text == HIDDEN:
            return Text(HIDDEN, style="dim")
        face = text.removeprefix(JOKER)
        rank = face[:1].replace("T", "10")
        suit = face[1:]
        shown = rank + (SYMBOLS[suit] if suit and self.symbols else suit)
        if face != text:
            return Text(JOKER + shown, style=JOKER_STYLE)
        return Text(shown, style=STYLES[suit])

    def in_order(self, texts: Iterable[str], between: str = " ") -> Text:
        """Return cards in the order given."""
        return Text(between).join([self.card(text) for text in texts])

    def payoffs(self, won: Sequence[Fraction], total: Fraction, notes: Sequence[str] = ()) -> Grid:
        """Return what everybody won, with a note to each if there are any, and the person's total."""
        grid = Grid.grid(padding=(0, 2))
        for seat, amount in enumerate(won):
            you = seat == self.seat
            style = SUM_STYLE if you else ""
            note = [Text(notes[seat], style)] if notes else []
            tail = f"in all {signed(total)}" if you else ""
            label = Text("you" if you else self.labels[seat], style)
            grid.add_row("", f"seat {seat}", label, *note, Text(signed(amount), style), Text(tail, style))
        return grid
