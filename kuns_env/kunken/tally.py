"""What is counted of finished deals: who won them and how, how long they were, how often the bank was taken."""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.state import NOBODY
from kuns_env.tallies import HANDS, PAYOFF, Statistic, Words

TALLIES: Final = (HANDS, PAYOFF, "won", "express", "unwon", "turns", "takes", "laid")
"""Rows of a tally, each with a column a seat; `tally` says what they hold."""

AT_HANDS, AT_PAYOFF, AT_WON, AT_EXPRESS, AT_UNWON, AT_TURNS, AT_TAKES, AT_LAID = range(len(TALLIES))

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
)
"""What the tallies say of those who played."""

WORDS: Final = Words(amount="points", hand="deal")


@jit.kernel
def tally(state, tallies, row):
    """Add the deal that has just ended to ``tallies[row]``, int64 ``(T, P)``.

    Deals and turns count for every seat alike, and so do deals without a winner; the rest is each seat's own.
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
