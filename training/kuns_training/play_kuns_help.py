"""What a person may ask for while it plays: how the game goes, and what each move means."""

from __future__ import annotations

from typing import Final

from kuns_env.kuns.rules import KunsRules
from kuns_training.play_words import joined, plural

MOVES: Final = {
    "fold": "give up the hand: you pay no more, and what you paid stays in the pot.",
    "call": "pay the ante and stay in the hand.",
    "ante": "set the ante: what each player pays in each of the three rounds to stay in.",
    "pass": "offer no side bet.",
    "back": "begin a side bet on another's hand, since you have folded: name the hand that you say will win.",
    "against": "name the hand that is to be beaten. Who is still in the hand backs its own.",
    "stake": "say how much the side bet is for, as a multiple of the ante.",
    "accept": "take the other side of the bet that is offered.",
    "decline": "let the offer go to the next player, or lapse.",
    "stay": "play the next hand too.",
    "leave": "leave the session for good.",
}
"""The first word of a move, and what it does."""

ASKING: Final = {
    "a move": "or its first letters, where they fit no other.",
    "a number": "of the move as listed; where moves hold numbers, of the ante, seat or stake you mean.",
    "? call": "what a move means.",
    "hint": "what the agent `equity` would do; heads-up without side bets also how the game is best played.",
    "table": "the table once more.",
    "quit": "stop playing.",
}
"""What may be typed, and what it gives."""


def how_to_play(rules: KunsRules) -> list[str]:
    """Return the game under ``rules`` in a few paragraphs."""
    zero = "the best" if rules.no_kuns_zero_is_ten else "the worst"
    deal = (
        "You get two cards, two more, then the fifth. After each deal everyone calls (pays the ante) or folds, "
        "the dealer last. The best hand left takes the pot; equal hands share it. "
    )
    if rules.forced_ante:
        deal += f"Before the deal everybody pays {plural(rules.forced_ante, 'chip')}. "
    menu = joined([str(ante) for ante in rules.ante_menu])
    if len(rules.ante_menu) > 1:
        seen = "having seen two cards" if rules.dealer_sees_hand else "before the cards are dealt"
        deal += f"The dealer, {seen}, sets the ante: {menu.replace(' and ', ' or ')}."
    else:
        deal += f"The ante is {menu}."
    if rules.side_bets:
        deal += " After each round, players in and out of the hand may bet with each other on who beats whom."
    value = (
        "Kuns is played with cards from the ace (1) to the ten; suits do not matter. A hand of five has kuns if "
        "three of its cards add up to 10, 20 or 30. It is then worth the last digit of the other two, a 0 counting "
        "as 10, and beats every hand without kuns. Without kuns the last digit of all five cards counts, a 0 being "
        f"{zero}."
    )
    return [value, deal]


def about_moves(legal: list[str]) -> dict[str, str]:
    """Return the meaning of every kind of move in ``legal``."""
    return {kind: MOVES[kind] for kind in dict.fromkeys(move.split()[0] for move in legal)}
