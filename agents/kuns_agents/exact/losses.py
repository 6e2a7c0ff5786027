"""Where a policy loses: which of its decisions cost it how much against the opponent that exploits it most.

That opponent is a best response, and stays as it is. The policy is compared with a *reference* that plays the same
position against the same opponent: an equilibrium, or the best reply. Each decision costs the difference between the
reference's move and the policy's, both going on as the reference does, times the probability that the policy comes
there. Added up over all decisions these losses telescope to what the reference wins more than the policy, since each
is the step from a policy that turns into the reference after the decision to one that turns into it at the decision.

The best reply is the wrong reference for a strong policy: even an equilibrium loses much to the best reply to one
fixed best response to it, without any mistake. An equilibrium loses nothing to itself, and against any opponent
wins at least the value of the game; so the losses of a position add up to no less than what a best response gains
beyond that value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kuns_agents.exact.duel import DEALER, LEFT, Duel, Strategy, duel, to_strategy
from kuns_agents.exact.response import respond, value_of
from kuns_agents.exact.table import TablePolicy
from kuns_agents.hands import Floats, Integers
from kuns_env.kuns.state import NUM_ROUNDS

CALLS: Final = "calls"
FOLDS: Final = "folds"
HIGH: Final = "high"
LOW: Final = "low"
"""How a policy differs: it calls or folds more often than the reference, or sets higher or lower antes."""


DIGITS: Final = 12
"""After the point of a loss that may decide which one is shown first."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One way to differ at one node of the public tree, with all hands that do, the costliest first.

    Chips are for each hand that is dealt to the policy in this position. Where the policy does better than the
    reference against this opponent, they are below 0.
    """

    position: int
    """Of the policy: `LEFT` or `DEALER`."""
    round: int
    """1 to 3; 0 for the ante."""
    ante: int | None
    """In chips; None where it is the ante that is decided."""
    kind: str
    """`CALLS`, `FOLDS`, `HIGH` or `LOW`."""
    hands: Integers
    """Nodes of `kuns_agents.hands.tree`; the empty hand where the dealer has not seen its cards (K3.2)."""
    losses: Floats
    """What the difference costs with each hand, in chips."""
    plays: Floats
    """How likely the policy calls with each hand; at the ante, the ante that it sets on average, in chips."""
    better: Floats
    """The same of the reference."""

    @property
    def loss(self) -> float:
        """What the difference costs with all hands together, in chips."""
        return float(self.losses.sum())


@dataclass(frozen=True, slots=True)
class Losses:
    """All differences of a policy. Pairs are for the left of the dealer and the dealer."""

    spots: tuple[Spot, ...]
    """The costliest first."""
    values: tuple[float, float]
    """What the policy wins in each position against the opponent that exploits it most there."""
    reference_values: tuple[float, float]
    """What the reference wins there against the same opponents."""

    def total(self, position: int) -> float:
        """Return what all differences in a position cost: what the reference wins more than the policy."""
        return sum(spot.loss for spot in self.spots if spot.position == position)


def losses(table: TablePolicy, reference: TablePolicy | None = None) -> Losses:
    """Return where the policy of ``table`` loses against the opponent that exploits it most.

    >>> from kuns_agents.exact.solve import solve
    >>> from kuns_agents.exact.table import uniform
    >>> from kuns_env import KunsRules
    >>> worst = losses(uniform(KunsRules.duel()), solve(KunsRules.duel(), 1e-3).table).spots[0]
    >>> worst.position, worst.round, worst.ante, worst.kind
    (0, 2, 8, 'folds')

    Args:
        table: the policy.
        reference: what it is compared with: an equilibrium; None is the best reply to that opponent.

    Raises:
        ValueError: under the table's rules nothing can be computed exactly, or the reference has others.
    """
    if reference is not None and reference.rules != table.rules:
        raise ValueError("reference: must be a table for the same rules")
    game, own = duel(table.rules), to_strategy(table)
    standard = None if reference is None else to_strategy(reference)
    spots: list[Spot] = []
    values, reference_values = [], []
    for position in (LEFT, DEALER):
        other = _worst_opponent(game, position, own)
        found, value = _spots(game, position, own, other, standard)
        spots += found
        values.append(value_of(game, position, own, other))
        reference_values.append(value)
    spots.sort(key=lambda spot: -spot.loss)
    return Losses(tuple(spots), (values[0], values[1]), (reference_values[0], reference_values[1]))


def _worst_opponent(game: Duel, position: int, own: Strategy) -> Strategy:
    """Return the best response to a policy that sits at ``position``."""
    response = respond(game, 1 - position, own)
    sides = (response.calls, response.calls)  # only the side of the opponent is looked at
    return Strategy(sides, own.antes if response.antes is None else response.antes)


def _spots(
    game: Duel, position: int, own: Strategy, other: Strategy, standard: Strategy | None
) -> tuple[list[Spot], float]:
    """Return all differences of one position, and what the reference wins there."""
    gaps: list[Floats] = [np.empty(0)] * NUM_ROUNDS
    better: list[Floats] = [np.empty(0)] * NUM_ROUNDS

    def play(round_: int, fold: Floats, call: Floats) -> Floats:
        gaps[round_] = call - fold
        best = (call > fold).astype(np.float64)
        better[round_] = best if standard is None else standard.sides[position][round_]
        value: Floats = fold + better[round_] * gaps[round_]
        return value

    won = game.walk(position, other, play)
    found: list[Spot] = []
    value = float(won.sum())
    if position == DEALER:
        won = game.ante_values(won)
        antes = np.eye(won.shape[1])[won.argmax(axis=1)] if standard is None else standard.antes
        value = float((won * antes).sum())
        found += _ante_spots(game, own.antes, antes, won)
    calls = own.sides[position]
    for round_, reach in enumerate(game.reaches(calls, game.first_reach(position, own.antes))):
        lost = reach * (better[round_] - calls[round_]) * gaps[round_]
        found += _bet_spots(game, position, round_, lost, calls[round_], better[round_])
    return found, value


def _bet_spots(
    game: Duel, position: int, round_: int, lost: Floats, calls: Floats, better: Floats
) -> list[Spot]:
    """Return the differences in one round: for each ante, calls and folds that are too many."""
    spots = []
    for column, ante in enumerate(game.rules.ante_menu):
        more = calls[:, column] > better[:, column]
        for kind, rows in ((CALLS, more), (FOLDS, ~more)):
            order = _costliest(np.where(rows, lost[:, column], 0))
            if len(order):
                spots.append(
                    Spot(
                        position=position,
                        round=round_ + 1,
                        ante=ante,
                        kind=kind,
                        hands=game.space.nodes[round_][order],
                        losses=lost[order, column],
                        plays=calls[order, column],
                        better=better[order, column],
                    )
                )
    return spots


def _ante_spots(game: Duel, antes: Floats, better: Floats, values: Floats) -> list[Spot]:
    """Return the differences in setting the ante: hands with which it is too high, and too low."""
    menu = np.array(game.rules.ante_menu, np.float64)
    hands = game.space.nodes[0] if game.rules.dealer_sees_hand else np.zeros(1, np.int64)
    lost = ((better - antes) * values).sum(axis=1)
    mean, better_mean = antes @ menu, better @ menu
    spots = []
    for kind, rows in ((HIGH, mean > better_mean), (LOW, mean <= better_mean)):
        order = _costliest(np.where(rows, lost, 0))
        if len(order):
            spots.append(
                Spot(
                    position=DEALER,
                    round=0,
                    ante=None,
                    kind=kind,
                    hands=hands[order],
                    losses=lost[order],
                    plays=mean[order],
                    better=better_mean[order],
                )
            )
    return spots


def _costliest(lost: Floats) -> Integers:
    """Return the places of what is lost, the most first, without those of nothing."""
    # Many hands cost the same: which of them comes first is not left to the last bits of sums.
    order = np.argsort(-lost.round(DIGITS), kind="stable")
    found: Integers = order[lost[order] != 0]
    return found
