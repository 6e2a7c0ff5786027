"""The tables of the docs page of Kuns, printed from the code that they describe."""

from __future__ import annotations

from kuns_env import pages
from kuns_env.kuns import history, moves
from kuns_env.kuns.encoders import TableEncoder
from kuns_env.kuns.rules import KunsRules
from kuns_env.tokens import RADIX


def fields() -> str:
    """Return the table of the fields of `KunsRules`."""
    return pages.fields(KunsRules)


def moves_table() -> str:
    """Return the table of all move numbers."""
    return pages.table(["number", "move"], [[move, moves.describe(move)] for move in range(moves.NUM_MOVES)])


def layout() -> str:
    """Return the table of the `table` encoding under the default rules."""
    return pages.layout(TableEncoder(KunsRules(), pad=False))


def tokens() -> str:
    """Return the table of the tokens of the `history` encoding."""
    return pages.tokens(
        [
            (history.PAD, history.PAD, "end of the sequence"),
            (history.RANK_BASE + 1, history.DEALER_BASE - 1, "a card: A to T"),
            (
                history.DEALER_BASE,
                history.ROUND_BASE - 1,
                "the dealer: how many seats to the left of the viewer",
            ),
            (
                history.ROUND_BASE,
                history.MOVE_BASE - 1,
                "a deal: round 1, 2, 3; the viewer's new cards follow",
            ),
            (
                history.MOVE_BASE,
                history.SHOWN_BASE - 1,
                f"a move: {moves.NUM_MOVES} x seats to the left of the viewer, plus the number of the move",
            ),
            (
                history.SHOWN_BASE,
                history.GONE - 1,
                "a hand is shown: seats to the left; five cards follow (K7.3)",
            ),
            (history.GONE, history.SEATED, "in a session: a seat has left; is still there (K2.2)"),
            (
                history.LOST,
                history.WON,
                "in a session: sign of its standing; the digits follow, in 1/840 chip",
            ),
            (history.DIGIT_BASE, history.NUM_TOKENS - 1, f"a digit to base {RADIX}, highest first"),
        ]
    )
