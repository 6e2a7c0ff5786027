"""The tables of the docs page of Kunken, printed from the code that they describe."""

from __future__ import annotations

from kuns_env import pages
from kuns_env.kunken import history, moves
from kuns_env.kunken.cards import JOKER, NUM_NATURALS, NUM_RANKS, NUM_TYPES
from kuns_env.kunken.encoders import HistoryEncoder, TableEncoder
from kuns_env.kunken.rules import MAX_PLAYERS, KunkenRules
from kuns_env.kunken.state import UNITS
from kuns_env.tokens import RADIX


def fields() -> str:
    """Return the table of the fields of `KunkenRules`."""
    return pages.fields(KunkenRules)


def moves_table() -> str:
    """Return the table of all move numbers: a row a kind of move, in the order of the numbers."""
    runs = [
        (
            moves.RUN_BASE + i * moves.NUM_RUNS,
            moves.NUM_RUNS,
            f"a new run of three{where} (N8.3), by its lowest place",
        )
        for i, where in enumerate(
            ("", ", the joker lowest", ", the joker in the middle", ", the joker highest"),
        )
    ]
    kinds = [
        (moves.DRAW, 1, "draw from the stock (N4.1)"),
        (moves.TAKE_BASE, NUM_TYPES, "claim the copy nearest the top of the bank (N8.1)"),
        (moves.DEEP_BASE, NUM_NATURALS, "claim the copy nearest the bottom"),
        (
            moves.SET_BASE,
            NUM_RANKS * moves.NUM_SETS,
            f"a new set of three (N8.2), by rank; {moves.NUM_SETS} of each, in the order below",
        ),
        *runs,
        (moves.LONG_RUN_BASE, moves.NUM_LONG_RUNS, "a new run of four with both jokers inside (N8.4)"),
        (moves.HIGH_BASE, moves.NUM_ENDS, "a card on the high end of a run (N8.5)"),
        (moves.HIGH_JOKER_BASE, moves.NUM_ENDS, "a joker there, by the card that it stands for"),
        (moves.LOW_BASE, moves.NUM_ENDS, "a card on the low end of a run"),
        (moves.LOW_JOKER_BASE, moves.NUM_ENDS, "a joker there, by the card that it stands for"),
        (moves.FOURTH_BASE, NUM_NATURALS, "the fourth card of a set"),
        (moves.FOURTH_JOKER_BASE, NUM_RANKS, "a joker there, by rank"),
        (moves.DISCARD_BASE, NUM_TYPES, "discard (N8.6)"),
        (
            moves.SWAP_BASE,
            NUM_NATURALS,
            "the card for the joker that stands for it (N8.7), with `joker_swap`",
        ),
    ]
    texts = moves.ALL_TEXTS
    rows = [
        [
            pages.span(base, base + count - 1),
            f"`{texts[base]}`" + (f" … `{texts[base + count - 1]}`" if count > 1 else ""),
            meaning,
        ]
        for base, count, meaning in kinds
    ]
    return pages.table(["number", "text", "move"], rows)


def sets_table() -> str:
    """Return the new sets of one rank, the twos, in the order of their numbers."""
    texts = moves.ALL_TEXTS[moves.SET_BASE : moves.SET_BASE + moves.NUM_SETS]
    return ", ".join(f"{number} `{text}`" for number, text in enumerate(texts, moves.SET_BASE))


def layout() -> str:
    """Return the table of the `table` encoding under the default rules."""
    return pages.layout(TableEncoder(KunkenRules(), pad=False))


def sizes() -> str:
    """Return how long both encodings are, by player count."""
    rows: list[list[object]] = []
    for num_players in range(2, MAX_PLAYERS + 1):
        rules = KunkenRules(num_players=num_players)
        rows.append([num_players, TableEncoder(rules, False).shape[0], HistoryEncoder(rules, False).shape[0]])
    padded = KunkenRules()
    rows.append(["any, padded", TableEncoder(padded, True).shape[0], HistoryEncoder(padded, True).shape[0]])
    return pages.table(["players", "`table`", "`history`"], rows)


def tokens() -> str:
    """Return the table of the tokens of the `history` encoding."""
    a_move = f"a move: {moves.NUM_MOVES} x seats to the left of the viewer, plus the number of the move"
    return pages.tokens(
        [
            (history.PAD, history.PAD, "end of the sequence"),
            (
                history.CARD_BASE,
                history.DEALER_BASE - 1,
                f"a card: 2c, 2d, … As, and {history.CARD_BASE + JOKER} the joker",
            ),
            (
                history.DEALER_BASE,
                history.STOCK_BASE - 1,
                "the dealer: how many seats to the left of the viewer",
            ),
            (
                history.STOCK_BASE,
                history.MOVE_BASE - 1,
                "how many cards the stock held as the deal began, from 0 on; those of the bank follow",
            ),
            (
                history.MOVE_BASE,
                history.LOST - 1,
                f"{a_move}; a card that the viewer drew follows",
            ),
            (
                history.LOST,
                history.WON,
                f"sign of a standing: minus, plus; the digits follow, in 1/{UNITS} point",
            ),
            (history.DIGIT_BASE, history.NUM_TOKENS - 1, f"a digit to base {RADIX}, highest first"),
        ]
    )
