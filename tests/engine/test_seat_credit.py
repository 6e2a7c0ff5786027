"""The learner is paid exactly what it won: every game is played once more on a `Table`, and compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kuns_env import KunkenRules, KunsRules, Table
from kuns_env.engine import seat_loops
from kuns_env.engine.game import game_of
from kuns_env.engine.seat import SeatGames
from kuns_env.engine.seat_opponents import UniformOpponent

SEED = 11
Log = dict[tuple[int, int], list[tuple[int, int]]]
"""(slot, episode) to what was played there: seat and move, in order."""


class Recorder:
    """Plays at random, or by preference, and writes down what it did."""

    def __init__(self, log: Log, prefer: tuple[str, ...] = ()) -> None:
        self.name, self.log, self.prefer = "recorder", log, prefer

    def supports(self, rules: Any) -> str | None:
        return None

    def act(self, views: Any, rng: np.random.Generator) -> Any:
        moves = UniformOpponent().act(views, rng)
        for row in range(len(views)) if self.prefer else ():
            moves[row] = self.preferred(views.view(row), moves[row])
        for game, seat, move in zip(views.games.tolist(), views.seats.tolist(), moves.tolist(), strict=True):
            self.log[tuple(game)].append((seat, move))
        return moves

    def preferred(self, view: Any, otherwise: int) -> int:
        texts = dict(zip(view.legal_moves(), np.flatnonzero(view.mask), strict=True))
        return next((int(texts[text]) for text in self.prefer if text in texts), otherwise)


@dataclass
class Transition:
    """A decision of the learner and what came of it."""

    observation: Any
    mask: Any
    reward: float = 0.0
    done: bool = False
    truncated: bool = False
    final: Any = None


@dataclass
class Played:
    """What the environment said about a run."""

    log: Log
    transitions: dict[tuple[int, int], list[Transition]] = field(default_factory=lambda: defaultdict(list))
    skipped: dict[int, tuple[int, float]] = field(default_factory=dict)
    logged: dict[tuple[int, int], tuple[float, int, int, int]] = field(default_factory=dict)
    seats: dict[tuple[int, int], int] = field(default_factory=dict)
    going_on: set[tuple[int, int]] = field(default_factory=set)


def play(
    rules: Any,
    *,
    num_games: int = 6,
    num_steps: int = 60,
    seats: int | str = "rotate",
    prefer: tuple[str, ...] = (),
    learner: tuple[str, ...] = (),
    **settings: Any,
) -> Played:
    """Play with a random learner, and gather what it was told."""
    played = Played(defaultdict(list))
    opponents = [Recorder(played.log, prefer), Recorder(played.log)]
    games = SeatGames(rules, opponents, num_games, SEED, seats=seats, **settings)
    rng, chooser = np.random.default_rng(5), Recorder(defaultdict(list), learner)
    hands, payoffs = games.skipped_hands, games.skipped_payoffs
    for _ in range(num_steps):
        keys = list(enumerate(games.episodes.tolist()))
        observations, masks, views = games.observations, games.masks, games.views()
        moves = chooser.act(views, rng)
        for row, key in enumerate(keys):
            played.seats[key] = int(games.seats[row])
            played.log[key].append((played.seats[key], int(moves[row])))
            played.transitions[key].append(Transition(observations[row], masks[row]))
        games.step(moves)
        hands, payoffs = hands + games.skipped_hands, payoffs + games.skipped_payoffs
        for row, key in enumerate(keys):
            last = played.transitions[key][-1]
            last.reward, last.done = games.rewards[row], bool(games.dones[row])
            last.truncated = bool(games.truncations[row])
            if last.done:
                last.final = games.final_observations[row]
                amounts = (
                    games.episode_payoffs,
                    games.episode_hands,
                    games.episode_lengths,
                    games.episode_seats,
                )
                played.logged[key] = tuple(array[row].item() for array in amounts)
    played.skipped = {row: (int(hands[row]), float(payoffs[row])) for row in range(num_games)}
    played.going_on = set(enumerate(games.episodes.tolist()))
    return played


def seat_of(rules: Any, seats: int | str, key: tuple[int, int]) -> int:
    return sum(key) % rules.num_players if isinstance(seats, str) else seats


class Replay:
    """One episode played again from its stream and the moves alone: what the learner should have been told."""

    def __init__(self, rules: Any, key: tuple[int, int], seat: int, moves: list[tuple[int, int]]) -> None:
        self.table, self.seat = Table(rules, SEED, slot=key[0], episode=key[1]), seat
        self.transitions: list[Transition] = []
        self.skipped: list[Fraction] = []
        self.payoffs: list[Fraction] = []
        self.own_hand = False  # whether the hand going on, or the one that `stay` led to, is the learner's
        for mover, move in moves:
            assert not self.over
            assert self.table.to_play == mover
            self.apply(mover, move)
        self.finish()

    @property
    def over(self) -> bool:
        return self.table.is_over or not self.table.seated[self.seat]

    def apply(self, mover: int, move: int) -> None:
        if mover == self.seat:
            view = self.table.view(mover)
            self.transitions.append(Transition(view.observation(), view.mask))
            self.own_hand = True
        hands = self.table.hands_done
        self.table.apply(move)
        if self.table.hands_done > hands:
            payoff = self.table.last_payoffs(exact=True)[self.seat]
            self.payoffs.append(payoff)
            if self.own_hand:
                self.transitions[-1].reward += payoff
            else:
                self.skipped.append(payoff)
            self.own_hand = False

    def finish(self) -> None:
        if self.transitions and self.over:
            last = self.transitions[-1]
            last.done, last.truncated = True, self.table.truncated
            last.final = self.table.view(self.seat).observation()


def check(rules: Any, seats: int | str, played: Played) -> dict[str, int]:
    """Compare a run with the replay of every one of its games, and return how often the rare things happened."""
    seen: dict[str, int] = defaultdict(int)
    hands: dict[int, int] = defaultdict(int)
    payoffs: dict[int, Fraction] = defaultdict(Fraction)
    before: dict[int, list[Fraction]] = defaultdict(list)
    for key, moves in sorted(played.log.items()):
        seat = seat_of(rules, seats, key)
        replay = Replay(rules, key, seat, moves)
        assert played.seats.get(key, seat) == seat
        told = played.transitions.get(key, [])
        assert len(told) == len(replay.transitions)
        for mine, theirs in zip(replay.transitions, told, strict=True):
            assert np.array_equal(mine.observation, theirs.observation)
            assert np.array_equal(mine.mask, theirs.mask)
            assert (mine.done, mine.truncated) == (theirs.done, theirs.truncated)
            assert float(mine.reward) == theirs.reward
            assert not mine.done or np.array_equal(mine.final, theirs.final)
        # The sum of all rewards and all that was skipped is all that was won.
        assert sum((Fraction(t.reward) for t in replay.transitions), Fraction(0)) + sum(
            replay.skipped
        ) == sum(replay.payoffs)
        assert replay.over == (key not in played.going_on)
        hands[key[0]] += len(replay.skipped)
        payoffs[key[0]] += sum(replay.skipped)
        before[key[0]] += replay.payoffs
        if replay.transitions and replay.over:
            total = before.pop(key[0])
            assert played.logged[key] == (float(sum(total)), len(total), len(told), seat)
            seen["truncated"] += replay.table.truncated
            seen["went on without the learner"] += not replay.table.is_over
        seen["skipped hands"] += len(replay.skipped)
        seen["skipped episodes"] += not replay.transitions and replay.over
        seen["ended on another's move"] += bool(moves) and replay.over and moves[-1][0] != seat
        seen["finished"] += replay.over
    for row, (number, payoff) in played.skipped.items():
        assert number == hands[row]
        assert payoff == pytest.approx(float(payoffs[row]), abs=1e-9)
    return seen


def one_ante(num_players: int, **fields: Any) -> KunsRules:
    """Rules under which the dealer, and who never gets to call, may never act."""
    defaults = {"forced_ante": 1, "ante_menu": (2,), "side_bets": False}
    return KunsRules(num_players=num_players, **(defaults | fields))


PLAYERS = range(2, 9)
KINDS = {
    "text": lambda players: KunsRules(num_players=players),
    "anted": lambda players: KunsRules.anted(players),
    "one-ante": lambda players: one_ante(players),
}
DEALS = {
    "dealt": KunkenRules(num_players=5, hand_size=20, num_deals=3, open_from_stock=True),
    # Whoever is dealt three of a kind may go out at once, before the others have moved.
    "three cards": KunkenRules(num_players=3, hand_size=3, bank_points=5, open_from_stock=True, num_deals=4),
    "mini": KunkenRules.mini(num_players=2, hand_penalty=True),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_every_hand_is_paid_exactly(kind: str, num_players: int) -> None:
    rules = KINDS[kind](num_players)
    seen = check(rules, "rotate", play(rules))
    assert seen["finished"]
    assert seen["ended on another's move"]


@pytest.mark.parametrize("seats", ["rotate", 1])
@pytest.mark.parametrize("kind", DEALS)
def test_every_deal_is_paid_exactly_n7_4(kind: str, seats: int | str) -> None:
    rules = DEALS[kind]
    lays = tuple(text for text in game_of(rules).move_ids(0) if text.startswith(("set", "run")))
    played = play(
        rules,
        seats=seats,
        num_steps=100 if kind == "dealt" else 250,
        prefer=lays if kind == "three cards" else (),
    )
    seen = check(rules, seats, played)
    assert seen["finished"]
    assert seen["ended on another's move"]
    assert (seen["skipped hands"] > 0) == (kind == "three cards")


@pytest.mark.parametrize("num_players", PLAYERS)
def test_in_any_fixed_seat(num_players: int) -> None:
    for seat in range(num_players):
        rules = one_ante(num_players, num_hands=2)
        check(rules, seat, play(rules, seats=seat, num_games=3, num_steps=20))


def test_also_when_it_folds_at_once() -> None:
    rules = KunsRules.anted(5)
    played = play(rules, learner=("fold",))
    check(rules, "rotate", played)
    # A fold in the first round costs the forced ante, whoever plays on and however long.
    folded = [
        key for key, told in played.transitions.items() if told[-1].done and not told[-1].mask[2:].any()
    ]
    assert folded
    assert {played.transitions[key][-1].reward for key in folded} == {-1.0}
    assert {played.log[key][-1][0] == played.seats[key] for key in folded} == {False, True}


@pytest.mark.parametrize("num_players", PLAYERS)
def test_hands_without_a_decision_are_skipped(num_players: int) -> None:
    # Who always folds lets the dealer win without a decision.
    rules = one_ante(num_players)
    seen = check(rules, "rotate", play(rules, prefer=("fold",), num_steps=100 if num_players < 5 else 250))
    assert seen["skipped episodes"]
    assert seen["skipped hands"] == seen["skipped episodes"]


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_hands_are_skipped_in_a_session(num_players: int) -> None:
    rules = one_ante(num_players, num_hands=7)
    seen = check(rules, "rotate", play(rules, prefer=("fold",), num_steps=150))
    assert seen["skipped hands"] > seen["skipped episodes"]


@pytest.mark.parametrize("side_bets", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4, 8])
def test_open_sessions_with_stay_and_leave(num_players: int, side_bets: bool) -> None:
    """K2.2: whoever leaves, the learner or others; a hand entered by `stay` is the learner's own."""
    rules = one_ante(num_players, num_hands=None, max_hands=6, side_bets=side_bets)
    seen = check(rules, "rotate", play(rules, prefer=("fold", "stay"), num_steps=200))
    assert num_players == 2 or seen["went on without the learner"]
    seen = check(rules, "rotate", play(rules, prefer=("stay",), learner=("stay",), num_steps=200))
    assert seen["truncated"] or num_players == 8
    check(rules, "rotate", play(rules, prefer=("leave",), learner=("stay",), num_steps=100))


@pytest.mark.parametrize("num_hands", [30, None])
def test_who_is_broke_is_out_while_others_play_on(num_hands: int | None) -> None:
    """K2.3: the learner's episode ends with the hand that broke it."""
    rules = one_ante(3, num_hands=num_hands, bankroll=7, ante_menu=(1, 3))
    played = play(rules, prefer=("call", "stay"), learner=("call", "stay"), num_steps=250)
    assert check(rules, "rotate", played)["went on without the learner"]


def test_a_truncated_session_has_its_last_observation() -> None:
    """K2.2."""
    rules = KunsRules(num_players=3, num_hands=None, max_hands=2)
    seen = check(rules, 1, play(rules, seats=1, learner=("stay",), prefer=("stay",), num_steps=150))
    assert seen["truncated"]


def test_threads_change_nothing() -> None:
    rules = one_ante(4, num_hands=3)
    one, two = play(rules), play(rules, num_threads=3)
    assert one.log == two.log
    assert one.logged == two.logged
    check(rules, "rotate", two)


# --- the check itself is seen to fail ------------------------------------------------------------------------


def to_the_wrong_seat(account: Any) -> Any:
    def broken(states: Any, rows: Any, rewards: Any, *rest: Any) -> Any:
        return account(states, rows, np.roll(rewards, 1, axis=1), *rest)

    return broken


def only_to_who_ended_the_hand(account: Any) -> Any:
    def broken(
        states: Any, rows: Any, rewards: Any, dones: Any, finals: Any, phase: Any, books: Any, over: Any
    ) -> Any:
        # The learner moves in all games at once, opponents in the rows that wait for them.
        paid = rewards if len(rows) == len(books.seats) else np.zeros_like(rewards)
        return account(states, rows, paid, dones, finals, phase, books, over)

    return broken


def skipped_hands_into_the_next(account: Any) -> Any:
    def broken(
        states: Any, rows: Any, rewards: Any, dones: Any, finals: Any, phase: Any, books: Any, over: Any
    ) -> Any:
        books.decided[:] = 1
        return account(states, rows, rewards, dones, finals, phase, books, over)

    return broken


def last_observation_of_another(account: Any) -> Any:
    def broken(states: Any, rows: Any, rewards: Any, dones: Any, finals: Any, *rest: Any) -> Any:
        return account(states, rows, rewards, dones, finals[::-1], *rest)

    return broken


@pytest.mark.parametrize(
    "breakage",
    [to_the_wrong_seat, only_to_who_ended_the_hand, skipped_hands_into_the_next, last_observation_of_another],
)
def test_wrong_credit_is_caught(breakage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = one_ante(3)
    settings: Any = {"prefer": ("fold",), "num_steps": 40}
    check(rules, "rotate", play(rules, **settings))
    monkeypatch.setattr(seat_loops, "account", breakage(seat_loops.account))
    with pytest.raises(AssertionError):
        check(rules, "rotate", play(rules, **settings))


@pytest.fixture(autouse=True)
def _same_run_twice() -> Iterator[None]:
    """No test may lean on global random state."""
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - looked at, not used
    yield
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002
