"""The rules object of Kunken: every reading of RULES.md is a field (N11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kuns_env import fields
from kuns_env.errors import RulesError
from kuns_env.fields import RulesBase

MAX_PLAYERS: Final = 5
MAX_JOKERS: Final = 2
NUM_DECKS: Final = 2
DECK_CARDS: Final = 52
MAX_CARDS: Final = NUM_DECKS * DECK_CARDS + MAX_JOKERS
LEAST_HAND: Final = 3
MOST_HAND: Final = 20
MOST_DEALS: Final = 1_000
LEAST_BANK_POINTS: Final = 5
MOST_BANK_POINTS: Final = 200
MAX_RESHUFFLES: Final = 3
# The deal leaves two cards at least, as N11 asks: one begins the bank, one can be drawn.
assert MAX_PLAYERS * MOST_HAND + 2 <= NUM_DECKS * DECK_CARDS
SETTLEMENTS: Final = ("difference", "win", "points")


@dataclass(frozen=True, slots=True)
class KunkenRules(RulesBase):
    """One reading of the rules of Kunken. Immutable, validated, hashable, JSON-friendly.

    >>> KunkenRules(num_players=3).hand_size
    13

    Raises:
        RulesError: a field of the wrong type or out of range; it is a `ValueError`.
    """

    game: ClassVar[str] = "kunken"

    num_players: int = 2
    """Seats at the table, 2 to 5 (N1.2)."""

    num_jokers: int = MAX_JOKERS
    """Jokers in the deck of two times 52 cards, 0 to 2 (N1.1)."""

    hand_size: int = 13
    """Cards dealt to each player, 3 to 20 (N1.2)."""

    num_deals: int = 1
    """Deals in an episode, each settled by itself (N2.1, N7.4)."""

    identical_cards_in_set: bool = True
    """Whether two identical cards, one of each deck, may stand in one set (N3.1)."""

    joker_swap: bool = False
    """Whether a card may be put in the place of the joker that stands for it (N3.4)."""

    bank_points: int = 50
    """Points of new melds that taking the bank asks for (N4.2)."""

    bank_points_every_time: bool = True
    """Whether they are asked at every take, or only until a player has opened (N4.5)."""

    open_from_stock: bool = False
    """Whether a player may open by laying the points after a draw, without the bank (N4.6)."""

    discard_to_go_out: bool = False
    """Whether the last card must be a discard (N4.9)."""

    max_reshuffles: int = 1
    """How often the bank becomes a new stock when the stock is used up (N5.1)."""

    hand_penalty: bool = False
    """Whether cards left in hand are subtracted from a score (N6.3)."""

    settlement: str = "difference"
    """How scores are settled: `difference`, `win` or `points` (N7)."""

    def __post_init__(self) -> None:
        """Check every field."""
        checked = {
            "num_players": fields.integer("num_players", self.num_players, 2, MAX_PLAYERS, "N1.2"),
            "num_jokers": fields.integer("num_jokers", self.num_jokers, 0, MAX_JOKERS, "N1.1"),
            "hand_size": fields.integer("hand_size", self.hand_size, LEAST_HAND, MOST_HAND, "N1.2"),
            "num_deals": fields.integer("num_deals", self.num_deals, 1, MOST_DEALS, "N2.1"),
            "bank_points": fields.integer(
                "bank_points", self.bank_points, LEAST_BANK_POINTS, MOST_BANK_POINTS, "N4.2"
            ),
            "max_reshuffles": fields.integer(
                "max_reshuffles", self.max_reshuffles, 0, MAX_RESHUFFLES, "N5.1"
            ),
        }
        for name, clause in (
            ("identical_cards_in_set", "N3.1"),
            ("joker_swap", "N3.4"),
            ("bank_points_every_time", "N4.5"),
            ("open_from_stock", "N4.6"),
            ("discard_to_go_out", "N4.9"),
            ("hand_penalty", "N6.3"),
        ):
            fields.boolean(name, getattr(self, name), clause)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.settlement, str) or self.settlement not in SETTLEMENTS:
            raise RulesError(f"settlement={self.settlement!r}: must be one of {', '.join(SETTLEMENTS)} (N7)")

    @classmethod
    def mini(cls, **fields: Any) -> KunkenRules:
        """Seven cards and 25 points: short deals for quick experiments (N10.2); other ``fields`` as given."""
        return cls.preset("mini", {"hand_size": 7, "bank_points": 25}, fields)
