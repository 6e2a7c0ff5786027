"""The tables of docs/agents.md, printed from the code that they describe."""

from __future__ import annotations

import inspect
from typing import Final

import numpy as np

from kuns_agents import cautious, registry, thrifty
from kuns_agents.equity import knowledge
from kuns_agents.hands import WAYS, Floats, Integers, chances, tree
from kuns_agents.registry import NAMES, NAMES_OF
from kuns_env import KunkenRules, KunsRules
from kuns_env.cards import NUM_SUITS, RANKS
from kuns_env.kuns.rules import HAND_SIZE, MAX_PLAYERS
from kuns_env.kuns.value import KUNS_BONUS

RULES: Final = KunsRules()
OPPONENTS: Final = (1, 3, 7)
"""Numbers of opponents that the tables show."""
MOST_POT: Final = 100
"""Antes; larger pots than this are not told apart."""
NUM_DEALS: Final = 100_000
SEED: Final = 1


def agents() -> str:
    """Return the table of the agents that are loaded by name alone."""
    rows = ["| name | plays | what it does |", "|---|---|---|"]
    for name in NAMES:
        doc = inspect.getdoc(type(registry.load(name))) or ""
        plays = ", ".join(game.capitalize() for game, names in NAMES_OF.items() if name in names)
        rows.append(f"| `{name}` | {plays} | {doc.splitlines()[0]} |")
    return "\n".join(rows)


def patience() -> str:
    """Return when `thrifty` takes the bank."""
    rows = ["| rules | points that a take must bring |", "|---|---|"]
    for text, rules in (("`KunkenRules()`", KunkenRules()), ("`KunkenRules.mini()`", KunkenRules.mini())):
        rows.append(f"| {text} | {thrifty.thresholds(rules)[0]} |")
    return "\n".join(rows)


def thresholds() -> str:
    """Return what `cautious` asks of its hand."""
    rows = ["| decision | least chance to beat one hand not seen |", "|---|---|"]
    rows += [
        f"| call in round {i} | {least:.0%} |" for i, least in enumerate(cautious.LEAST_TO_CALL, start=1)
    ]
    rows.append(f"| highest ante, not the lowest | {cautious.LEAST_TO_RAISE_ANTE:.0%} |")
    return "\n".join(rows)


def two_cards() -> str:
    """Return the table of the hands of two cards, the best first."""
    hands, deck = tree(), chances(RULES)
    nodes = deck.possible(2)
    rows = [_header("two cards")]
    for node in nodes[np.argsort(-deck.shares[nodes, 0], kind="stable")]:
        text = "".join(RANKS[rank] * hands.counts[node, rank] for rank in range(len(RANKS)))
        rows.append(_row(text, *_chances_of(np.array([node]))))
    return "\n".join(rows)


def five_cards() -> str:
    """Return the table of the hands of five cards by strength, the best first."""
    deck = chances(RULES)
    nodes = deck.possible(HAND_SIZE)
    rows = [
        _row(_name(strength), *_chances_of(nodes[deck.strengths[nodes] == strength]))
        for strength in sorted(set(deck.strengths[nodes].tolist()), reverse=True)
    ]
    return "\n".join([_header("five cards"), *rows])


def shares_error() -> str:
    """Return how far the shares of the pot are from those of deals at random, for every number of opponents."""
    deck = chances(RULES)
    nodes = _deals(deck.copies)
    own = deck.strengths[nodes[:, 0]]
    rows = [
        "| opponents | mean error | greatest error over own strengths | its standard error |",
        "|---|---|---|---|",
    ]
    for opponents in range(1, MAX_PLAYERS):
        errors = deck.shares[nodes[:, 0], opponents - 1] - _won(deck.strengths[nodes[:, : opponents + 1]])
        groups = [errors[own == strength] for strength in sorted(set(own.tolist()))]
        worst = max(groups, key=lambda group: abs(float(group.mean())))
        deviation = float(worst.std()) / len(worst) ** 0.5
        rows.append(f"| {opponents} | {errors.mean():+.4f} | {worst.mean():+.4f} | {deviation:.4f} |")
    return "\n".join(rows)


def _deals(copies: Integers) -> Integers:
    """Return the nodes of eight hands from each of many shuffled decks, each hand first once: ``(B, 8)``."""
    rng = np.random.default_rng(SEED)
    ranks = np.repeat(np.arange(len(copies)), copies)
    decks = rng.permuted(np.tile(ranks, (NUM_DEALS, 1)), axis=1)[:, : HAND_SIZE * MAX_PLAYERS]
    cards = decks.reshape(NUM_DEALS, MAX_PLAYERS, HAND_SIZE)
    nodes = np.zeros((NUM_DEALS, MAX_PLAYERS), np.int64)
    for place in range(HAND_SIZE):
        nodes = tree().children[nodes, cards[:, :, place]]
    return np.concatenate([np.roll(nodes, -seat, axis=1) for seat in range(MAX_PLAYERS)])


def _won(strengths: Integers) -> Floats:
    """Return the share of the pot that the first of several hands wins in each row (K5.6)."""
    best = strengths.max(axis=1, keepdims=True)
    winners = (strengths == best).sum(axis=1)
    return np.where(strengths[:, 0] == best[:, 0], 1 / winners, 0.0)


def _chances_of(nodes: Integers) -> tuple[Floats, Floats]:
    """Return shares and break-even pots of ``nodes``, averaged by how often each is dealt, for `OPPONENTS`."""
    deck, columns = chances(RULES), np.array(OPPONENTS) - 1
    weights = WAYS[NUM_SUITS, tree().counts[nodes]].prod(axis=1)
    tables = (deck.shares[nodes], knowledge(RULES).break_even[nodes])
    shares, pots = (np.average(table[:, columns], axis=0, weights=weights) for table in tables)
    return shares, pots


def _header(hand: str) -> str:
    who = [f"{count} opponent{'s' if count > 1 else ''}" for count in OPPONENTS]
    cells = [hand, *(f"share, {each}" for each in who), *(f"pot, {each}" for each in who)]
    return f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}"


def _row(hand: str, shares: Floats, pots: Floats) -> str:
    cells = [hand, *(f"{share:.1%}" for share in shares), *(_pot(pot) for pot in pots)]
    return f"| {' | '.join(cells)} |"


def _pot(pot: float) -> str:
    return f"{pot:.2f}" if pot < MOST_POT else f"over {MOST_POT}"


def _name(strength: int) -> str:
    if strength > KUNS_BONUS:
        return f"kuns, {strength - KUNS_BONUS}"
    return f"no kuns, {strength}"
