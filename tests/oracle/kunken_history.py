"""What each seat of Kunken has seen: the oracle with perfect recall of the current deal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oracle.kunken import Decision, KunkenOracle


class KunkenHistory(KunkenOracle):
    """An oracle that remembers the deal: moves are public, a drawn card is seen by who draws it."""

    _deal_seen = -1

    def _decide(self, seat: int, moves: Iterable[str]) -> Decision:
        if self._deal_seen < self.deal_index:
            self._deal_seen = self.deal_index
            self._events: list[tuple[int, str, str]] = []
            self._dealt = [tuple(sorted(hand)) for hand in self.hands]
            self._at_first = (
                tuple(self.bank),
                len(self.stock),
            )  # N2.2; how many cards are left is in plain view
        move = yield from super()._decide(seat, moves)
        self._events.append((seat, move, self.stock[0] if move == "draw" else ""))
        return move

    def information_state(self, seat: int) -> tuple[Any, ...]:
        """Return all that ``seat`` knows: the current deal with perfect recall, and the public standings.

        A reshuffle (N5.1) follows from the moves; nobody sees the order of the new stock. Hands are not shown at
        the end: no clause says so. What scores tell of them (N6.3) is in the standings.
        """
        seen = tuple((who, move, card if who == seat else "") for who, move, card in self._events)
        standings = (self.deal_index, self.dealer, tuple(self.payoffs()))
        return (*standings, self._dealt[seat], *self._at_first, seen)
