"""Kunken in words, for a person at a terminal. Everything is computed from what that person's seat knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.table import Table as Grid
from rich.text import Text

from kuns_env.engine.view import View
from kuns_env.kunken.cards import RANKS, SUITS, parse_card
from kuns_env.kunken.rules import KunkenRules
from kuns_training.play_words import JOKER, Names, plural

Facts = dict[str, Any]

SUIT_GAP: Final = "   "
"""Between the suits of a hand."""
MOST_IN_A_LINE: Final = 68
"""Letters of a hand that is shown in one line."""
TITLE: Final = "bold"
ENDS: Final = ("high", "low", "set")
"""Last words of lay-offs: where the card goes."""


def by_rank(cards: Iterable[str]) -> list[str]:
    """Return cards from the 2 up, jokers last.

    >>> by_rank(["*", "Ah", "2s", "2c"])
    ['2c', '2s', 'Ah', '*']
    """
    return sorted(cards, key=parse_card)


def by_suit(cards: Iterable[str]) -> list[list[str]]:
    """Return the cards of each suit that there is, from the 2 up, and the jokers last.

    >>> by_suit(["*", "Ah", "2s", "2h"])
    [['2h', 'Ah'], ['2s'], ['*']]
    """
    ordered = by_rank(cards)
    groups = [[card for card in ordered if card[1:] == suit] for suit in SUITS]
    return [group for group in (*groups, [card for card in ordered if card == JOKER]) if group]


def named_card(text: str) -> str:
    """Return the card that the second word of a lay-off stands for: ``*6s`` and ``*5`` are jokers."""
    return JOKER if text.startswith(JOKER) else text


class Words(Names):
    """Turns views, moves and cards into text for one person; takes what `Names` takes."""

    rules: KunkenRules

    # --- cards ------------------------------------------------------------------------------------------

    def hand_by_suit(self, cards: Iterable[str]) -> Text:
        """Return a hand, suit by suit."""
        return Text(SUIT_GAP).join([self.in_order(group) for group in by_suit(cards)])

    def hand_by_rank(self, cards: Iterable[str]) -> Text:
        """Return a hand, rank by rank."""
        groups: dict[str, list[str]] = {}
        for card in by_rank(cards):
            groups.setdefault(card[0], []).append(card)
        return Text("  ").join([self.in_order(group) for group in groups.values()])

    def move(self, move: str) -> Text:
        """Return a move with its cards in colour: ``run 3♠ * 5♠``."""
        words = move.split()
        parts = [self.card(word) if is_card(word) else Text(word) for word in words]
        return Text(" ").join(parts)

    def cards_of(self, move: str) -> Text:
        """Return the cards that a move names: without its first word."""
        return self.move(move.partition(" ")[2])

    # --- the table --------------------------------------------------------------------------------------

    def table(self, view: View) -> list[Text | Grid]:
        """Return the table as the person sees it: stock, bank, seats, melds."""
        facts = view.to_dict()
        again = plural(facts["reshuffles_left"], "reshuffle")
        shown: list[Text | Grid] = [
            Text(f"stock: {plural(facts['stock_left'], 'card')}, {again} left"),
            self.bank(facts),
            self.seats(facts),
        ]
        if facts["melds"]:
            shown += [Text("melds:"), self.melds(facts)]
        else:
            shown.append(Text("no melds on the table"))
        return shown

    def bank(self, facts: Facts) -> Text:
        """Return the bank from bottom to top, in a take what waits above the claimed card too."""
        line = Text.assemble("bank:  ", self.in_order(facts["bank"]))
        if facts["waiting"]:
            line = Text.assemble(line, " | above the claimed card: ", self.in_order(facts["waiting"]))
        if not facts["bank"] and not facts["waiting"]:
            return Text("bank:  empty")
        if len(facts["bank"]) > 1:
            line = Text.assemble(line, Text("  (the top is at the right)", "dim"))
        return line

    def seats(self, facts: Facts) -> Grid:
        """Return a line a seat: cards in hand, points laid, and what it is known to hold."""
        grid = Grid.grid(padding=(0, 2))
        for seat in range(self.rules.num_players):
            you = seat == self.seat
            known = facts["known"][seat]
            holds = Text.assemble("known: " if you else "holds ", self.in_order(known)) if known else Text("")
            grid.add_row(
                Text(">" if seat == facts["to_play"] else " "),
                Text(f"seat {seat}"),
                Text("you" if you else self.labels[seat], style=TITLE if you else ""),
                Text(plural(facts["hand_sizes"][seat], "card")),
                Text(f"laid {facts['laid_points'][seat]}"),
                Text("opened" if facts["opened"][seat] else ""),
                Text("dealer" if seat == facts["dealer"] else ""),
                holds,
            )
        return grid

    def melds(self, facts: Facts) -> Grid:
        """Return a line a meld, numbered from 1: cards, points, whose it is and who laid cards on it."""
        grid = Grid.grid(padding=(0, 2))
        for number, meld in enumerate(facts["melds"], start=1):
            guests = [
                Text.assemble(self.card(card), f" by {self.short(layer)}")
                for card, layer in zip(meld["cards"], meld["layers"], strict=True)
                if layer != meld["owner"]
            ]
            whose = Text(", ").join([Text(self.short(meld["owner"])), *guests])
            grid.add_row(Text(f"{number:>3}"), self.in_order(meld["cards"]), Text(str(meld["points"])), whose)
        return grid

    def short(self, seat: int) -> str:
        """Return what a seat is called in a list."""
        return "you" if seat == self.seat else f"seat {seat}"

    def own_hand(self, facts: Facts) -> Grid:
        """Return the person's hand twice: by suit, a line to each suit where one is not enough, and by rank."""
        cards = facts["cards"][self.seat]
        grid = Grid.grid(padding=(0, 2))
        suits = [self.in_order(group) for group in by_suit(cards)]
        in_a_line = Text(SUIT_GAP).join(suits)
        for i, line in enumerate([in_a_line] if in_a_line.cell_len <= MOST_IN_A_LINE else suits):
            grid.add_row(Text("" if i else "by suit"), line)
        grid.add_row(Text("by rank"), self.hand_by_rank(cards))
        return grid

    # --- what is asked ----------------------------------------------------------------------------------

    def task(self, facts: Facts) -> Text | None:
        """Return what the person has to do or cannot do now, if that wants saying."""
        if facts["owed"] is not None:
            claimed = self.card(facts["claimed"]) if facts["claim_due"] else Text("")
            if not facts["owed"]:
                return Text.assemble("You still have to lay ", claimed, " in a new meld.")
            lay = f"You still have to lay {plural(facts['owed'], 'point')} more in new melds"
            return Text.assemble(lay, ", with ", claimed, " in one of them.") if claimed else Text(f"{lay}.")
        if facts["phase"] == "play" and not facts["opened"][self.seat] and not self.rules.open_from_stock:
            return Text("You have not opened yet: you can only discard.")
        return None


def is_card(word: str) -> bool:
    """Return whether a word of a move is a card, or a joker and what it stands for."""
    face = word.removeprefix(JOKER)
    return (not face and word == JOKER) or (
        face[:1] in tuple(RANKS) and face[1:] in ("", *SUITS) and (word != face or len(face) > 1)
    )


def series(parts: Sequence[Text]) -> Text:
    """Return texts as a list in a sentence.

    >>> series([Text("draws"), Text("lays 3"), Text("discards 4")]).plain
    'draws, lays 3 and discards 4'
    """
    if len(parts) < 2:
        return Text.assemble(*parts)
    return Text.assemble(Text(", ").join(parts[:-1]), " and ", parts[-1])
