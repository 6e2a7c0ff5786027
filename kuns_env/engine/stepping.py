"""What the compiled loops of both games are handed, and the check of moves that needs no rule.

Numba tells named tuples apart by their names and what they hold, not by their classes: two classes of one name, one
for each game, would make every call of the second game look for its compiled code at length, in milliseconds.
"""

from typing import Any, NamedTuple

from kuns_env.jit import jit

BLOCK = 64
"""Games that are stepped, then looked at."""


class Streams(NamedTuple):
    """Where each game's random numbers come from."""

    seed: Any  # of the batch
    slots: Any  # int64 (N,)
    episodes: Any  # int64 (N,): counts on where a game ends


class Encoding(NamedTuple):
    """What a game's ``observe.encode`` is told of the layout of its `table` encoding."""

    width: Any  # seats laid out
    scale: Any  # of amounts: one over a usual one
    at: Any  # int64 offsets of the features


class Output(NamedTuple):
    """What a step writes, a row a game."""

    to_play: Any  # int64 (N,): the seat to act
    masks: Any  # int8 (N, num_moves): its legal moves
    observations: Any  # float32 (N, size): what it knows
    rewards: Any  # int64 (N, P): units won in a hand that this step ended, else 0
    dones: Any  # uint8 (N,): 1 where the episode ended, 2 where it was truncated, else 0
    final_seats: Any  # int64 (N,): for whom the last observation of an episode is written
    finals: Any  # float32 (N, size): that observation; left as it was where no episode ended
    tallies: Any  # int64 (N, T, P): counts on in a step that ends a hand


@jit.kernel
def first_illegal(masks, rows, chosen):
    """Return the place of the first move that is out of range or illegal, -1 if there is none.

    Args:
        masks: int8 ``(N, num_moves)``.
        rows: the games that move, ``(B,)``.
        chosen: their moves, ``(B,)``.
    """
    for i in range(rows.shape[0]):
        move = chosen[i]
        if move < 0 or move >= masks.shape[1] or masks[rows[i], move] == 0:
            return i
    return -1
