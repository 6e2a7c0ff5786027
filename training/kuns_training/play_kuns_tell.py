"""Telling a person what happens at the table, in words. Only views of that person's seat are looked at."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from kuns_env.engine.view import View
from kuns_training.play_kuns_words import ENDED, Words, shown_hands
from kuns_training.play_words import amounts, joined, plural, sentence

TOGETHER: Final = {
    "fold": ("fold", "folds"),
    "call": ("call", "calls"),
    "pass": ("offer no side bet", "offers no side bet"),
    "decline": ("decline", "declines"),
    "stay": ("stay", "stays"),
}
"""Moves that several seats in a row make in one sentence: the verb for several, and for one."""

FOLDED: Final = -1
UNSHOWN: Final = 0


class Teller:
    """Tells one episode.

    Args:
        words: how things are called.
        console: where they are told.
        base: chips that the person had won before.
        number: hands that were played before.
    """

    def __init__(self, words: Words, console: Console, base: Fraction, number: int) -> None:
        self.words, self.console, self.base, self.number = words, console, base, number
        self._verb = ""
        self._seats: list[int] = []

    def total_of(self, view: View) -> Fraction:
        """Return what the person has won since it sat down."""
        return self.base + Fraction(amounts(view, "standing")[self.words.seat])

    def say(self, text: str | Text) -> None:
        """Tell one thing that happened."""
        line = Text(sentence(text)) if isinstance(text, str) else text
        self.console.print(Text.assemble("- ", line))

    def flush(self) -> None:
        """Tell what several seats did alike."""
        if self._seats:
            self.say(self.words.does(self._seats, *TOGETHER[self._verb]) + ".")
        self._verb, self._seats = "", []

    # --- the hand goes on -------------------------------------------------------------------------------

    def begin(self, view: View) -> None:
        """Tell that a hand has begun."""
        facts = view.to_dict()
        self.console.print()
        self.console.rule(f"Hand {self.number + facts['hand']}", align="left")
        self.say(self.words.does([facts["dealer"]], "are the dealer", "is the dealer") + ".")
        if self.words.rules.forced_ante:
            self.say(f"everybody pays {plural(self.words.rules.forced_ante, 'chip')}.")
        self.deal(facts, [])

    def deal(self, facts: dict[str, Any], held: list[str]) -> None:
        """Tell which cards the person was dealt."""
        cards = facts["cards"][self.words.seat]
        new = list(cards)
        for card in held:
            new.remove(card)
        if new and facts["in_hand"][self.words.seat]:
            self.say(Text.assemble("You get ", self.words.cards(new)))
        elif facts["round"] > 1:
            self.say(f"round {facts['round']}: cards for those still in.")

    def tell(self, before: View, move: str, after: View) -> None:
        """Tell what ``move`` did, between two views."""
        old, new = before.to_dict(), after.to_dict()
        word = move.split()[0]
        self.tell_move(old, move, new)
        if int(after.record["hands_done"]) > int(before.record["hands_done"]):
            self.flush()
            self.end(old, move, after)
            if new["phase"] not in ENDED:
                self.begin(after)
        elif old["phase"] == "stay" and new["phase"] not in ENDED and new["hand"] > old["hand"]:
            self.flush()
            self.begin(after)
        elif new["round"] > old["round"]:
            self.flush()
            self.deal(new, old["cards"][self.words.seat])
        elif word == "decline" and new["phase"] != "respond":
            self.flush()
            self.say("the offer lapses.")

    def tell_move(self, old: dict[str, Any], move: str, new: dict[str, Any]) -> None:
        """Tell one move."""
        word, _, number = move.partition(" ")
        seat = int(old["to_play"])
        if word != self._verb:
            self.flush()
        if word in TOGETHER:
            self._verb = word
            self._seats.append(seat)
        elif word == "ante":
            self.say(self.words.does([seat], "set", "sets") + f" the ante to {number}.")
        elif word == "stake":
            offer = old["offer"] | {"stake": int(number)}
            self.say(self.words.offer(offer, old["ante"]) + ".")
            if new["phase"] != "respond":
                self.say("nobody may take it: the offer lapses.")
        elif word == "accept":
            self.say(self.words.does([seat], "take", "takes") + " the bet.")
        elif word == "leave":
            self.say(self.words.does([seat], "leave", "leaves") + " the session.")

    # --- the hand ends ----------------------------------------------------------------------------------

    def end(self, old: dict[str, Any], move: str, after: View) -> None:
        """Tell how a hand ended: cards shown, pot, side bets, payoffs.

        Args:
            old: the position before the last move, as plain data.
            move: the last move.
            after: the view after it.
        """
        words, seat = self.words, int(old["to_play"])
        shown = shown_hands(after)
        points = dict.fromkeys(range(words.rules.num_players), FOLDED)
        left = [
            each
            for each, is_in in enumerate(old["in_hand"])
            if is_in and not (move == "fold" and each == seat)
        ]
        for each in left:
            points[each] = words.strength(shown[each]) if shown else UNSHOWN
        self.console.print()
        for each, cards in shown.items():
            self.say(Text.assemble(sentence(words.does([each], "show", "shows")), " ", words.value(cards)))
        pot = old["pot"] + (old["ante"] if move == "call" else 0)
        self.tell_pot(pot, [each for each in left if points[each] == max(points.values())], bool(shown))
        bets = old["bets"]
        if move == "accept":
            bets = [*bets, old["offer"] | {"taker": seat}]
        for bet in bets:
            self.say(f"{words.bet(bet, old['ante'])}: {self.bet_result(bet, points)}.")
        self.console.print(words.payoffs(amounts(after, "payoff"), self.total_of(after)))

    def tell_pot(self, pot: int, winners: list[int], shown: bool) -> None:
        """Tell who takes the pot."""
        chips = plural(pot, "chip")
        if len(winners) > 1:
            share = plural(str(Fraction(pot, len(winners))), "chip")
            self.say(
                f"{joined([self.words.name(seat) for seat in winners])} share the pot of {chips}: {share} each."
            )
        else:
            why = "" if shown else ": everyone else has folded"
            if not pot:
                self.say("everyone else has folded; there is nothing in the pot.")
                return
            self.say(self.words.does(winners, "take", "takes") + f" the pot of {chips}{why}.")

    def bet_result(self, bet: dict[str, int], points: dict[int, int]) -> str:
        """Return who won a side bet (K6.5)."""
        difference = points[bet["backed"]] - points[bet["opposed"]]
        if not difference:
            return "void"
        return self.words.does([bet["offerer"] if difference > 0 else bet["taker"]], "win", "wins")
