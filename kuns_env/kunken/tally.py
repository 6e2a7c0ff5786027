"""What is counted of finished deals: who won them and how; and, where it is asked for, how each seat played."""

from __future__ import annotations

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken import tables
from kuns_env.kunken.rules import KunkenRules
from kuns_env.kunken.settle import hand_points
from kuns_env.kunken.state import NOBODY
from kuns_env.tallies import HANDS, PAYOFF, Statistic, Words

TALLIES: Final = (HANDS, PAYOFF, "won", "express", "unwon", "turns", "takes", "laid")
"""Rows of a tally, each with a column a seat; `tally` says what they hold."""

AT_HANDS, AT_PAYOFF, AT_WON, AT_EXPRESS, AT_UNWON, AT_TURNS, AT_TAKES, AT_LAID = range(len(TALLIES))

STYLE_TALLIES: Final = ("opened", "open_turn", "melds", "lay_offs", "lost", "left")
"""Further rows, where a batch counts the style of play."""

NUM_TALLIES: Final = len(TALLIES)
AT_OPENED, AT_OPEN_TURN, AT_MELDS, AT_LAY_OFFS, AT_LOST, AT_LEFT = range(
    NUM_TALLIES, NUM_TALLIES + len(STYLE_TALLIES)
)

WORDS: Final = Words(amount="points", hand="deal")

STATISTICS: Final = (
    Statistic("won", HANDS, "won %", "Share of deals that it won (N4.9).", is_share=True),
    Statistic(
        "express", "won", "express %", "Share of the deals it won that scored double (N6.2).", is_share=True
    ),
    Statistic("takes", HANDS, "takes", "How often it took the bank in a deal (N4.2)."),
    Statistic("laid", HANDS, "points laid", "Points of the cards that it laid in a deal (N6.1), undoubled."),
    Statistic("turns", HANDS, "turns", "Turns of a deal, of all players.", of_table=True),
    Statistic(
        "unwon",
        HANDS,
        "no winner %",
        "Share of deals that nobody won (N5.1).",
        is_share=True,
        of_table=True,
    ),
    Statistic(
        "opened",
        HANDS,
        "opened %",
        "Share of deals in which it opened (N4.6).",
        is_share=True,
        group="opening",
    ),
    Statistic(
        "open_turn",
        "opened",
        "opening turn",
        "In which of its own turns it opened, its first being 1; of the deals in which it did (N4.6).",
        group="opening",
    ),
    Statistic("melds", HANDS, "melds", "New melds that it laid in a deal (N8.2 to N8.4).", group="laying"),
    Statistic(
        "lay_offs",
        HANDS,
        "lay-offs",
        "Cards that it laid on melds, its own or another's, in a deal (N8.5).",
        group="laying",
    ),
    Statistic(
        "left",
        "lost",
        "points left",
        "Points of the cards in its hand at the end of the deals that another won (N4.9); a joker counts 10.",
        group="laying",
    ),
)


def statistics(rules: KunkenRules) -> tuple[Statistic, ...]:  # noqa: ARG001 - in other games they depend on it
    """Return what the tallies say of those who played by ``rules``."""
    return STATISTICS


@jit.kernel
def tally(state, rules, tallies, row):  # noqa: ARG001 - every game's tally is called alike
    """Add the deal that has just ended to ``tallies[row]``, int64 ``(T, P)``.

    Deals and turns count for every seat alike, and so do deals without a winner; the rest is each seat's own. It
    reads the deal as it was settled, before the next one is dealt.
    """
    winner = int(state["last_winner"])
    for seat in range(tallies.shape[2]):
        tallies[row, AT_HANDS, seat] += 1
        tallies[row, AT_PAYOFF, seat] += state["payoff"][seat]
        tallies[row, AT_TURNS, seat] += state["last_turns"]
        tallies[row, AT_TAKES, seat] += state["last_takes"][seat]
        tallies[row, AT_LAID, seat] += state["last_laid"][seat]
        if winner == NOBODY:
            tallies[row, AT_UNWON, seat] += 1
    if winner != NOBODY:
        tallies[row, AT_WON, winner] += 1
        tallies[row, AT_EXPRESS, winner] += state["last_express"]
    if tallies.shape[1] > NUM_TALLIES:
        count_laying(state, tallies[row])
        if winner != NOBODY:
            count_left(state, winner, tallies[row])


@jit.kernel
def count_laying(state, counts):
    """N4.6, N8.2 to N8.5: when each seat opened, and what it laid. ``counts`` is int64 ``(T, P)`` here and below."""
    num_players = counts.shape[1]
    opened = 0  # a bit a seat
    turn, seat = -1, 0
    for i in range(int(state["num_history"])):
        kind = tables.KIND[state["history"][i]]
        if kind == tables.DRAW or kind == tables.TAKE or kind == tables.DEEP:
            turn += 1  # N2.3: turns go round
            seat = (int(state["dealer"]) + 1 + turn) % num_players
        elif kind == tables.SET or kind == tables.RUN:
            counts[AT_MELDS, seat] += 1
            # N4.3: a turn with a first meld does not end before the seat has opened.
            if (opened >> seat) & 1 == 0:
                opened |= 1 << seat
                counts[AT_OPENED, seat] += 1
                counts[AT_OPEN_TURN, seat] += turn // num_players + 1
        elif kind == tables.HIGH or kind == tables.LOW or kind == tables.FOURTH:
            counts[AT_LAY_OFFS, seat] += 1


@jit.kernel
def count_left(state, winner, counts):
    """N6.3: the points of the cards that the others hold."""
    for seat in range(counts.shape[1]):
        if seat != winner:
            counts[AT_LOST, seat] += 1
            counts[AT_LEFT, seat] += hand_points(state["one"][seat], state["two"][seat])
