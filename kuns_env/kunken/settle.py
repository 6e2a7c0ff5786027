"""Scores and payoffs of a deal (N6, N7)."""

from kuns_env.jit import jit
from kuns_env.kunken.cards import FIRST_HIGH, HIGH_POINTS, JOKER, LOW_POINTS, NUM_NATURALS, NUM_SUITS
from kuns_env.kunken.state import NOBODY, POINTS, UNITS, WIN


@jit.kernel
def hand_points(one, two):
    """N6.3: the points of the cards of a hand; a joker counts 10."""
    points = 0
    for card in range(NUM_NATURALS):
        held = ((one >> card) & 1) + ((two >> card) & 1)
        points += held * (HIGH_POINTS if card >= FIRST_HIGH * NUM_SUITS else LOW_POINTS)
    return points + HIGH_POINTS * (((one >> JOKER) & 1) + ((two >> JOKER) & 1))


@jit.kernel
def settle(state, rules, winner):
    """N6, N7: write scores and payoff of the deal that has just ended, and add the payoff to the standing."""
    num_players = rules["num_players"]
    # N6.2: nothing laid before the turn in which it goes out.
    express = winner != NOBODY and state["turn_laid"] == 0
    total = 0
    for seat in range(num_players):
        score = int(state["laid_points"][seat])
        if seat == winner and express:
            score *= 2
        if rules["hand_penalty"] == 1:
            score -= hand_points(state["one"][seat], state["two"][seat])
        state["last_scores"][seat] = score
        total += score
    state["last_winner"] = winner
    state["last_express"] = 1 if express else 0
    state["last_turns"] = state["turns"]
    for seat in range(num_players):
        state["last_takes"][seat] = state["takes"][seat]
        state["last_laid"][seat] = state["laid_points"][seat]
        state["payoff"][seat] = payoff(state, rules, seat, winner, total)
        state["standing"][seat] += state["payoff"][seat]


@jit.kernel
def payoff(state, rules, seat, winner, total):
    """N7: what ``seat`` wins, in units; ``total`` is the sum of all scores."""
    num_players = rules["num_players"]
    if rules["settlement"] == WIN:
        if winner == NOBODY:
            return 0
        return UNITS if seat == winner else -UNITS // (num_players - 1)
    score = int(state["last_scores"][seat])
    if rules["settlement"] == POINTS:
        return score * UNITS
    return (num_players * score - total) * UNITS
