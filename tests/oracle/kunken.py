"""Kunken word for word (RULES.md, N1-N11): slow, plain, and sharing no line with the engine.

The whole game is one generator that reads like the rules, from top to bottom: it yields the seat to act with
its legal moves, and is sent the move. Cards and moves are their texts, payoffs are `Fraction`. Where RULES.md
leaves a detail open, the comment says ``reading:`` and the words relied on. Melds are in `oracle.kunken_melds`,
the search behind N4.3 in `oracle.kunken_search`, scores and payoffs in `oracle.kunken_scores`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from oracle.kunken_melds import (
    JOKER,
    Beginning,
    Growth,
    Meld,
    TableMeld,
    first_growths,
    meld_points,
    swapped,
)
from oracle.kunken_scores import payoffs_of, scores_of
from oracle.kunken_search import Debt, Search, less, playable

DEFAULTS: dict[str, Any] = {
    "num_players": 2,  # N1.2
    "num_jokers": 2,  # N1.1
    "hand_size": 13,  # N1.2
    "num_deals": 1,  # N2.1
    "bank_points": 50,  # N4.2
    "max_reshuffles": 1,  # N5.1
    "identical_cards_in_set": True,  # N3.1
    "joker_swap": False,  # N3.4
    "bank_points_every_time": True,  # N4.5
    "open_from_stock": False,  # N4.6
    "discard_to_go_out": False,  # N4.9
    "hand_penalty": False,  # N6.3
    "settlement": "difference",  # N7.1
}
"""The fields of N11 with the defaults that the clauses give."""

ACQUIRE, OWE, PLAY, OVER = "acquire", "owe", "play", "over"
"""The phases: N4.1; N4.2 or N4.6 begun and unfinished; N4.7 and N4.8; the episode has ended."""

SetupOf = Callable[[int], Mapping[str, Any]]
"""Deal number, from 0, to ``hands`` by seat, ``bank`` from bottom to top, ``stock`` from the next card on (N9.1)."""

Reshuffle = Callable[[Sequence[str]], Sequence[str]]
"""The cards of the bank below its top, from bottom to top, to the new stock from the next card on (N5.1)."""

Decision = Generator[tuple[int, list[str]], str, str]
"""Yields (seat, legal moves), is sent the move, returns it."""

Play = Generator[tuple[int, list[str]], str, None]
"""A part of the game with any number of decisions in it."""


class KunkenOracle:
    """One episode of Kunken.

    Args:
        rules: the fields that differ from `DEFAULTS`.
        dealer: the first dealer (N2.1: the lot is drawn by the caller).
        setup_of: gives the cards of deal ``d``; asked as deal ``d`` begins.
        reshuffle: gives the order of a new stock (N5.1); asked as it is shuffled.

    Attributes:
        deal_index: the current deal, from 0. All that follows is of it, or of the last one when all is over.
        phase: `ACQUIRE`, `OWE`, `PLAY` or `OVER`.
        hands: the cards of each seat, the claimed one included from the moment of the take.
        bank: from bottom to top; while N4.2 is unfinished only what lay below the claimed card.
        above: while N4.2 is unfinished, the cards that lay above the claimed one, from bottom to top; else empty.
        claimed: the claimed card of this turn's take, also when it is completed; None without a take.
        stock: from the next card on.
        melds: in the order laid.
        turn_melds: numbers of the melds begun in this turn.
        debt: what is owed (N4.2, N4.6) in phase `OWE`, else None.
        turn_points: points that the seat to act has laid in this turn.
        opened: whether each seat has opened (N4.6).
        laid_points: points of the cards that each seat has laid in this deal (N6.1).
        num_laid: how many cards each seat has laid in this deal (N6.2).
        known: cards that everybody knows each seat to hold: received from the bank, or from a meld by a swap,
            and not seen to leave. Of equal cards the known one leaves first: only the rest is certain.
        reshuffles: how often the stock was made anew in this deal.
        winner: None while it is open or without a winner.
        express: whether the winner scores double (N6.2).
        scores: of the last deal that has ended (N6).
        deal_payoffs: a row for each finished deal, a number for each seat (N7).
    """

    def __init__(
        self, rules: Mapping[str, Any], dealer: int, setup_of: SetupOf, reshuffle: Reshuffle
    ) -> None:
        if unknown := set(rules) - set(DEFAULTS):
            raise ValueError(f"no such field: {sorted(unknown)}")
        self.rules = {**DEFAULTS, **rules}
        self.dealer = dealer
        self.phase = ACQUIRE
        self.num_players: int = self.rules["num_players"]
        self.deal_index = 0
        self.winner: int | None = None
        self.express = False
        self.scores = [0] * self.num_players
        self.deal_payoffs: list[list[Fraction]] = []
        self._setup_of = setup_of
        self._reshuffle = reshuffle
        self._identical: bool = self.rules["identical_cards_in_set"]
        self._search = Search(self._identical)
        self.to_play: int | None = None
        self._legal: list[str] = []
        self._game = self._episode()
        self._go_on(lambda: next(self._game))

    # ------------------------------------------------------------------ what callers use

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self.to_play is None

    def legal_moves(self) -> list[str]:
        """Return the texts (N8) of all legal moves in code-point order."""
        return list(self._legal)

    def apply(self, move: str) -> None:
        """Play ``move`` for the seat to act; `ValueError` if it is not legal."""
        if move not in self._legal:
            raise ValueError(f"seat {self.to_play} may not {move!r}; legal: {self._legal}")
        self._go_on(lambda: self._game.send(move))

    def payoffs(self) -> list[Fraction]:
        """Return each seat's payoff over the deals that have ended (N2.1, N7.4)."""
        no_deal = [Fraction(0)] * self.num_players
        return [sum(column, Fraction(0)) for column in zip(no_deal, *self.deal_payoffs, strict=True)]

    # ------------------------------------------------------------------ N2: the episode and the deal

    def _episode(self) -> Play:
        """N2.1: `num_deals` deals, the deal rotating to the left."""
        for deal_index in range(self.rules["num_deals"]):
            if deal_index > 0:
                self.dealer = self._left_of(self.dealer)
            self.deal_index = deal_index
            yield from self._deal()
            self._settle()
        self.phase = OVER

    def _deal(self) -> Play:
        """N2.2, N2.3: the cards, then turns from the left of the dealer until the deal ends."""
        setup = self._setup_of(self.deal_index)
        self.hands = [list(hand) for hand in setup["hands"]]
        self.bank, self.stock = list(setup["bank"]), list(setup["stock"])
        self.melds: list[TableMeld] = []
        self.opened = [False] * self.num_players
        self.laid_points = [0] * self.num_players
        self.num_laid = [0] * self.num_players
        self.known: list[Counter[str]] = [Counter() for _ in range(self.num_players)]
        self.reshuffles = 0
        self.winner, self.express = None, False
        seat = self.dealer
        while True:
            seat = self._left_of(seat)
            laid_before = self.num_laid[seat]
            yield from self._turn(seat)
            if not self.hands[seat]:  # N4.9
                self.winner = seat
                self.express = laid_before == 0  # N6.2
                return
            if not self.stock and not self._make_stock():
                return

    def _settle(self) -> None:
        """N6, N7: the deal has ended."""
        self.scores = scores_of(self.rules, self.laid_points, self.hands, self.winner, self.express)
        self.deal_payoffs.append(payoffs_of(self.rules["settlement"], self.scores, self.winner))

    def _make_stock(self) -> bool:
        """N5.1: shuffle all of the bank but its top card into a new stock; False if the deal ends instead."""
        # reading: "at most `max_reshuffles` times" is in one deal, as the clause goes on "the deal ends".
        if self.reshuffles == self.rules["max_reshuffles"] or len(self.bank) == 1:
            return False
        self.stock = list(self._reshuffle(self.bank[:-1]))
        assert Counter(self.stock) == Counter(self.bank[:-1]), "a reshuffle changed the cards"
        self.bank = self.bank[-1:]
        self.reshuffles += 1
        return True

    # ------------------------------------------------------------------ N4: a turn

    def _turn(self, seat: int) -> Play:
        """N4: acquire, play, discard; or until the hand is empty."""
        self.phase = ACQUIRE
        self.claimed: str | None = None
        self.above: list[str] = []
        self.debt: Debt | None = None
        self.turn_melds: list[int] = []
        self.turn_points = 0
        self._search.forget()
        takes = self._takes(seat)
        move = yield from self._decide(seat, ["draw", *takes])
        if move == "draw":  # N4.1; the stock is never empty here: N9.1 at the deal, N5.1 after every turn
            self.hands[seat].append(self.stock.pop(0))
            self.phase = PLAY
        else:
            self._take(seat, takes[move])
        while self.hands[seat]:
            begins, grows, swaps, discards = self._play_moves(seat)
            move = yield from self._decide(seat, [*begins, *grows, *swaps, *discards])
            if move in discards:  # N4.8
                self._lose(seat, discards[move])
                self.bank.append(discards[move])
                return
            if move in begins:
                self._begin(seat, begins[move])
            elif move in grows:
                self._grow(seat, *grows[move])
            else:
                self._swap(seat, *swaps[move])

    def _takes(self, seat: int) -> dict[str, int]:
        """N4.2, N4.3, N8.1: the takes that can be completed, and where in the bank the claimed card lies."""
        places: dict[str, int] = {}
        for place, card in enumerate(self.bank):
            # The copy laid last overwrites: it is nearest the top.
            places[f"take {card}"] = place
            # reading: of two jokers only the one nearest the top can be taken: N8.1 has "`take 7h deep`" and then
            # "`take *`" alone.
            if card in self.bank[place + 1 :] and card != JOKER:
                places[f"take {card} deep"] = place
        beginnings = playable(self._search.beginnings, [*self.hands[seat], *self.bank])
        return {
            move: place
            for move, place in places.items()
            if self._search.can_pay(
                [*self.hands[seat], self.bank[place]],
                (),
                self._debt(seat, self.bank[place], num_above=len(self.bank) - place - 1),
                beginnings,
            )
        }

    def _debt(self, seat: int, claim: str | None, num_above: int) -> Debt:
        """Return what is owed after a take (N4.2), or, without a claim, by a first meld after a draw (N4.6)."""
        no_total = self.opened[seat] and not self.rules["bank_points_every_time"]  # N4.5
        points = 0 if no_total else self.rules["bank_points"]
        return Debt(claim, points, leave=self.rules["discard_to_go_out"] and num_above == 0)

    def _take(self, seat: int, place: int) -> None:
        """N4.2: claim the card; what lay above it waits until the take is completed."""
        self.phase = OWE
        self.claimed = self.bank[place]
        self.debt = self._debt(seat, self.claimed, num_above=len(self.bank) - place - 1)
        self.above = self.bank[place + 1 :]
        self.bank = self.bank[:place]
        self._receive(seat, [self.claimed])

    def _play_moves(
        self, seat: int
    ) -> tuple[
        dict[str, Beginning], dict[str, tuple[int, Growth]], dict[str, tuple[int, Meld]], dict[str, str]
    ]:
        """N4.3, N4.6-N4.8, N3.4: the new melds, lay-offs, swaps and discards that are legal, by move text."""
        hand = self.hands[seat]
        begins = {begun.text: begun for begun in playable(self._search.beginnings, hand)}
        discards = {f"discard {card}": card for card in hand}
        if self.debt is not None:
            grows = self._grow_moves(seat, self.turn_melds)
            return self._payable(seat, self.debt, begins), self._payable_grows(seat, self.debt, grows), {}, {}
        if not self.opened[seat]:
            if not self.rules["open_from_stock"]:
                return {}, {}, {}, discards
            # N4.6: "may still discard without opening until its first meld".
            return self._payable(seat, self._debt(seat, None, num_above=0), begins), {}, {}, discards
        # N4.7: any number, on any meld.
        grows = self._grow_moves(seat, range(len(self.melds)))
        if self.rules["discard_to_go_out"]:  # N4.9: "a move that would leave no card to discard is not legal"
            begins = {text: begun for text, begun in begins.items() if len(hand) > len(begun.cards)}
            grows = grows if len(hand) > 1 else {}
        return begins, grows, self._swap_moves(seat), discards

    def _grow_moves(self, seat: int, numbers: Iterable[int]) -> dict[str, tuple[int, Growth]]:
        """N8.5: cards of the hand on these melds, each on the one laid first that would take it."""
        # reading: "on which it may be laid now" is what its bracket says, "among the melds of this turn only" or
        # all. Where the first that takes the card leaves N4.2 impossible to complete, the move is not legal; it
        # does not go to a later meld instead.
        melds = [(number, self.melds[number].meld) for number in numbers]
        return first_growths(melds, self.hands[seat], self._identical)

    def _payable(self, seat: int, debt: Debt, begins: dict[str, Beginning]) -> dict[str, Beginning]:
        """N4.3: the new melds after which what is owed can be paid."""
        on_table = [self.melds[number].meld for number in self.turn_melds]
        return {
            text: begun
            for text, begun in begins.items()
            if self._search.can_pay(
                less(self.hands[seat], begun.cards),
                [*on_table, begun.meld],
                debt.after(begun.cards, meld_points(begun.meld)),
                list(begins.values()),
            )
        }

    def _payable_grows(
        self, seat: int, debt: Debt, grows: dict[str, tuple[int, Growth]]
    ) -> dict[str, tuple[int, Growth]]:
        """N4.3: the cards on melds of this turn after which what is owed can be paid."""
        legal = {}
        for text, (number, growth) in grows.items():
            on_table = {index: self.melds[index].meld for index in self.turn_melds}
            points = meld_points(growth.meld) - meld_points(on_table[number])
            on_table[number] = growth.meld
            after = less(self.hands[seat], (growth.card,))
            if self._search.can_pay(after, on_table.values(), debt.after((growth.card,), points)):
                legal[text] = (number, growth)
        return legal

    def _swap_moves(self, seat: int) -> dict[str, tuple[int, Meld]]:
        """N3.4: the cards of the hand for which a joker on the table stands, and the oldest meld of each."""
        moves: dict[str, tuple[int, Meld]] = {}
        if self.rules["joker_swap"]:
            for number, on_table in enumerate(self.melds):
                for card in self.hands[seat]:
                    after = None if card == JOKER else swapped(on_table.meld, card, self._identical)
                    if after is not None:
                        moves.setdefault(f"swap {card}", (number, after))
        return moves

    # ------------------------------------------------------------------ what the moves do

    def _begin(self, seat: int, begun: Beginning) -> None:
        """N4.2, N4.6, N4.7: lay a new meld."""
        if not self.opened[seat] and self.debt is None:
            self.phase, self.debt = OWE, self._debt(seat, None, num_above=0)  # N4.6
        self.turn_melds.append(len(self.melds))
        self.melds.append(TableMeld(seat, begun.meld, (seat,) * len(begun.cards)))
        self._lay(seat, begun.cards, meld_points(begun.meld))

    def _grow(self, seat: int, number: int, growth: Growth) -> None:
        """N4.4, N4.7: lay one card on a meld."""
        on_table = self.melds[number]
        at_low_end = growth.meld.cards[1:] == on_table.meld.cards
        points = meld_points(growth.meld) - meld_points(on_table.meld)
        on_table.meld = growth.meld
        on_table.layers = (seat, *on_table.layers) if at_low_end else (*on_table.layers, seat)
        self._lay(seat, (growth.card,), points)

    def _lay(self, seat: int, cards: Sequence[str], points: int) -> None:
        """N6.1: the layer scores; N4.2: the debt falls, and with the last of it the cards above are received."""
        for card in cards:
            self._lose(seat, card)
        self.num_laid[seat] += len(cards)
        self.laid_points[seat] += points
        self.turn_points += points
        if self.debt is not None:
            self.debt = self.debt.after(cards, points)
            if self.debt.is_paid(tuple(self.hands[seat])):
                self.phase, self.debt = PLAY, None
                self.opened[seat] = True  # N4.6
                # "at the moment of completion, before N4.9 is looked at" (N4.2)
                self._receive(seat, self.above)
                self.above = []

    def _swap(self, seat: int, number: int, after: Meld) -> None:
        """N3.4: a card for the joker that stands for it; it scores nothing and is no card laid."""
        (card,) = (
            new.card
            for old, new in zip(self.melds[number].meld.cards, after.cards, strict=True)
            if old != new
        )
        self.melds[number].meld = after
        self._lose(seat, card)
        self._receive(seat, [JOKER])

    def _receive(self, seat: int, cards: Sequence[str]) -> None:
        """Put cards into the hand in public view."""
        self.hands[seat] += cards
        self.known[seat].update(cards)

    def _lose(self, seat: int, card: str) -> None:
        """Take a card out of the hand in public view."""
        self.hands[seat].remove(card)
        self.known[seat] -= Counter([card])

    # ------------------------------------------------------------------ helpers

    def _left_of(self, seat: int) -> int:
        return (seat + 1) % self.num_players

    def _decide(self, seat: int, moves: Iterable[str]) -> Decision:
        """Ask ``seat``."""
        return (yield seat, sorted(set(moves)))

    def _go_on(self, step: Callable[[], tuple[int, list[str]]]) -> None:
        try:
            self.to_play, self._legal = step()
        except StopIteration:
            self.to_play, self._legal = None, []
