"""Kernels over hands as multisets: what one side's cards say about the other's, for several antes at once.

Arrays are float64 ``(hands, columns)``, a column for each ante of the menu, which share the work of looking up.
"""

from kuns_agents.compiler import jit


@jit
def spread(starts, parents, chances, small, out):
    """Write for each hand what its splits average to: ``out[i] = sum of chances[k] * small[parents[k]]``.

    Args:
        starts: int64 ``(hands + 1,)``, with the next two a `space.Splits`.
        parents: int64.
        chances: float64.
        small: float64 ``(smaller hands, columns)``.
        out: float64 ``(hands, columns)``.
    """
    for hand in range(starts.shape[0] - 1):
        for column in range(out.shape[1]):
            out[hand, column] = 0.0
        for k in range(starts[hand], starts[hand + 1]):
            for column in range(out.shape[1]):
                out[hand, column] += chances[k] * small[parents[k], column]


@jit
def gather(starts, parents, chances, large, out):
    """Add to each smaller hand its part of what its larger hands have: the transpose of `spread`.

    Args:
        starts: int64 ``(hands + 1,)``, with the next two a `space.Splits`.
        parents: int64.
        chances: float64.
        large: float64 ``(hands, columns)``.
        out: float64 ``(smaller hands, columns)``; added to.
    """
    for hand in range(starts.shape[0] - 1):
        for k in range(starts[hand], starts[hand + 1]):
            for column in range(out.shape[1]):
                out[parents[k], column] += chances[k] * large[hand, column]


@jit.inline
def put(starts, parts, take, hand, reach, sums):
    """Add one hand of the other side to ``sums``."""
    for k in range(starts[hand], starts[hand + 1]):
        for column in range(sums.shape[1]):
            sums[parts[k], column] += take[k] * reach[hand, column]


@jit.inline
def look(starts, parts, leave, hand, sums, factor, out):
    """Add to ``out[hand]`` ``factor`` times how likely the hands in ``sums`` are to lie beside it."""
    for k in range(starts[hand], starts[hand + 1]):
        for column in range(sums.shape[1]):
            out[hand, column] += factor * leave[k] * sums[parts[k], column]


@jit
def meet(starts, parts, leave, take, reach, sums, out):
    """Write how likely each hand lies beside the other side's: ``out[i] = sum over j of P(i, j) reach[j]``.

    Args:
        starts: int64 ``(hands + 1,)``, with the next three a `space.Meeting`.
        parts: int64.
        leave: float64.
        take: float64.
        reach: float64 ``(hands, columns)``: how likely the other side comes here with each hand.
        sums: float64 ``(nodes, columns)``: room to work in.
        out: float64 ``(hands, columns)``.
    """
    sums[:, :] = 0.0
    out[:, :] = 0.0
    for hand in range(starts.shape[0] - 1):
        put(starts, parts, take, hand, reach, sums)
    for hand in range(starts.shape[0] - 1):
        look(starts, parts, leave, hand, sums, 1.0, out)


@jit
def show(starts, parts, leave, take, order, bounds, reach, sums, total, out):
    """Write wins less losses at a showdown, and how likely it is: `meet` with a sign, and without.

    Hands are gone through from the weakest on: before those of a strength are added to ``sums``, it holds all
    that they beat, and after it all that they do not lose to.

    Args:
        starts: int64 ``(hands + 1,)``, with the next three a `space.Meeting`.
        parts: int64.
        leave: float64.
        take: float64.
        order: int64 ``(hands,)``: hands from the weakest on.
        bounds: int64 ``(strengths + 1,)``: where each strength begins in ``order``.
        reach: float64 ``(hands, columns)``.
        sums: float64 ``(nodes, columns)``: room to work in.
        total: float64 ``(hands, columns)``: written as `meet` does.
        out: float64 ``(hands, columns)``: ``sum over j of P(i, j) sign(i beats j) reach[j]``.
    """
    sums[:, :] = 0.0
    out[:, :] = 0.0
    total[:, :] = 0.0
    for strength in range(bounds.shape[0] - 1):
        for place in range(bounds[strength], bounds[strength + 1]):
            look(starts, parts, leave, order[place], sums, 1.0, out)
        for place in range(bounds[strength], bounds[strength + 1]):
            put(starts, parts, take, order[place], reach, sums)
        for place in range(bounds[strength], bounds[strength + 1]):
            look(starts, parts, leave, order[place], sums, 1.0, out)
    for hand in range(starts.shape[0] - 1):
        look(starts, parts, leave, hand, sums, 1.0, total)
        for column in range(out.shape[1]):
            out[hand, column] -= total[hand, column]


@jit
def regret(fold, call, positive, negative, missed, calls, out):
    """Add to the regrets of calls and folds, and match them: the probability of a move follows its positive regret.

    Args:
        fold: float64 ``(hands, columns)``: value of a fold.
        call: float64 ``(hands, columns)``: value of a call.
        positive: what positive regrets are multiplied by first.
        negative: what negative ones are multiplied by.
        missed: float64 ``(hands, columns, 2)``: regrets of the fold and of the call; changed.
        calls: float64 ``(hands, columns)``: probability to call, before and, changed, after; even without regrets.
        out: float64 ``(hands, columns)``: the value by the probability before.
    """
    for hand in range(fold.shape[0]):
        for column in range(fold.shape[1]):
            difference = call[hand, column] - fold[hand, column]
            value = fold[hand, column] + calls[hand, column] * difference
            out[hand, column] = value
            old_fold, old_call = missed[hand, column, 0], missed[hand, column, 1]
            new_fold = old_fold * (positive if old_fold > 0 else negative) + fold[hand, column] - value
            new_call = old_call * (positive if old_call > 0 else negative) + call[hand, column] - value
            missed[hand, column, 0], missed[hand, column, 1] = new_fold, new_call
            total = max(new_fold, 0.0) + max(new_call, 0.0)
            calls[hand, column] = max(new_call, 0.0) / total if total > 0 else 1 / 2
