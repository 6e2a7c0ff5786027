"""What is said beside the figures: who was disqualified, and what it means that play stopped at a look."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from kuns_training.arena.evaluation import Disqualification, Evaluation, Looks

PER_CENT: Final = 100


def notes(evaluation: Evaluation) -> list[str]:
    """Return sentences for people, each a paragraph; none where there is nothing to say."""
    said = [looks_note(evaluation, evaluation.looks)] if evaluation.looks is not None else []
    return [*said, *disqualification_notes(evaluation)]


def looks_note(evaluation: Evaluation, looks: Looks) -> str:
    """Return how play ended, and what its intervals are."""
    goal = f"all means known to ± {looks.half_width:g}"
    reached = f"with {goal}" if looks.is_reached else f"at the last deal, without {goal}"
    blocks = ", ".join(f"{number:,}" for number in looks.num_blocks)
    return (
        f"Sequential: stopped at look {looks.num_taken} of at most {len(looks.num_blocks)} "
        f"(after {blocks} blocks), {reached}. So that an interval holds the truth in 95 of 100 runs wherever play "
        f"stops, each is one of {PER_CENT * evaluation.confidence:.2f} % (Bonferroni, over the looks)."
    )


def disqualification_notes(evaluation: Evaluation) -> list[str]:
    """Return a paragraph for each agent that was disqualified, with the first game."""
    return [
        f"{label} was disqualified from {number:,} {'game' if number == 1 else 'games'}, which count as "
        f"lost; the first: {first_of(evaluation, label).problem} (deal {first_of(evaluation, label).deal}, "
        f"seat {first_of(evaluation, label).seat})."
        for label, number in evaluation.num_disqualified.items()
    ]


def first_of(evaluation: Evaluation, label: str) -> Disqualification:
    """Return the first disqualification of an agent, in the order of matches and deals."""
    return next(each for each in evaluation.disqualifications if each.agent == label)


def looks_dict(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the looks as plain data; None where the number of deals was given."""
    looks = evaluation.looks
    if looks is None:
        return None
    data = dataclasses.asdict(looks)
    data["num_blocks"] = list(looks.num_blocks)
    return data | {"correction": f"Bonferroni: each interval at confidence {evaluation.confidence!r}"}


def disqualifications_list(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the disqualifications that were kept as plain data."""
    return [
        dataclasses.asdict(each) | {"seating": list(each.seating), "legal": list(each.legal)}
        for each in evaluation.disqualifications
    ]
