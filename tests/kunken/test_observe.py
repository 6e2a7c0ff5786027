"""The `table` encoding against what the same seat is told as plain data, slice by slice, recomputed in plain Python.

Clauses: N1.1, N2.1, N3.1-N3.3, N4.2-N4.4, N4.6, N5.1, N6.1, N6.2, N7, N8.5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from games import COMPILED, SMALL
from kunken_play import drawn_game, kunken_rules, random_game, walk
from kuns_env import KunkenRules, Table
from kuns_env.engine.game import game_of
from kuns_env.engine.view import ONE_ROW
from kuns_env.kunken import observe
from kuns_env.kunken.cards import RANKS, SUITS, TEXTS
from kuns_env.kunken.rules import MAX_PLAYERS
from oracle.kunken_games import deck_of

Facts = dict[str, Any]
Slices = dict[str, list[float]]

GAMES = 150 if COMPILED else 15
POSITIONS_A_GAME = 8
"""Positions of a game that are looked at, spread over it."""
NATURALS = TEXTS[:-1]
HIGH_CARDS = "JQKA"
PHASES = ("acquire", "owe", "play", "over")


class Difference(AssertionError):
    """A slice does not hold what the seat knows."""


# ---------------------------------------------------------------- the slices, from `View.to_dict`


def counted(cards: Iterable[str], order: Iterable[str] = TEXTS) -> list[float]:
    """Return how often each card of ``order`` is there."""
    count = Counter(cards)
    return [float(count[card]) for card in order]


def value(card: str) -> int:
    """N1.3; a joker counts 10 (N6.3)."""
    return 10 if card == "*" or card[0] in HIGH_CARDS else 5


def places(meld: Facts) -> list[str]:
    """Return what each card of a meld stands for: of a joker in a set its rank."""
    return [card.removeprefix("*") for card in meld["cards"]]


def plain(meld: Facts) -> list[str]:
    """Return the cards of a meld, a joker as ``*``."""
    return ["*" if card.startswith("*") else card for card in meld["cards"]]


def this_turn(facts: Facts) -> list[str]:
    """Return the moves of this turn as texts; at the end of all, those of the last one."""
    events = [event for event in facts["events"] if event != "reshuffle"]
    if facts["phase"] == "over" and "discard" in events[-1]:
        events.pop()
    ends = [number for number, event in enumerate(events) if "discard" in event]
    return [event.split(": ")[1] for event in events[ends[-1] + 1 if ends else 0 :]]


def had_laid(facts: Facts) -> bool:
    """Return whether the seat to act had laid a card in this deal before this turn (N6.2)."""
    events = [event for event in facts["events"] if event != "reshuffle"]
    before = events[: len(events) - len(this_turn(facts))]
    return any(re.match(rf"{facts['to_play']}: (set|run|lay)", event) for event in before)


def melds_of_this_turn(facts: Facts) -> int:
    return sum(move.split()[0] in ("set", "run") for move in this_turn(facts))


def open_melds(facts: Facts) -> list[Facts]:
    """Return the melds on which cards may be laid: while something is owed those of this turn (N4.3)."""
    melds: list[Facts] = facts["melds"]
    return melds[len(melds) - melds_of_this_turn(facts) :] if facts["phase"] == "owe" else melds


def beyond(meld: Facts, step: int) -> Iterator[str]:
    """Yield the card that would go on the high end of a run (``step`` 1) or the low end (-1), if there is one."""
    end = places(meld)[-1 if step > 0 else 0]
    rank = RANKS.index(end[0]) + step
    if meld["kind"] == "run" and 0 <= rank < len(RANKS):
        yield RANKS[rank] + end[1]


def fourth(meld: Facts, identical: bool) -> Iterator[str]:
    """Yield the cards that a set of three takes (N3.1)."""
    if meld["kind"] == "set" and len(meld["cards"]) == 3:
        rank = places(meld)[0][0]
        yield from (rank + suit for suit in SUITS if identical or rank + suit not in meld["cards"])


def card_slices(rules: KunkenRules, facts: Facts, order: list[int]) -> Slices:
    """Return where every card is."""
    own, bank = facts["cards"][order[0]], facts["bank"] + facts["waiting"]
    table = [card for meld in facts["melds"] for card in plain(meld)]
    known = [facts["known"][seat] for seat in order[1:]]
    unseen = Counter(deck_of(rules.num_jokers))
    unseen.subtract([*own, *bank, *table, *(card for cards in known for card in cards)])
    melds = open_melds(facts)
    return {
        "own": counted(own),
        "bank": counted(bank),
        "table": counted(table),
        "unseen": counted(unseen.elements()),
        "open_high": counted((card for meld in melds for card in beyond(meld, 1)), NATURALS)[12:],
        "open_low": counted((card for meld in melds for card in beyond(meld, -1)), NATURALS)[:40],
        "known": [entry for cards in known for entry in counted(cards)],
    }


def claim_slices(rules: KunkenRules, facts: Facts) -> Slices:
    """Return what each claim would bring, and the top of the bank."""
    taking = facts["phase"] == "owe" and facts["claimed"] is not None
    pile = facts["bank"] + [facts["claimed"]] * taking + facts["waiting"]
    brings: dict[str, dict[str, list[str]]] = {"top": {}, "deep": {}}
    for place, card in enumerate(pile):
        if card in brings["top"]:
            brings["deep"][card] = brings["top"][card]
        brings["top"][card] = pile[place:]
    slices = {}
    for name, cards in brings.items():
        slices[f"{name}_cards"] = [len(cards.get(card, [])) / rules.hand_size for card in TEXTS]
        slices[f"{name}_points"] = [
            sum(map(value, cards.get(card, []))) / rules.bank_points for card in TEXTS
        ]
    return {
        **slices,
        "top": counted(pile[-1:]),
        "claim": counted([facts["claimed"]] if facts["claimed"] else []),
    }


def meld_slices(rules: KunkenRules, facts: Facts) -> Slices:
    """Return what lies on the table."""
    identical = rules.identical_cards_in_set
    sets = [meld for meld in facts["melds"] if meld["kind"] == "set"]
    runs = [meld for meld in facts["melds"] if meld["kind"] == "run"]
    sizes = [f"{len(meld['cards'])} {places(meld)[0][0]}" for meld in sets]
    spans = [places(meld)[0] for meld in runs for _ in meld["cards"]]
    jokers = [card.removeprefix("*") for meld in runs for card in meld["cards"] if card.startswith("*")]
    return {
        "open_set": counted(
            (card for meld in open_melds(facts) for card in fourth(meld, identical)), NATURALS
        ),
        "sets": counted(sizes, [f"{size} {rank}" for size in (3, 4) for rank in RANKS]),
        "set_jokers": counted(
            (places(meld)[0][0] for meld in sets for card in plain(meld) if card == "*"), RANKS
        ),
        "runs": [cards / 13 for cards in counted(spans, NATURALS)],
        "run_jokers": counted(jokers, NATURALS),
    }


def turn_slices(rules: KunkenRules, facts: Facts) -> Slices:
    """Return what is decided and owed, and how far the deal and the episode are."""
    ended = facts["phase"] == "over"
    return {
        "phase": counted([facts["phase"]], PHASES),
        "owed": [(facts["owed"] or 0) / rules.bank_points, facts["claim_due"], facts["leave"]],
        "turn": [
            facts["turn_points"] / rules.bank_points,
            melds_of_this_turn(facts),
            not ended and not had_laid(facts),
        ],
        "left": [
            facts["stock_left"] / rules.hand_size,
            facts["reshuffles_left"],
            len(facts["bank"] + facts["waiting"]) / rules.hand_size,
        ],
        "deals_done": [(facts["hand"] - (not ended)) / rules.num_deals],
    }


def seat_slices(rules: KunkenRules, facts: Facts, order: list[int]) -> Slices:
    """Return what is public of every seat."""
    layers = Counter(layer for meld in facts["melds"] for layer in meld["layers"])
    return {
        "hand_size": [facts["hand_sizes"][seat] / rules.hand_size for seat in order],
        "laid_points": [facts["laid_points"][seat] / rules.bank_points for seat in order],
        "num_laid": [layers[seat] / rules.hand_size for seat in order],
        "opened": [facts["opened"][seat] for seat in order],
        "standing": [float(Fraction(facts["standings"][seat]) / rules.bank_points) for seat in order],
        "dealer": [seat == facts["dealer"] for seat in order],
        "to_act": [seat == facts["to_play"] for seat in order],
    }


def slices_of(table: Table, seat: int) -> Slices:
    """Return every slice of the encoding for ``seat``, recomputed."""
    rules, facts = table.rules, table.view(seat).to_dict()
    order = [(seat + distance) % rules.num_players for distance in range(rules.num_players)]
    return {
        **card_slices(rules, facts, order),
        **claim_slices(rules, facts),
        **meld_slices(rules, facts),
        **turn_slices(rules, facts),
        **seat_slices(rules, facts, order),
    }


def compare(observation: np.ndarray[Any, Any], layout: Any, wanted: Slices) -> None:
    """Raise `Difference` where a slice is not as ``wanted``; entries of seats that are not there are zero."""
    if set(wanted) != {feature.name for feature in layout}:
        raise Difference(f"other features: {set(wanted) ^ {feature.name for feature in layout}}")
    for feature in layout:
        values = np.asarray(wanted[feature.name], np.float64)
        padded = np.pad(values, (0, feature.size - len(values)))
        part = observation[layout[feature.name]]
        if not np.allclose(part, padded, rtol=1e-6, atol=0):
            raise Difference(f"{feature.name}: {part.tolist()}, wanted {padded.tolist()}")


def some_positions(table: Table, choose: Any) -> list[Table]:
    """Return positions of a game, spread over it, the last one always."""
    seen = [position.clone() for position in walk(table, choose)]
    return seen[:: max(1, len(seen) // POSITIONS_A_GAME)] + seen[-1:]


def test_every_slice_is_what_the_seat_knows() -> None:
    met: Counter[str] = Counter()
    for number in range(GAMES):
        table, choose = random_game(number)
        game = game_of(table.rules)
        for position in some_positions(table, choose):
            for seat in range(table.rules.num_players):
                wanted = slices_of(position, seat)
                for pad in (False, True):
                    layout = game.encoder("table", pad).layout  # type: ignore[attr-defined]
                    compare(position.view(seat).observation("table", pad), layout, wanted)
                met.update(name for name, values in wanted.items() if any(values))
                met.update(f"owed {i}" for i, entry in enumerate(wanted["owed"]) if entry)
                met.update(f"turn {i}" for i, entry in enumerate(wanted["turn"]) if entry)
    if COMPILED:
        owed = {f"{name} {i}" for name in ("owed", "turn") for i in range(3)}
        missing = {feature.name for feature in observe.layout(KunkenRules())} | owed - set(met)
        assert not missing - set(met), "never anything but zero"


def midgame(**fields: Any) -> Table:
    """Return a game in the middle of a take, with cards above the claimed one and melds of both players."""
    rules = KunkenRules(hand_size=7, bank_points=25, **fields)
    table = Table(
        rules,
        seed=3,
        options={
            "dealer": 0,
            "hands": [["9c", "9d", "5c", "6c", "*", "Kh", "2c"], ["3s", "4s", "5s", "Jh", "Jd", "*", "8d"]],
            "bank": ["9s", "4h", "Jc", "2d", "9h", "2d"],
            "stock": ["As", "7h", "7h", "Qd"],
        },
    )
    for move in ("take Jc", "set Jc Jd Jh", "run 3s 4s 5s", "discard 8d", "take 9s", "set 9c 9d 9s"):
        table.apply(move)
    return table


@pytest.mark.parametrize("name", [feature.name for feature in observe.layout(KunkenRules())])
def test_a_wrong_slice_is_found(name: str) -> None:
    table = midgame()
    layout = observe.layout(table.rules)
    wanted = slices_of(table, 0)
    compare(table.view(0).observation(), layout, wanted)
    for place in range(layout[name].start, layout[name].stop):
        observation = table.view(0).observation()
        observation[place] += 0.01
        with pytest.raises(Difference, match=name):
            compare(observation, layout, wanted)


# ---------------------------------------------------------------- what holds of every encoding


def encoded_from_the_full_record(table: Table, seat: int, name: str, pad: bool) -> bytes:
    encoder = game_of(table.rules).encoder(name, pad)
    return bytes(encoder.encode(table._states, ONE_ROW, np.array([seat]))[0].tobytes())


@settings(max_examples=settings().max_examples // 2)
@given(kunken_rules(), SMALL)
def test_full_and_redacted_records_give_the_same(rules: KunkenRules, seed: int) -> None:
    for position in some_positions(*drawn_game(rules, seed)):
        for seat in range(rules.num_players):
            for name in ("table", "history"):
                for pad in (False, True):
                    seen = position.view(seat).observation(name, pad).tobytes()
                    assert encoded_from_the_full_record(position, seat, name, pad) == seen


@settings(max_examples=settings().max_examples // 2)
@given(kunken_rules(), SMALL)
def test_values_lie_in_their_range(rules: KunkenRules, seed: int) -> None:
    game = game_of(rules)
    for position in some_positions(*drawn_game(rules, seed)):
        for seat in range(rules.num_players):
            for pad in (False, True):
                encoder = game.encoder("table", pad)
                values = position.view(seat).observation("table", pad)
                assert values.shape == encoder.shape
                assert values.dtype == encoder.dtype == np.float32
                outside = (values < encoder.low) | (values > encoder.high)
                assert not outside.any(), np.flatnonzero(outside)


@pytest.mark.parametrize("num_players", range(2, MAX_PLAYERS + 1))
def test_padding_lays_out_five_seats(num_players: int) -> None:
    rules = KunkenRules(num_players=num_players)
    narrow, wide = observe.layout(rules), observe.layout(rules, pad=True)
    assert wide.size == observe.layout(KunkenRules(num_players=MAX_PLAYERS)).size
    assert [feature.name for feature in narrow] == [feature.name for feature in wide]
    view = Table(rules, seed=num_players).view(1)
    for feature in narrow:
        whole = view.observation("table", pad=True)[wide[feature.name]]
        assert whole[: feature.size].tolist() == view.observation()[narrow[feature.name]].tolist()
        assert not whole[feature.size :].any()
    assert narrow.size == 771 + 60 * num_players - 5  # what docs and networks rely on


def test_an_encoding_does_not_depend_on_what_was_in_the_array() -> None:
    table = midgame()
    encoder = game_of(table.rules).encoder("table", True)
    rows, viewers = np.zeros(2, np.int64), np.arange(2)
    out = np.full((2, *encoder.shape), np.nan, np.float32)
    game_of(table.rules).loops.encode_table(
        table._states,
        game_of(table.rules).compiled,
        rows,
        viewers,
        encoder.kernel,  # type: ignore[attr-defined]
        out,
    )
    assert out.tobytes() == encoder.encode(table._states, rows, viewers).tobytes()


# ---------------------------------------------------------------- the layout, and words for people


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("num_players", range(2, MAX_PLAYERS + 1))
def test_every_feature_is_described(num_players: int, pad: bool) -> None:
    layout = observe.layout(KunkenRules(num_players=num_players), pad)
    for feature in layout:
        assert feature.doc[0].islower() or feature.doc[0].isdigit()
        assert not feature.entries or len(feature.entries) == len(set(feature.entries)) == feature.size
        assert feature.low <= 0 < feature.high
    assert len({feature.name for feature in layout}) == len(layout.features) == observe.F_TO_ACT + 1


def test_names_and_places_of_features_agree() -> None:
    names = [feature.name for feature in observe.layout(KunkenRules())]
    for number, name in enumerate(names):
        assert getattr(observe, f"F_{name.upper()}") == number


def test_what_is_explained() -> None:
    said = midgame().view(0).explain("table")
    assert said["own"] == dict.fromkeys(("2c", "5c", "6c", "Kh", "*"), 1.0)
    assert said["bank"] == {"4h": 1.0, "8d": 1.0}
    assert said["claim"] == {"9s": 1.0}
    assert said["owed"] == {"points": pytest.approx((25 - 15) / 25)}
    assert said["top_cards"] == pytest.approx({"4h": 2 / 7, "8d": 1 / 7, "9s": 3 / 7})
    assert said["known"] == {"+1 2d": 2.0, "+1 9h": 1.0}
    assert said["sets"] == {"3 9": 1.0, "3 J": 1.0}
    assert said["open_set"] == dict.fromkeys(("9c", "9d", "9h", "9s"), 1.0)  # not the jacks: N4.3
    assert "open_high" not in said
    assert said["runs"] == pytest.approx({"3s": 3 / 13})
    assert said["dealer"] == [1.0, 0.0]


def test_identical_cards_in_sets_n3_1() -> None:
    table = midgame(identical_cards_in_set=False)
    assert table.view(0).explain("table")["open_set"] == {"9h": 1.0}


@pytest.mark.parametrize("shape", [(3,), (1, 886), ()])
def test_what_is_no_observation_cannot_be_explained(shape: tuple[int, ...]) -> None:
    encoder = game_of(KunkenRules()).encoder("table")
    with pytest.raises(ValueError, match=r"this layout has shape \(886,\)"):
        encoder.explain(np.zeros(shape, np.float32))
