"""What each player won: the main pot and the side bets (K5.6, K6.5, K7)."""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kuns.rules import HAND_SIZE
from kuns_env.kuns.state import UNITS
from kuns_env.kuns.value import TENS, rank_at, value_of

FOLDED: Final = -1
UNSHOWN: Final = 0
"""Strength of the last player left when the hand ends by K4.4: it only has to beat a folded hand."""


@jit.kernel
def strength(state, rules, seat):
    """Return the strength of the hand of ``seat`` at the end (K5, K6.5): `FOLDED`, or 0 and more.

    One scale serves the main pot and side bets: kuns beats no kuns, then the digit decides (K5.4, K5.5).
    """
    if state["in_hand"][seat] == 0:
        return FOLDED
    if state["num_in"] == 1:
        return UNSHOWN
    hole = state["hole"]
    value = value_of(
        (
            rank_at(hole, seat, 0),
            rank_at(hole, seat, 1),
            rank_at(hole, seat, 2),
            rank_at(hole, seat, 3),
            rank_at(hole, seat, 4),
        )
    )
    # K5.5: without kuns 0 is the lowest, or, by the reading, the highest.
    return TENS if value == 0 and rules["no_kuns_zero_is_ten"] == 1 else value


@jit.kernel
def settle_pot(state, rules):
    """K5.6, K7.1: write ``payoff`` from the main pot alone; the best hands still in share it exactly."""
    best, winners = FOLDED, 0
    num_players = rules["num_players"]
    for seat in range(num_players):
        points = strength(state, rules, seat)
        if points > best:
            best, winners = points, 1
        elif points == best:
            winners += 1
    # UNITS is a multiple of every possible number of winners: no unit is lost.
    share = int(state["pot"]) * UNITS // winners
    for seat in range(num_players):
        state["payoff"][seat] = -int(state["paid"][seat]) * UNITS
        if strength(state, rules, seat) == best:
            state["payoff"][seat] += share


@jit.kernel
def settle_bets(state, rules):
    """K6.5: the winner of each side bet collects its stake; equal hands and two folded hands are void."""
    for i in range(int(state["num_bets"])):
        bet = state["bets"][i]
        units = bet_units(state, rules, bet)
        state["payoff"][bet[0]] += units
        state["payoff"][bet[1]] -= units


@jit.kernel
def bet_units(state, rules, bet):
    """K6.5: what the offerer of ``bet`` wins of the taker, in units; below 0 what it loses, 0 if the bet is void."""
    backed, opposed = strength(state, rules, bet[2]), strength(state, rules, bet[3])
    units = int(bet[4]) * int(state["ante"]) * UNITS
    if backed == opposed:
        return 0
    return units if backed > opposed else -units


@jit.kernel
def settle(state, rules):
    """K7: write the payoff of the hand that has just ended, add it to the standing, show hands (K7.3)."""
    settle_pot(state, rules)
    settle_bets(state, rules)
    state["showdown"] = 1 if state["num_in"] > 1 else 0
    for seat in range(rules["num_players"]):
        state["standing"][seat] += state["payoff"][seat]
        state["shown"][seat, :] = -1
        if state["showdown"] == 1 and state["in_hand"][seat] == 1:
            show(state["hole"], seat, state["shown"])


@jit.kernel
def show(hole, seat, shown):
    """K7.3: lay a hand open, in ascending order: nobody else knows which card came when."""
    for place in range(HAND_SIZE):
        card = hole[seat, place]
        at = place
        while at > 0 and shown[seat, at - 1] > card:
            shown[seat, at] = shown[seat, at - 1]
            at -= 1
        shown[seat, at] = card
