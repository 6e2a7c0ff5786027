"""Put the strategy of a run of MCCFR for three players among the agents that come with `kuns_agents`, with its card.

    python tools/ship_mccfr.py runs/kuns-anted-3p-mccfr-1 --deals 100000

The card says how the run was made, and how the agent plays in an evaluation that is made here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Final

import kuns_agents
from kuns_agents.exact.agent import TableAgent
from kuns_agents.exact.mccfr_agent import FILE, NAME
from kuns_agents.exact.table import TablePolicy
from kuns_env import KunsRules
from kuns_training.evaluate import evaluate
from kuns_training.solve_mccfr import OPPONENTS

SEED: Final = 20_261_130
"""Of the deals of the evaluation."""
DECIMALS: Final = 3
"""To which probabilities are kept: it makes the file a third as large, and changes nothing in play."""

CARD: Final = """# `{name}`

The average strategy of {iterations:,} iterations of external-sampling MCCFR for `KunsRules.anted(3)` with seed {seed}:
`kuns solve --game kuns-anted --players 3 --max-iterations {iterations} --seed {seed}`. Probabilities are rounded to
{decimals} decimals. It is no equilibrium that is known of: with three players MCCFR promises none. See docs/mccfr.md.

{deals:,} deals against each opponent, in chips a hand with 95 % intervals (seed {evaluation}). Left:
`{name}` in one seat, the opponent in both others, every seat on every deal. Right: the opponent in one seat,
`{name}` in both others.

| opponent | `{name}` among two of it | it among two `{name}` |
|---|---|---|
{rows}
"""


def rounded(table: TablePolicy) -> TablePolicy:
    """Return ``table`` with probabilities of `DECIMALS` decimals."""
    antes = table.antes.round(DECIMALS)
    return TablePolicy(table.rules, table.calls.round(DECIMALS), antes / antes.sum(axis=1, keepdims=True))


def row(opponent: str, deals: int) -> str:
    """Return how the shipped agent does against one opponent."""
    agents = [kuns_agents.load(NAME), kuns_agents.load(opponent)]
    found = evaluate(agents, KunsRules.anted(3), deals, SEED)
    if found.disqualifications:
        raise SystemExit(str(found.disqualifications[0]))
    cells = [
        f"{result.payoff.mean:+.3f} ({result.payoff.low:+.3f} to {result.payoff.high:+.3f})"
        for result in found.results
    ]
    return f"| `{opponent}` | {' | '.join(cells)} |"


def main() -> int:
    """Write agent and card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--deals", type=int, default=100_000)
    args = parser.parse_args()
    agent: Any = kuns_agents.load(args.run)
    if not isinstance(agent, TableAgent) or agent.table.rules != KunsRules.anted(3):
        parser.error(f"{args.run}: holds no table for KunsRules.anted(3)")
    TableAgent(rounded(agent.table), NAME, agent.info).save(FILE)
    text = CARD.format(
        name=NAME,
        iterations=agent.info["iterations"],
        seed=agent.info["seed"],
        decimals=DECIMALS,
        deals=args.deals,
        evaluation=SEED,
        rows="\n".join(row(opponent, args.deals) for opponent in OPPONENTS),
    )
    FILE.with_suffix(".md").write_text(text, "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
