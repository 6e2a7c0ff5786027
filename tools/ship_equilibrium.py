"""Solve `KunsRules.duel` and put the solution among the agents that come with `kuns_agents`, with its card.

python tools/ship_equilibrium.py
"""

from __future__ import annotations

import sys
from typing import Final

import kuns_agents
from kuns_agents.exact.equilibrium import FILE, EquilibriumAgent
from kuns_agents.exact.table_file import write
from kuns_env import KunsRules

PRECISION: Final = 1e-6
"""Exploitability, in chips a hand."""

CARD: Final = """# `equilibrium`

The solution of `KunsRules.duel()`: an equilibrium to within {exploitability:.1e} chips a hand, made by
`python tools/ship_equilibrium.py` with {iterations:,} iterations of {algorithm}. The value of the game to the dealer is
between {low:.6f} and {high:.6f} chips a hand. Whoever plays it in both positions loses, in the long run, to nobody.

Where a hand cannot occur because the solution itself would not have come there, it holds what the last iteration
would do.
"""


def main() -> int:
    """Write table and card."""
    solution = kuns_agents.solve(KunsRules.duel(), PRECISION)
    last = solution.last
    info = {"algorithm": solution.algorithm, "iterations": last.iterations}
    write(solution.table, FILE, name=EquilibriumAgent.name, info=info)
    found = kuns_agents.exploitability(kuns_agents.load("equilibrium"))
    left, dealer = found.best_response_values
    text = CARD.format(
        exploitability=found.exploitability,
        iterations=last.iterations,
        algorithm=solution.algorithm.upper(),
        low=-left,
        high=dealer,
    )
    FILE.with_suffix(".md").write_text(text, "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
