"""What a person may ask for while it plays Kunken: how the game goes, and what each move means."""

from __future__ import annotations

from typing import Final

from kuns_env.kunken.rules import KunkenRules
from kuns_training.play_words import plural

MOVES: Final = {
    "draw": "take the top card of the stock.",
    "take": "claim a card of the bank: lay new melds with it from your hand, then get all cards above it too. "
    "`deep` claims the lower one of two equal cards.",
    "set": "lay three cards of one rank; a fourth is added with `lay`.",
    "run": "lay three cards of one suit that follow each other; more are added with `lay`.",
    "lay": "add a card to a meld on the table: on the high or low end of a run, or as the fourth of a set.",
    "discard": "put a card on the bank; that ends your turn.",
    "swap": "put a card in the place of the joker that stands for it, and take the joker.",
}
"""The first word of a move, and what it does."""

ASKING: Final = {
    "a number": "of the move as listed.",
    "a move": "or the beginning of it: `draw`, `take Kh`, `set 5c 5d 5h`, `lay 6s high`, `discard 7h`.",
    "a card": "to take it from the bank, or to discard it. Suits are c d h s, the joker is *, the ten T or 10.",
    "cards": "of a meld, up to 13 of them, such as `3s 4s 5s 6s`: they are laid one after the other.",
    "moves": "all moves that you may make now, where some are not listed.",
    "hint": "the best lay-outs of your hand, what each claim brings, and what an agent would do.",
    "table": "the table once more.",
    "? take": "what a move means.",
    "quit": "stop playing.",
}
"""What may be typed, and what it gives."""


def how_to_play(rules: KunkenRules) -> list[str]:
    """Return the game under ``rules`` in a few paragraphs."""
    jokers = (
        f", and {plural(rules.num_jokers, 'joker')} that may stand for any card, at most half of a meld"
        if rules.num_jokers
        else ""
    )
    twins = "" if rules.identical_cards_in_set else ", no card twice"
    aim = (
        f"Kunken is played with two decks of 52 cards{jokers}. You lay melds: sets of three or four cards of one "
        f"rank{twins}, and runs of three to thirteen cards of one suit. An ace, king, queen or jack counts 10 points, "
        "any other card 5, for who laid it."
    )
    total = f"at least {rules.bank_points} points"
    first = (
        "" if rules.bank_points_every_time else " (the first time; later only a meld with the claimed card)"
    )
    turn = (
        "In your turn you draw from the stock, or take a card of the bank, the open pile. Who takes has to lay new "
        f"melds of {total} from its hand and that card{first}, and then gets all cards above it as well. Once you "
        "have done so you have opened: in any turn you may lay new melds, and add cards to any meld on the table. "
    )
    if rules.open_from_stock:
        turn += f"You may open after a draw too, by laying {total}. "
    turn += "A discard onto the bank ends the turn."
    out = "your last card must be a discard" if rules.discard_to_go_out else "by a discard or by laying all"
    end = (
        f"Whose hand is empty goes out and ends the deal ({out}). Points that you laid are your score; who goes out "
        "having laid nothing before that turn scores double, an express. "
    )
    if rules.hand_penalty:
        end += "Cards left in hand are subtracted, a joker counting 10. "
    end += {
        "difference": "Each two players settle the difference of their scores.",
        "win": "Who goes out wins one point, which the others pay.",
        "points": "Everybody keeps its score.",
    }[rules.settlement]
    if rules.joker_swap:
        end += " Who has opened may swap a joker on the table for the card that it stands for."
    return [aim, turn, end]


def about_moves(legal: list[str]) -> dict[str, str]:
    """Return the meaning of every kind of move in ``legal``."""
    return {kind: MOVES[kind] for kind in MOVES if any(move.split()[0] == kind for move in legal)}
