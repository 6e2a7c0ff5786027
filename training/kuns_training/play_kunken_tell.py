"""Telling a person what happens at a table of Kunken. Only views of that person's seat are looked at."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rich.console import Console
from rich.text import Text

from kuns_env.engine.view import View
from kuns_training.play_kunken_words import Facts, Words, series
from kuns_training.play_words import amounts, plural, sentence

VERBS: Final = {
    "draw": ("draw", "draws"),
    "take": ("take", "takes"),
    "set": ("lay", "lays"),
    "run": ("lay", "lays"),
    "lay": ("add", "adds"),
    "swap": ("put", "puts"),
    "discard": ("discard", "discards"),
    "get": ("get", "gets"),
}
"""First word of a move to the verb for you and for another."""


class Teller:
    """Tells one episode: what the others do a turn at a time, what the person does at once.

    Args:
        words: how things are called.
        console: where they are told.
        base: points that the person had won before.
        number: deals that were played before.
    """

    def __init__(self, words: Words, console: Console, base: Fraction, number: int) -> None:
        self.words, self.console, self.base, self.number = words, console, base, number
        self._done: list[Text] = []
        self._seat = -1

    def total_of(self, view: View) -> Fraction:
        """Return what the person has won since it sat down."""
        return self.base + Fraction(amounts(view, "standing")[self.words.seat])

    def say(self, text: str | Text) -> None:
        """Tell one thing that happened."""
        line = Text(sentence(text)) if isinstance(text, str) else text
        self.console.print(Text.assemble("- ", line))

    def flush(self) -> None:
        """Tell what a seat has done in its turn so far."""
        if self._done:
            who = sentence(self.words.player(self._seat))
            self.say(Text.assemble(f"{who} ", series(self._done), "."))
        self._done = []

    # --- the deal goes on -------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        """Tell that a deal has begun."""
        facts = view.to_dict()
        self.console.print()
        self.console.rule(f"Deal {self.number + facts['hand']}", align="left")
        self.say(self.words.does([facts["dealer"]], "are the dealer", "is the dealer") + ".")
        self.say(Text.assemble("You get ", self.words.hand_by_suit(facts["cards"][self.words.seat])))
        self.say(Text.assemble("The first card of the bank is ", self.words.in_order(facts["bank"])))

    def tell(self, before: View, move: str, after: View) -> None:
        """Tell what ``move`` did, between two views."""
        old, new = before.to_dict(), after.to_dict()
        seat = int(old["to_play"])
        if seat != self._seat:
            self.flush()
            self._seat = seat
        ended = int(after.record["hands_done"]) > int(before.record["hands_done"])
        self._done.append(self.deed(old, move, new, ended))
        got = old["waiting"] if not ended and not new["waiting"] else []
        if got:
            self._done.append(Text.assemble(self.verb("get"), " ", self.words.in_order(got)))
        if seat == self.words.seat or ended or move.startswith("discard"):
            self.flush()
        if ended:
            self.end(after)
            if new["phase"] != "over":
                self.begin(after)
        elif new["reshuffles_left"] < old["reshuffles_left"]:
            self.say("the stock is used up: all of the bank but its top card is shuffled into a new one.")

    def verb(self, word: str) -> str:
        """Return what the seat to act does, by the first word of its move."""
        return VERBS[word][self._seat != self.words.seat]

    def deed(self, old: Facts, move: str, new: Facts, ended: bool) -> Text:
        """Return one move as words without a subject.

        Args:
            old: the position before the move, as plain data.
            move: its text.
            new: the position after it.
            ended: whether it ended the deal: the melds of ``new`` may be gone.
        """
        word, words = move.split()[0], self.words
        verb = self.verb(word)
        if word == "draw":
            seen = new["drew"] if not ended else None
            return Text.assemble(verb, " ", words.card(seen)) if seen else Text(verb)
        if word == "take":
            return Text.assemble(verb, " ", words.card(move.split()[1]), " from the bank")
        if word == "lay":
            return Text.assemble(verb, " ", words.card(move.split()[1]), self.whither(old, new))
        if word == "swap":
            return Text.assemble(verb, " ", words.cards_of(move), " in the place of a joker")
        return Text.assemble(verb, " ", words.cards_of(move))

    def whither(self, old: Facts, new: Facts) -> Text:
        """Return on which meld a card was laid; nothing where that meld is gone already."""
        for was, now in zip(old["melds"], new["melds"], strict=False):
            if len(now["cards"]) > len(was["cards"]):
                return Text.assemble(" to ", self.words.in_order(was["cards"]))
        return Text("")

    # --- the deal ends ----------------------------------------------------------------------------------

    def end(self, after: View) -> None:
        """Tell how the deal ended: who went out, scores, payoffs."""
        facts = after.to_dict()
        self.console.print()
        winner = facts["last_winner"]
        if winner is None:
            self.say("the stock is used up: the deal ends, and nobody has gone out.")
        else:
            self.say(self.words.does([winner], "go out", "goes out") + ": the deal is over.")
            if facts["last_express"]:
                self.say("an express: nothing was laid before this turn, so the score is doubled.")
        takes = [f"{plural(count, 'take')}" for count in facts["last_takes"]]
        notes = [
            f"score {score}, {took} of the bank"
            for score, took in zip(facts["last_scores"], takes, strict=True)
        ]
        won = amounts(after, "payoff")
        self.console.print(self.words.payoffs(won, self.total_of(after), notes))
