"""Whole games as text, one for every preset. ``pytest --update-golden`` writes them anew: read the difference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuns_env import KunsRules, Table, preset
from kuns_env.engine.game import PRESETS, game_of

GOLDEN = Path(__file__).parent / "golden"
WIDTH = 110
MOST_LINES = 300

OPEN = KunsRules(num_players=3, num_hands=None, max_hands=3, bankroll=40, ante_menu=(1, 2))

GAMES = {
    "kuns": (preset("kuns"), 544),
    "kuns-anted": (preset("kuns-anted"), 82),
    "kuns-tiny": (preset("kuns-tiny"), 119),
    "kuns-duel": (preset("kuns-duel"), 217),
    "kuns-open": (OPEN, 1159),
}
"""File to rules and seed, of the deals and of the moves."""


def entries(values: list[float]) -> str:
    """The entries that are not zero, by place."""
    if len(values) == 1:
        return f"{values[0]:g}"
    return " ".join(f"{place}:{value:g}" for place, value in enumerate(values) if value)


def folded(label: str, words: list[str]) -> list[str]:
    """The words behind a label, in lines of `WIDTH`."""
    lines = [f"{label}:"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines


def what_is_seen(table: Table) -> list[str]:
    """What a spectator sees, and for each seat the lines in which its view differs."""
    public = table.view().text().splitlines()
    lines = list(public)
    for seat in range(table.rules.num_players):
        own = table.view(seat).text().splitlines()
        lines += [
            f"  seat {seat} sees: {line}" for line, known in zip(own, public, strict=True) if line != known
        ]
    return lines


def decision(table: Table, seat: int) -> list[str]:
    """What the seat to act may do and is told."""
    view = table.view(seat)
    seen: dict[str, Any] = view.explain("table")
    lines = [f"legal: {', '.join(view.legal_moves())}", f"mask: {''.join(map(str, view.mask))}"]
    lines += folded("table", [f"{name}[{entries(values)}]" for name, values in seen.items()])
    return lines + knowledge(table, seat)


def knowledge(table: Table, seat: int) -> list[str]:
    """The information state of a seat."""
    return folded(f"seat {seat} knows", [f"{part}|" for part in table.information_state(seat).split("|")])


def result(table: Table) -> list[str]:
    """What a hand has brought, exactly."""
    lines = [f"payoffs: {', '.join(map(str, table.last_payoffs(exact=True)))}"]
    return [*lines, f"standings: {', '.join(map(str, table.payoffs(exact=True)))}"]


def playthrough(name: str) -> str:
    """A game played at random, told in full."""
    rules, seed = GAMES[name]
    table, rng = Table(rules, seed), np.random.default_rng(seed)
    fields = [f"{field}={value!r}" for field, value in rules.to_dict().items()]
    lines = [f"# {name}: seed {seed}", *folded("rules", fields), f"moves: {game_of(rules).num_moves}"]
    lines += folded("deck", table.setup_options()["deck"])
    number = 0
    while not table.is_over:
        seat, hands = table.to_play, table.hands_done
        assert seat is not None
        number += 1
        legal = table.legal_moves()
        move = legal[int(rng.integers(len(legal)))]
        lines += ["", f"# {number}", *what_is_seen(table), *decision(table, seat), f"> seat {seat}: {move}"]
        table.apply(move)
        if table.hands_done != hands:
            lines += result(table)
    lines += ["", "# over" + (", cut off" if table.truncated else ""), *what_is_seen(table)]
    for seat in range(rules.num_players):
        view = table.view(seat)
        lines += ["", *knowledge(table, seat), f"mask: {''.join(map(str, view.mask))}"]
        lines += folded("history", [f"{text};" for text in view.explain("history")])
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str, request: pytest.FixtureRequest) -> None:
    actual = playthrough(name)
    path = GOLDEN / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8")


def test_every_preset_has_a_playthrough() -> None:
    assert set(PRESETS) <= set(GAMES)
    assert {path.stem for path in GOLDEN.glob("*")} == set(GAMES)
    for name in PRESETS:
        assert GAMES[name][0] == preset(name)


def test_the_playthroughs_can_be_read() -> None:
    for path in GOLDEN.glob("*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= MOST_LINES, path.name
        assert max(map(len, lines)) <= WIDTH + len("   "), path.name


def test_every_kind_of_move_is_played() -> None:
    """K2.2, K6.4, K9.1: side bets taken and refused, staying and leaving, too."""
    played = "".join((GOLDEN / f"{name}.txt").read_text(encoding="utf-8") for name in GAMES)
    for move in (
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
    ):
        assert re.search(rf"^> seat \d: {move}\b", played, re.MULTILINE), move
