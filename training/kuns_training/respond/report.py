"""A response as JSON and as tables for people."""

from __future__ import annotations

import dataclasses
import io
import json
import shlex
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from kuns_training.arena.cells import amount, heading, table
from kuns_training.arena.interval import CONFIDENCE
from kuns_training.arena.plain import estimate_dict
from kuns_training.arena.plan import CHUNK
from kuns_training.arena.report import PAGE
from kuns_training.arena.words import ALL_DIGITS, FEW_DIGITS, MANY, PER_CENT, measure
from kuns_training.respond.exact import Exact
from kuns_training.respond.gain import Gain
from kuns_training.respond.response import Candidate, Response

FORMAT: Final = "kuns-env/response"
VERSION: Final = 1
EXACT_DIGITS: Final = 4
"""Digits after the point of figures that no chance is in."""
METHOD: Final = (
    "what the responder wins in a seat among the frozen agents, less what their own agent wins there on the same "
    "deals; the mean of all seats is a lower bound on the exploitability of the frozen agents: a better response may "
    "win more; "
    "Student t-interval over blocks of deals that took no part in training or in the choice of the responder"
)


def to_dict(response: Response) -> dict[str, Any]:
    """Return a response as plain data: what it gains, and all that is needed to find it again."""
    gains = response.gains
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": response.rules.game,
        "rules": response.rules.to_dict(),
        "profile": [dataclasses.asdict(entry) for entry in response.profile],
        "responder": dataclasses.asdict(response.responder),
        "is_lower_bound": True,
        "method": METHOD,
        "confidence": CONFIDENCE,
        "measure": measure(response.rules, "_"),
        "seeds": response.seeds,
        "num_deals": response.num_deals,
        "block_deals": response.block_deals,
        "chunk_deals": CHUNK,
        "gain": gain_dict(gains.total),
        "seats": [gain_dict(gain) for gain in gains.seats],
        "positions": [gain_dict(gain) for gain in gains.positions],
        "exact": None if response.exact is None else exact_dict(response.exact),
        "chosen": candidate_dict(response.chosen),
        "candidates": [candidate_dict(candidate) for candidate in response.candidates],
        "versions": response.versions,
    }


def gain_dict(gain: Gain) -> dict[str, Any]:
    """Return a gain as plain data."""
    return {
        "where": gain.where,
        "gain": estimate_dict(gain.gain, "num_hands"),
        "responder_wins": estimate_dict(gain.response, "num_hands"),
        "profile_wins": estimate_dict(gain.profile, "num_hands"),
    }


def exact_dict(exact: Exact) -> dict[str, Any]:
    """Return exact figures as plain data, in chips per hand."""
    return dataclasses.asdict(exact) | {"share": exact.share}


def candidate_dict(candidate: Candidate) -> dict[str, Any]:
    """Return a snapshot as plain data."""
    return {
        "steps": candidate.steps,
        "likeliest_moves": candidate.likeliest,
        "payoff_in_selection": estimate_dict(candidate.payoff, "num_hands"),
    }


def to_json(response: Response) -> str:
    """Return `to_dict` as JSON: the same text for the same response."""
    return json.dumps(to_dict(response), indent=2, allow_nan=False) + "\n"


# --- for people -------------------------------------------------------------------------------------------


def tables(response: Response) -> list[RenderableType]:
    """Return what is printed: the bound in a sentence, gains by position and seat, and how all was made."""
    title = f"{measure(response.rules, ' ').capitalize()} of a response to {names(response)}"
    words = [verdict(response), *exact_words(response), footnote(response)]
    return [heading(title), gain_table(response), *map(Text, words)]


def to_text(response: Response) -> str:
    """Return `tables` as text."""
    console = Console(file=io.StringIO(), width=PAGE, highlight=False, color_system=None)
    with console.capture() as text:
        for shown in tables(response):
            console.print(shown)
    return text.get().rstrip("\n")


def names(response: Response) -> str:
    """Return whom it answers, in words."""
    return ", ".join(entry.name for entry in response.profile)


def gain_table(response: Response) -> Table:
    """Return a row for all seats, for each position and for each seat."""
    gains = response.gains
    own = names(response) if len(response.profile) == 1 else "frozen agent"
    made = table("", "responder", own, "gain")
    rows = (gains.total, *gains.positions, *gains.seats)
    large = any(abs(each.mean) >= MANY for gain in rows for each in (gain.response, gain.profile))
    digits = FEW_DIGITS if large else ALL_DIGITS
    for group in ((gains.total,), gains.positions, gains.seats):
        for gain in group:
            cells = [amount(each, digits) for each in (gain.response, gain.profile, gain.gain)]
            made.add_row(Text(gain.where), *cells)
        made.add_section()
    return made


def verdict(response: Response) -> str:
    """Return what the figure says, and what it does not."""
    gain, unit = response.gains.total.gain, measure(response.rules, " ")
    if gain.mean < 0:
        return (
            "Found nothing: the bound is 0 (the best that is known is to play as the profile does). That does not show "
            f"that nothing can be won from {names(response)}: this responder found no way. Train longer."
        )
    if gain.low <= 0:
        return (
            f"No gain was found that is clear of chance. That does not show that nothing can be won from "
            f"{names(response)}: a lower bound says nothing about what other responses win. Train longer."
        )
    return (
        f"Lower bound: {names(response)} can be exploited for at least {gain.mean:.{ALL_DIGITS}f} ± "
        f"{gain.half_width:.{ALL_DIGITS}f} {unit}, the mean of all seats. It is what this responder found; a better "
        "one may win more."
    )


def exact_words(response: Response) -> list[str]:
    """Return how much of what there is to win was found, where that is known."""
    exact = response.exact
    if exact is None:
        return []
    share = "" if exact.share is None else f": {PER_CENT * exact.share:.0f} % of it"
    sentence = (
        f"Without chance: this responder wins {exact.responder:+z.{EXACT_DIGITS}f}, and a best response would win "
        f"{exact.exploitability:+z.{EXACT_DIGITS}f}, the exploitability of {names(response)}{share}."
    )
    return [sentence]


def footnote(response: Response) -> str:
    """Return in a few words how the numbers were made."""
    chosen, deals, seeds = response.chosen, response.num_deals, response.seeds
    likeliest = ", taking its likeliest moves" if chosen.likeliest else ""
    name = shlex.quote(response.agent)
    tried = len(response.candidates)
    num_blocks = response.gains.total.gain.num_blocks
    return (
        f"responder: {name}, after {chosen.steps:,} decisions{likeliest}; the best of {tried}, chosen on "
        f"{deals['selection']:,} other deals.\n{deals['report']:,} fresh deals (seed {seeds['report']}), the same for "
        f"the responder in every seat and for the frozen agents in all of them.\n± is half of the 95 % interval, from "
        f"{num_blocks:,} blocks of {response.block_deals:,} {'deal' if response.block_deals == 1 else 'deals'}."
    )
