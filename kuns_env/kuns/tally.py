"""What is counted of finished hands: who won chips, and who stayed in to the showdown."""

from typing import Final

from kuns_env.jit import jit
from kuns_env.tallies import HANDS, PAYOFF, Statistic, Words

TALLIES: Final = (HANDS, PAYOFF, "won", "shown", "won_shown", "showdowns")
"""Rows of a tally, each with a column a seat; `tally` says what they hold."""

AT_HANDS, AT_PAYOFF, AT_WON, AT_SHOWN, AT_WON_SHOWN, AT_SHOWDOWNS = range(len(TALLIES))

STATISTICS: Final = (
    Statistic("won", HANDS, "won %", "Share of hands in which it won chips (K7.1).", is_share=True),
    Statistic(
        "shown",
        HANDS,
        "to a showdown %",
        "Share of hands in which it showed its cards (K7.3).",
        is_share=True,
    ),
    Statistic(
        "won_shown", "shown", "won there %", "Share of these in which it won chips (K7.1).", is_share=True
    ),
    Statistic(
        "showdowns",
        HANDS,
        "showdowns %",
        "Share of hands in which cards were shown (K7.3).",
        is_share=True,
        of_table=True,
    ),
)
"""What the tallies say of those who played."""

WORDS: Final = Words(amount="chips", hand="hand")


@jit.kernel
def tally(state, tallies, row):
    """Add the hand that has just ended to ``tallies[row]``, int64 ``(T, P)``.

    Hands and showdowns count for every seat alike; the rest is each seat's own.
    """
    for seat in range(tallies.shape[2]):
        tallies[row, AT_HANDS, seat] += 1
        tallies[row, AT_SHOWDOWNS, seat] += state["showdown"]
        tallies[row, AT_PAYOFF, seat] += state["payoff"][seat]
        won = 1 if state["payoff"][seat] > 0 else 0
        shown = 1 if state["showdown"] == 1 and state["shown"][seat, 0] >= 0 else 0
        tallies[row, AT_WON, seat] += won
        tallies[row, AT_SHOWN, seat] += shown
        tallies[row, AT_WON_SHOWN, seat] += won * shown
