"""Seats around the table: who is next."""

from kuns_env.jit import jit
from kuns_env.kuns.state import NOBODY


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
