"""Seats around the table: who is next, and how far to the left."""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kuns.state import NOBODY

SIGN: Final = 63
"""A shift that leaves only the sign of an int64."""


@jit.inline
def distance_to(seat, viewer, num_players):
    """Return how many seats to the left of ``viewer`` a seat is, 0 to ``num_players`` - 1."""
    distance = int(seat) - int(viewer)
    return distance + (num_players & (distance >> SIGN))  # no branch: it could not be predicted


@jit.inline
def next_seat(wanted, start, last, num_players):
    """Return the first seat after ``start``, up to and with ``last``, that ``wanted`` marks; -1 if none."""
    seat = int(start)
    while seat != last:
        seat += 1
        if seat == num_players:
            seat = 0
        if wanted[seat] == 1:
            return seat
    return NOBODY


@jit.inline
def first_seat(wanted, last, num_players):
    """Return the first marked seat in order from the left of ``last``, which itself comes last."""
    seat = int(last)
    while True:
        seat += 1
        if seat == num_players:
            seat = 0
        if wanted[seat] == 1:
            return seat
        if seat == last:
            return NOBODY
