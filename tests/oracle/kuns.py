"""Kuns word for word (RULES.md, K1-K11): slow, plain, and sharing no line with the engine.

The whole game is one generator that reads like the rules, from top to bottom: it yields the seat to act with
its legal moves, and is sent the move. Money is `Fraction`, cards and moves are their texts. Where RULES.md
leaves a detail open, the comment says ``reading:`` and the words relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

DEFAULTS: dict[str, Any] = {
    "num_players": 4,  # K1.2
    "ranks": tuple(range(1, 11)),  # K1.3
    "num_suits": 4,  # K1.3
    "num_hands": 1,  # K2.2
    "max_hands": 1000,  # K2.2
    "bankroll": None,  # K2.3
    "forced_ante": 0,  # K2.4
    "ante_menu": (1, 2, 4, 8),  # K3.1
    "dealer_sees_hand": True,  # K3.2
    "no_kuns_zero_is_ten": False,  # K5.5
    "side_bets": True,  # K6
    "side_stakes": (1, 2, 4),  # K6.2
}
"""The fields of K11 with the defaults that the clauses give."""

RANKS = "A23456789T"
"""Rank texts: the rank of ``RANKS[i]`` is ``i + 1`` (K1.1)."""

CARDS_PER_ROUND = (2, 2, 1)
"""Cards that each player still in is dealt before each betting round (K3.1, K4.1)."""

FOLDED = (-1, 0)
"""The strength of a folded hand: loses to any hand that did not fold (K6.5)."""

UNSEEN = (0, 0)
"""The strength of the last hand in, which is not looked at: all others are `FOLDED` (K4.4, K6.5)."""

DeckOf = Callable[[int], Sequence[str]]
"""Hand number, from 0, to the cards in dealing order."""

Decision = Generator[tuple[int, list[str]], str, str]
"""Yields (seat, legal moves), is sent the move, returns it."""

Play = Generator[tuple[int, list[str]], str, None]
"""A part of the game with any number of decisions in it."""


def rank_of(card: str) -> int:
    """Return the rank of a card text, 1 to 10."""
    return RANKS.index(card[0]) + 1


def hand_value(ranks: Sequence[int], no_kuns_zero_is_ten: bool = False) -> tuple[int, int]:
    """Return ``(kuns, value)`` of five ranks, larger is better (K5.1-K5.5)."""
    for three in combinations(range(5), 3):
        if sum(ranks[i] for i in three) % 10 == 0:  # K5.1
            other_two = sum(ranks[i] for i in range(5) if i not in three)
            return 1, other_two % 10 or 10  # K5.2; K5.4: (1, anything) > (0, anything)
    last_digit = sum(ranks) % 10  # K5.5
    if last_digit == 0 and no_kuns_zero_is_ten:
        return 0, 10
    return 0, last_digit


class KunsOracle:
    """One episode of Kuns.

    Args:
        rules: the fields that differ from `DEFAULTS`.
        dealer: the first dealer (K2.1: the lot is drawn by the caller).
        deck_of: gives the order in which cards are dealt in hand ``h`` (K10.1); asked as hand ``h`` begins.

    Attributes:
        seated: seats still in the session.
        in_hand: seats that have not folded in the current hand, or, between hands, in the last one.
        paid: chips that each seat has put in the main pot of that hand.
        money: bankroll of each seat when that hand began, after it when it has ended (K2.3); None without limit.
        ante: chips, 0 until the dealer has set it.
        bets: open side bets ``(offerer, taker, backed, opposed, chips)`` of that hand.
        hand_index: the current hand, from 0.
        hand_payoffs: a row for each finished hand, a number for each seat (K7.1).
        shown: the hands that the last showdown made public (K7.3), empty if it ended by K4.4.
        truncated: whether `max_hands` ended the session (K2.2).
    """

    def __init__(self, rules: Mapping[str, Any], dealer: int, deck_of: DeckOf) -> None:
        if unknown := set(rules) - set(DEFAULTS):
            raise ValueError(f"no such field: {sorted(unknown)}")
        self.rules = {**DEFAULTS, **rules}
        self.dealer = dealer
        self.hand_index = 0
        self.hand_payoffs: list[list[Fraction]] = []
        self.shown: dict[int, list[str]] = {}
        self.truncated = False
        self.ante = 0
        self.bets: list[tuple[int, int, int, int, int]] = []
        self.num_players: int = self.rules["num_players"]
        self.seated = set(range(self.num_players))
        self.in_hand: set[int] = set()
        self.paid = [0] * self.num_players
        bankroll = self.rules["bankroll"]
        self.money = None if bankroll is None else [Fraction(bankroll)] * self.num_players
        self._hole: list[list[str]] = [[] for _ in range(self.num_players)]
        self._deck_of = deck_of
        self._deck: Sequence[str] = ()
        self._next_card = 0
        self._events: list[tuple[Any, ...]] = []
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
        """Return the texts (K9.1) of all legal moves in code-point order."""
        return list(self._legal)

    def apply(self, move: str) -> None:
        """Play ``move`` for the seat to act; `ValueError` if it is not legal."""
        if move not in self._legal:
            raise ValueError(f"seat {self.to_play} may not {move!r}; legal: {self._legal}")
        self._go_on(lambda: self._game.send(move))

    def payoffs(self) -> list[Fraction]:
        """Return each seat's net chips over the hands that have ended (K7.1)."""
        no_hand = [Fraction(0)] * self.num_players
        return [sum(column, Fraction(0)) for column in zip(no_hand, *self.hand_payoffs, strict=True)]

    def hole(self, seat: int) -> list[str]:
        """Return the cards dealt to ``seat`` in the current hand, in dealing order."""
        return list(self._hole[seat])

    def information_state(self, seat: int) -> tuple[Any, ...]:
        """Return all that ``seat`` knows: the current hand with perfect recall, and the public standings.

        Own cards are ranks sorted within each deal step. After a showdown the shown hands belong to it (K7.3).
        """
        known: list[tuple[Any, ...]] = [
            (self.hand_index, self.dealer, tuple(sorted(self.seated)), tuple(self.payoffs()))
        ]
        for kind, *event in self._events:
            if kind == "move":
                known.append(tuple(event))
            elif seat in event[0]:
                known.append(("cards", _sorted_ranks(event[0][seat])))
        if len(self.hand_payoffs) > self.hand_index:  # the hand has ended
            known += [("shown", who, _sorted_ranks(cards)) for who, cards in sorted(self.shown.items())]
        return tuple(known)

    # ------------------------------------------------------------------ K2: the session

    def _episode(self) -> Play:
        """K2.2: `num_hands` hands, or the open session."""
        num_hands, max_hands = self.rules["num_hands"], self.rules["max_hands"]
        self._leave_if_broke()
        while len(self.seated) > 1:
            yield from self._hand()
            if self.hand_index + 1 == num_hands:
                return
            # reading: "`max_hands` truncates it", it being the open session, right after that hand: no
            # player is asked to stay for a hand that will not be dealt. `num_hands` is not cut by it.
            if num_hands is None and self.hand_index + 1 == max_hands:
                self.truncated = True
                return
            next_dealer = self._from_left_of(self.dealer, self.seated)[0]  # K2.1
            if num_hands is None:
                yield from self._stay_or_leave(next_dealer)
                if len(self.seated) < 2:
                    return  # it has ended: there is no deal before which a player could be out
            # reading: "is out of the session before the deal" (K2.3): after the choice of "every seated
            # player" (K2.2), which a player without money is too until then.
            self._leave_if_broke()
            if len(self.seated) > 1:
                # K2.2: "if the next dealer leaves, the deal passes to the next seat on the left".
                left = self._from_left_of(next_dealer, self.seated)
                self.dealer = next_dealer if next_dealer in self.seated else left[0]
                self.hand_index += 1

    def _stay_or_leave(self, next_dealer: int) -> Play:
        """K2.2: "every seated player, in order from the left of the next dealer, chooses"."""
        for seat in self._from_left_of(next_dealer, self.seated):
            if (yield from self._decide(seat, ["stay", "leave"])) == "leave":
                self.seated.remove(seat)
                if len(self.seated) < 2:  # K2.2: "as soon as fewer than two remain"
                    return

    def _leave_if_broke(self) -> None:
        """K2.3: "cannot pay `forced_ante`, or has nothing left"."""
        if self.money is not None:
            for seat in sorted(self.seated):
                if self.money[seat] < self.rules["forced_ante"] or self.money[seat] == 0:
                    self.seated.remove(seat)

    # ------------------------------------------------------------------ K3, K4: one hand

    def _hand(self) -> Play:
        """K3, K4: the ante, three rounds of cards and calls, the side bets after each, the payoff."""
        self.in_hand = set(self.seated)
        self.ante, self.bets, self._events = 0, [], []
        self._hole = [[] for _ in range(self.num_players)]
        self._deck, self._next_card = self._deck_of(self.hand_index), 0
        assert len(set(self._deck)) == len(self._deck), f"a card twice: {self._deck}"
        # K2.4 "before the deal"; K8.2 "before the first decision".
        self.paid = [0] * self.num_players
        for seat in self.seated:
            self.paid[seat] = self.rules["forced_ante"]
        if not self.rules["dealer_sees_hand"]:
            yield from self._set_ante()  # K3.2
        for num_cards in CARDS_PER_ROUND:
            self._deal(num_cards)
            if self.ante == 0:
                yield from self._set_ante()  # K3.1: before round 1; K3.3: once a hand
            yield from self._betting_round()
            if len(self.in_hand) == 1:  # K4.4
                break
            if self.rules["side_bets"]:
                yield from self._side_bet_window()  # K6.1
        self._settle()

    def _set_ante(self) -> Play:
        """K3.1: the dealer chooses from the menu, whatever its bankroll; one entry is not a decision."""
        menu = self.rules["ante_menu"]
        if len(menu) == 1:
            self.ante = menu[0]
        else:
            self.ante = _number((yield from self._decide(self.dealer, [f"ante {chips}" for chips in menu])))

    def _deal(self, num_cards: int) -> None:
        """K3.1, K4.1, K10.1: one card at a time from the left of the dealer to each player still in."""
        dealt: dict[int, list[str]] = {seat: [] for seat in self.in_hand}
        for _ in range(num_cards):
            for seat in self._from_left_of(self.dealer, self.in_hand):
                dealt[seat].append(self._deck[self._next_card])
                self._next_card += 1
        for seat, cards in dealt.items():
            self._hole[seat] += cards
        self._events.append(("deal", dealt))

    def _betting_round(self) -> Play:
        """K4.2: each player still in, the dealer last, calls or folds."""
        for seat in self._from_left_of(self.dealer, self.in_hand):
            # K2.3: who cannot pay the ante has only `fold`: one move, but still its decision.
            moves = ["call", "fold"] if self._can_pay(seat, self.ante) else ["fold"]
            if (yield from self._decide(seat, moves)) == "call":
                self.paid[seat] += self.ante
            else:
                self.in_hand.remove(seat)
                if len(self.in_hand) == 1:  # K4.4: "as soon as": the last player is not asked
                    return

    # ------------------------------------------------------------------ K6: side bets

    def _side_bet_window(self) -> Play:
        """K6.1: every seat in the session, in the hand or not, may pass or make one offer."""
        for seat in self._from_left_of(self.dealer, self.seated):
            yield from self._offer(seat)

    def _offer(self, seat: int) -> Play:
        """K6.2, K6.3: back, against, stake. `pass` is possible at the first of these only."""
        # K2.3: "stakes it cannot cover are not offered".
        stakes = [stake for stake in self.rules["side_stakes"] if self._can_pay(seat, stake * self.ante)]
        # reading: who can cover no stake cannot begin an offer, but "every seat ... may pass" (K6.1): it has `pass`.
        hands = sorted(self.in_hand) if stakes else []
        pass_first = ["pass"]
        backed = seat  # K6.2: "a player still in backs its own hand only"
        if seat not in self.in_hand:
            move = yield from self._decide(seat, pass_first + [f"back {hand}" for hand in hands])
            if move == "pass":
                return
            backed, pass_first = _number(move), []
        against = [f"against {hand}" for hand in hands if hand != backed]
        move = yield from self._decide(seat, pass_first + against)
        if move == "pass":
            return
        opposed = _number(move)
        move = yield from self._decide(seat, [f"stake {stake}" for stake in stakes])
        yield from self._put_offer(seat, backed, opposed, _number(move) * self.ante)

    def _put_offer(self, offerer: int, backed: int, opposed: int, chips: int) -> Play:
        """K6.4: the first to accept takes the other side; if none does, the offer lapses."""
        for seat in self._from_left_of(offerer, self.seated):
            if seat == offerer or (seat in self.in_hand and seat != opposed):
                continue
            # K2.3: "stakes it cannot cover are not ... accepted".
            # reading: such a seat is still asked, as K2.3 leaves a seat with one move (`fold`) its decision.
            moves = ["accept", "decline"] if self._can_pay(seat, chips) else ["decline"]
            if (yield from self._decide(seat, moves)) == "accept":
                self.bets.append((offerer, seat, backed, opposed, chips))
                return

    # ------------------------------------------------------------------ K5.6, K6.5, K7: the payoff

    def _settle(self) -> None:
        """K7.1: the main pot and the side bets of the hand that has ended."""
        strength = self._strengths()
        payoff = [Fraction(-chips) for chips in self.paid]
        winners = [seat for seat in self.in_hand if strength[seat] == max(strength)]
        for seat in winners:
            payoff[seat] += Fraction(sum(self.paid), len(winners))  # K5.6: exact
        for offerer, taker, backed, opposed, chips in self.bets:
            if strength[backed] != strength[opposed]:  # K6.5: else void
                offerer_wins = strength[backed] > strength[opposed]
                payoff[offerer] += chips if offerer_wins else -chips
                payoff[taker] -= chips if offerer_wins else -chips
        self.hand_payoffs.append(payoff)
        if self.money is not None:
            self.money = [have + won for have, won in zip(self.money, payoff, strict=True)]

    def _strengths(self) -> list[tuple[int, int]]:
        """Return what each seat's hand counts at the end, and show the hands of a showdown (K4.4, K7.3)."""
        strength = [FOLDED] * self.num_players
        self.shown = {}
        if len(self.in_hand) == 1:
            strength[min(self.in_hand)] = UNSEEN
            return strength
        for seat in self.in_hand:
            # reading: K6.5 "beats" is between the two hands of the bet, so the last digit (K5.5) decides between
            # two without kuns also where a third hand has kuns.
            ranks = [rank_of(card) for card in self._hole[seat]]
            strength[seat] = hand_value(ranks, self.rules["no_kuns_zero_is_ten"])
            self.shown[seat] = self.hole(seat)
        return strength

    # ------------------------------------------------------------------ helpers

    def _from_left_of(self, start: int, seats: Collection[int]) -> list[int]:
        """Return ``seats`` in order from the left of ``start``, ``start`` itself last."""
        circle = [(start + step) % self.num_players for step in range(1, self.num_players + 1)]
        return [seat for seat in circle if seat in seats]

    def _can_pay(self, seat: int, chips: int) -> bool:
        """K2.3: whether the bankroll, less what is paid and what is reserved for bets, covers ``chips``."""
        if self.money is None:
            return True
        reserved = sum(bet[-1] for bet in self.bets if seat in bet[:2])
        return self.money[seat] - self.paid[seat] - reserved >= chips

    def _decide(self, seat: int, moves: Iterable[str]) -> Decision:
        """Ask ``seat``. All moves are public; deals are seen by their seat only (`information_state`)."""
        move = yield seat, sorted(moves)
        self._events.append(("move", seat, move))
        return move

    def _go_on(self, step: Callable[[], tuple[int, list[str]]]) -> None:
        try:
            self.to_play, self._legal = step()
        except StopIteration:
            self.to_play, self._legal = None, []


def _number(move: str) -> int:
    """Return the number at the end of a move text (K9.1)."""
    return int(move.split()[1])


def _sorted_ranks(cards: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted(map(rank_of, cards)))
