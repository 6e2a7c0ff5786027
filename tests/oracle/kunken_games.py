"""Random games for the oracle of Kunken: rules, deals, ways to play, and a count of the situations that were met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from oracle.kunken import OWE, Decision, KunkenOracle
from oracle.kunken_melds import JOKER, RANKS, RUN, SET, SUITS, Beginning, Growth, Meld, growths

Choose = Callable[[list[str]], str]
"""Picks one of the legal moves."""

BIG_HAND, MANY_POINTS = 14, 100
"""Beyond both, N4.3 by brute force can take minutes."""


def deck_of(num_jokers: int) -> list[str]:
    """Return the cards of N1.1."""
    return [rank + suit for rank in RANKS for suit in SUITS] * 2 + [JOKER] * num_jokers


def draw_rules(rng: random.Random) -> dict[str, Any]:
    """Return rules drawn over every field of N11."""
    num_players = rng.choice((2, 2, 3, 4, 5))
    num_jokers = rng.choice((0, 1, 2, 2, 2))
    most = min(20, (len(deck_of(num_jokers)) - 2) // num_players)  # N11: at least two cards are left
    hand_size = rng.choice((rng.randint(3, most), rng.randint(6, 13), 7))
    few = rng.choice((5, 15, 25, 30, 40, 50, rng.randint(5, MANY_POINTS)))
    return {
        "num_players": num_players,
        "num_jokers": num_jokers,
        "hand_size": hand_size,
        "num_deals": rng.choice((1, 1, 1, 2, 3)),
        "bank_points": few if hand_size > BIG_HAND or rng.random() < 0.9 else rng.randint(MANY_POINTS, 200),
        "max_reshuffles": rng.randint(0, 3),
        "identical_cards_in_set": rng.random() < 0.5,
        "joker_swap": rng.random() < 0.5,
        "bank_points_every_time": rng.random() < 0.5,
        "open_from_stock": rng.random() < 0.5,
        "discard_to_go_out": rng.random() < 0.5,
        "hand_penalty": rng.random() < 0.5,
        "settlement": rng.choice(("difference", "win", "points")),
    }


def draw_setup(rng: random.Random, rules: dict[str, Any]) -> dict[str, Any]:
    """Return the cards of a deal (N9.1): a whole deck, or one that makes for many melds or for an early end."""
    num_dealt = rules["num_players"] * rules["hand_size"]
    deck = deck_of(rules["num_jokers"])
    jokers = [JOKER] * rules["num_jokers"]
    if rng.random() < 0.6:  # few ranks or few suits, jokers among them
        rng.shuffle(deck)
        names = rng.choice((RANKS, SUITS))
        wanted = set(rng.sample(names, rng.randint(2, 2 + len(names) // 3)))
        rich = [card for card in deck if card != JOKER and wanted & set(card)]
        others = [card for card in deck if card != JOKER and not wanted & set(card)]
        missing = max(0, num_dealt + 2 + rng.randint(0, 20) - len(rich) - len(jokers))
        deck = rich + others[:missing] + jokers
    rng.shuffle(deck)
    num_bank = rng.choice((1, 1, rng.randint(1, min(12, len(deck) - num_dealt - 1))))
    first = num_dealt + num_bank
    num_stock = rng.choice((len(deck), rng.randint(1, 20)))
    size = rules["hand_size"]
    return {
        "hands": [deck[seat * size : (seat + 1) * size] for seat in range(rules["num_players"])],
        "bank": deck[num_dealt:first],
        "stock": deck[first : first + num_stock],
    }


def draw_player(rng: random.Random) -> Choose:
    """Return a way to play: how often each kind of move is chosen differs, so that all stages occur."""
    weight = {
        "take": rng.choice((0.1, 1.0, 10.0)),
        "set": rng.choice((0.1, 1.0, 30.0)),
        "run": rng.choice((0.1, 1.0, 30.0)),
        "lay": rng.choice((0.1, 1.0, 30.0)),
        "swap": rng.choice((0.3, 3.0)),
    }
    lays_jokers = rng.choice((1.0, 30.0))
    discards_jokers = rng.choice((0.01, 1.0))
    greedy = rng.random() < 0.3  # lays whatever it can

    def weigh(move: str) -> float:
        word = move.split()[0]
        for_a_joker = {"discard": discards_jokers, "take": 1.0}.get(word, lays_jokers)
        return weight.get(word, 1.0) * float(for_a_joker ** move.count(JOKER))

    def choose(legal: list[str]) -> str:
        if greedy:
            legal = [move for move in legal if move.split()[0] in weight] or legal
        return rng.choices(legal, [weigh(move) for move in legal])[0]

    return choose


def new_game(
    number: int, oracle: type[KunkenOracle] = KunkenOracle, rules: dict[str, Any] | None = None
) -> tuple[KunkenOracle, Choose]:
    """Return the random game of this number at its start and how it is played; ``rules`` fix some fields."""
    rng = random.Random(number)
    drawn = {**draw_rules(rng), **(rules or {})}
    choose = draw_player(rng)
    return oracle(
        drawn,
        rng.randrange(drawn["num_players"]),
        lambda deal: draw_setup(rng, drawn),
        lambda cards: rng.sample(cards, len(cards)),
    ), choose


class Witness(KunkenOracle):
    """An oracle that counts the situations it goes through, over all its games, in `met`."""

    met: ClassVar[Counter[str]] = Counter()

    def _count(self, **situations: bool) -> None:
        self.met.update(name.replace("_", " ") for name, is_met in situations.items() if is_met)

    def _decide(self, seat: int, moves: Iterable[str]) -> Decision:
        moves = list(moves)
        words = {move.split()[0] for move in moves}
        hand = self.hands[seat]
        self._count(
            two_jokers_in_the_bank=self.bank.count(JOKER) > 1,
            take_or_draw="take" in words,
            one_move_in_debt=self.phase == OWE and len(moves) == 1,
            new_melds_and_discards_only=not self.opened[seat] and {"run", "discard"} <= words,
            last_card_must_be_kept=self.opened[seat]
            and words == {"discard"}
            and len(hand) == 1
            and any(
                growth.card in hand for on_table in self.melds for growth in growths(on_table.meld, True)
            ),
        )
        move = yield from super()._decide(seat, moves)
        self.last_move = move
        self._count(take_deep=move.endswith("deep"))
        return move

    def _takes(self, seat: int) -> dict[str, int]:
        takes = super()._takes(seat)
        named = {move.split()[1] for move in takes}
        deep = {move.split()[1] for move in takes if move.endswith("deep")}
        self._count(
            only_the_deep_copy=any(f"take {card}" not in takes for card in deep),
            take_of_some_cards_only=0 < len(named) < len(set(self.bank)),
        )
        return takes

    def _payable(self, seat: int, debt: Any, begins: dict[str, Beginning]) -> dict[str, Beginning]:
        legal = super()._payable(seat, debt, begins)
        self._count(
            new_meld_would_leave_the_debt_unpaid=len(legal) < len(begins) and self.opened[seat],
            first_meld_would_leave_the_debt_unpaid=len(legal) < len(begins) and not self.opened[seat],
        )
        return legal

    def _payable_grows(self, seat: int, debt: Any, grows: Any) -> Any:
        legal = super()._payable_grows(seat, debt, grows)
        older = [on_table.meld for number, on_table in enumerate(self.melds) if number not in self.turn_melds]
        hand = self.hands[seat]
        self._count(
            lay_off_would_leave_the_debt_unpaid=len(legal) < len(grows),
            older_meld_is_closed_in_debt=any(
                growth.card in hand for meld in older for growth in growths(meld, True)
            ),
        )
        for text in set(grows) - set(legal):
            # The other reading of N8.5: a later meld of this turn, if the first leaves the debt unpaid.
            for number in self.turn_melds:
                for growth in growths(self.melds[number].meld, self._identical):
                    if growth.text == text and super()._payable_grows(seat, debt, {text: (number, growth)}):
                        self.met["N8.5 read otherwise"] += 1
        return legal

    def _take(self, seat: int, place: int) -> None:
        holds = self.bank[place] in self.hands[seat]
        super()._take(seat, place)
        self._count(
            take_of_a_joker=self.claimed == JOKER,
            take_of_a_card_held_too=holds,
            take_of_the_top=not self.above,
            take_of_the_whole_bank=not self.bank and len(self.above) > 0,
            take_without_a_total=self.debt is not None and self.debt.points <= 0,
            second_take=self.opened[seat],
        )

    def _begin(self, seat: int, begun: Beginning) -> None:
        naturals = [card for card in begun.cards if card != JOKER]
        self._count(
            first_meld_from_stock=not self.opened[seat] and self.debt is None,
            run_around_two_jokers=begun.cards.count(JOKER) > 1,
            joker_begins_a_run=begun.text.startswith(f"{RUN} {JOKER}"),
            joker_ends_a_run=begun.text.startswith(RUN) and begun.text.endswith(JOKER),
            joker_in_a_set=begun.text.startswith(SET) and begun.text.endswith(JOKER),
            identical_cards_begin_a_set=len(set(naturals)) < len(naturals),
        )
        super()._begin(seat, begun)

    def _grow(self, seat: int, number: int, growth: Growth) -> None:
        takers = [
            index
            for index, on_table in enumerate(self.melds)
            if growth.text in {other.text for other in growths(on_table.meld, self._identical)}
        ]
        self._count(
            lay_off_on_another_players_meld=self.melds[number].owner != seat,
            lay_off_that_two_melds_would_take=len(takers) > 1,
            lay_off_in_debt_past_an_older_meld=self.debt is not None and takers[0] != number,
            lay_off_of_the_claimed_card=self.debt is not None and self.debt.claim == growth.card,
            two_jokers_in_a_set=growth.meld.kind == SET
            and sum(c.card == JOKER for c in growth.meld.cards) > 1,
            two_jokers_in_a_run=growth.meld.kind == RUN
            and sum(c.card == JOKER for c in growth.meld.cards) > 1,
        )
        super()._grow(seat, number, growth)

    def _lay(self, seat: int, cards: Sequence[str], points: int) -> None:
        owed = self.debt
        waiting = len(self.above)
        super()._lay(seat, cards, points)
        paid = owed is not None and self.debt is None
        self._count(
            debt_paid=paid,
            out_with_the_debt_paid=paid and not self.hands[seat],
            cards_above_save_from_going_out=paid and waiting > 0 and len(self.hands[seat]) == waiting,
            opened_from_stock=paid and self.claimed is None,
            claim_laid_before_the_points=owed is not None
            and self.debt is not None
            and owed.claim is not None
            and self.debt.claim is None,
            points_laid_before_the_claim=self.debt is not None and 0 >= self.debt.points > -points,
        )

    def _swap(self, seat: int, number: int, after: Meld) -> None:
        before = self.melds[number].meld
        self._count(
            swap_in_a_set=after.kind == SET,
            swap_in_a_run=after.kind == RUN,
            swap_of_one_joker_of_two=sum(laid.card == JOKER for laid in before.cards) > 1,
        )
        super()._swap(seat, number, after)

    def _make_stock(self) -> bool:
        single = len(self.bank) == 1
        made = super()._make_stock()
        self._count(
            reshuffle=made,
            second_reshuffle=made and self.reshuffles > 1,
            end_with_a_bank_of_one_card=not made
            and single
            and self.reshuffles < self.rules["max_reshuffles"],
            end_without_another_reshuffle=not made and not single,
        )
        return made

    def _settle(self) -> None:
        super()._settle()
        out = self.winner is not None
        self._count(
            no_winner=not out,
            express=self.express,
            out_by_discard=out and self.last_move.startswith("discard"),
            out_by_laying=out and not self.last_move.startswith("discard"),
            won_without_express=out and not self.express,
            score_below_zero=min(self.scores) < 0,
            later_deal=self.deal_index > 0,
        )


WANTED = (
    *("take or draw", "take of some cards only", "take deep", "take of a joker", "take of the top"),  # N8.1
    *("take of the whole bank", "take of a card held too", "two jokers in the bank"),
    *("take without a total", "second take"),  # N4.5
    *("new meld would leave the debt unpaid", "lay off would leave the debt unpaid"),  # N4.3
    *("one move in debt", "older meld is closed in debt", "lay off of the claimed card"),
    *("claim laid before the points", "points laid before the claim", "debt paid"),  # N4.2, N4.4
    *("first meld would leave the debt unpaid", "first meld from stock", "opened from stock"),  # N4.6
    *("joker begins a run", "joker ends a run", "joker in a set", "two jokers in a run"),  # N3.3
    *("two jokers in a set", "run around two jokers"),  # N3.3, N8.4
    *("identical cards begin a set", "swap in a set", "swap in a run"),  # N3.1, N3.4
    *("lay off on another players meld", "lay off that two melds would take"),  # N4.7, N8.5
    "lay off in debt past an older meld",
    *("cards above save from going out", "last card must be kept"),  # N4.2, N4.9
    *("reshuffle", "second reshuffle", "end without another reshuffle", "no winner"),  # N5.1
    *("express", "won without express", "out by discard", "out by laying", "score below zero"),  # N6
    "later deal",  # N2.1
)
"""Situations that a sample must meet, else it proves nothing about them."""
