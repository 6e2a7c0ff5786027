"""A person plays Kunken at the terminal: what is shown and told, and nothing that its seat does not know."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from kuns_agents import load
from kuns_env import KunkenRules
from kuns_env.engine.record import read_records, start_of, verify
from kuns_env.kunken.moves import ALL_TEXTS
from kuns_training.cli_app import app
from kuns_training.play import Play, Summary
from kuns_training.play_host import HOSTS, host_class
from kuns_training.play_kunken_help import MOVES, how_to_play
from kuns_training.play_kunken_hints import ADVISER, hand_hints, missing
from kuns_training.play_kunken_words import Words

MINI = KunkenRules.mini()
TAKE = 3
"""A seed whose first deal lets a person take in its third turn, after these discards:"""
TO_THE_TAKE = ["3h", "5s"]


def capture(encoding: str = "utf-8", width: int = 110) -> tuple[Console, Callable[[], str]]:
    """A console, and what was written on it."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
    return Console(file=file, width=width, highlight=False), lambda: raw.getvalue().decode(encoding)


def typing(lines: list[str]) -> Callable[[str], str]:
    """Types one line after the other, then end of file."""
    rest: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        try:
            return next(rest)
        except StopIteration:
            raise EOFError from None

    return read


def played(rules: KunkenRules, lines: list[str], *opponents: str, **options: Any) -> tuple[Summary, str]:
    """Play with what is typed, and return the outcome and everything that was shown."""
    console, text = capture(options.pop("encoding", "utf-8"))
    agents = [load(name) for name in opponents or ("random",)]
    summary = Play(rules, agents, console=console, read=typing(lines), **{"seed": TAKE, **options}).run()
    return summary, text()


def anybody(seed: int, last: int = 10**9) -> Callable[[str], str]:
    """A person that types the number of any move that the prompt offers, and leaves after ``last`` of them."""
    rng, count = np.random.default_rng(seed), iter(range(last))

    def read(prompt: str) -> str:
        if next(count, None) is None:
            return "quit"
        found = re.fullmatch(r"Your move, 1(?: to (\d+))?: ", prompt)
        assert found, prompt
        return str(rng.integers(1, int(found[1] or 1) + 1))

    return read


def test_every_game_has_a_host() -> None:
    for game, title in (("kuns", "Kuns"), ("kunken", "Kunken")):
        assert host_class(game).title == title
    assert set(HOSTS) == {"kuns", "kunken"}


def test_every_move_is_explained() -> None:
    """N8."""
    assert {text.split()[0] for text in ALL_TEXTS} == set(MOVES)


# --- a deal from beginning to end -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="plain"),
        pytest.param({"num_players": 3, "num_deals": 2, "joker_swap": True}, id="N2.1-N3.4"),
        pytest.param({"num_players": 5, "open_from_stock": True, "bank_points": 15}, id="N4.6"),
        pytest.param({"discard_to_go_out": True, "hand_penalty": True}, id="N4.9-N6.3"),
        pytest.param({"settlement": "win", "bank_points_every_time": False}, id="N4.5-N7.2"),
        pytest.param({"settlement": "points", "num_jokers": 0, "max_reshuffles": 0}, id="N5.1-N7.3"),
    ],
)
def test_every_game_can_be_played_and_is_told_right(fields: dict[str, Any]) -> None:
    rules = KunkenRules(**{"hand_size": 7, "bank_points": 25, **fields})
    for seed in range(3):
        console, text = capture()
        seat = seed % rules.num_players
        play = Play(rules, [load("random")], seat=seat, seed=seed, console=console, read=anybody(seed))
        summary = play.run()
        assert summary.finished
        (record,) = summary.records
        assert verify(record) == 1
        assert summary.hands == len(record.hands or ()) == rules.num_deals
        assert summary.total == record.payoffs[seat]
        assert len(re.findall(r"^Deal \d", text(), re.MULTILINE)) == summary.hands
        assert text().count("in all") == summary.hands
        ends = re.findall(r"the deal is over|nobody has gone out", text())
        assert len(ends) == summary.hands


def test_deals_are_recorded_as_they_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    console, _ = capture()
    play = Play(MINI, [load("random")], hands=3, seed=1, record_file=file, console=console, read=anybody(1))
    summary = play.run()
    assert summary.finished
    assert summary.hands == 3
    assert verify(file) == 3
    assert sum(record.payoffs[0] for record in read_records(file)) == summary.total
    # The deal goes round (N2.1).
    dealers = [start_of(record).dealer for record in read_records(file)]
    assert dealers in ([0, 1, 0], [1, 0, 1])


def test_the_same_seed_and_moves_give_the_same_game() -> None:
    texts = []
    for seed in (5, 5, 6):
        console, text = capture()
        Play(MINI, [load("random")], seed=seed, console=console, read=anybody(1, 20)).run()
        texts.append(text())
    assert texts[0] == texts[1] != texts[2]


def test_leaving_in_the_middle_is_polite() -> None:
    summary, text = played(KunkenRules(), ["1", "quit"])
    assert not summary.finished
    assert summary.hands == 0
    assert "a deal that was not finished does not count" in text
    assert "--seed 3" in text


# --- a take ---------------------------------------------------------------------------------------------------


def test_a_take_is_played_and_told() -> None:
    """N4.2: what is owed is said after each move, and a meld of four may be typed whole."""
    summary, text = played(KunkenRules(), [*TO_THE_TAKE, "take 5s", "5s 5c 5h", "k", "6h", "quit"])
    assert not summary.finished
    assert "2 5♠ (and 1 card above)   3 6♥" in text
    assert "- You take 5♠ from the bank." in text
    assert "You still have to lay 50 points more in new melds, with 5♠ in one of them." in text
    assert "bank:  2♣ 3♥ 3♠ 5♠ 6♥" in text
    told = text.split("- You take 5♠")[1]
    assert "- You lay 5♣ 5♥ 5♠." in told
    assert "35 points more in new melds." in told


def test_a_long_meld_is_laid_in_one_line() -> None:
    """N8.8."""
    _, text = played(KunkenRules(), [*TO_THE_TAKE, "take 6h", "6d 6h 6s 6s", "table", "quit"])
    assert "- You lay 6♦ 6♥ 6♠.\n- You add 6♠ to 6♦ 6♥ 6♠.\n" in text
    assert "30 points more in new melds." in text
    assert re.search(r"1 +6♦ 6♥ 6♠ 6♠ +20 +you", text)


def test_a_draw_without_a_choice_is_made() -> None:
    """N4.1: who cannot take has to draw."""
    _, text = played(KunkenRules(), ["quit"])
    assert "- You draw 5♥." in text
    assert "You have not opened yet: you can only discard." in text


def test_the_hand_is_shown_by_suit_and_by_rank() -> None:
    _, text = played(KunkenRules(), ["quit"])
    assert "by suit  5♣ Q♣   6♦ K♦ K♦   3♥ 5♥ 7♥ Q♥   5♠ 6♠ 6♠ 10♠ K♠" in text
    assert "by rank  3♥  5♣ 5♥ 5♠  6♦ 6♠ 6♠  7♥  10♠  Q♣ Q♥  K♦ K♦ K♠" in text


def test_what_others_draw_is_not_told() -> None:
    """Of a draw only the own card is seen."""
    for seed in range(4):
        console, text = capture()
        rules = KunkenRules.mini(num_players=3)
        Play(rules, [load("random")], seed=seed, console=console, read=anybody(seed, 40)).run()
        draws = re.findall(r"Seat \d \(random(?:#\d)?\) draws?(.{5})", text())
        assert len(draws) > 4
        assert {draw[:4] for draw in draws} <= {" and", ", la", ", ad"}


def test_a_terminal_without_suits_gets_letters() -> None:
    _, text = played(KunkenRules(), ["3h", "quit"], encoding="ascii")
    assert "by suit  5c Qc   6d Kd Kd" in text
    assert "- You discard 3h." in text


def test_lines_are_no_wider_than_the_terminal() -> None:
    console, text = capture(width=70)
    Play(MINI, [load("random")], seed=2, console=console, read=anybody(2, 60)).run()
    assert max(map(len, text().splitlines())) <= 70


# --- asking ---------------------------------------------------------------------------------------------------


def test_asking_and_nonsense_do_not_move_the_game() -> None:
    asked = ["?", "help", "? take", "h set", "table", "hint", "moves", "", "???", "[bold]", "99", "take me"]
    console, _ = capture()
    plain = Play(MINI, [load("random")], seed=4, console=console, read=typing(["1"] * 400)).run()
    lines = [*asked, *("1" for _ in range(10)), *asked, *("1" for _ in range(400))]
    summary, text = played(MINI, lines, seed=4)
    assert plain.finished
    assert summary.records == plain.records
    assert "You lay melds: sets of three or four cards" in text
    assert "claim a card of the bank" in text
    assert "'[bold]' is no move here" in text
    assert "There is no move 99" in text


def test_a_hint_shows_lay_outs_and_how_claims_can_be_completed() -> None:
    """N4.2: what a claim lays and what it brings; while it is unfinished with the claimed card in it."""
    _, text = played(KunkenRules(), [*TO_THE_TAKE, "hint", "take 5s", "hint", "quit"])
    before, after = text.split("- You take 5♠")
    assert "Most points in your hand: K♦ K♦ K♠ + 6♦ 6♠ 6♠ (45 points), leaving 5♣ 5♥ 7♥" in before
    assert (
        "take 5♠: K♦ K♦ K♠ + 6♦ 6♠ 6♠ + 5♣ 5♥ 5♠ (60 points), leaving 7♥ 8♣ 10♠ Q♣ Q♥, and brings 6♥"
        in before
    )
    assert "take 6♥: " in before
    assert "Most points in your hand: K♦ K♦ K♠ + 6♦ 6♠ 6♠ + 5♣ 5♥ 5♠ (60 points)" in after
    assert text.count(f"The agent {ADVISER} would choose: ") == 2


def test_a_hint_says_what_a_claim_lacks() -> None:
    """N4.2: no card of the bank brings the points that a take asks for."""
    words = Words(KunkenRules(), 0, ["you", "random"])
    facts = {"cards": [["Kc", "Kh", "2c"]], "bank": ["Kd", "3s"], "opened": [False, False]}
    (line,) = missing(facts, words)
    assert line.plain == "Nothing in the bank can be claimed: best with K♦: 30 of 50 points."
    (line,) = missing(facts | {"bank": ["7s"]}, words)
    assert "no card of it makes a new meld" in line.plain


def told(facts: dict[str, Any], **fields: Any) -> list[str]:
    """What is said of a hand."""
    words = Words(KunkenRules(**fields), 0, ["you", "random"])
    return [line.plain for line in hand_hints({"claimed": None, "claim_due": False, **facts}, words)]


@pytest.mark.parametrize(
    ("cards", "lines"),
    [
        ("2c 3d", ["Your hand has no new meld."]),
        ("5c 5d *", ["Most points in your hand: 5♣ 5♦ *5 (15 points), leaving nothing"]),
        ("5c * 7c", ["Most points in your hand: 5♣ *6♣ 7♣ (15 points), leaving nothing"]),
        (
            "Ac Ad 2c 3c 5c 6c *",
            [
                "Most points in your hand: A♣ A♦ *A (30 points), leaving 2♣ 3♣ 5♣ 6♣",
                "Fewest cards left: 2♣ 3♣ *4♣ 5♣ 6♣ (25 points), leaving A♣ A♦",
            ],
        ),
    ],
)
def test_hints_name_the_best_lay_outs(cards: str, lines: list[str]) -> None:
    """N1.3, N3.3: jokers with what they stand for; the one that leaves fewest cards if it is another."""
    assert told({"cards": [cards.split()]}) == lines


def test_a_hint_for_a_claim_that_fits_no_new_meld() -> None:
    """N4.4: the claimed card may be added to a meld of this turn."""
    found = told({"cards": [["6s", "2c", "Kd"]], "claimed": "6s", "claim_due": True})
    assert found == ["No new meld takes 6♠: add it to a meld of this turn."]


def test_help_follows_the_rules() -> None:
    """N11: what a rule changes is explained."""
    plain = " ".join(how_to_play(KunkenRules()))
    changes: dict[str, Any] = {
        "num_jokers": 0,
        "identical_cards_in_set": False,
        "joker_swap": True,
        "bank_points": 45,
        "bank_points_every_time": False,
        "open_from_stock": True,
        "discard_to_go_out": True,
        "hand_penalty": True,
        "settlement": "win",
    }
    for field, value in changes.items():
        assert " ".join(how_to_play(KunkenRules(**{field: value}))) != plain, field


def test_moves_with_jokers_are_not_all_listed_unasked() -> None:
    rules = KunkenRules(hand_size=20, bank_points=5, open_from_stock=True)
    for seed in range(200):
        console, text = capture()
        Play(rules, [load("random")], seed=seed, console=console, read=typing(["moves"])).run()
        if "more: type moves" in text():
            first, _, rest = text().partition("more: type moves")
            assert "more: type moves" not in rest
            assert len(rest) > len(first.splitlines()[-1])
            return
    pytest.fail("no hand had so many")


def test_too_many_opponents_are_refused() -> None:
    """N1.2."""
    with pytest.raises(ValueError, match="2 opponents, but there is 1 other seat: --players 3 makes room"):
        Play(KunkenRules(), [load("random")] * 2)
    with pytest.raises(ValueError, match=r"5 opponents, but there is 1 other seat$"):
        Play(KunkenRules(), [load("random")] * 5)
    with pytest.raises(ValueError, match="num_deals"):
        Play(KunkenRules(num_deals=3), [load("random")], hands=2)


# --- the command ------------------------------------------------------------------------------------------------


def kuns(*args: str, typed: str = "quit\n") -> Result:
    """Run a command and return what came of it."""
    return CliRunner().invoke(app, list(args), input=typed, prog_name="kuns")


@pytest.mark.parametrize(
    ("game", "opponent"), [("kunken", "greedy"), ("kunken-mini", "greedy"), ("kuns", "cautious")]
)
def test_each_game_has_an_opponent_of_its_own(game: str, opponent: str) -> None:
    result = kuns("play", "--game", game, "--deals", "2", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert f" {opponent}" in result.stdout.splitlines()[1]
    assert "You leave the table" in result.stdout


def test_an_agent_of_the_other_game_is_refused() -> None:
    result = kuns("play", "--game", "kunken", "equity")
    assert result.exit_code == 2
    assert "agent 'equity'" in result.stderr
    assert "Traceback" not in result.stderr
