"""Kuns in words, for a person at a terminal. Everything is computed from what that person's seat knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from rich.table import Table as Grid
from rich.text import Text

from kuns_env.cards import format_cards, parse_card, rank_of
from kuns_env.engine.view import View
from kuns_env.kuns.rules import KunsRules
from kuns_env.kuns.value import HAND, KUNS_BONUS, TENS, hand_value
from kuns_training.play_words import HIDDEN, Names, plural

ENDED: Final = ("stay", "over")
"""Phases in which a hand has ended and the next has not begun."""


def values_of(cards: Sequence[str]) -> int:
    """Return the strength of five cards (K5), 11 to 20 with kuns, 0 to 9 without."""
    return int(hand_value(np.array([rank_of(parse_card(card)) for card in cards])))


def tens_of(cards: Sequence[str]) -> tuple[str, ...] | None:
    """Return three of five cards that make tens (K5.1), None if no three do.

    >>> tens_of(["8c", "5d", "9h", "7s", "Ac"])
    ('8c', '5d', '7s')
    """
    for three in combinations(cards, 3):
        if sum(rank_of(parse_card(card)) for card in three) % TENS == 0:
            return three
    return None


def by_rank(cards: Iterable[str]) -> list[str]:
    """Return cards from the ace up, hidden ones last."""
    return sorted(cards, key=lambda card: TENS * TENS if card == HIDDEN else parse_card(card))


QUESTIONS: Final = {
    "ante": "Set the ante",
    "bet": "Your move",
    "offer": "Will you offer a side bet",
    "against": "Which hand is to be beaten",
    "stake": "For how many antes",
    "respond": "Do you take the bet",
    "stay": "Another hand",
}
"""Phase to what is asked."""


class Words(Names):
    """Turns views, moves and cards into text for one person.

    Args:
        rules: the rules of the game.
        seat: where the person sits.
        labels: the names of all seats' players; the person's is not used.
        symbols: show suits as symbols; a terminal that has none gets letters.
    """

    rules: KunsRules

    # --- names and cards --------------------------------------------------------------------------------

    def hand_of(self, seat: int) -> str:
        """Return what a seat's hand is called."""
        return "your hand" if seat == self.seat else f"{self.name(seat)}'s hand"

    def cards(self, texts: Iterable[str], between: str = " ") -> Text:
        """Return cards from the ace up."""
        return Text(between).join([self.card(text) for text in by_rank(texts)])

    # --- values -----------------------------------------------------------------------------------------

    def value(self, cards: Sequence[str]) -> Text:
        """Return the value of five cards and how it comes about (K5)."""
        points, three = values_of(cards), tens_of(cards)
        if three is None:
            note = ", which counts as ten here" if points == 0 and self.rules.no_kuns_zero_is_ten else ""
            return Text.assemble(f"no kuns, {points}: ", self.total(cards), note)
        two = [card for card in cards if card not in three]
        return Text.assemble(f"kuns {points - KUNS_BONUS}: ", self.total(three), ", ", self.total(two))

    def total(self, cards: Sequence[str]) -> Text:
        """Return cards and their sum."""
        sum_of_ranks = sum(rank_of(parse_card(card)) for card in cards)
        return Text.assemble(self.cards(cards, " + "), f" = {sum_of_ranks}")

    def strength(self, cards: Sequence[str]) -> int:
        """Return what decides at a showdown: the value, with the reading of K5.5."""
        points = values_of(cards)
        return TENS if points == 0 and self.rules.no_kuns_zero_is_ten else points

    # --- the table --------------------------------------------------------------------------------------

    def table(self, view: View) -> Grid:
        """Return the table as the person sees it: a line a seat."""
        facts = view.to_dict()
        grid = Grid.grid(padding=(0, 2))
        for seat in range(self.rules.num_players):
            you = seat == self.seat
            standing = "" if facts["in_hand"][seat] else "folded" if facts["seated"][seat] else "left"
            cards = facts["cards"][seat] if facts["in_hand"][seat] or you else []
            grid.add_row(
                Text(">" if seat == facts["to_play"] else " "),
                Text(f"seat {seat}"),
                Text("you" if you else self.labels[seat], style="bold" if you else ""),
                self.cards(cards),
                Text(f"paid {facts['paid'][seat]}"),
                Text("dealer" if seat == facts["dealer"] else ""),
                Text(standing, style="dim"),
            )
        return grid

    def status(self, view: View) -> Text:
        """Return round, ante and pot in a line."""
        facts = view.to_dict()
        ante = "ante not set yet" if facts["ante"] is None else f"ante {facts['ante']}"
        where = f"round {facts['round']} of 3" if facts["round"] else "before the deal"
        return Text(f"{where} | {ante} | pot {facts['pot']}")

    def own_hand(self, view: View) -> Text:
        """Return the person's cards and, once there are five, their value."""
        cards = view.to_dict()["cards"][self.seat]
        if len(cards) < HAND:
            return Text.assemble("Your cards: ", self.cards(cards)) if cards else Text("No cards yet.")
        return Text.assemble("Your cards: ", self.value(cards))

    def bet(self, bet: dict[str, int], ante: int) -> str:
        """Return one side bet as a sentence."""
        stake = plural(bet["stake"] * ante, "chip")
        who = self.does([bet["offerer"]], "bet", "bets")
        return (
            f"{who} {stake} with {self.name(bet['taker'])} that "
            f"{self.hand_of(bet['backed'])} beats {self.hand_of(bet['opposed'])}"
        )

    def offer(self, offer: dict[str, int], ante: int) -> str:
        """Return an offer as far as it is known, as a sentence; its stake is in antes."""
        text = f"{self.does([offer['offerer']], 'offer', 'offers')} a side bet that {self.hand_of(offer['backed'])}"
        text += f" beats {self.hand_of(offer['opposed'])}" if "opposed" in offer else " beats ..."
        return text + (f", for {plural(offer['stake'] * ante, 'chip')}" if "stake" in offer else "")

    def question(self, view: View) -> str:
        """Return what the person is asked."""
        phase = view.to_dict()["phase"]
        return QUESTIONS[phase]

    def costs(self, view: View) -> dict[str, str]:
        """Return what moves cost the person now, by move."""
        facts = view.to_dict()
        if facts["phase"] == "stake":
            stakes = self.rules.side_stakes
            return {f"stake {stake}": plural(stake * facts["ante"], "chip") for stake in stakes}
        if facts["phase"] == "respond":
            return {"accept": f"stake {plural(facts['offer']['stake'] * facts['ante'], 'chip')}"}
        return {"call": f"pay {facts['ante']}"}


def shown_hands(view: View) -> dict[int, list[str]]:
    """Return the hands that the last showdown laid open, by seat; none where there was none (K7.3)."""
    record = view.record
    if not record["showdown"]:
        return {}
    hands = ((seat, format_cards(record["shown"][seat])) for seat in range(view.rules.num_players))
    return {seat: cards for seat, cards in hands if cards}
