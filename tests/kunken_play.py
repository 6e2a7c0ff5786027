"""What several tests of Kunken need: records as texts, rules and games at random, an engine beside the oracle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kuns_env import KunkenRules, Table
from kuns_env.kunken.cards import RANKS, SUITS, TEXTS
from kuns_env.kunken.state import MELD, PHASES, RUN
from oracle.kunken import OVER, OWE, KunkenOracle
from oracle.kunken_games import BIG_HAND, MANY_POINTS, Choose, deck_of, draw_player, draw_rules, draw_setup

JOKER_TEXT = TEXTS[-1]
SET_UP = 0.85
"""Share of random games whose first deal is set up rather than dealt."""
FEWEST_POINTS, MOST_POINTS = 5, 200

MeldTexts = tuple[int, str, tuple[tuple[str, str], ...], tuple[int, ...]]
"""Owner, kind, cards with the places they take, and who laid each."""


class Difference(AssertionError):
    """The engine does not do what it should."""


# ---------------------------------------------------------------- a record as texts


@lru_cache(maxsize=2**16)
def held(one: int, two: int) -> tuple[str, ...]:
    """Return the cards of two words, sorted by text."""
    cards = [text for card, text in enumerate(TEXTS) for word in (one, two) if (word >> card) & 1]
    return tuple(sorted(cards))


def words(cards: list[str]) -> tuple[int, int]:
    """Return the two words of ``cards``: the way back from `held`."""
    count = Counter(TEXTS.index(card) for card in cards)
    return sum(1 << card for card in count), sum(1 << card for card in count if count[card] > 1)


def meld_texts(meld: Any) -> MeldTexts:
    """Return a meld of the record as the oracle has it."""
    return _meld_texts(meld.tobytes())


@lru_cache(maxsize=2**16)
def _meld_texts(data: bytes) -> MeldTexts:
    meld = np.frombuffer(data, MELD)[0]
    size, low = int(meld["size"]), int(meld["low"])
    cards, layers = meld["cards"].tolist(), meld["layers"].tolist()
    if meld["kind"] == RUN:
        places = [RANKS[low + i] + SUITS[int(meld["suit"])] for i in range(size)]
        laid = [TEXTS[card] for card in cards[low : low + size]]
        return (
            int(meld["owner"]),
            "run",
            tuple(zip(laid, places, strict=True)),
            tuple(layers[low : low + size]),
        )
    laid = [TEXTS[card] for card in cards[:size]]
    # A joker in a set stands for its rank (N3.4).
    placed = tuple((card, RANKS[low] if card == JOKER_TEXT else card) for card in laid)
    return int(meld["owner"]), "set", placed, tuple(layers[:size])


@dataclass
class Position:
    """A record as texts."""

    state: Any
    num_players: int
    hands: list[list[str]] = field(init=False)
    known: list[list[str]] = field(init=False)
    bank: list[str] = field(init=False)
    above: list[str] = field(init=False)
    stock: list[str] = field(init=False)
    melds: list[MeldTexts] = field(init=False)

    def __post_init__(self) -> None:
        state, seats = self.state, range(self.num_players)
        self.phase = PHASES[int(state["phase"])]
        one, two = state["one"].tolist(), state["two"].tolist()
        self.hands = [list(held(one[seat], two[seat])) for seat in seats]
        one, two = state["known_one"].tolist(), state["known_two"].tolist()
        self.known = [list(held(one[seat], two[seat])) for seat in seats]
        whole = [TEXTS[card] for card in state["bank"][: int(state["num_bank"])].tolist()]
        at = int(state["claim_at"])
        # The claimed card is in hand; what lay above it waits (N4.2).
        self.bank, self.above = (whole, []) if at < 0 else (whole[:at], whole[at + 1 :])
        stock = state["stock"][int(state["stock_next"]) : int(state["num_stock"])].tolist()
        self.stock = [TEXTS[card] for card in stock]
        self.melds = [meld_texts(state["melds"][number]) for number in range(int(state["num_melds"]))]

    def cards(self) -> Counter[str]:
        """Return every card of the deal, wherever it is."""
        on_table = [card for _, _, laid, _ in self.melds for card, _ in laid]
        in_hand = [card for hand in self.hands for card in hand]
        return Counter([*in_hand, *self.bank, *self.above, *self.stock, *on_table])

    def setup(self) -> dict[str, Any]:
        """Return the options of a deal that has just begun (N9.1)."""
        return {"hands": self.hands, "bank": self.bank, "stock": self.stock}


def position_of(table: Table) -> Position:
    return Position(table.state, table.rules.num_players)


# ---------------------------------------------------------------- the engine beside the oracle


def compare(table: Table, oracle: KunkenOracle) -> None:
    """Raise `Difference` where the record, or what the table says, is not as the oracle has it."""
    here = position_of(table)
    state, seats = here.state, slice(oracle.num_players)
    ended = len(oracle.deal_payoffs)
    facts: list[tuple[str, Any, Any]] = [
        ("seat to act", table.to_play, oracle.to_play),
        ("is over", table.is_over, oracle.is_over),
        ("legal moves", sorted(table.legal_moves()), oracle.legal_moves()),
        ("phase", here.phase, oracle.phase),
        ("dealer", table.dealer, oracle.dealer),
        ("hands", here.hands, [sorted(hand) for hand in oracle.hands]),
        ("bank", here.bank, oracle.bank),
        ("cards above the claimed one", here.above, oracle.above),
        ("stock", here.stock, oracle.stock),
        (
            "melds",
            here.melds,
            [
                (m.owner, m.meld.kind, tuple((laid.card, laid.place) for laid in m.meld.cards), m.layers)
                for m in oracle.melds
            ],
        ),
        ("known cards", here.known, [sorted(known.elements()) for known in oracle.known]),
        ("opened", [bool(flag) for flag in state["opened"][seats]], oracle.opened),
        ("points laid", state["laid_points"][seats].tolist(), oracle.laid_points),
        ("cards laid", state["num_laid"][seats].tolist(), oracle.num_laid),
        ("reshuffles", int(state["reshuffles"]), oracle.reshuffles),
        ("deals done", table.hands_done, ended),
    ]
    if state["num_history"] == 0 or oracle.phase == OVER:  # they change as a deal ends
        facts.append(("payoffs", table.payoffs(exact=True), oracle.payoffs()))
        if ended:
            facts.append(("scores", state["last_scores"][seats].tolist(), oracle.scores))
            facts.append(("payoffs of the deal", table.last_payoffs(exact=True), oracle.deal_payoffs[-1]))
    if oracle.phase != OVER:
        claimed = None if state["claim"] < 0 else TEXTS[int(state["claim"])]
        facts.append(("claimed card", claimed, oracle.claimed))
        facts.append(("points laid in this turn", int(state["turn_points"]), oracle.turn_points))
    if oracle.phase == OWE and oracle.debt is not None:
        due = bool(state["claim_due"])
        facts.append(("points owed", max(0, int(state["need"])), max(0, oracle.debt.points)))
        facts.append(("claimed card still owed", due, oracle.debt.claim is not None))
        facts.append(("a card to be left", bool(state["leave"]), oracle.debt.leave))
    if oracle.phase == OVER:
        winner = None if state["last_winner"] < 0 else int(state["last_winner"])
        facts.append(("winner", winner, oracle.winner))
        facts.append(("express", bool(state["last_express"]), oracle.express))
    for name, engine, reference in facts:
        if engine != reference:
            raise Difference(f"{name}: the engine says {engine}, the oracle {reference}")


def beside(table: Table, reference: Callable[..., KunkenOracle] = KunkenOracle) -> KunkenOracle:
    """Return an oracle at the beginning of the game of ``table``, which deals for both.

    A move is played on the table first: the oracle asks it for the deal or the new stock that the move brings.
    """
    return reference(
        table.rules.to_dict(),
        table.dealer,
        lambda deal: position_of(table).setup(),
        lambda below: position_of(table).stock,
    )


# ---------------------------------------------------------------- games at random


def random_game(number: int, **fixed: Any) -> tuple[Table, Choose]:
    """Return the random game of this number at its start and how it is played; ``fixed`` are fields of the rules.

    Every fifth has the next value of `bank_points`, so that a thousand games leave none out.
    """
    rng = random.Random(number)
    rules = {**draw_rules(rng), "num_deals": rng.choice((*[1] * 14, 2, 3)), **fixed}
    if number % 5 == 0:
        rules["bank_points"] = FEWEST_POINTS + number // 5 % (MOST_POINTS - FEWEST_POINTS + 1)
        if rules["bank_points"] > MANY_POINTS:
            rules["hand_size"] = min(rules["hand_size"], BIG_HAND)
    choose = draw_player(rng)
    options = None
    if rng.random() < SET_UP:
        options = draw_options(rng, rules)
    return Table(KunkenRules.from_dict(rules), seed=number, options=options), choose


def draw_options(rng: random.Random, rules: dict[str, Any]) -> dict[str, Any]:
    """Return a dealer and the cards of a deal, most often with a short stock: long deals are long discards."""
    cards = draw_setup(rng, rules)
    cards["stock"] = cards["stock"][: rng.choice((6, 12, 25, len(cards["stock"])))]
    return {"dealer": rng.randrange(rules["num_players"]), **cards}


@st.composite
def kunken_rules(draw: st.DrawFn, **fixed: Any) -> KunkenRules:
    """Return rules over every field of N11; episodes are short."""
    num_players = fixed.get("num_players") or draw(st.integers(2, 5))
    num_jokers = fixed.get("num_jokers", draw(st.integers(0, 2)))
    most = min(20, (len(deck_of(num_jokers)) - 2) // num_players)
    fields: dict[str, Any] = {
        "num_players": num_players,
        "num_jokers": num_jokers,
        "hand_size": draw(st.integers(3, most)),
        "num_deals": draw(st.sampled_from((1, 1, 2, 3))),
        "bank_points": draw(st.sampled_from((5, 15, 25, 50)) | st.integers(FEWEST_POINTS, MOST_POINTS)),
        "max_reshuffles": draw(st.integers(0, 3)),
        "settlement": draw(st.sampled_from(("difference", "win", "points"))),
    }
    for name in (
        "identical_cards_in_set",
        "joker_swap",
        "bank_points_every_time",
        "open_from_stock",
        "discard_to_go_out",
        "hand_penalty",
    ):
        fields[name] = draw(st.booleans())
    return KunkenRules(**{**fields, **fixed})


def drawn_game(rules: KunkenRules, seed: int) -> tuple[Table, Choose]:
    """Return a game under ``rules``, set up or dealt, and a way to play it."""
    rng = random.Random(seed)
    choose = draw_player(rng)
    options = None
    if rng.random() < SET_UP:
        options = draw_options(rng, rules.to_dict())
    return Table(rules, seed=seed, options=options), choose


def walk(table: Table, choose: Choose) -> Iterator[Table]:
    """Play ``table`` to its end and yield it in every position, the first and the last too."""
    yield table
    while not table.is_over:
        table.apply(choose(table.legal_moves()))
        yield table


def play_out(table: Table, choose: Choose) -> list[str]:
    """Play ``table`` to its end and return the moves."""
    moves = []
    while not table.is_over:
        moves.append(choose(table.legal_moves()))
        table.apply(moves[-1])
    return moves


def chi_square(counts: Any, expected: Any) -> float:
    """Return how many standard deviations the chi-square statistic is above its mean; ``expected`` may differ."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    freedom = len(counts) - 1
    return float((((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5)
