"""Whole games as text, one for every preset. ``pytest --update-golden`` writes them anew: read the difference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kuns_env import KunkenRules, KunsRules, Table, preset
from kuns_env.engine.game import PRESETS, game_of

GOLDEN = Path(__file__).parent / "golden"
WIDTH = 110
MOST_LINES = 620
BUSY = 0.9
"""How often a player of Kunken neither draws nor discards if it may do something else."""


class Played(NamedTuple):
    """A game with a file."""

    rules: Any
    seed: int
    """Of the deals and of the moves."""


OPEN = KunsRules(num_players=3, num_hands=None, max_hands=3, bankroll=40, ante_menu=(1, 2))
THREE = KunkenRules(
    num_players=3,
    hand_size=7,
    bank_points=30,
    num_deals=2,
    joker_swap=True,
    open_from_stock=True,
    discard_to_go_out=True,
    hand_penalty=True,
)
FIVE = KunkenRules(
    num_players=5,
    num_jokers=1,
    hand_size=20,
    bank_points=60,
    max_reshuffles=2,
    identical_cards_in_set=False,
    bank_points_every_time=False,
    settlement="win",
)

GAMES = {
    "kuns": Played(preset("kuns"), 544),
    "kuns-anted": Played(preset("kuns-anted"), 82),
    "kuns-tiny": Played(preset("kuns-tiny"), 119),
    "kuns-duel": Played(preset("kuns-duel"), 217),
    "kuns-open": Played(OPEN, 1159),
    "kunken": Played(preset("kunken"), 1106),
    "kunken-mini": Played(preset("kunken-mini"), 9750),
    "kunken-express": Played(preset("kunken-mini"), 8978),
    "kunken-three": Played(THREE, 202),
    "kunken-five": Played(FIVE, 89),
}
"""File to game."""

KINDS = {
    "kuns": [
        "fold",
        "call",
        "ante",
        "pass",
        "back",
        "against",
        "stake",
        "accept",
        "decline",
        "stay",
        "leave",
    ],
    "kunken": [
        *("draw", r"take \w\w$", r"take \w\w deep", r"take \*", r"set [^*]+$", r"set .*\*", r"run [^*]+$"),
        *(r"run .*\*", r"run \w\w \* \* \w\w", r"lay \w\w high", r"lay \w\w low", r"lay \w\w set"),
        *(
            r"lay \*\w\w high",
            r"lay \*\w\w low",
            r"lay \*\w set",
            r"discard \w\w",
            r"discard \*",
            r"swap \w\w",
        ),
    ],
}
"""Game to patterns of its kinds of moves, each to be played in some file."""


def choose(table: Table, rng: np.random.Generator) -> str:
    """A legal move: of Kuns any, of Kunken by preference one that puts cards on the table."""
    legal = table.legal_moves()
    if table.rules.game == "kunken" and rng.random() < BUSY:
        legal = [move for move in legal if not move.startswith(("draw", "discard"))] or legal
    return legal[int(rng.integers(len(legal)))]


def entries(values: dict[str, float]) -> str:
    """Entries by name."""
    if set(values) == {""}:
        return f"{values['']:g}"
    return " ".join(f"{name}:{value:.6g}" for name, value in values.items())


def named(values: list[float] | dict[str, float]) -> dict[str, float]:
    """The entries that are not zero, by name or place; a single one has no name."""
    if isinstance(values, dict):
        return values
    if len(values) == 1:
        return {"": values[0]}
    return {str(place): value for place, value in enumerate(values) if value}


def folded(label: str, words: list[str]) -> list[str]:
    """The words behind a label, in lines of `WIDTH`."""
    lines = [f"{label}:"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines


class Playthrough:
    """A game told in full. Of Kunken, whose positions are long, only what is new since it was last told.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self.rules, self.seed = GAMES[name]
        self.table, self.rng = Table(self.rules, self.seed), np.random.default_rng(self.seed)
        self.in_full = self.rules.game == "kuns"
        self.told: dict[str, list[str]] = {}
        self.values: dict[tuple[int, str], dict[str, float]] = {}
        fields = [f"{field}={value!r}" for field, value in self.rules.to_dict().items()]
        moves = f"moves: {game_of(self.rules).num_moves}"
        self.lines = [f"# {name}: seed {self.seed}", *folded("rules", fields), moves, *self.cards()]

    def news(self, label: str, lines: list[str]) -> list[str]:
        """What was not told the last time under this label."""
        before = [] if self.in_full else self.told.get(label, [])
        self.told[label] = lines
        return [line for line in lines if line not in before]

    def cards(self) -> list[str]:
        """How the hand or deal is set up."""
        lines = []
        for key, value in self.table.setup_options().items():
            if key == "hands":
                lines += [line for seat, hand in enumerate(value) for line in folded(f"hand {seat}", hand)]
            elif key != "dealer":
                lines += folded(key, value)
        return lines

    def slices(self, seat: int) -> list[str]:
        """What the encoder `table` tells a seat; zeros are told where they are news."""
        seen: dict[str, Any] = self.table.view(seat).explain("table")
        words = []
        for name, values in seen.items():
            now, before = named(values), self.values.get((seat, name), {})
            if not self.in_full:
                self.values[seat, name] = now
                now = {key: now.get(key, 0) for key in {**now, **before} if now.get(key) != before.get(key)}
            if now or self.in_full:
                word = f"{name}[{entries(now)}]"
                words += [word] if self.in_full else word.split()
        return words

    def seen(self, seats: list[int]) -> list[str]:
        """What a spectator sees, and for each of ``seats`` the lines in which its view differs."""
        public = self.table.view().text().splitlines()
        lines = self.news("public", public)
        for seat in seats:
            own = [line for line in self.table.view(seat).text().splitlines() if line not in public]
            if not self.in_full:
                own = [
                    line
                    for line in own
                    if line.replace(f"seat {seat} (you)", f"seat {seat}      ") not in public
                ]
            lines += [f"  seat {seat} sees: {line}" for line in self.news(f"seat {seat}", own)]
        return lines

    def mask(self, seat: int) -> str:
        """The mask of a seat, digit by digit, or where it is long the numbers of the moves it allows."""
        mask = self.table.view(seat).mask
        if self.in_full:
            return f"mask: {''.join(map(str, mask))}"
        return "mask: all" if mask.all() else "\n".join(folded("mask", [str(i) for i in mask.nonzero()[0]]))

    def decision(self, seat: int) -> list[str]:
        """What the seat to act may do and is told."""
        legal, mask, table = self.table.legal_moves(), self.mask(seat), folded("table", self.slices(seat))
        if self.in_full:
            return [f"legal: {', '.join(legal)}", mask, *table, *self.knowledge(seat)]
        return [*folded("legal", [*(f"{move}," for move in legal[:-1]), legal[-1]]), mask, *table]

    def knowledge(self, seat: int) -> list[str]:
        """The information state of a seat."""
        parts = [f"{part}|" for part in self.table.information_state(seat).split("|")]
        return folded(f"seat {seat} knows", parts)

    def result(self) -> list[str]:
        """What a hand has brought, exactly."""
        lines = [f"payoffs: {', '.join(map(str, self.table.last_payoffs(exact=True)))}"]
        lines.append(f"standings: {', '.join(map(str, self.table.payoffs(exact=True)))}")
        facts = self.table.view().to_dict()
        names = [name for name in facts if name.startswith("last_") and name != "last_payoffs"]
        lines += folded("deal", [f"{name}={facts[name]}" for name in names]) if names else []
        if names and not self.table.is_over:
            lines += ["", *self.cards()]
        return lines

    def play(self) -> str:
        """Play it to its end, and return everything."""
        table, every_seat, number = self.table, list(range(self.rules.num_players)), 0
        while not table.is_over:
            seat, hands = table.to_play, table.hands_done
            assert seat is not None
            number += 1
            move = choose(table, self.rng)
            seats = every_seat if self.in_full or number == 1 else [seat]
            self.lines += [
                "",
                f"# {number}",
                *self.seen(seats),
                *self.decision(seat),
                f"> seat {seat}: {move}",
            ]
            table.apply(move)
            if table.hands_done != hands:
                self.lines += self.result()
        self.told.clear()
        self.lines += ["", "# over" + (", cut off" if table.truncated else ""), *self.seen(every_seat)]
        for seat in every_seat:
            self.lines += ["", *self.knowledge(seat), self.mask(seat)]
            self.lines += folded("history", [f"{text};" for text in table.view(seat).explain("history")])
        return "\n".join(self.lines) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str, request: pytest.FixtureRequest) -> None:
    actual = Playthrough(name).play()
    path = GOLDEN / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8")


def test_every_preset_has_a_playthrough() -> None:
    assert set(PRESETS) <= set(GAMES)
    assert {path.stem for path in GOLDEN.glob("*")} == set(GAMES)
    for name in PRESETS:
        assert GAMES[name].rules == preset(name)


def test_the_playthroughs_can_be_read() -> None:
    for path in GOLDEN.glob("*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= MOST_LINES, path.name
        assert max(map(len, lines)) <= WIDTH + len("   "), path.name


@pytest.mark.parametrize(
    ("game", "kind"),
    [pytest.param(game, kind, id=f"{game}-{kind}") for game, kinds in KINDS.items() for kind in kinds],
)
def test_every_kind_of_move_is_played(game: str, kind: str) -> None:
    """K2.2, K6.4, K9.1: side bets taken and refused, staying and leaving, too; N8.1-N8.7."""
    names = [name for name, played in GAMES.items() if played.rules.game == game]
    played = "".join((GOLDEN / f"{name}.txt").read_text(encoding="utf-8") for name in names)
    assert re.search(rf"^> seat \d: {kind}", played, re.MULTILINE)


def test_every_way_to_end_a_deal_is_played() -> None:
    """N4.9, N5.1, N6.2: going out, an express, a stock used up after all reshuffles; and several deals (N2.1)."""
    texts = {name: (GOLDEN / f"{name}.txt").read_text(encoding="utf-8") for name in GAMES}
    assert "last_winner=None" in texts["kunken-five"]
    assert "reshuffle" in texts["kunken-five"]
    assert "last_express=True" in texts["kunken-express"]
    assert "last_express=False" in texts["kunken"]
    assert "deal 2" in texts["kunken-three"]
