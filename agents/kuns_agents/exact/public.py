"""The public tree of Kuns without side bets: what everybody has seen, without the cards.

A *node* is a decision: the ante, or a call or fold. What is public there is the ante, the round, who is
asked, and in which round each player has folded, since that says what it has paid (K4.2). Players are
counted by *position*: 0 is at the left of the dealer, the last one is the dealer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kuns_agents.exact.scope import why_no_table
from kuns_agents.hands import BETTING_SIZES
from kuns_env import KunsRules
from kuns_env.kuns.rules import MAX_PLAYERS
from kuns_env.kuns.state import ANTE, NUM_ROUNDS

Integers: TypeAlias = npt.NDArray[np.int64]

END: Final = -1
"""In place of a node: the hand is over."""
STILL_IN: Final = 0
"""In place of the round in which a player folded."""
FOLD_BITS: Final = 2
MOST_NODES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PublicTree:
    """All decisions of one hand, each after those that lead to it; the ante comes first where it is one."""

    rules: KunsRules
    keys: Integers
    """What is public, in one number; see `key_of`. Shape ``(nodes,)``."""
    order: Integers
    """Nodes by rising key, for looking them up. Shape ``(nodes,)``."""
    antes: Integers
    """Place of the ante in the menu, -1 where it is not set yet. Shape ``(nodes,)``."""
    rounds: Integers
    """Betting round, 1 to 3; 0 for the ante. Shape ``(nodes,)``."""
    positions: Integers
    """Who is asked. Shape ``(nodes,)``."""
    folds: Integers
    """The round in which each position folded, 0 for those still in. Shape ``(nodes, players)``."""
    after_call: Integers
    """The next node, `END` where the hands are shown. Shape ``(nodes,)``; unused for the ante."""
    after_fold: Integers
    """The next node, `END` where one player is left. Shape ``(nodes,)``; unused for the ante."""
    firsts: Integers
    """The first node after each entry of the ante menu. Shape ``(antes,)``."""

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.keys)

    @property
    def has_ante(self) -> bool:
        """Whether the dealer sets the ante; node 0 is then that decision."""
        return len(self.firsts) > 1

    @property
    def sizes(self) -> Integers:
        """Cards in hand at each node; at the ante 2, or 0 where the dealer has not seen them (K3.2)."""
        seen = BETTING_SIZES[0] if self.rules.dealer_sees_hand else 0
        sizes: Integers = np.array([seen, *BETTING_SIZES])[self.rounds]
        return sizes

    def nodes_of(self, records: npt.NDArray[Any]) -> Integers:
        """Return the node of each record, int64 ``(B,)``, in all of which the ante is asked for, or a call.

        Args:
            records: full or redacted, ``(B,)`` of `kuns_env.kuns.state.STATE`.

        Raises:
            ValueError: a record that is no decision of these rules.
        """
        keys = keys_of_records(records, self.rules)
        at = np.searchsorted(self.keys, keys, sorter=self.order)
        found: Integers = self.order[np.minimum(at, len(self) - 1)]
        if (self.keys[found] != keys).any():
            raise ValueError("a record is no decision of these rules: neither an ante nor a call or fold")
        return found


def key_of(ante: int, round_: int, position: int, folds: tuple[int, ...]) -> int:
    """Return what is public at a node in one number.

    >>> key_of(-1, 0, 1, (0, 0)), key_of(0, 1, 0, (0, 0))
    (65536, 2621440)
    """
    return int(
        _packed(ante, round_, position, sum(fold << FOLD_BITS * place for place, fold in enumerate(folds)))
    )


def _packed(ante: Any, round_: Any, position: Any, folded: Any) -> Any:
    """Return numbers, or arrays of them, packed into one: ``folded`` has `FOLD_BITS` for each position."""
    asked = ((ante + 1) * (NUM_ROUNDS + 1) + round_) * MAX_PLAYERS + position
    return asked << (FOLD_BITS * MAX_PLAYERS) | folded


def keys_of_records(records: npt.NDArray[Any], rules: KunsRules) -> Integers:
    """Return `key_of` of each record, int64 ``(B,)``."""
    players = rules.num_players
    dealer = records["dealer"].astype(np.int64)
    is_ante = records["phase"] == ANTE
    ante, round_ = records["ante_index"].astype(np.int64), records["round"].astype(np.int64)
    round_[is_ante] = 0
    folded = np.zeros(len(records), np.int64)
    # A call pays the ante: who has folded did so in the round after its last call.
    calls = (records["paid"] - rules.forced_ante) // np.maximum(records["ante"], 1)[:, None]
    for place in range(players):
        seat = (dealer + 1 + place) % players
        rows = np.arange(len(records))
        fold = np.where(records["in_hand"][rows, seat] == 1, STILL_IN, calls[rows, seat] + 1)
        folded |= fold.astype(np.int64) << FOLD_BITS * place
    position = (records["seat"].astype(np.int64) - dealer - 1) % players
    keys: Integers = _packed(ante, round_, position, folded)
    return keys


@lru_cache(maxsize=16)
def public_tree(rules: KunsRules) -> PublicTree:
    """Return the public tree of one hand.

    >>> len(public_tree(KunsRules.duel())), len(public_tree(KunsRules.anted(3)))
    (25, 145)

    Raises:
        ValueError: there are side bets or bankrolls, or more than a million nodes.
    """
    reason = why_no_table(rules)
    if reason is not None:
        raise ValueError(f"a public tree of calls and folds alone is wanted: {reason}")
    return _Builder(rules).built()


class _Builder:
    """Lists the nodes of the tree, depth first: after a call before after a fold."""

    def __init__(self, rules: KunsRules) -> None:
        self.rules = rules
        self.rows: list[tuple[int, int, int, tuple[int, ...]]] = []
        self.calls: list[int] = []
        self.folds: list[int] = []

    def built(self) -> PublicTree:
        """Return the tree."""
        nobody = (STILL_IN,) * self.rules.num_players
        antes = range(len(self.rules.ante_menu))
        if len(antes) > 1:
            self._new(-1, 0, self.rules.num_players - 1, nobody)
        firsts = [self._asked(ante, 1, 0, nobody) for ante in antes]
        keys = np.array([key_of(*row) for row in self.rows], np.int64)
        return PublicTree(
            rules=self.rules,
            keys=keys,
            order=np.argsort(keys),
            antes=np.array([row[0] for row in self.rows], np.int64),
            rounds=np.array([row[1] for row in self.rows], np.int64),
            positions=np.array([row[2] for row in self.rows], np.int64),
            folds=np.array([row[3] for row in self.rows], np.int64),
            after_call=np.array(self.calls, np.int64),
            after_fold=np.array(self.folds, np.int64),
            firsts=np.array(firsts, np.int64),
        )

    def _new(self, ante: int, round_: int, position: int, folds: tuple[int, ...]) -> int:
        if len(self.rows) >= MOST_NODES:
            raise ValueError(
                f"num_players={self.rules.num_players}, {len(self.rules.ante_menu)} antes: "
                f"more than {MOST_NODES:,} public positions"
            )
        self.rows.append((ante, round_, position, folds))
        self.calls.append(END)
        self.folds.append(END)
        return len(self.rows) - 1

    def _asked(self, ante: int, round_: int, position: int, folds: tuple[int, ...]) -> int:
        """Return the node at which the first player from ``position`` on that is still in is asked (K4.2)."""
        if folds.count(STILL_IN) == 1:
            return END  # K4.4
        asked = next((p for p in range(position, len(folds)) if folds[p] == STILL_IN), None)
        if asked is None:
            return END if round_ == NUM_ROUNDS else self._asked(ante, round_ + 1, 0, folds)
        node = self._new(ante, round_, asked, folds)
        self.calls[node] = self._asked(ante, round_, asked + 1, folds)
        gone = (*folds[:asked], round_, *folds[asked + 1 :])
        self.folds[node] = self._asked(ante, round_, asked + 1, gone)
        return node
