"""Seats around the table, counted from a viewer to its left."""

from typing import Final

from kuns_env.jit import jit

SIGN: Final = 63
"""A shift that leaves only the sign of an int64."""


@jit.inline
def distance_to(seat, viewer, num_players):
    """Return how many seats to the left of ``viewer`` a seat is, 0 to ``num_players`` - 1."""
    distance = int(seat) - int(viewer)
    return distance + (num_players & (distance >> SIGN))  # no branch: it could not be predicted
