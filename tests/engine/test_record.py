"""Game records: what is written is read, verified, replayed, and shown to a seat without what it may not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from games import COMPILED_ONLY, MINI, SHORT_DEALS, SMALL, any_rules, chooser, same_bytes
from kuns_env import Batch, IllegalMoveError, KunkenRules, KunsRules, RecordError, Table
from kuns_env.engine import record as records_module
from kuns_env.engine import record_data
from kuns_env.engine.record import (
    Record,
    Recorder,
    append_records,
    end_of,
    read_records,
    record_of,
    replay,
    shown_to,
    verify,
    write_records,
)

SESSION = KunsRules(num_players=3, num_hands=None, max_hands=6, bankroll=40, forced_ante=1)
HANDS = KunsRules(num_players=3, num_hands=3, forced_ante=1)
BOTH = pytest.mark.parametrize(
    "rules", [pytest.param(HANDS, id="kuns"), pytest.param(SHORT_DEALS, id="kunken", marks=COMPILED_ONLY)]
)


def played(table: Table, seed: int = 0) -> Record:
    recorder = Recorder(table)
    choose = chooser(seed)
    while not table.is_over:
        recorder.apply(choose(table))
    return recorder.record()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


# ---------------------------------------------------------------- there and back


@given(any_rules(), SMALL)
def test_a_record_of_any_game_survives_json_and_replays_k7_1_n7_4(rules: Any, seed: int) -> None:
    table = Table(rules, seed=seed, slot=seed % 5, episode=seed % 3)
    record = played(table, seed)
    back = Record.from_json(record.to_json())
    assert back == record
    assert verify(back) == 1
    assert same_bytes(end_of(back), table)
    assert record.hands is not None
    assert [sum(column) for column in zip(*record.hands, strict=True)] == list(record.payoffs)


def set_up(rules: Any) -> dict[str, Any]:
    """Return options that set up the first hand or deal (K10.1, N9.1)."""
    if rules.game == "kuns":
        return {"dealer": 2, "deck": ["Ah", "Td", "5s"]}
    options = Table(rules, seed=99).setup_options()
    return {
        **options,
        "dealer": 2,
        "bank": options["bank"] + options["stock"][3:4],
        "stock": options["stock"][:3],
    }


@pytest.mark.parametrize(
    "rules",
    [
        KunsRules(num_players=3),
        HANDS,
        SESSION,
        *(pytest.param(r, marks=COMPILED_ONLY) for r in (MINI, SHORT_DEALS)),
    ],
    ids=range(5),
)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda rules: Table(rules, seed=3), id="seed"),
        pytest.param(lambda rules: Table(rules, seed=3, slot=4, episode=5), id="stream"),
        pytest.param(
            lambda rules: Table(rules, seed=3, options=set_up(rules)),
            id="options",
        ),
        pytest.param(lambda rules: Table(rules, options={"dealer": 1}), id="dealer"),
        pytest.param(
            lambda rules: Table(rules, seed=3).determinize(1, np.random.default_rng(1)), id="determinized"
        ),
        pytest.param(lambda rules: Batch(rules, 5, seed=9, first_slot=7).table(3), id="batch"),
    ],
)
def test_however_the_deal_came_about_all_hands_replay_k10_1_n9_1(
    rules: Any, make: Callable[[Any], Table]
) -> None:
    table = make(rules)
    dealt = table.setup_options()
    record = Record.from_json(played(table, 1).to_json())
    assert next(iter(replay(record))).table.setup_options() == dealt
    end = end_of(record)
    if rules.game == "kuns":  # beyond what a hand can need the deck is in no particular order
        end._states["deck"] = table._states["deck"]
    assert same_bytes(end, table)
    assert verify(record) == 1


@COMPILED_ONLY
def test_new_stocks_replay_n5_1() -> None:
    rules = KunkenRules(num_players=5, hand_size=20, num_deals=3, max_reshuffles=3)
    record = played(Table(rules, seed=3), 2)
    decks = [step.table for step in replay(record)]
    assert max(table.state["reshuffles"] for table in decks) > 1
    assert {table.hands_done for table in decks} == {0, 1, 2}
    other = record_data.replace(
        record, deal=record_data.Deal(3, options=decks[0].setup_options(), key=(1, 2))
    )
    with pytest.raises(RecordError):  # the same first deal, but another stream: the first new stock differs
        verify(other)


@BOTH
def test_a_seeded_game_is_told_by_its_seed_alone(rules: Any) -> None:
    data = played(Table(rules, seed=3)).to_dict()
    assert data["deal"] == {"seed": 3, "slot": 0, "episode": 0}


def test_a_deal_that_was_set_up_is_told_card_by_card_n9_1() -> None:
    options = set_up(SHORT_DEALS)
    deal = played(Table(SHORT_DEALS, seed=3, options=options)).to_dict()["deal"]
    hands = [sorted(hand) for hand in deal["options"].pop("hands")]
    assert hands == [sorted(hand) for hand in options.pop("hands")]
    assert deal == {"seed": 3, "slot": 0, "episode": 0, "options": options}


def test_moves_may_be_given_as_texts_or_numbers() -> None:
    table = Table(KunsRules.duel(), seed=3)
    texts = ["ante 2", "call", "fold"]
    game, numbers = table.clone(), []
    for move in texts:
        numbers.append(game.move_id(move))
        game.apply(move)
    before = table.state.tobytes()
    assert record_of(table, texts, agents=["a", "b"]) == record_of(table, numbers, agents=("a", "b"))
    assert table.state.tobytes() == before


def test_a_record_begins_at_the_first_decision_and_ends_at_the_end() -> None:
    table = Table(KunsRules.duel(), seed=3)
    with pytest.raises(ValueError, match="finished game: seat"):
        record_of(table, ["ante 2"])
    with pytest.raises(IllegalMoveError):
        record_of(table, ["ante 2", "raise"])
    with pytest.raises(ValueError, match="each of 2 seats"):
        record_of(table, ["ante 2", "fold"], agents=["equity"])
    table.apply("ante 2")
    with pytest.raises(ValueError, match="played on"):
        Recorder(table)
    session = Table(HANDS, seed=3)
    while session.hands_done == 0:  # the first decision of the second hand is none of the game
        session.apply("fold" if "fold" in session.legal_moves() else session.legal_moves()[0])
    with pytest.raises(ValueError, match="played on"):
        Recorder(session)
    deals = Table(SHORT_DEALS, seed=3)
    deals.apply("draw")
    with pytest.raises(ValueError, match="played on"):
        Recorder(deals)
    while deals.hands_done == 0:
        deals.apply(deals.legal_moves()[0])
    with pytest.raises(ValueError, match="played on"):
        Recorder(deals)


def test_an_illegal_move_is_not_taken_down() -> None:
    recorder = Recorder(Table(KunsRules.duel(), seed=3))
    for wrong in ("raise", 99, None, True):
        with pytest.raises(IllegalMoveError, match=r"raise|99|None|True"):
            recorder.apply(wrong)  # type: ignore[arg-type]
    assert recorder.moves == []
    recorder.apply("ante 1")
    recorder.apply("fold")
    with pytest.raises(IllegalMoveError, match="over"):
        recorder.apply("call")
    assert len(recorder.record().moves) == 2


@BOTH
def test_replay_gives_the_game_before_each_move(rules: Any) -> None:
    record = played(Table(rules, seed=5), 2)
    table = Table(rules, seed=5)
    steps = list(replay(record))
    assert len(steps) == len(record.moves)
    for step in steps:
        assert same_bytes(step.table, table)
        assert step.table.to_play == step.seat
        table.apply(step.move)


# ---------------------------------------------------------------- files


def some(count: int) -> list[Record]:
    return [played(Table(HANDS, seed=1, slot=slot), slot) for slot in range(count)]


def test_files_are_written_read_and_verified(path: Path) -> None:
    games = some(4)
    assert write_records(path, games) == 4
    assert list(read_records(path)) == [record_data.replace(game, line=i + 1) for i, game in enumerate(games)]
    assert append_records(path, games[:2]) == 2
    assert verify(path) == verify(str(path)) == 6
    assert path.read_bytes().count(b"\n") == 6
    assert not list(path.parent.glob(".*")), "a part of a file was left"


def test_a_writer_that_fails_leaves_the_old_file(path: Path) -> None:
    games = some(3)
    write_records(path, games[:1])

    def broken() -> Any:
        yield games[1]
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_records(path, broken())
    assert verify(path) == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with pytest.raises(RuntimeError):
        append_records(path, broken())
    assert verify(path) == 2


@pytest.mark.parametrize("cut", [1, 2, 40, -2, -1])
def test_a_killed_writer_leaves_one_truncated_line_that_the_reader_names(path: Path, cut: int) -> None:
    write_records(path, some(3))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:cut])
    whole = cut == -1  # only the end of the line is missing
    if whole:
        assert len(list(read_records(path))) == 3
    else:
        reader = read_records(path)
        next(reader), next(reader)
        with pytest.raises(RecordError, match=r"games\.jsonl, line 3: truncated"):
            next(reader)
    # The next writer goes on after the last whole line.
    assert append_records(path, some(1)) == 1
    assert verify(path) == (4 if whole else 3)


def test_appending_to_no_file_or_an_empty_one(path: Path) -> None:
    append_records(path, [])
    assert list(read_records(path)) == []
    append_records(path, some(1))
    assert verify(path) == 1


def change(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def edit(data: dict[str, Any]) -> None:
        data[name] = value

    return edit


def drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.pop(name)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("format", "other"), "no format"),
        (change("version", record_data.RECORD_VERSION + 1), "reads versions up to"),
        (change("version", "1"), "version '1'"),
        (change("version", 0), "version 0"),
        (change("version", True), "version True"),
        (change("game", "whist"), "no game 'whist'"),
        (change("game", 3), "game 3"),
        (change("rules", {"num_players": 9}), "num_players=9"),
        (change("rules", {"wild": 9}), "'wild' is not a field"),
        (change("rules", None), "rules"),
        (change("extra", 1), "'extra' is not a part"),
        (drop("moves"), "no 'moves'"),
        (drop("deal"), "no 'deal'"),
        (change("deal", {"seed": 1}), "no 'slot'"),
        (change("deal", {"seed": -1, "slot": 0, "episode": 0}), "seed -1"),
        (change("deal", {"seed": 1.5, "slot": 0, "episode": 0}), "seed 1.5"),
        (change("deal", {"seed": 1, "slot": 0, "episode": 0, "key": [1]}), "key"),
        (change("deal", {"seed": 1, "slot": 0, "episode": 0, "options": 3}), "options 3"),
        (change("deal", 7), "deal 7"),
        (change("moves", [[0]]), "damaged"),
        (change("moves", [[3, "call"]]), "seat 3"),
        (change("moves", [[True, "call"]]), "seat True"),
        (change("moves", [[0, 7]]), "move 7"),
        (change("moves", None), "damaged"),
        (change("payoffs", ["1"]), "3 amounts"),
        (change("payoffs", ["1", "nan", "0"]), "nan"),
        (change("payoffs", ["1", "1e9", "0"]), "1e9"),
        (change("payoffs", ["1", "1/0", "0"]), "damaged"),
        (change("payoffs", [1, 2, 3]), "payoff 1"),
        (change("hands", [["1"]]), "3 amounts"),
        (change("truncated", 0), "truncated 0"),
        (change("agents", ["a", "b"]), "3 names"),
        (change("program", None), "program None"),
    ],
)
def test_damage_is_named_with_its_line(
    path: Path, edit: Callable[[dict[str, Any]], None], message: str
) -> None:
    games = some(3)
    data = games[1].to_dict()
    edit(data)
    lines = [games[0].to_json(), json.dumps(data), games[2].to_json()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    reader = read_records(path)
    next(reader)
    with pytest.raises(RecordError, match=f"line 2: .*{message}"):
        next(reader)


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b"nothing", b"\xff\xfe", b"null", b'{"format": "kuns-env/other"}']
)
def test_lines_that_are_no_records(path: Path, line: bytes) -> None:
    path.write_bytes(line + b"\n")
    with pytest.raises(RecordError, match=r"line 1: not a record|line 1: .*no format"):
        list(read_records(path))


def test_records_of_an_older_version_stay_readable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = some(1)
    write_records(path, games)

    def upgrade(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "version": 2, "program": data["program"] + ", read by a later one"}

    monkeypatch.setattr(record_data, "RECORD_VERSION", 2)
    monkeypatch.setitem(record_data.UPGRADES, 1, upgrade)
    (record,) = read_records(path)
    assert record.program.endswith("later one")
    assert record.moves == games[0].moves


# ---------------------------------------------------------------- verify


def swap_seats(record: Record) -> Record:
    moves = list(record.moves)
    moves[1] = ((moves[1][0] + 1) % 3, moves[1][1])
    return record_data.replace(record, moves=tuple(moves))


def spoil(record: Record, place: int, move: str) -> Record:
    moves = list(record.moves)
    moves[place] = (moves[place][0], move)
    return record_data.replace(record, moves=tuple(moves))


WRONG: dict[str, tuple[Callable[[Record], Record], str]] = {
    "seat": (swap_seats, r"line 2, move 2: seat \d is to act, not seat"),
    "move": (lambda r: spoil(r, 0, "call"), r"line 2, move 1: seat \d may not 'call'; legal: ante"),
    "no move": (lambda r: spoil(r, 0, "raise 5"), r"line 2, move 1: seat \d may not 'raise 5'"),
    "missing": (
        lambda r: record_data.replace(r, moves=r.moves[:-1]),
        r"line 2, after move \d+ moves are missing: seat \d is to act",
    ),
    "none": (lambda r: record_data.replace(r, moves=()), "after move 0 moves are missing"),
    "too many": (
        lambda r: record_data.replace(r, moves=(*r.moves, (0, "call"))),
        r"move \d+: the game was over after move",
    ),
    "payoffs": (
        lambda r: record_data.replace(r, payoffs=(r.payoffs[0] + 1, r.payoffs[1] - 1, r.payoffs[2])),
        "line 2, the payoffs are",
    ),
    "a tiny part of a chip": (
        lambda r: record_data.replace(r, payoffs=(r.payoffs[0] + Fraction(1, 840), *r.payoffs[1:])),
        "line 2, the payoffs are",
    ),
    "hands": (
        lambda r: record_data.replace(r, hands=(r.hands[0], r.hands[2], r.hands[1])),  # type: ignore[index]
        "line 2, hand 2: the payoffs are",
    ),
    "number of hands": (
        lambda r: record_data.replace(r, hands=r.hands[:2]),  # type: ignore[index]
        "3 hands are played, not 2",
    ),
    "truncated": (lambda r: record_data.replace(r, truncated=True), "the game is not truncated"),
    "other seed": (
        lambda r: record_data.replace(r, deal=record_data.Deal(r.deal.seed + 7)),
        "line 2, ",
    ),
    "other rules": (
        lambda r: record_data.replace(r, rules=KunsRules(num_players=3, num_hands=3, forced_ante=2)),
        "line 2, ",
    ),
    "deal": (
        lambda r: record_data.replace(r, deal=record_data.Deal(1, options={"deck": ["Ah", "Ah"]})),
        "line 2, the deal does not fit the rules: .*twice",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_verify_names_the_first_thing_that_is_wrong(path: Path, wrong: str) -> None:
    edit, message = WRONG[wrong]
    games = some(3)
    assert games[1].hands is not None
    assert games[1].hands[1] != games[1].hands[2], "the example proves nothing"
    write_records(path, [games[0], edit(games[1]), games[2]])
    with pytest.raises(RecordError, match=message) as caught:
        verify(path)
    assert str(path) in str(caught.value)
    with pytest.raises(RecordError):
        verify(edit(games[1]))


def test_a_verifier_that_trusts_what_is_written_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "_check_payoffs", lambda *args: None)
    edit, _ = WRONG["payoffs"]
    with pytest.raises(pytest.fail.Exception), pytest.raises(RecordError):
        verify(edit(some(1)[0]))


def test_truncated_sessions_k2_2() -> None:
    rules = KunsRules(num_players=2, num_hands=None, max_hands=2, forced_ante=1, side_bets=False)
    table = Table(rules, seed=1)
    recorder = Recorder(table)
    while not table.is_over:
        legal = table.legal_moves()
        recorder.apply("stay" if "stay" in legal else "fold" if "fold" in legal else legal[0])
    record = recorder.record()
    assert record.truncated
    assert verify(record) == 1
    with pytest.raises(RecordError, match="is truncated"):
        verify(record_data.replace(record, truncated=False))


# ---------------------------------------------------------------- shown to a seat

CALLS = ["call", "call", "call"]


def test_a_record_shown_to_a_seat_k7_3() -> None:
    # The dealer is seat 0: seat 1 is dealt first. Seat 2 folds in round 2, the others show.
    rules = KunsRules(num_players=3, side_bets=False)
    deck = ["8c", "Tc", "5h", "5d", "Td", "9s", "Th", "7d", "As", "4s", "2c"]
    moves = ["ante 2", *CALLS, "call", "fold", "call", "call", "call"]
    record = record_of(
        Table(rules, seed=1, options={"dealer": 0, "deck": deck}), moves, agents=["x", "y", "z"]
    )
    told = shown_to(record, 2)
    text = json.dumps(told)
    assert told["agents"] == ["x", "y", "z"]
    assert "seed" not in text
    assert "deck" not in text
    assert told["events"][:3] == [
        {"hand": 1, "dealer": 0},
        {"cards": ["Tc", "Td"]},
        {"seat": 0, "move": "ante 2"},
    ]
    end = told["events"][-1]
    assert end["shown"][2] is None, "a folded hand is never shown"
    assert [len(hand) for hand in end["shown"] if hand] == [5, 5]
    assert end["payoffs"] == told["payoffs"]
    # To the others, and to a spectator, the folded cards are nowhere.
    for seat in (0, 1, None):
        other = json.dumps(shown_to(record, seat))
        assert not any(f'"{card}"' in other for card in ("Tc", "Td", "7d"))
    assert [event for event in shown_to(record, None)["events"] if "cards" in event] == []
    assert json.loads(text) == told


@BOTH
def test_an_episode_is_told_hand_by_hand_k7_3(rules: Any) -> None:
    record = played(Table(rules, seed=5), 2)
    told = shown_to(record, 1)
    ends = [event for event in told["events"] if "payoffs" in event]
    assert [event["payoffs"] for event in ends] == [record_data.texts(row) for row in record.hands or ()]
    begins = [event for event in told["events"] if "hand" in event]
    assert [event["hand"] for event in begins] == list(range(1, len(ends) + 1))
    assert [(e["seat"], e["move"]) for e in told["events"] if "move" in e] == list(record.moves)


def test_a_record_of_kunken_shown_to_a_seat() -> None:
    # The dealer is seat 1: seat 0 begins. Seat 1 takes the bank; no hand is shown at the end.
    rules = KunkenRules(hand_size=3, bank_points=15, max_reshuffles=0)
    hands, bank, stock = [["2c", "4d", "9s"], ["5h", "6h", "Ks"]], ["3c", "7h"], ["Qd", "Jd", "Td"]
    options = {"dealer": 1, "hands": hands, "bank": bank, "stock": stock}
    moves = [
        "draw",
        "discard 9s",
        "take 7h",
        "run 5h 6h 7h",
        "discard 9s",
        "draw",
        "discard 2c",
        "draw",
        "discard Ks",
    ]
    record = record_of(Table(rules, seed=1, options=options), moves)
    told = shown_to(record, 1)
    text = json.dumps(told)
    assert '"seed"' not in text
    assert '"stock"' not in text
    assert json.loads(text) == told
    public = [{"seat": seat, "move": move} for seat, move in record.moves]
    begin = {"hand": 1, "dealer": 1, "bank": ["3c", "7h"]}
    end = {"payoffs": ["-15", "15"], "shown": [None, None]}
    assert shown_to(record, None)["events"] == [begin, *public, end]
    assert told["events"] == [
        begin,
        {"cards": ["5h", "6h", "Ks"]},
        *public[:3],
        {"cards": ["5h", "6h", "7h", "Ks"]},
        public[3],
        {"cards": ["9s", "Ks"]},
        public[4],
        {"cards": ["Ks"]},
        *public[5:8],
        {"cards": ["Td", "Ks"]},
        public[8],
        end,
    ]


def test_a_seat_that_is_not_there() -> None:
    record = played(Table(HANDS, seed=5), 2)
    for seat in (-1, 3, True, "0"):
        with pytest.raises(ValueError, match="seat="):
            shown_to(record, seat)  # type: ignore[arg-type]


def test_a_record_may_be_shown_to_an_integer_of_numpy() -> None:
    recorder = Recorder(Table(KunsRules.duel(), seed=7, options={"dealer": 0}))
    for move in ("ante 2", "fold"):
        recorder.apply(move)
    record = recorder.record()
    assert json.dumps(shown_to(record, np.int64(1))) == json.dumps(shown_to(record, 1))


def test_a_line_that_json_stumbles_over_is_taken_away(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"[" * 100_000)
    assert append_records(file, []) == 0
    assert file.read_bytes() == b""


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_saved_table_is_told_from_a_record(tmp_path: Path, end: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(Table(KunsRules.duel(), 1).to_json() + end, "utf-8")
    with pytest.raises(RecordError, match=r"line 1: this is a saved table, .*Table.from_json.*not a record"):
        verify(path)
