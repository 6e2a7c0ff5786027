"""Between agents, which are handed views, and the policies of `oracle.kuns_exact`, which are told what is known."""

from __future__ import annotations

import numpy as np

from kuns_agents import HISTORY
from kuns_env import Table, Views
from kuns_env.engine.game import game_of
from oracle.kuns import CARDS_PER_ROUND, RANKS, rank_of
from oracle.kuns_exact import SEATS, SUITS, Game, Situation


def policy_of(agent, rules):
    """Return the policy of an agent: it is asked in real games, set up with the cards of each situation."""
    chances = {}
    for dealer in SEATS:
        for node, situations in Game(rules.to_dict(), dealer).situations():
            texts = game_of(rules).move_texts(node.to_play)
            answers = agent.policy(views_of([view_of(rules, asked) for asked in situations]))
            for asked, row in zip(situations, answers, strict=True):
                chances[asked] = {texts[move]: float(row[move]) for move in np.flatnonzero(row)}
    return chances.__getitem__


def view_of(rules, asked):
    """Return what a seat sees in the situation ``asked`` of a game that came to it."""
    cards = [RANKS[rank - 1] + suit for rank in rules.ranks for suit in SUITS[: rules.num_suits]]
    own = [[take(cards, rank) for rank in step] for step in asked.cards]
    deck = []
    for mine in own:  # K10.1: one at a time, from the left of the dealer
        others = [cards.pop() for _ in mine]
        pair = (others, mine) if asked.seat == asked.dealer else (mine, others)
        deck += [card for two in zip(*pair, strict=True) for card in two]
    table = Table(rules, seed=1, options={"dealer": asked.dealer, "deck": deck})
    for move in asked.moves:
        table.apply(move)
    assert table.to_play == asked.seat
    return table.view(asked.seat)


def take(cards, rank):
    """Take the first card of this rank out of ``cards``."""
    card = next(card for card in cards if rank_of(card) == rank)
    cards.remove(card)
    return card


def views_of(views):
    """Return single views as a batch."""
    batches = [view.views() for view in views]
    return Views(
        batches[0].rules,
        *(
            np.concatenate([getattr(b, name) for b in batches])
            for name in ("seats", "records", "masks", "games")
        ),
    )


def situation_of(view):
    """Return what the viewer knows."""
    known = view.to_dict()
    seat, cards = known["viewer"], iter(known["cards"][known["viewer"]])
    steps = [[rank_of(next(cards)) for _ in range(num)] for num in CARDS_PER_ROUND[: known["round"]]]
    moves = [event.split(": ")[1] for event in known["events"] if not event.startswith("deal")]
    return Situation(known["dealer"], seat, tuple(moves), tuple(tuple(sorted(step)) for step in steps))


class PlayedPolicy:
    """An agent that plays a policy of `oracle.kuns_exact`."""

    def __init__(self, policy, reads=HISTORY, name="tested"):
        self.name, self.reads = name, reads
        self._policy = policy

    def supports(self, rules):
        return None

    def policy(self, views):
        out = np.zeros(views.masks.shape)
        for row in range(len(views)):
            asked = situation_of(views.view(row))
            ids = game_of(views.rules).move_ids(asked.seat)
            for move, chance in self._policy(asked).items():
                out[row, ids[move]] = float(chance)
        return out
