"""The tables of docs/exact.md, printed from what they speak of."""

from __future__ import annotations

from typing import Final

import kuns_agents
from kuns_agents.exact.cousins import COUSINS
from kuns_agents.exact.exploitability import exploitability
from kuns_agents.exact.query import recall_deals
from kuns_agents.exact.solve import solve
from kuns_agents.exact.space import hand_space
from kuns_agents.exact.table import uniform
from kuns_env import KunsRules

PRECISION: Final = 2e-6
"""Exploitability to which values are printed, in chips a hand."""
SIMPLE: Final = ("random", "call")
"""Agents whose exploitability stands beside the value of a game."""


def agents() -> str:
    """Return the exploitability of every agent that comes with the package and plays `KunsRules.duel`."""
    rows = [
        "| agent | exploitability | best response wins as left | as dealer | reads |",
        "|---|---|---|---|---|",
    ]
    loaded = [kuns_agents.load(name) for name in kuns_agents.NAMES_OF["kuns"]]
    found = [(exploitability(agent), agent) for agent in loaded if agent.supports(KunsRules.duel()) is None]
    for result, agent in sorted(found, key=lambda pair: -pair[0].exploitability):
        left, dealer = result.best_response_values
        reads = getattr(agent, "reads", "")
        rows.append(
            f"| `{result.name}` | {result.exploitability:.4f} | {left:+.4f} | {dealer:+.4f} | {reads} |"
        )
    return "\n".join(rows)


def cousins() -> str:
    """Return size, value and simple agents' exploitability of the small games, and of `KunsRules.duel`."""
    rows = [
        "| game | hands of 2, 4, 5 | information sets | value to the dealer | `random` | `call` |",
        "|---|---|---|---|---|---|",
    ]
    for name, rules in (COUSINS | {"`KunsRules.duel()`": KunsRules.duel()}).items():
        last = solve(rules, PRECISION).last
        sizes, even = hand_space(rules).sizes, uniform(rules)
        sets = len(even.calls) + (len(even.antes) if len(rules.ante_menu) > 1 else 0)
        simple = [exploitability(kuns_agents.load(agent), rules).exploitability for agent in SIMPLE]
        cells = [
            name,
            ", ".join(f"{size:,}" for size in sizes),
            f"{sets:,}",
            f"{(last.low + last.high) / 2:+.5f}",
            *(f"{each:.5f}" for each in simple),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def states() -> str:
    """Return how many states an agent is asked in, by round."""
    rules = KunsRules.duel()
    rows = [
        "| round | cards | hands as multisets | private states with perfect recall |",
        "|---|---|---|---|",
    ]
    sizes, deals = hand_space(rules).sizes, recall_deals(rules)
    for round_, (cards, size, recall) in enumerate(zip((2, 4, 5), sizes, deals, strict=True), start=1):
        rows.append(f"| {round_} | {cards} | {size:,} | {len(recall):,} |")
    return "\n".join(rows)
