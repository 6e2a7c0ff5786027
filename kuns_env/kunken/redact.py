"""What a seat may know of a record.

`redact` blanks the other hands but for their number of cards and what everybody saw them take, the stock, what
others drew, and the random state. Whatever is shown to a player, a network or a person is computed from the redacted
record alone. Hands are not shown at the end of a deal: no clause says so.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.cards import NO_CARD
from kuns_env.kunken.tables import DISCARD, KIND

SPECTATOR: Final = -1
"""The viewer that sees public facts only."""


@jit.kernel
def redact(states, rules, row, viewer, out, out_row):
    """Write into ``out[out_row]`` what ``viewer`` (a seat, or `SPECTATOR`) knows of ``states[row]``."""
    out[out_row] = states[row]
    known = out[out_row]
    num_players = rules["num_players"]
    known["key"][:] = 0
    known["stock"][:] = NO_CARD
    for seat in range(num_players):
        if seat != viewer:
            known["one"][seat] = 0
            known["two"][seat] = 0
            known["dealt_one"][seat] = 0
            known["dealt_two"][seat] = 0
    seat = int(known["dealer"]) + 1
    for i in range(int(known["num_history"])):
        if seat >= num_players:
            seat = 0
        if seat != viewer:
            known["drawn"][i] = NO_CARD
        if KIND[known["history"][i]] == DISCARD:  # N4.8: the turn goes on to the left
            seat += 1
