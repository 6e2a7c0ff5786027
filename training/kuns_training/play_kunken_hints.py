"""Hints for a person that plays Kunken: the best lay-outs of a hand, what each claim brings, what an agent would do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from kuns_env.engine.view import View
from kuns_env.kunken.layouts import Layout, best_points, fewest_left
from kuns_training.play_host import advice
from kuns_training.play_kunken_prompt import above_claim
from kuns_training.play_kunken_words import Facts, Words
from kuns_training.play_words import JOKER, plural

ADVISER: Final = "thrifty"


def hints(view: View, words: Words, legal: list[str]) -> Iterator[Text]:
    """Yield lines that help to choose among the legal moves."""
    facts = view.to_dict()
    yield from hand_hints(facts, words)
    for move in legal:
        if move.startswith("take"):
            yield claim_hint(facts, words, move)
    if facts["owed"] is None and not any(move.startswith("take") for move in legal):
        yield from missing(facts, words)
    choice, problem = advice(ADVISER, view)
    if choice is None:
        yield Text(f"No advice: {problem}")
    else:
        yield Text.assemble(f"The agent {ADVISER} would choose: ", words.move(choice))


def hand_hints(facts: Facts, words: Words) -> Iterator[Text]:
    """Yield the lay-out of the hand with the most points, and the one that leaves fewest cards if it is another."""
    hand, identical = facts["cards"][words.seat], words.rules.identical_cards_in_set
    claim = facts["claimed"] if facts["claim_due"] else None
    most = best_points(hand, identical_cards_in_set=identical, must_use=claim)
    fewest = fewest_left(hand, identical_cards_in_set=identical, must_use=claim)
    if most is None or fewest is None:
        yield Text.assemble("No new meld takes ", words.card(str(claim)), ": add it to a meld of this turn.")
    elif not most.melds:
        yield Text("Your hand has no new meld.")
    else:
        yield Text.assemble("Most points in your hand: ", laid_out(most, words))
        if len(fewest.left) < len(most.left):
            yield Text.assemble("Fewest cards left: ", laid_out(fewest, words))


def claim_hint(facts: Facts, words: Words, move: str) -> Text:
    """Return how a claim can be completed with the most points, and which cards it brings (N4.2)."""
    card = move.split()[1]
    layout = best_points(
        [*facts["cards"][words.seat], card],
        identical_cards_in_set=words.rules.identical_cards_in_set,
        must_use=card,
    )
    brought = above_claim(facts["bank"], move)
    brings = Text.assemble(", and brings ", words.in_order(brought)) if brought else Text("")
    # A take that is legal can be completed; only growing the melds of the turn may take more than new melds.
    how = laid_out(layout, words) if layout else Text("can be completed")
    return Text.assemble(words.move(move), ": ", how, brings)


def missing(facts: Facts, words: Words) -> Iterator[Text]:
    """Yield what a claim of the bank lacks with the hand as it is: the most points that one of its cards lets lay."""
    if not facts["bank"]:
        return
    hand, rules = facts["cards"][words.seat], words.rules
    claims = {
        card: best_points([*hand, card], identical_cards_in_set=rules.identical_cards_in_set, must_use=card)
        for card in reversed(facts["bank"])
    }
    points = {card: layout.points for card, layout in claims.items() if layout is not None}
    if not points:
        yield Text("Nothing in the bank can be claimed: no card of it makes a new meld with your hand.")
        return
    best = max(points, key=lambda card: points[card])
    no_total = facts["opened"][words.seat] and not rules.bank_points_every_time  # N4.5
    if points[best] < rules.bank_points and not no_total:
        lacking = f": {points[best]} of {plural(rules.bank_points, 'point')}."
        yield Text.assemble("Nothing in the bank can be claimed: best with ", words.card(best), lacking)
    else:  # the card that was drawn made it possible
        lays = (
            f" of the bank would now lay {plural(points[best], 'point')}: you may claim it in your next turn."
        )
        yield Text.assemble("With your hand, ", words.card(best), lays)


def laid_out(layout: Layout, words: Words) -> Text:
    """Return melds, points and what is left; after a joker comes what it stands for."""
    melds = [
        words.in_order(
            JOKER + place if card == JOKER else card for card, place in zip(cards, places, strict=True)
        )
        for cards, places in zip(layout.melds, layout.places, strict=True)
    ]
    left = Text.assemble("leaving ", words.in_order(layout.left)) if layout.left else Text("leaving nothing")
    return Text.assemble(Text(" + ").join(melds), f" ({plural(layout.points, 'point')}), ", left)
