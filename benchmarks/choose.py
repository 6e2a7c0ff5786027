"""Uniformly random legal moves, as cheaply as they can be had: what throughput is measured with."""

from pathlib import Path

import numpy as np

from kuns_env.jit import PACKAGE, Compiler
from kuns_env.rng import draw, pick

jit = Compiler(PACKAGE, Path(__file__).parent)
WORD = np.uint64(32)


@jit.kernel
def choose(masks, key, counter, out):
    """Write a random legal move of every row of ``masks`` into ``out``; return the next counter."""
    for row in range(masks.shape[0]):
        legal = 0
        for move in range(masks.shape[1]):
            legal += masks[row, move]
        # The tiny bias of a word that `pick` would refuse does not matter here.
        number, _ = pick(draw(key, key, counter) >> WORD, legal)
        counter += 1
        for move in range(masks.shape[1]):
            if masks[row, move] == 1:
                if number == 0:
                    out[row] = move
                    break
                number -= 1
    return counter
