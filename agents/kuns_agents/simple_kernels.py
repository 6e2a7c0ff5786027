"""Kernels of the agents that look at nothing but the legal moves."""

from kuns_agents.compiler import jit


@jit
def pick_first(masks, order, out):
    """Write the first legal move of every row in the order given.

    Args:
        masks: int8 ``(B, A)``, at least one 1 in every row.
        order: int64 ``(A,)``, all moves.
        out: int64 ``(B,)``.
    """
    for row in range(masks.shape[0]):
        place = 0
        while masks[row, order[place]] == 0:
            place += 1
        out[row] = order[place]
