"""Setting up an episode from options (K10), and reading a record as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kuns_env.cards import NO_CARD, format_card, format_cards, parse_card
from kuns_env.errors import OptionsError, quoted
from kuns_env.fields import as_integer, is_listing
from kuns_env.kuns import loops
from kuns_env.kuns.rules import HAND_SIZE, KunsRules
from kuns_env.kuns.state import OVER, STAY, UNITS, compile_rules, deck_of

OPTIONS: Final = ("dealer", "deck")
LOT: Final = -1
NO_CARDS: Final = np.zeros(0, np.int8)
UNDEALABLE: Final = "nobody can pay the forced ante (K2.3)"


def start(
    states: npt.NDArray[Any],
    rules: KunsRules,
    seed: int,
    slot: int,
    episode: int,
    options: Mapping[str, Any] | None,
) -> None:
    """Begin episode ``(seed, slot, episode)`` in ``states[0]``, set up as ``options`` say (K10.1).

    Raises:
        OptionsError: an unknown key, a seat or card that these rules do not have, a card twice.
    """
    dealer, prefix = parse_options(rules, options)
    loops.start_one(states, compile_rules(rules), seed, slot, episode, dealer, prefix)


def parse_options(rules: KunsRules, options: Mapping[str, Any] | None) -> tuple[int, npt.NDArray[np.int8]]:
    """Return (first dealer or -1 for the lot, first cards of the first deck)."""
    if options is None:
        return LOT, NO_CARDS
    if not isinstance(options, Mapping):
        raise OptionsError(f"options must be a mapping, not {quoted(options)}")
    for key in options:
        if key not in OPTIONS:
            raise OptionsError(f"unknown option {key!r}; there are: {', '.join(OPTIONS)} (K10.1)")
    dealer = parse_dealer(rules, options["dealer"]) if "dealer" in options else LOT
    return dealer, parse_deck(rules, options.get("deck", ()))


def parse_dealer(rules: KunsRules, value: object) -> int:
    """Return the seat that ``value`` names."""
    try:
        dealer = as_integer(value)
    except TypeError:
        dealer = LOT
    if not 0 <= dealer < rules.num_players:
        raise OptionsError(
            f"dealer={quoted(value)}: must be a seat from 0 to {rules.num_players - 1} (K10.1)"
        )
    return dealer


def parse_deck(rules: KunsRules, value: Any) -> npt.NDArray[np.int8]:
    """Return the cards of a deck or of its first part, as ids."""
    if not is_listing(value):
        raise OptionsError(f"deck={quoted(value)}: must be a list of cards such as ['Ah', 'Td'] (K10.1)")
    known = set(deck_of(rules))
    cards: list[int] = []
    for text in value:
        try:
            card = parse_card(text)
        except ValueError as error:
            raise OptionsError(f"deck: {error}") from None
        if card not in known:
            raise OptionsError(f"deck: {text!r} is not in the deck of these rules (K1.3)")
        if card in cards:
            raise OptionsError(f"deck: {text!r} is there twice (K10.1)")
        cards.append(card)
    return np.array(cards, np.int8)


def options_of(rules: KunsRules, state: np.void) -> dict[str, Any]:
    """Return the options that set up the hand in ``state``: its dealer and as much deck as it can need."""
    deck = state["deck"][: HAND_SIZE * rules.num_players]
    return {"dealer": int(state["dealer"]), "deck": format_cards(deck)}


def at_stake(_rules: KunsRules, states: npt.NDArray[Any], seats: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return what ``seats`` have paid into the pot and staked on side bets in the hands going on, in units ``(B,)``.

    Args:
        _rules: of all of them; they make no difference here.
        states: records, ``(B,)``.
        seats: a seat of each.
    """
    rows = np.arange(len(states))
    chips: npt.NDArray[np.int64] = states["paid"][rows, seats].astype(np.int64)
    chips += states["staked"][rows, seats]
    # What stands there between two hands is of the one that is settled.
    chips[np.isin(states["phase"], (STAY, OVER))] = 0
    chips *= UNITS
    return chips


def hand_texts(state: np.void, seat: int) -> list[str]:
    """Return the cards of ``seat`` that are in ``state``, ``?`` for a card that is hidden."""
    cards = state["hole"][seat][: int(state["num_cards"][seat])]
    return ["?" if card == NO_CARD else format_card(int(card)) for card in cards]
