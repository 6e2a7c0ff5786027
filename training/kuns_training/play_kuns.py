"""Kuns for a person at the terminal: what is shown, asked and understood."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from rich.console import Console

from kuns_env.engine.view import View
from kuns_env.kuns.rules import MAX_PLAYERS, KunsRules
from kuns_training.play_host import advice, move_text
from kuns_training.play_kuns_help import ASKING, MOVES, about_moves, how_to_play
from kuns_training.play_kuns_tell import Teller
from kuns_training.play_kuns_words import ENDED, Words
from kuns_training.play_prompt import REQUESTS, listed, understood
from kuns_training.play_words import can_show_suits, explained, sentence

ADVISER: Final = "equity"
SOLVED: Final = "equilibrium"
LEAST_SHOWN: Final = 0.005
"""Probability from which on a move is named."""
NO_CHOICE: Final = ("ante", "pass", "against", "stake")
"""First words of moves that are made for a person who has no other. Those that end or cost something are not."""


class KunsHost:
    """Shows Kuns to one person (`kuns_training.play_host.Host`)."""

    title = "Kuns"
    piece = "hand"
    unit = "chip"
    length = "num_hands"
    most_players = MAX_PLAYERS
    opponent = "cautious"
    requests = REQUESTS

    def __init__(self, rules: KunsRules, seat: int, names: Sequence[str], console: Console) -> None:
        self.rules, self.seat, self.console = rules, seat, console
        self.words = Words(rules, seat, names, can_show_suits(console))
        self.teller = Teller(self.words, console, Fraction(0), 0)
        self._drawn: tuple[Any, ...] = ()

    def begin(self, view: View, base: Fraction, number: int) -> None:
        """Tell that an episode begins."""
        self.teller = Teller(self.words, self.console, base, number)
        self._drawn = ()
        self.teller.begin(view)

    def tell(self, before: View, move: str, after: View) -> None:
        """Tell what ``move`` did."""
        self.teller.tell(before, move, after)

    def flush(self) -> None:
        """Tell what several seats did alike."""
        self.teller.flush()

    def total(self, view: View) -> Fraction:
        """Return the chips that the person has won since it sat down."""
        return self.teller.total_of(view)

    def prepare(self, view: View, legal: list[str]) -> tuple[str, str | None]:
        """Show the table once a round, and once more when its side bets begin; return the prompt."""
        facts = view.to_dict()
        scene = (facts["hand"], facts["round"], facts["phase"] == "bet", facts["phase"] in ("ante", "stay"))
        if scene != self._drawn:
            self._drawn = scene
            if facts["phase"] != "stay":
                self.show_table(view)
        if facts["offer"]:
            offer = sentence(self.words.offer(facts["offer"], facts["ante"]))
            self.console.print(f"  {offer}", markup=False, emoji=False)
        question = self.words.question(view)
        if len(legal) == 1 and legal[0].split()[0] in NO_CHOICE:
            self.console.print(f"  {question}: {legal[0]}, the only move.", markup=False)
            return "", legal[0]
        return f"{question}: {listed(legal, self.words.costs(view))}\n> ", None

    def understood(self, typed: str, _view: View, legal: list[str]) -> tuple[str | None, str]:
        """Return the move that ``typed`` means, or None and what to say."""
        return understood(typed, legal)

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
        """Return what `equity` would do, what the person's cards promise, and how the game is best played."""
        move, problem = advice(ADVISER, view)
        if move is None:
            return f"No hint: {problem}"
        return f"{ADVISER} would choose: {move}.{promise(view)}{best_play(view)}"


def promise(view: View) -> str:
    """Return in a sentence what share of the pot the viewer's hand can expect; nothing for a hand folded."""
    from kuns_agents.hands import chances, nodes_of

    record, seat = view.record, int(view.seat or 0)
    if not record["in_hand"][seat] or not record["num_cards"][seat] or view.to_dict()["phase"] in ENDED:
        return ""
    share = chances(view.rules).shares[nodes_of(view.views())[0], int(record["num_in"]) - 2]
    return f" If all who are in call to the end, your cards win {share:.0%} of the pot on average."


def best_play(view: View) -> str:
    """Return in a sentence how likely each move is in the exact solution; nothing where there is none."""
    from kuns_agents import load

    solved: Any = load(SOLVED)
    if solved.supports(view.rules) is not None or view.to_dict()["phase"] not in ("ante", "bet"):
        return ""
    policy = solved.policy(view.views())[0]
    moves = sorted(np.flatnonzero(policy >= LEAST_SHOWN), key=lambda move: -policy[move])
    shown = [f"{move_text(view, int(move))} {policy[move]:.0%}" for move in moves]
    return f" Best play, against which nobody wins in the long run: {', '.join(shown)}."
