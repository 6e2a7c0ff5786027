"""Heads-up Kuns without side bets as a game of OpenSpiel, written from RULES.md for its solvers and best responses.

The game is written out as text, in Gambit's format for extensive games, which OpenSpiel loads and then goes
through in C++. One chance move deals a step to both players. An information state has a player's cards a step
at a time: OpenSpiel sees the game with perfect recall, and merges nothing. Nothing here needs OpenSpiel itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from oracle.kuns import CARDS_PER_ROUND, hand_value
from oracle.kuns_exact import Cards, Policy, Situation

OTHER, DEALER = 0, 1
"""Players: at the left of the dealer, and the dealer."""

NUM_ROUNDS = len(CARDS_PER_ROUND)

Step = tuple[tuple[int, ...], tuple[int, ...]]
"""What one deal step gives the two players."""


@dataclass(frozen=True)
class Hand:
    """A hand as far as it has been played."""

    left: tuple[int, ...]
    """The rank of every card that is still in the deck."""
    ante: int
    """Chips; 0 until it is set."""
    cards: tuple[Cards, Cards] = ((), ())
    calls: int = 0
    """Calls so far, of the player at the left of the dealer and the dealer by turns (K4.2)."""
    folded: int | None = None


class KunsTree:
    """The game tree under ``rules``, all fields of K11.

    Attributes:
        places: the number of every information state, as Gambit counts them for each player, from 1.
        situations: for the same key what the player is asked, as policies take it, with seat 1 as the dealer.
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules
        self.places: dict[tuple[int, int, int, Cards], int] = {}
        self.situations: dict[tuple[int, int], Situation] = {}
        self._num_places = [0, 0]
        self._dealt: dict[tuple[tuple[int, ...], int], list[tuple[Step, float, tuple[int, ...]]]] = {}

    def text(self) -> str:
        """Return the game in Gambit's format."""
        menu = self.rules["ante_menu"]
        deck = tuple(rank for rank in self.rules["ranks"] for _ in range(self.rules["num_suits"]))
        ante = menu[0] if len(menu) == 1 else 0  # K3.1: a menu of one entry is no decision
        return "\n".join(['EFG 2 R "Kuns" { "other" "dealer" }', *self._lines(Hand(deck, ante))])

    def _lines(self, hand: Hand) -> Iterator[str]:
        """Yield the lines of the tree from ``hand`` on, depth first."""
        if hand.folded is not None or hand.calls == 2 * NUM_ROUNDS:
            won = self._won(hand)
            yield f't "" {won + self._most + 1} "" {{ {won} {-won} }}'
            return
        before_deal = not hand.ante and not self.rules["dealer_sees_hand"]  # K3.2
        steps_due = 0 if before_deal else min(hand.calls // 2 + 1, NUM_ROUNDS)
        if len(hand.cards[0]) < steps_due:
            dealt = self._steps(hand.left, CARDS_PER_ROUND[len(hand.cards[0])])
            chances = " ".join(f'"{step}" {chance!r}' for step, chance, _ in dealt)
            yield f'c "" {1 + len(hand.cards[0])} "" {{ {chances} }} 0'
            for step, _, left in dealt:
                one, two = hand.cards
                yield from self._lines(replace(hand, left=left, cards=((*one, step[0]), (*two, step[1]))))
            return
        player = hand.calls % 2 if hand.ante else DEALER
        moves = self.moves(hand.ante)
        names = " ".join(f'"{move}"' for move in moves)
        yield f'p "" {player + 1} {self._place(player, hand)} "" {{ {names} }} 0'
        for move in moves:
            if move == "call":
                yield from self._lines(replace(hand, calls=hand.calls + 1))
            elif move == "fold":
                yield from self._lines(replace(hand, folded=player))
            else:
                yield from self._lines(replace(hand, ante=int(move.split()[1])))

    def moves(self, ante: int) -> list[str]:
        """Return the legal moves in the order of the tree: the ante first, then calls and folds."""
        return ["call", "fold"] if ante else [f"ante {chips}" for chips in self.rules["ante_menu"]]

    @property
    def _most(self) -> int:
        """The most that can be lost."""
        most: int = self.rules["forced_ante"] + NUM_ROUNDS * max(self.rules["ante_menu"])
        return most

    def _won(self, hand: Hand) -> int:
        """Return what the player at the left of the dealer has won: what the loser has paid (K4.4, K5, K7.1)."""
        if hand.folded is not None:
            paid = self.rules["forced_ante"] + hand.ante * (hand.calls // 2)
            return paid if hand.folded == DEALER else -paid
        one, two = (hand_value(sum(cards, ()), self.rules["no_kuns_zero_is_ten"]) for cards in hand.cards)
        return ((one > two) - (one < two)) * (self.rules["forced_ante"] + NUM_ROUNDS * hand.ante)

    def _place(self, player: int, hand: Hand) -> int:
        """Return the number of the information state in which ``player`` is asked."""
        known = (player, hand.ante, hand.calls, hand.cards[player])
        if known not in self.places:
            self._num_places[player] += 1
            self.places[known] = self._num_places[player]
            has_ante = hand.ante and len(self.rules["ante_menu"]) > 1
            moves = ((f"ante {hand.ante}",) if has_ante else ()) + ("call",) * hand.calls
            asked = Situation(DEALER, player, moves, hand.cards[player])
            self.situations[player, self._num_places[player]] = asked
        return self.places[known]

    def _steps(self, left: tuple[int, ...], num_cards: int) -> list[tuple[Step, float, tuple[int, ...]]]:
        """Return what a step can deal: the cards, their probability and what is left of the deck.

        Physical cards are gone through: those of one player, then those of the other.
        """
        if (left, num_cards) not in self._dealt:
            counts: dict[tuple[Step, tuple[int, ...]], int] = {}
            for first, rest in taken(left, num_cards):
                for second, after in taken(rest, num_cards):
                    key = (first, second), after
                    counts[key] = counts.get(key, 0) + 1
            total = sum(counts.values())
            self._dealt[left, num_cards] = [
                (step, number / total, after) for (step, after), number in sorted(counts.items())
            ]
        return self._dealt[left, num_cards]


def taken(deck: tuple[int, ...], num_cards: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every choice of ``num_cards`` physical cards from ``deck`` as ranks, with what is left."""
    for places in combinations(range(len(deck)), num_cards):
        yield (
            tuple(deck[place] for place in places),
            tuple(rank for place, rank in enumerate(deck) if place not in places),
        )


def strategy(tree: KunsTree, game: Any, policy: Policy) -> dict[str, list[tuple[int, float]]]:
    """Return ``policy`` as OpenSpiel takes it: for each of its information states the moves with their chances.

    Args:
        tree: whose `text` has been taken.
        game: what OpenSpiel loaded from that text.
        policy: asked with seat 1 as the dealer.
    """
    out: dict[str, list[tuple[int, float]]] = {}
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        if state.is_terminal():
            continue
        legal = state.legal_actions()
        states += [state.child(action) for action in legal]
        key = None if state.is_chance_node() else state.information_state_string()
        if key is not None and key not in out:
            player = state.current_player()
            asked = tree.situations[player, int(key.split("-")[2])]
            chances = policy(asked)
            names = [state.action_to_string(player, action) for action in legal]
            out[key] = [
                (action, float(chances.get(name, 0))) for action, name in zip(legal, names, strict=True)
            ]
    return out
