"""Kernels of trained agents: the first layer where most of an observation is zero, and scores of legal moves."""

import numpy as np

from kuns_agents.compiler import jit


@jit
def sparse_layer(x, weights, biases, out):
    """Write ``x @ weights + biases``, skipping what is zero in ``x``.

    Nine tenths of an observation of Kunken are. The sums also come out the same whatever the number of processors.

    Args:
        x: float32 ``(B, in)``.
        weights: float32 ``(in, out)``.
        biases: float32 ``(out,)``.
        out: float32 ``(B, out)``.
    """
    for row in range(x.shape[0]):
        sums = out[row]
        sums[:] = biases
        for i in range(x.shape[1]):
            value = x[row, i]
            if value != 0:
                for j in range(sums.shape[0]):
                    sums[j] += value * weights[i, j]


@jit
def score_legal(x, states, masks, is_relu, head, scores):
    """Write the score of every legal move, and leave the others as they are.

    Args:
        x: observations, float32 ``(B, size)``.
        states: what the network says of the positions, float32 ``(B, D)``.
        masks: int8 ``(B, A)``.
        is_relu: whether the activation is `relu`; else it is `tanh`.
        head: the arrays of `Head` but for ``state``, in its order.
        scores: float32 ``(B, A)``.
    """
    moves, places, local, out, bias = head
    hidden = np.empty(states.shape[1], np.float32)
    for row in range(masks.shape[0]):
        for move in range(masks.shape[1]):
            if masks[row, move] <= 0:
                continue
            for d in range(hidden.shape[0]):
                hidden[d] = states[row, d] + moves[move, d]
            for j in range(places.shape[1]):
                place = places[move, j]
                if place >= 0 and x[row, place] != 0:
                    for d in range(hidden.shape[0]):
                        hidden[d] += x[row, place] * local[j, d]
            score = bias[move]
            for d in range(hidden.shape[0]):
                value = hidden[d]
                if is_relu:
                    value = max(value, np.float32(0))
                else:
                    value = np.tanh(value)
                score += value * out[d]
            scores[row, move] = score


@jit
def draw_legal(scores, masks, draws, out):
    """Write a legal move for every row, drawn with the softmax of the scores of the legal moves as probabilities.

    Args:
        scores: float32 ``(B, A)``, finite where legal.
        masks: int8 ``(B, A)``.
        draws: float64 ``(B,)``, each from 0 to below 1; below 0 for the best move.
        out: int64 ``(B,)``.
    """
    for row in range(masks.shape[0]):
        best = -1
        for move in range(masks.shape[1]):
            if masks[row, move] > 0 and (best < 0 or scores[row, move] > scores[row, best]):
                best = move
        out[row] = best
        if draws[row] < 0:
            continue
        top = np.float64(scores[row, best])
        total = 0.0
        for move in range(masks.shape[1]):
            if masks[row, move] > 0:
                total += np.exp(scores[row, move] - top)
        left = draws[row] * total
        for move in range(masks.shape[1]):
            if masks[row, move] > 0:
                left -= np.exp(scores[row, move] - top)
                if left < 0:
                    out[row] = move
                    break
