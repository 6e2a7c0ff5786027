"""Heads-up Kuns by brute force: values, best responses and exploitability on decks of a dozen cards.

The moves, who makes them and what has been paid come from `oracle.kuns`; the cards from counting deals. A
player remembers every card and when it came (perfect recall): nothing is merged, nothing is sampled, and no
line is shared with the engine or with the package that this is to check. Numbers are what the policies give:
with `int` and `Fraction` every result is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any

from oracle.kuns import CARDS_PER_ROUND, DEFAULTS, RANKS, KunsOracle, hand_value

Cards = tuple[tuple[int, ...], ...]
"""A player's cards: for each deal step (two, two, one) its ranks in ascending order."""

Rules = Mapping[str, Any]
"""The fields of K11 that differ from the defaults, as `KunsOracle` takes them."""

NO_CARDS: Cards = ()

SUITS = "cdhs"

SEATS = (0, 1)


@dataclass(frozen=True)
class Situation:
    """All that a player knows when it is asked: an information state with perfect recall."""

    dealer: int
    seat: int
    moves: tuple[str, ...]
    """Every move of the hand so far, by both players (K9.1)."""
    cards: Cards


Policy = Callable[[Situation], Mapping[str, Any]]
"""Gives every legal move its probability; moves that are left out have none."""


@dataclass(frozen=True)
class Node:
    """A public position: what both players have seen of each other's play."""

    moves: tuple[str, ...]
    num_steps: int
    """Deal steps that both players have had."""
    to_play: int | None
    """The seat to act, None at the end of the hand."""
    legal: tuple[str, ...]
    paid: tuple[int, int]
    in_hand: tuple[int, ...]
    children: dict[str, Node] = field(default_factory=dict, compare=False)


def check(rules: Rules) -> dict[str, Any]:
    """Return all fields of ``rules``; they must be heads-up, of one hand, with unlimited money and no side bets."""
    full = {**DEFAULTS, **rules}
    wanted = {"num_players": 2, "num_hands": 1, "bankroll": None, "side_bets": False}
    wrong = {name: full[name] for name, value in wanted.items() if full[name] != value}
    if wrong:
        raise ValueError(f"brute force is for {wanted}, not for {wrong}")
    return full


def public_tree(rules: Rules, dealer: int) -> Node:
    """Return the root of all public positions, found by playing `KunsOracle` with one deck."""
    rules = check(rules)
    deck = [RANKS[rank - 1] + suit for rank in rules["ranks"] for suit in SUITS[: rules["num_suits"]]]

    def grow(moves: tuple[str, ...]) -> Node:
        game = KunsOracle(rules, dealer, lambda hand: deck)
        for move in moves:
            game.apply(move)
        held = len(game.hole(0))
        assert held == len(game.hole(1)), "heads-up, both have had as many cards until the hand ends"
        num_steps = [sum(CARDS_PER_ROUND[:n]) for n in range(len(CARDS_PER_ROUND) + 1)].index(held)
        paid = game.paid[0], game.paid[1]
        node = Node(
            moves, num_steps, game.to_play, tuple(game.legal_moves()), paid, tuple(sorted(game.in_hand))
        )
        node.children.update({move: grow((*moves, move)) for move in node.legal})
        return node

    return grow(())


# ------------------------------------------------------------------------------------------------ chance


def draws(left: tuple[int, ...], num_cards: int) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...]]]:
    """Yield what ``num_cards`` cards can be: their ranks, in how many ways, and the deck that is left.

    Args:
        left: cards of each rank, 1 to 10, that are still in the deck.
        num_cards: how many are drawn.
    """
    for ranks in combinations_with_replacement([i + 1 for i, n in enumerate(left) if n], num_cards):
        ways, after = 1, list(left)
        for rank in set(ranks):
            ways *= comb(left[rank - 1], ranks.count(rank))
            after[rank - 1] -= ranks.count(rank)
        if ways:
            yield ranks, ways, tuple(after)


Joint = dict[Cards, dict[Cards, int]]
"""For the cards of one player, for the cards of the other: how many deals give both of them these."""


@lru_cache(maxsize=4)
def deals(ranks: tuple[int, ...], num_suits: int) -> tuple[Joint, ...]:
    """Return, after 0, 1, 2 and 3 deal steps, how many *whole* deals (all three steps) begin like that.

    Which of two players is dealt a card first does not matter to the count: every order of the deck is
    equally likely.
    """
    deck = tuple(num_suits if rank in ranks else 0 for rank in range(1, len(RANKS) + 1))
    level: dict[tuple[Cards, Cards], tuple[int, tuple[int, ...]]] = {(NO_CARDS, NO_CARDS): (1, deck)}
    levels = [level]
    for num_cards in CARDS_PER_ROUND:
        level = {
            ((*one, first), (*two, second)): (ways * ways_one * ways_two, left)
            for (one, two), (ways, before) in level.items()
            for first, ways_one, between in draws(before, num_cards)
            for second, ways_two, left in draws(between, num_cards)
        }
        levels.append(level)
    num_deals = sum(ways for ways, _ in levels[-1].values())
    out: list[Joint] = []
    for level in levels:
        each = num_deals // sum(ways for ways, _ in level.values())
        joint: Joint = {}
        for (one, two), (ways, _) in level.items():
            joint.setdefault(one, {})[two] = ways * each
        out.append(joint)
    return tuple(out)


class Game:
    """Heads-up Kuns under ``rules`` with the given dealer."""

    def __init__(self, rules: Rules, dealer: int) -> None:
        self.rules = check(rules)
        self.dealer = dealer
        self.root = public_tree(rules, dealer)
        self.deals = deals(tuple(self.rules["ranks"]), self.rules["num_suits"])
        self.num_deals = self.deals[0][NO_CARDS][NO_CARDS]
        self.more = [self._continued(step) for step in range(len(CARDS_PER_ROUND))]
        self._strengths = {
            cards: hand_value(sum(cards, ()), self.rules["no_kuns_zero_is_ten"]) for cards in self.deals[-1]
        }

    def _continued(self, step: int) -> dict[Cards, list[Cards]]:
        """Return what the cards of a player can become by the next deal step."""
        out: dict[Cards, list[Cards]] = {cards: [] for cards in self.deals[step]}
        for cards in self.deals[step + 1]:
            out[cards[:-1]].append(cards)
        return out

    def asked(self, node: Node, cards: Cards) -> Situation:
        """Return what the seat to act at ``node`` knows."""
        assert node.to_play is not None
        return Situation(self.dealer, node.to_play, node.moves, cards)

    def situations(self) -> Iterator[tuple[Node, list[Situation]]]:
        """Yield every position with a decision, and what the player may know in it."""
        waiting = [self.root]
        for node in waiting:  # grows while it is gone through
            waiting += node.children.values()
            if node.to_play is not None:
                yield node, [self.asked(node, cards) for cards in self.deals[node.num_steps]]

    def payoff(self, leaf: Node, seat: int, own: Cards, other: Cards) -> int:
        """Return what ``seat`` has won at the end of the hand (K4.4, K5, K7.1)."""
        pot, paid = sum(leaf.paid), leaf.paid[seat]
        if leaf.in_hand == (seat,):
            return pot - paid
        if seat not in leaf.in_hand:
            return -paid
        mine, theirs = self._strengths[own], self._strengths[other]
        if mine == theirs:
            return pot // 2 - paid  # both have paid the same: the pot is even
        return pot - paid if mine > theirs else -paid

    # ------------------------------------------------------------------------------- two policies

    def value(self, policies: tuple[Policy, Policy]) -> Any:
        """Return what seat 0 expects when each seat plays its policy: every deal and every move is gone through."""
        return exactly(self._value(self.root, (NO_CARDS, NO_CARDS), policies), self.num_deals)

    def _value(self, node: Node, cards: tuple[Cards, Cards], policies: tuple[Policy, Policy]) -> Any:
        step = len(cards[0])
        if node.num_steps > step:
            possible = self.deals[step + 1]
            return sum(
                self._value(node, (one, two), policies)
                for one in self.more[step][cards[0]]
                for two in self.more[step][cards[1]]
                if two in possible[one]
            )
        if node.to_play is None:
            return self.deals[step][cards[0]][cards[1]] * self.payoff(node, 0, *cards)
        policy = policies[node.to_play](self.asked(node, cards[node.to_play]))
        return sum(
            chance * self._value(node.children[move], cards, policies)
            for move, chance in policy.items()
            if chance
        )

    # ------------------------------------------------------------------------------- best responses

    def best_response(self, seat: int, policy: Policy) -> tuple[Any, dict[Situation, str]]:
        """Return what ``seat`` can win at most against ``policy``, and how: a move for every situation.

        The recursion goes over what ``seat`` knows. With it travels how likely the other is to have played
        as it did with each hand that it may hold.
        """
        chances = {
            node.moves: {asked.cards: policy(asked) for asked in situations}
            for node, situations in self.situations()
            if node.to_play != seat
        }
        best: dict[Situation, str] = {}
        total = self._respond(self.root, seat, NO_CARDS, {NO_CARDS: 1}, chances, best)
        return exactly(total, self.num_deals), best

    def _respond(
        self,
        node: Node,
        seat: int,
        own: Cards,
        reach: Mapping[Cards, Any],
        chances: Mapping[tuple[str, ...], Mapping[Cards, Mapping[str, Any]]],
        best: dict[Situation, str],
    ) -> Any:
        step = len(own)
        if node.num_steps > step:
            more = self.more[step]
            reach = {longer: chance for cards, chance in reach.items() for longer in more[cards]}
            return sum(self._respond(node, seat, longer, reach, chances, best) for longer in more[own])
        if node.to_play is None:
            together = self.deals[step][own]
            return sum(
                together[cards] * chance * self.payoff(node, seat, own, cards)
                for cards, chance in reach.items()
                if cards in together
            )
        if node.to_play == seat:
            values = {
                move: self._respond(child, seat, own, reach, chances, best)
                for move, child in node.children.items()
            }
            move = max(values, key=lambda move: values[move])
            best[self.asked(node, own)] = move
            return values[move]
        total: Any = 0
        chosen = chances[node.moves]
        for move, child in node.children.items():
            further = {cards: chance * chosen[cards].get(move, 0) for cards, chance in reach.items()}
            further = {cards: chance for cards, chance in further.items() if chance}
            total += self._respond(child, seat, own, further, chances, best)
        return total


def exactly(total: Any, num_deals: int) -> Any:
    """Return the mean of a sum over all deals: a `Fraction` unless the policies were of floats."""
    return total / num_deals if isinstance(total, float) else Fraction(total) / num_deals


@dataclass(frozen=True)
class Exploitability:
    """How much can be won against a policy that plays both seats; chips a hand."""

    exploitability: Any
    """The mean of the two: what a best response wins when the deal is drawn by lot (K2.1)."""
    as_dealer: Any
    """What the best response wins as the dealer."""
    as_other: Any
    """What it wins when the policy deals."""


def exploitability(rules: Rules, policy: Policy) -> Exploitability:
    """Return the exploitability of ``policy``, the mean over which seat deals."""
    games = [Game(rules, dealer) for dealer in SEATS]
    as_dealer = [game.best_response(game.dealer, policy)[0] for game in games]
    as_other = [game.best_response(1 - game.dealer, policy)[0] for game in games]
    num_games = len(games)
    return Exploitability(
        sum(as_dealer + as_other) / (2 * num_games), sum(as_dealer) / num_games, sum(as_other) / num_games
    )
