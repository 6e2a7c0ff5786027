"""A person at the terminal: prompts, what is told, and nothing that its seat does not know."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from kuns_agents import load
from kuns_env import KunsRules, RulesError, Table
from kuns_env.engine.record import read_records, start_of, verify
from kuns_training.arena.asking import AgentFailedError
from kuns_training.play import Play, Summary
from kuns_training.play_kuns_help import MOVES

DUEL = KunsRules.duel()
CARD = re.compile(r"(?:10|[A2-9])[♣♦♥♠]")


def capture(encoding: str = "utf-8") -> tuple[Console, Callable[[], str]]:
    """A console, and what was written on it."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
    return Console(file=file, width=120, highlight=False), lambda: raw.getvalue().decode(encoding)


def typing(lines: list[str]) -> Callable[[str], str]:
    """Types one line after the other, then end of file."""
    rest: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        try:
            return next(rest)
        except StopIteration:
            raise EOFError from None

    return read


def played(rules: KunsRules, lines: list[str], *opponents: str, **options: Any) -> tuple[Summary, str]:
    """Play with what is typed, and return the outcome and everything that was shown."""
    console, text = capture(options.pop("encoding", "utf-8"))
    agents = [load(name) for name in opponents or ("call",)]
    options = {"seed": 7, **options}
    summary = Play(rules, agents, console=console, read=typing(lines), **options).run()
    return summary, text()


def chooser(rng: np.random.Generator, console: Console, stay: bool = True) -> Callable[[str], str]:
    """A person that chooses among the moves that the prompt lists."""

    def read(prompt: str) -> str:
        console.print(prompt, markup=False)
        choices = prompt.split("\n")[-2].split(": ", 1)[1].split(" | ")
        moves = [re.sub(r"^\d+ | \(.*\)$", "", choice) for choice in choices]
        if stay and "stay" in moves:
            return "stay"
        return str(rng.choice(moves))

    return read


def test_every_move_is_explained() -> None:
    rules = KunsRules(num_players=3)
    texts = {text for text in Table(rules)._game.move_texts(0) if text}
    assert {text.split()[0] for text in texts} == set(MOVES)


# --- a game from beginning to end ---------------------------------------------------------------------------


def test_a_hand_to_the_end() -> None:
    summary, text = played(DUEL, ["ante 2", "c", "2", "call"])
    assert summary.finished
    assert summary.hands == 1
    (record,) = summary.records
    assert verify(record) == 1
    assert summary.total == record.payoffs[0]
    assert record.moves[0] == (0, "ante 2")
    assert record.agents == ("you", "call")
    assert "You set the ante to 2." in text
    assert "Your opponent shows" in text
    assert "You show" in text
    assert re.search(r"(kuns \d+|no kuns, \d): ", text)
    assert "--seed 7" in text


def test_hands_are_recorded_as_they_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    summary, _ = played(DUEL, ["8", "c", "c", "c"] * 10, "random", hands=3, seed=3, record_file=file)
    assert summary.finished
    assert verify(file) == 3
    assert sum(record.payoffs[0] for record in read_records(file)) == summary.total
    # The deal goes round.
    dealers = [start_of(record).dealer for record in read_records(file)]
    assert dealers in ([0, 1, 0], [1, 0, 1])
    played(DUEL, ["1", "c", "quit"], record_file=file)
    assert verify(file) == 3  # a hand that was not finished is not there
    played(DUEL, ["1", "c", "c", "c"], record_file=file)
    assert verify(file) == 4


def test_the_same_seed_and_moves_give_the_same_game() -> None:
    texts = [played(KunsRules(), ["1"] * 50, "random", seed=seed)[1] for seed in (5, 5, 6)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("stop", ["quit", "Q", "exit", None])
def test_leaving_in_the_middle_is_polite(stop: str | None) -> None:
    summary, text = played(DUEL, ["1", "fold", *([] if stop is None else [stop])], hands=5)
    assert not summary.finished
    assert summary.hands == 1
    assert summary.total == -1
    assert "a hand that was not finished does not count" in text
    assert "After 1 hand you lost 1 chip." in text


def test_ctrl_c_leaves_too() -> None:
    def read(prompt: str) -> str:
        raise KeyboardInterrupt

    console, text = capture()
    assert not Play(DUEL, [load("call")], seed=1, console=console, read=read).run().finished
    assert "You leave the table" in text()


def test_help_hint_table_and_nonsense_do_not_move_the_game() -> None:
    asked = ["?", "help", "? call", "h fold", "table", "hint", "", "???", "[bold]", "9", "call me"]
    plain, _ = played(DUEL, ["2", "c", "c", "c"])
    summary, text = played(DUEL, [*asked, "2", *asked, "c", "c", *asked, "c"])
    assert summary.records == plain.records
    assert "A hand of five has kuns if" in text
    assert "pay the ante and stay in the hand" in text
    assert "'[bold]' is no move here" in text


def test_a_hint_says_what_the_cards_promise() -> None:
    _, text = played(DUEL, ["hint", "1", "c", "c", "hint"])
    hints = re.findall(r"equity would choose: (ante \d|call|fold)\. If all .* win (\d+)% of the pot", text)
    assert len(hints) == 2
    _, text = played(KunsRules(num_players=3), ["1", "fold", "hint"], seat=0, seed=2)
    assert "equity would choose: pass.\n" in text
    session = KunsRules(num_players=2, num_hands=None, side_bets=False, ante_menu=(1,))
    _, text = played(session, ["c", "c", "c", "hint"], "fold", seat=0, seed=2)
    assert "equity would choose: stay.\n" in text


def test_a_hint_says_how_the_solved_game_is_played() -> None:
    _, text = played(DUEL, ["hint", "1", "c", "hint", "c", "hint", "c"], "equilibrium")
    told = re.findall(r"nobody wins in the long run: ([^.]*)\.", " ".join(text.split()))
    assert len(told) == 3
    for moves in told:
        assert sum(int(share) for share in re.findall(r"(\d+)%", moves)) in (99, 100, 101)
    assert re.fullmatch(r"(ante \d \d+%(, )?)+", told[0])
    assert re.fullmatch(r"((call|fold) \d+%(, )?)+", told[1])


def test_help_follows_the_rules() -> None:
    rules = KunsRules(num_players=3, forced_ante=2, ante_menu=(5,), side_bets=True, no_kuns_zero_is_ten=True)
    _, text = played(rules, ["?"])
    assert "Before the deal everybody pays 2 chips" in text
    assert "The ante is 5." in text
    assert "bet with each other" in text
    assert "a 0 being the best" in " ".join(text.split())


@pytest.mark.parametrize("num_players", [2, 3, 5, 8])
@pytest.mark.parametrize("num_hands", [1, 2, None])
def test_every_game_can_be_played_and_is_told_right(num_players: int, num_hands: int | None) -> None:
    for seed in range(4):
        rules = KunsRules(num_players=num_players, num_hands=num_hands, max_hands=3, forced_ante=seed % 2)
        console, text = capture()
        read = chooser(np.random.default_rng(seed), console)
        seat = seed % num_players
        summary = Play(rules, [load("random")], seat=seat, seed=seed, console=console, read=read).run()
        assert summary.finished
        (record,) = summary.records
        assert summary.hands == len(record.hands or ())
        assert summary.total == record.payoffs[seat]
        assert len(re.findall(r"^Hand \d", text(), re.MULTILINE)) == summary.hands
        assert text().count("in all") == summary.hands


def test_hidden_cards_are_never_shown() -> None:
    checked = 0
    for seed in range(30):
        console, text = capture()
        read = chooser(np.random.default_rng(seed), console)
        Play(KunsRules(num_players=4), [load("random")], seed=seed, console=console, read=read).run()
        before_the_end = re.split(r"- (?:You|Seat \d \(random(?:#\d)?\)) shows? ", text())[0]
        own = {
            card for line in before_the_end.splitlines() if "You get" in line for card in CARD.findall(line)
        }
        assert set(CARD.findall(before_the_end)) <= own
        checked += len(own)
    assert checked > 60


def test_leaving_a_session_ends_the_game() -> None:
    console, text = capture()

    def read(prompt: str) -> str:
        return (
            "leave"
            if "leave" in prompt
            else "fold"
            if "fold" in prompt
            else "1"
            if "ante" in prompt
            else "pass"
        )

    rules = KunsRules(num_players=3, num_hands=None)
    summary = Play(rules, [load("call")], seed=2, console=console, read=read).run()
    assert summary.hands == 1
    assert not summary.finished
    assert "You leave the session" in text()


def test_a_terminal_without_suits_gets_letters() -> None:
    _, text = played(DUEL, ["1", "c", "c", "c"], encoding="ascii")
    assert re.search(r"You get (?:10|[A2-9])[cdhs] ", text)


@settings(max_examples=30)
@given(st.integers(0, 2**40))
def test_the_winner_that_is_told_is_the_one_that_is_paid(seed: int) -> None:
    summary, text = played(DUEL, ["1", "c", "c", "c"], seed=seed)
    told = re.findall(
        r"- (You|Your opponent|You and your opponent|Your opponent and you) (?:takes?|share) the pot", text
    )
    assert len(told) == 1
    expected = 0 if " and " in told[0] else 1 if told[0] == "You" else -1
    assert np.sign(float(summary.total)) == expected


def test_a_move_without_a_choice_is_told_and_made() -> None:
    """Who has folded and backs one of two hands can only oppose the other."""
    rules = KunsRules(num_players=3, ante_menu=(1,), side_stakes=(2,))
    summary, text = played(rules, ["fold", "back 1", "pass", "pass"], seat=0)
    assert summary.finished
    assert "  Which hand is to be beaten: against 2, the only move.\n" in text
    assert "  For how many antes: stake 2, the only move.\n" in text
    (record,) = summary.records
    assert [move for seat, move in record.moves if seat == 0][:4] == [
        "fold",
        "back 1",
        "against 2",
        "stake 2",
    ]


def test_a_fold_without_a_choice_is_asked_for() -> None:
    rules = KunsRules(num_players=2, bankroll=1, ante_menu=(1,), side_bets=False)
    asked: list[str] = []

    def read(prompt: str) -> str:
        asked.append(prompt)
        return "call" if "call" in prompt else "fold"

    Play(rules, [load("call")], seat=1, seed=7, console=capture()[0], read=read).run()
    assert any("fold" in prompt and "call" not in prompt for prompt in asked)


def test_players_are_named_where_they_do_something() -> None:
    rules = KunsRules(num_players=3, ante_menu=(1,))
    _, text = played(rules, ["call", "pass", "accept"] * 20, "equity", "call")
    assert "- Seat 1 (equity) offers a side bet that seat 1's hand beats" in text
    assert re.search(r"- Seat 2 \(call\) shows", text)
    assert "(you)" not in text


# --- bad input and failing opponents ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 2}, "seat=2"),
        ({"seat": -1}, "seat=-1"),
        ({"hands": 0}, "hands=0"),
        ({"hands": 10**9}, "hands=1000000000"),
        ({"hands": 1.5}, "hands=1.5"),
        ({"seed": -3}, "seed=-3"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Play(DUEL, [load("call")], **options)


def test_opponents_must_fit() -> None:
    with pytest.raises(ValueError, match="no opponents"):
        Play(DUEL, [])
    with pytest.raises(ValueError, match="2 opponents, but there is 1 other seat: --players 3 makes room"):
        Play(DUEL, [load("call"), load("fold")])
    with pytest.raises(ValueError, match="4 opponents, but there are 2 other seats: --players 5 makes room"):
        Play(KunsRules(num_players=3), [load("call")] * 4)
    with pytest.raises(ValueError, match=r"8 opponents, but there is 1 other seat$"):
        Play(DUEL, [load("call")] * 8)
    with pytest.raises(ValueError, match="it has no `supports`"):
        Play(DUEL, [SimpleNamespace(name="x", act=None)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="num_hands"):
        Play(KunsRules(num_players=2, num_hands=3), [load("call")], hands=2)


def test_an_opponent_that_fails_is_named() -> None:
    class Faulty:
        name = "faulty"

        def act(self, views: Any, rng: Any) -> Any:
            return np.full(len(views), np.nan)

        def supports(self, rules: Any) -> None:
            return None

    console, _ = capture()
    with pytest.raises(AgentFailedError, match=r"agent 'faulty' failed in deal 0, seat 1: returned nan"):
        Play(DUEL, [Faulty()], seed=7, console=console, read=typing(["1"])).run()


@pytest.mark.parametrize("name", ["[/red]", "[bold]x", ":smile:"])
def test_an_opponent_may_have_any_name(name: str) -> None:
    agent = load("call")
    agent.name = name
    console, text = capture()
    rules = KunsRules(num_players=3, ante_menu=(1,))
    lines = ["call", "against", "accept"] * 20
    Play(rules, [agent], seed=7, console=console, read=typing(lines)).run()
    assert f"seat 1 {name}" in text()


def test_the_prompt_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    console, text = capture()
    game = Play(DUEL, [load("call")], seed=7, console=console)
    assert game.read("[/red] :smile: ") == "quit"
    assert text() == "[/red] :smile: "
    with pytest.raises(EOFError):
        game.read("> ")
    monkeypatch.setattr("sys.stdin", None)  # as Python starts where it is closed
    with pytest.raises(EOFError):
        game.read("> ")


def test_rules_that_deal_no_hand_are_refused() -> None:
    with pytest.raises(RulesError, match="no hand can be dealt"):
        Play(KunsRules(num_players=2, bankroll=1, forced_ante=2), [load("call")])


def test_a_session_ends_when_the_person_cannot_pay() -> None:
    """The others would play on, up to a million hands."""
    rules = KunsRules(
        num_players=3, num_hands=None, max_hands=1_000_000, bankroll=1, ante_menu=(1,), side_bets=False
    )
    seeds = iter(range(20))
    text = ""
    while "You are out of the session" not in text:
        console, shown = capture()
        read = lambda prompt: next(move for move in ("call", "stay", "fold") if move in prompt)  # noqa: E731
        agents = [load("fold"), load("call")]
        summary = Play(rules, agents, seed=next(seeds), console=console, read=read).run()
        text = shown()
    assert summary.total == -1
    assert summary.hands < 20
