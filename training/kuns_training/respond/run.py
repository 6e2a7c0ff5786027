"""`respond`: train a response, choose the best of its snapshots, and measure on fresh deals what it gains."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kuns_agents import load
from kuns_agents.network_file import read, write
from kuns_env.engine.game import Rules
from kuns_env.engine.seeds import count
from kuns_env.files import replacing
from kuns_env.rng import MAX_SEED
from kuns_training.arena.entries import Entry, entry, labels, versions
from kuns_training.arena.plan import MOST_DEALS, NUM_BLOCKS
from kuns_training.arena.run import Progress
from kuns_training.config import Config
from kuns_training.defaults import SELECTION_DEALS, table_of
from kuns_training.pool import load_for
from kuns_training.progress import Reporter
from kuns_training.respond.exact import exact_figures
from kuns_training.respond.gain import Tell, count_units, measure_gains, payoff, response_seatings
from kuns_training.respond.report import to_json
from kuns_training.respond.response import Candidate, Response
from kuns_training.respond.settings import profile_of, responder_name, response_folder
from kuns_training.run_folder import RunError, RunFolder, write_json, write_text

if TYPE_CHECKING:
    from kuns_agents import Agent

IDENTITY: Final = ("name", "greedy", "sha256")
"""What a frozen agent is recognized by, wherever its file lies."""
SELECTION: Final = "selection"
REPORT: Final = "report"
STREAMS: Final = {SELECTION: 0x5E1E, REPORT: 0x4E90}
"""Names of the streams of deals that come after training, beside its seed."""


def respond(
    config: Config,
    folder: str | os.PathLike[str] | None = None,
    *,
    num_deals: int | None = None,
    fresh: bool = False,
    reporter: Reporter | None = None,
    progress: Progress | None = None,
) -> Response:
    """Train a response, or go on with it, and return what it gains: `train_response`, then `measure_response`."""
    check_deals(config, num_deals)
    place = train_response(config, folder, fresh=fresh, reporter=reporter)
    return measure_response(config, place, num_deals=num_deals, progress=progress)


def train_response(
    config: Config,
    folder: str | os.PathLike[str] | None = None,
    *,
    fresh: bool = False,
    reporter: Reporter | None = None,
) -> Path:
    """Train a response, or go on with it, and return its folder, which is that of any training run.

    Its opponents are frozen: the one profile that the settings name, never the learner's past.

    Args:
        config: the settings, as of `response_config`.
        folder: of the run; by default ``runs/`` and rules, algorithm, seed and profile.
        fresh: begin anew, whatever the folder holds of a run.
        reporter: is told how it goes.

    Raises:
        ConfigError: settings that are not those of a response, or agents that are missing or do not play these rules.
        RunError: the folder holds another run, or the file of a frozen agent has changed since the run began.
        TrainingStopped: by Ctrl-C or SIGTERM, after saving.
    """
    # Not at the top: what a response is can be told without torch.
    from kuns_training.imitation import load_teacher
    from kuns_training.train import train

    name = profile_of(config)
    profile = load_for(name, config.make_rules(), "opponents")
    load_teacher(config)  # what would be refused later is refused before anything is written
    place = RunFolder(response_folder(config, name) if folder is None else folder)
    with place.locked():
        if fresh:
            place.clear()
        place.claim(config)
        freeze(place, entries_of(profile))
    return train(config, place.path, reporter=reporter)


def measure_response(
    config: Config,
    folder: str | os.PathLike[str],
    *,
    num_deals: int | None = None,
    progress: Progress | None = None,
) -> Response:
    """Return what the response in ``folder`` gains, and write it there as ``response.json``.

    First the best of its snapshots is chosen, and becomes the agent of the run. Training, this choice and the reported
    figures each have deals of their own, so the choice does not flatter the figures.

    Args:
        config: the settings of its training, which is finished.
        folder: of the run.
        num_deals: deals of the report; by default as many as `kuns train` ends with.
        progress: called after each chunk of games.

    Raises:
        RunError: the file of a frozen agent has changed since the run began.
        AgentFailedError: an agent did not choose a legal move.
        ValueError: a number of deals that is out of range.
    """
    num_deals = check_deals(config, num_deals)
    place, rules = RunFolder(folder), config.make_rules()
    profile = load_for(profile_of(config), rules, "opponents")
    frozen = entries_of(profile)
    seeds = {"training": config.seed} | {stream: derived_seed(config.seed, stream) for stream in STREAMS}
    deals = {SELECTION: SELECTION_DEALS[rules.game], REPORT: num_deals}
    with place.locked():
        freeze(place, frozen)
        players = snapshots(place)
        tables_of_a_deal = {SELECTION: len(players) * rules.num_players, REPORT: rules.num_players + 1}
        tell = adding_up(progress, sum(tables_of_a_deal[stream] * deals[stream] for stream in STREAMS))
        candidates = try_out(players, profile, rules, seeds[SELECTION], deals[SELECTION], tell)
        chosen = max(candidates, key=lambda candidate: candidate.payoff.mean)
        responder = take(place, chosen, responder_name(config, profile_of(config)))
        block_deals = block_size(num_deals)
        response = Response(
            folder=place.path,
            rules=rules,
            profile=frozen,
            responder=entry(responder.name, responder),
            chosen=chosen,
            candidates=candidates,
            gains=measure_gains(responder, profile, rules, seeds[REPORT], num_deals, block_deals, tell),
            seeds=seeds,
            num_deals=deals,
            block_deals=block_deals,
            versions=versions(),
            exact=exact_figures(responder, profile, rules),
        )
        write_text(place.response, to_json(response))
    return response


def check_deals(config: Config, num_deals: int | None) -> int:
    """Return how many deals the report is made from.

    Raises:
        ValueError: a number that is out of range.
    """
    wanted = table_of(config.game).deals if num_deals is None else num_deals
    return count("num_deals", wanted, 2, MOST_DEALS)


def entries_of(profile: Agent) -> tuple[Entry, ...]:
    """Return what identifies the agents of a profile: one for each seat, or one for all."""
    agents: Sequence[Agent] = getattr(profile, "agents", (profile,))
    return tuple(entry(label, agent) for label, agent in zip(labels(agents), agents, strict=True))


def freeze(place: RunFolder, frozen: Sequence[Entry]) -> None:
    """Write down whom the run is trained against, or find that they are the same as when it began.

    Raises:
        RunError: one of them is another by now.
    """
    now = [{key: getattr(one, key) for key in IDENTITY} for one in frozen]
    if not place.profile.is_file():
        write_json(place.profile, now)
        return
    try:
        before = json.loads(place.profile.read_text("utf-8"))
    except ValueError as error:
        raise RunError(f"{place.profile}: not JSON: {error}; begin anew with --fresh") from None
    for one, data in zip(frozen, now, strict=True):
        if data not in before:
            raise RunError(
                f"{place.path}: the agent {one.label!r} ({one.file or 'built in'}) is not the one that this "
                "response was begun against: put its file back, or begin anew with --fresh"
            )


def derived_seed(seed: int, stream: str) -> int:
    """Return the seed of the deals of a stream: another than that of training, and than that of the other stream."""
    drawn = np.random.SeedSequence([seed, STREAMS[stream]]).generate_state(1, np.uint64)[0]
    return int(drawn) & MAX_SEED


def snapshots(place: RunFolder) -> list[tuple[int, bool, Agent]]:
    """Return the agents that the run has kept, in both ways to play them: after how many decisions, greedy, agent."""
    loaded = [
        (steps, likeliest, load(place.kept_agent(steps), greedy=likeliest))
        for steps in place.kept_points()
        for likeliest in (False, True)
    ]
    # What `dqn` has learned takes the likeliest move in any case.
    return [each for each in loaded if each[1] == getattr(each[2], "greedy", False)]


def try_out(
    players: Sequence[tuple[int, bool, Agent]],
    profile: Agent,
    rules: Rules,
    seed: int,
    num_deals: int,
    tell: Tell,
) -> tuple[Candidate, ...]:
    """Return what each of the `snapshots` wins in all seats, the deals the same for all."""
    found = []
    for steps, likeliest, player in players:
        tables = response_seatings(player, profile, rules.num_players)
        units = count_units(tables, rules, seed, num_deals, block_size(num_deals), tell)
        found.append(Candidate(steps, likeliest, payoff(units, rules)))
    return tuple(found)


def take(place: RunFolder, chosen: Candidate, name: str) -> Agent:
    """Make the chosen snapshot the agent of the run, with a name of its own, and return it."""
    network = dataclasses.replace(read(place.kept_agent(chosen.steps)), name=name)
    with replacing(place.agent) as beside:
        write(network, beside)
    return load(place.path, greedy=chosen.likeliest)


def block_size(num_deals: int) -> int:
    """Return how many deals make a block."""
    return max(1, num_deals // NUM_BLOCKS)


def adding_up(progress: Progress | None, total: int) -> Tell:
    """Return what adds up the episodes that are played and tells ``progress`` the sum."""
    played = 0

    def tell(more: int) -> None:
        nonlocal played
        played += more
        if progress is not None:
            progress(played, total)

    return tell
