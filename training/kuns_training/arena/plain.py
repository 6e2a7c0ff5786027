"""An evaluation as plain data, and as JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from kuns_env.engine.game import Rules
from kuns_training.arena.evaluation import Evaluation, Result
from kuns_training.arena.interval import Estimate
from kuns_training.arena.luck import luck_dict
from kuns_training.arena.luck_tables import doubts_list
from kuns_training.arena.notes import disqualifications_list, looks_dict
from kuns_training.arena.ranking import Ranking, ranking
from kuns_training.arena.ratings import METHOD as RATING_METHOD
from kuns_training.arena.ratings import PACKAGE, Rating, ratings
from kuns_training.arena.statistics import Statistics, statistics_of
from kuns_training.arena.words import measure

FORMAT: Final = "kuns-env/evaluation"
VERSION: Final = 1
METHOD: Final = (
    "one sum over another, such as chips over hands; "
    "Student t-interval over blocks of deals, each with all its seatings"
)
RANK_METHOD: Final = (
    "by mean payoffs over all matches; possible ranks from the clear differences, all of which hold together at the "
    "confidence of the intervals"
)
DIFFERENCE_METHOD: Final = (
    "of means, paired by blocks of the same deals; same_opponents: of the matches in which both met the same others; "
    "p_adjusted: Holm's correction over all differences in both directions"
)


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain data: results, and all that is needed to get them again."""
    ranked = ranking(evaluation)
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": evaluation.rules.game,
        "rules": evaluation.rules.to_dict(),
        "seed": evaluation.seed,
        "num_deals": evaluation.num_deals,
        "block_deals": evaluation.block_deals,
        "num_blocks": evaluation.num_blocks,
        "num_hands": evaluation.num_hands,
        "chunk_deals": evaluation.chunk_deals,
        "confidence": evaluation.confidence,
        "looks": looks_dict(evaluation),
        "method": METHOD,
        "luck": luck_dict(evaluation.luck),
        "in_doubt": doubts_list(evaluation),
        "measure": measure(evaluation.rules, "_"),
        "statistics": [statistic._asdict() for statistic in statistics_of(evaluation.rules)],
        "agents": [dataclasses.asdict(entry) for entry in evaluation.agents],
        "versions": evaluation.versions,
        "results": [result_dict(evaluation.rules, result) for result in evaluation.results],
        "overall": [result_dict(evaluation.rules, result) for result in evaluation.overall],
        "matches": [
            {"seats": list(meeting.seats), "statistics": statistics_dict(meeting.statistics)}
            for meeting in evaluation.meetings
        ],
        "ranking": {"means": evaluation.kind, **ranking_dict(ranked)},
        "differences": differences_dict(ranked),
        "ratings": ratings_dict(ratings(evaluation)),
        "num_disqualified": dict(evaluation.num_disqualified),
        "disqualifications": disqualifications_list(evaluation),
    }


def result_dict(rules: Rules, result: Result) -> dict[str, Any]:
    """Return one result as plain data."""
    return {
        "agent": result.agent,
        "opponents": list(result.opponents),
        measure(rules, "_"): estimate_dict(result.payoff, "num_hands"),
        **luck_figures(result),
        "statistics": statistics_dict(result.statistics),
    }


def luck_figures(result: Result) -> dict[str, Any]:
    """Return what a result holds without luck, as plain data; nothing where luck is left in."""
    if result.adjusted is None or result.luck is None:
        return {}
    return {
        "luck_adjusted": estimate_dict(result.adjusted, "num_hands"),
        "luck": estimate_dict(result.luck, "num_hands"),
        "variance_saved": result.saved,
    }


def statistics_dict(statistics: Statistics) -> dict[str, Any]:
    """Return statistics as plain data; None for one that there was nothing to count by."""
    return {
        name: None if estimate is None else estimate_dict(estimate, "count")
        for name, estimate in statistics.items()
    }


def estimate_dict(estimate: Estimate, count: str) -> dict[str, Any]:
    """Return an estimate as plain data, what it is taken over under the name ``count``."""
    data = dataclasses.asdict(estimate)
    return {count if name == "count" else name: value for name, value in data.items()}


def ranking_dict(ranked: Ranking) -> dict[str, Any]:
    """Return the ranking as plain data."""
    standings = [
        dataclasses.asdict(standing) | {"payoff": estimate_dict(standing.payoff, "num_hands")}
        for standing in ranked.standings
    ]
    return {"method": RANK_METHOD, "standings": standings, "unranked": list(ranked.unranked)}


def differences_dict(ranked: Ranking) -> dict[str, Any]:
    """Return all differences as plain data."""
    pairs = []
    for each in ranked.differences:
        same = each.same_opponents
        pairs.append(
            dataclasses.asdict(each)
            | {
                "payoff": estimate_dict(each.payoff, "num_hands"),
                "same_opponents": None if same is None else estimate_dict(same, "num_hands"),
            }
        )
    return {"method": DIFFERENCE_METHOD, "num_comparisons": ranked.num_comparisons, "pairs": pairs}


def ratings_dict(rated: tuple[Rating, ...] | None) -> dict[str, Any] | None:
    """Return ratings as plain data."""
    if rated is None:
        return None
    agents = [dataclasses.asdict(each) for each in rated]
    return {"package": PACKAGE, "method": RATING_METHOD, "agents": agents}


def to_json(evaluation: Evaluation) -> str:
    """Return `to_dict` as JSON: the same text for the same evaluation."""
    return json.dumps(to_dict(evaluation), indent=2, allow_nan=False) + "\n"
