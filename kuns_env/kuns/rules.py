"""The rules object of Kuns: every reading of RULES.md is a field (K11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kuns_env import fields
from kuns_env.errors import RulesError
from kuns_env.fields import RulesBase

MAX_PLAYERS: Final = 8
MAX_ANTES: Final = 8
MAX_STAKES: Final = 4
HAND_SIZE: Final = 5
TOP_RANK: Final = 10
MAX_SUITS: Final = 4
MOST_HANDS: Final = 1_000
MOST_SESSION_HANDS: Final = 1_000_000
MOST_MONEY: Final = 1_000_000
MOST_ANTE: Final = 10_000
MOST_STAKE: Final = 100


@dataclass(frozen=True, slots=True)
class KunsRules(RulesBase):
    """One reading of the rules of Kuns. Immutable, validated, hashable, JSON-friendly.

    >>> KunsRules(num_players=3).num_players
    3

    Raises:
        RulesError: a field of the wrong type or out of range; it is a `ValueError`.
    """

    game: ClassVar[str] = "kuns"

    num_players: int = 4
    """Seats at the table, 2 to 8 (K1.2)."""

    ranks: tuple[int, ...] = tuple(range(1, TOP_RANK + 1))
    """Ranks in the deck, an ascending subset of 1 to 10 (K1.3)."""

    num_suits: int = MAX_SUITS
    """Suits in the deck, 1 to 4 (K1.3)."""

    num_hands: int | None = 1
    """Hands in an episode; None is the open session, in which players stay or leave (K2.2)."""

    max_hands: int = 1_000
    """Hands after which an open session is truncated (K2.2)."""

    bankroll: int | None = None
    """Chips each player starts with; None is unlimited money (K2.3)."""

    forced_ante: int = 0
    """Chips each seated player pays into the main pot before every deal (K2.4)."""

    ante_menu: tuple[int, ...] = (1, 2, 4, 8)
    """Antes the dealer may set, in chips (K3.1)."""

    dealer_sees_hand: bool = True
    """Whether the dealer has seen its two cards when it sets the ante (K3.2)."""

    no_kuns_zero_is_ten: bool = False
    """Whether a last digit of 0 without kuns is the highest instead of the lowest (K5.5)."""

    side_bets: bool = True
    """Whether a window for side bets opens after each betting round (K6)."""

    side_stakes: tuple[int, ...] = (1, 2, 4)
    """Stakes of a side bet, in multiples of the ante (K6.2)."""

    def __post_init__(self) -> None:
        """Check every field and turn lists into tuples."""
        checked = {
            "num_players": fields.integer("num_players", self.num_players, 2, MAX_PLAYERS, "K1.2"),
            "ranks": fields.ascending("ranks", self.ranks, TOP_RANK, 1, TOP_RANK, "K1.3"),
            "num_suits": fields.integer("num_suits", self.num_suits, 1, MAX_SUITS, "K1.3"),
            "num_hands": fields.optional_integer("num_hands", self.num_hands, 1, MOST_HANDS, "K2.2"),
            "max_hands": fields.integer("max_hands", self.max_hands, 1, MOST_SESSION_HANDS, "K2.2"),
            "bankroll": fields.optional_integer("bankroll", self.bankroll, 1, MOST_MONEY, "K2.3"),
            "forced_ante": fields.integer("forced_ante", self.forced_ante, 0, MOST_ANTE, "K2.4"),
            "ante_menu": fields.ascending("ante_menu", self.ante_menu, MAX_ANTES, 1, MOST_ANTE, "K3.1"),
            "dealer_sees_hand": fields.boolean("dealer_sees_hand", self.dealer_sees_hand, "K3.2"),
            "no_kuns_zero_is_ten": fields.boolean("no_kuns_zero_is_ten", self.no_kuns_zero_is_ten, "K5.5"),
            "side_bets": fields.boolean("side_bets", self.side_bets, "K6"),
            "side_stakes": fields.ascending(
                "side_stakes", self.side_stakes, MAX_STAKES, 1, MOST_STAKE, "K6.2"
            ),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        cards, needed = len(self.ranks) * self.num_suits, HAND_SIZE * self.num_players
        if cards < needed:
            raise RulesError(
                f"ranks={self.ranks!r} and num_suits={self.num_suits} make {cards} cards: "
                f"num_players={self.num_players} need at least {needed} (K1.3)"
            )

    @classmethod
    def anted(cls, num_players: int = 4, **fields: Any) -> KunsRules:
        """One chip forced from everybody, no side bets (K8.2); other ``fields`` as given."""
        fixed = {"forced_ante": 1, "side_bets": False}
        return cls.preset("anted", fixed, {"num_players": num_players, **fields})

    @classmethod
    def tiny(cls, **fields: Any) -> KunsRules:
        """Two players and twelve cards: small enough to enumerate (K8.3); other ``fields`` as given."""
        deck = {"ranks": (1, 4, 5, 10), "num_suits": 3}
        fixed = {"num_players": 2, **deck, "forced_ante": 1, "ante_menu": (1, 2), "side_bets": False}
        return cls.preset("tiny", fixed, fields)

    @classmethod
    def duel(cls, **fields: Any) -> KunsRules:
        """Heads-up with one chip forced: the game that can be solved exactly (K8.4); other ``fields`` as given.

        >>> KunsRules.duel(num_hands=2).num_hands
        2
        """
        return cls.preset("duel", {"num_players": 2, "forced_ante": 1, "side_bets": False}, fields)
