"""Put a trained agent among those that come with `kuns_agents`, with a card of how it was made and how it plays.

    python tools/ship.py runs/kunken-ppo-1 policy-kunken --deals 20000

The card is written from the run and from an evaluation that is made here; the sentences of ``--note`` stand in it as
they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

import kuns_agents
from kuns_agents.policy import PolicyAgent
from kuns_agents.registry import WEIGHTS
from kuns_training.arena.report import measure
from kuns_training.config import Config
from kuns_training.defaults import table_of
from kuns_training.evaluate import evaluate
from kuns_training.progress import clock
from kuns_training.run_folder import RunFolder

SEED: Final = 20_261_130
"""Of the deals of the evaluation."""


def renamed(agent: PolicyAgent, name: str) -> PolicyAgent:
    """Return ``agent`` under the name that it is shipped by."""
    network = agent.network
    return PolicyAgent(
        network.layers,
        network.activation,
        network.rules,
        encoder=network.encoder,
        pad=network.pad,
        kind=network.kind,
        name=name,
        info=network.info,
        head=network.head,
    )


def rows_of(path: Path, config: Config, deals: int) -> list[str]:
    """Return the table of how the agent does against others, one by one."""
    rules = config.make_rules()
    rows = [f"| plays | against | {measure(rules, ' ')} | 95 % interval |", "|---|---|---|---|"]
    for greedy in (False, True):
        agent = kuns_agents.load(path, greedy=greedy)
        for name in table_of(config.game).agents:
            found = evaluate([agent, kuns_agents.load(name)], rules, deals, SEED)
            if found.disqualifications:
                raise RuntimeError(str(found.disqualifications[0]))
            payoff = found.results[0].payoff
            plays = "its likeliest moves (`?greedy`)" if greedy else "as it has learned to"
            rows.append(
                f"| {plays} | `{name}` | {payoff.mean:+.2f} | {payoff.low:+.2f} to {payoff.high:+.2f} |"
            )
    return rows


def card(name: str, config: Config, result: dict[str, Any], rows: list[str], args: Any) -> str:
    """Return the card."""
    options = [f"--game {config.game}", f"--seed {config.seed}"]
    steps = result["steps"]
    trained = result["seconds"] - result["seconds_of_curve"]
    warm = config.warm
    imitated = f" after {warm.steps:,} decisions of imitating `{warm.agent}`" if warm.agent else ""
    return "\n".join(
        [
            f"# `{name}`",
            "",
            f"A network for `{config.game}`, trained by `kuns train {' '.join(options)}`:",
            f"{steps:,} decisions of {config.algo.upper()}{imitated},",
            f"{clock(trained)} on one core of a busy machine, without the evaluations of its curve. The settings are",
            "the defaults of that command; they are in the file too (`kuns_agents.load(...).network.info`).",
            "",
            *([args.note, ""] if args.note else []),
            f"{args.deals:,} deals against each opponent, each in both seatings (seed {SEED}):",
            "",
            *rows,
            "",
        ]
    )


def main() -> int:
    """Write agent and card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--note", default="")
    args = parser.parse_args()
    folder = RunFolder(args.run)
    config = Config.from_json(folder.config.read_text("utf-8"))
    result = json.loads(folder.result.read_text("utf-8"))
    agent = kuns_agents.load(folder.agent)
    assert isinstance(agent, PolicyAgent)
    path = WEIGHTS / f"{args.name}.npz"
    renamed(agent, args.name).save(path)
    text = card(args.name, config, result, rows_of(path, config, args.deals), args)
    path.with_suffix(".md").write_text(text, "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
