"""How much can be won in a block of deals: it must fit into the 64 bits in which it is counted."""

from __future__ import annotations

from typing import Final

from kuns_env import KunsRules
from kuns_env.engine.game import ILLEGAL_FINE, Rules
from kuns_training.arena.statistics import GRAIN

MOST_COUNTED: Final = 2**63 - 1
LUCK_ROOM: Final = 64
"""Luck is a sum of what many cards and moves were worth: room for so many times the most that a hand can pay."""


def most_paid(rules: Rules) -> int:
    """Return the most units that a hand can bring or cost a player, the fine for a fault included.

    Kuns: what all others can pay into the pot (K2.4, K4.2), and a side bet with every offer of every window (K6.1).
    Kunken: the most that each of the others can lose (N6).
    """
    others = rules.num_players - 1
    if isinstance(rules, KunsRules):
        from kuns_env.kuns.state import NUM_ROUNDS, UNITS

        ante = max(rules.ante_menu)
        paid = rules.forced_ante + NUM_ROUNDS * ante
        stake = max(rules.side_stakes) * ante if rules.side_bets else 0
        chips: int = others * (paid + ILLEGAL_FINE) + NUM_ROUNDS * rules.num_players * stake
        return chips * UNITS
    from kuns_env.kunken.setup import most_lost
    from kuns_env.kunken.state import UNITS as POINT

    units: int = others * (most_lost(rules) + ILLEGAL_FINE * POINT)
    return units


def most_hands(rules: Rules) -> int:
    """Return the most hands of an episode."""
    hands: int = (rules.num_hands or rules.max_hands) if isinstance(rules, KunsRules) else rules.num_deals
    return hands


def check_room(rules: Rules, block_deals: int, num_sittings: int, *, luck: bool) -> None:
    """Refuse blocks in which more may be won than 64 bits hold: sums would wrap without a word.

    Args:
        rules: what is played.
        block_deals: deals of a block.
        num_sittings: in how many seatings of all matches each of them is played.
        luck: whether luck is counted, in grains of `GRAIN` to a unit.

    Raises:
        ValueError: the block is too large; the message says how large it may be.
    """
    most_of_deal = num_sittings * most_hands(rules) * most_paid(rules) * (GRAIN * LUCK_ROOM if luck else 1)
    most_deals = MOST_COUNTED // most_of_deal
    if block_deals > most_deals:
        raise ValueError(
            f"block_deals={block_deals:,}: at these stakes, hands and seatings what is counted in a block may not fit "
            f"into 64 bits: at most {most_deals:,} deals"
        )
