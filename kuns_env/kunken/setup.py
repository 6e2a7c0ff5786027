"""Setting up an episode from options (N9), and reading a record as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.errors import OptionsError, quoted
from kuns_env.fields import as_integer, is_listing
from kuns_env.kunken import loops
from kuns_env.kunken.cards import (
    HIGH_POINTS,
    JOKER,
    NO_CARD,
    NUM_NATURALS,
    NUM_RANKS,
    NUM_SUITS,
    TEXTS,
    card_texts,
    format_cards,
    parse_card,
    points_of,
)
from kuns_env.kunken.rules import NUM_DECKS, KunkenRules
from kuns_env.kunken.state import UNITS, compile_rules

CARDS: Final = ("hands", "bank", "stock")
OPTIONS: Final = ("dealer", *CARDS)
LOT: Final = -1
HIDDEN: Final = "?"
"""A card that the viewer may not see, as text."""

Cards = npt.NDArray[np.int8]
NO_CARDS: Final = np.zeros(0, np.int8)


def start(
    states: npt.NDArray[Any],
    rules: KunkenRules,
    seed: int,
    slot: int,
    episode: int,
    options: Mapping[str, Any] | None,
) -> None:
    """Begin episode ``(seed, slot, episode)`` in ``states[0]``, set up as ``options`` say (N9.1).

    Raises:
        OptionsError: an unknown key, a seat or card that these rules do not have, a card too often, a hand of
            the wrong size, an empty bank or stock, or only some of ``hands``, ``bank`` and ``stock``.
    """
    dealer, *cards = parse_options(rules, options)
    loops.start_one(states, compile_rules(rules), seed, slot, episode, dealer, *cards)


def parse_options(rules: KunkenRules, options: Mapping[str, Any] | None) -> tuple[int, Cards, Cards, Cards]:
    """Return (first dealer or -1 for the lot, the cards of all hands, bank, stock); no bank for a shuffled deck."""
    if options is None:
        return LOT, NO_CARDS, NO_CARDS, NO_CARDS
    if not isinstance(options, Mapping):
        raise OptionsError(f"options must be a mapping, not {quoted(options)}")
    for key in options:
        if key not in OPTIONS:
            raise OptionsError(f"unknown option {key!r}; there are: {', '.join(OPTIONS)} (N9.1)")
    dealer = parse_dealer(rules, options["dealer"]) if "dealer" in options else LOT
    given = [key for key in CARDS if key in options]
    if not given:
        return dealer, NO_CARDS, NO_CARDS, NO_CARDS
    # What is there is read first: of two mistakes the one in a card is named.
    hands, bank, stock = (
        (parse_hands(rules, options[key]) if key == "hands" else parse_pile(key, options[key]))
        if key in options
        else []
        for key in CARDS
    )
    if len(given) < len(CARDS):
        missing = ", ".join(key for key in CARDS if key not in given)
        raise OptionsError(
            f"{', '.join(given)} without {missing}: hands, bank and stock belong together, "
            "since cards that are named nowhere are not in the deal (N9.1)"
        )
    check_deck(rules, [*hands, *bank, *stock])
    return dealer, np.array(hands, np.int8), np.array(bank, np.int8), np.array(stock, np.int8)


def parse_dealer(rules: KunkenRules, value: object) -> int:
    """Return the seat that ``value`` names."""
    try:
        dealer = as_integer(value)
    except TypeError:
        dealer = LOT
    if not 0 <= dealer < rules.num_players:
        raise OptionsError(f"dealer={quoted(value)}: must be a seat from 0 to {rules.num_players - 1} (N9.1)")
    return dealer


def parse_cards(key: str, value: Any) -> list[int]:
    """Return the card types that ``value`` names."""
    if not is_listing(value):
        raise OptionsError(f"{key}={quoted(value)}: must be a list of cards such as ['Ah', '*'] (N9.1)")
    cards = []
    for text in value:
        try:
            cards.append(parse_card(text))
        except ValueError as error:
            raise OptionsError(f"{key}: {error}") from None
    return cards


def parse_pile(key: str, value: Any) -> list[int]:
    """Return the card types of the bank or the stock, which hold a card at least."""
    cards = parse_cards(key, value)
    if not cards:
        raise OptionsError(f"{key}=[]: must hold a card at least (N9.1)")
    return cards


def parse_hands(rules: KunkenRules, value: Any) -> list[int]:
    """Return the card types of all hands, one hand after the other."""
    hands = list(value) if is_listing(value) else None
    if hands is None or len(hands) != rules.num_players:
        raise OptionsError(f"hands={quoted(value)}: must be {rules.num_players} lists of cards (N9.1)")
    cards: list[int] = []
    for seat, hand in enumerate(hands):
        held = parse_cards(f"hands[{seat}]", hand)
        if len(held) != rules.hand_size:
            raise OptionsError(f"hands[{seat}] has {len(held)} cards: must be {rules.hand_size} (N9.1, N1.2)")
        cards += held
    return cards


def check_deck(rules: KunkenRules, cards: Sequence[int]) -> None:
    """Refuse cards that the deck does not hold often enough (N1.1)."""
    for card, count in Counter(cards).items():
        most = rules.num_jokers if card == JOKER else NUM_DECKS
        if count > most:
            raise OptionsError(f"{TEXTS[card]!r} is there {count} times: the deck has {most} (N1.1, N9.1)")


def options_of(rules: KunkenRules, state: np.void) -> dict[str, Any]:
    """Return the options that set up the deal in ``state`` as it was dealt (N9.1).

    The stock is what was drawn from the first stock and what is left of it; where a new stock has been shuffled
    since, the rest of the first one is all drawn.
    """
    seats = range(rules.num_players)
    drawn = [int(card) for card in state["drawn"][: int(state["num_history"])] if card != NO_CARD]
    first = int(state["num_first_stock"])
    rest = state["stock"][int(state["stock_next"]) : int(state["num_stock"])].tolist()
    return {
        "dealer": int(state["dealer"]),
        "hands": [card_texts(state["dealt_one"][seat], state["dealt_two"][seat]) for seat in seats],
        "bank": format_cards(state["first_bank"][: int(state["num_first_bank"])]),
        "stock": format_cards([*drawn, *rest][:first]),
    }


def most_laid(rules: KunkenRules) -> int:
    """Return the points that all players together can lay in a deal at most (N1.3, N6.1).

    >>> most_laid(KunkenRules())
    700
    """
    if rules.joker_swap:  # a joker scores anew wherever it is laid again, a natural in its place never (N3.4)
        return HIGH_POINTS * (NUM_DECKS * NUM_NATURALS + rules.num_jokers)
    naturals = NUM_DECKS * NUM_SUITS * sum(points_of(rank) for rank in range(NUM_RANKS))
    return naturals + HIGH_POINTS * rules.num_jokers


def most_lost(rules: KunkenRules) -> int:
    """Return the units that a deal can cost a player at most: no player can give up and lose less (N7).

    >>> most_lost(KunkenRules()) // UNITS
    1400
    """
    if rules.settlement == "win":
        return UNITS // (rules.num_players - 1)
    # N6.3: what it holds counts against it, once or in the difference to each of the others.
    held = (1 if rules.settlement == "points" else rules.num_players - 1) * rules.hand_penalty
    doubled = 0 if rules.settlement == "points" else 2  # N6.2: of all that the others can lay
    return max(held, doubled) * most_laid(rules) * UNITS


def at_stake(rules: KunkenRules, states: npt.NDArray[Any], _seats: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the units that the deals going on can cost at most (`most_lost`), int64 ``(B,)``.

    Args:
        rules: of all of them.
        states: records, ``(B,)``.
        _seats: a seat of each; it makes no difference here.
    """
    return np.full(len(states), most_lost(rules), np.int64)


def hand_texts(state: np.void, seat: int) -> list[str]:
    """Return the cards of ``seat``: those in ``state``, then ``?`` for each that is hidden.

    Of a hand that the viewer may not see, the cards that everybody knows are there.
    """
    texts = card_texts(state["one"][seat], state["two"][seat])
    if not texts:
        texts = card_texts(state["known_one"][seat], state["known_two"][seat])
    return texts + [HIDDEN] * (int(state["num_cards"][seat]) - len(texts))
