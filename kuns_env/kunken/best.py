"""The best that can be laid from a hand, as kernels for agents: the most points, the fewest cards left over.

They are exact. `kuns_env.kunken.layouts` says how it is laid.
"""

from typing import Final

from kuns_env.jit import jit
from kuns_env.kunken.bits import NATURALS, num_held, plain, popcount
from kuns_env.kunken.cards import JOKER, LOW_POINTS, NO_CARD
from kuns_env.kunken.search import search
from kuns_env.kunken.steps import no_melds

CARD: Final = 256
"""What a card counts beside its points where few are to be left: more than all cards have points, in units of five."""


@jit.kernel
def best_value(one, two, card, per_card, identical):
    """Return what the best layout of a hand brings: the points in units of five, and ``per_card`` for each card.

    Args:
        one: the types held.
        two: those held twice.
        card: a type of which one must be laid, -1 for none.
        per_card: 0, or `CARD`: then the number of cards counts first, and points only where it is the same.
        identical: 1 if identical cards may stand in one set (N3.1).

    Returns:
        -1 if ``card`` cannot be laid.
    """
    if card >= 0 and (one >> card) & 1 == 0:
        return -1
    no = plain(0, one)
    return search(one, two, no, card, no, no_melds(one), identical, per_card, no)


@jit.kernel
def most_points(one, two, identical):
    """Return the points of the layout of a hand that has most (N1.3, N3).

    >>> one = 0b111 | 1 << 52  # 2c 2d 2h and a joker
    >>> int(most_points(one, 0, 1))
    20

    Args:
        one: the types held: bit ``4 * rank + suit``, the joker 52.
        two: those held twice.
        identical: 1 if identical cards may stand in one set (N3.1).
    """
    return LOW_POINTS * best_value(one, two, plain(NO_CARD, one), plain(0, one), identical)


@jit.kernel
def fewest_left(one, two, identical):
    """Return how few cards of a hand can be left over, and the most points of a layout that leaves so few.

    >>> one = 0b111 | 1 << 52 | 1 << 20  # 2c 2d 2h, a joker and 7c
    >>> tuple(map(int, fewest_left(one, 0, 1)))
    (1, 20)

    Args:
        one: the types held: bit ``4 * rank + suit``, the joker 52.
        two: those held twice.
        identical: 1 if identical cards may stand in one set (N3.1).
    """
    value = best_value(one, two, plain(NO_CARD, one), plain(CARD, one), identical)
    held = popcount(one & NATURALS) + popcount(two & NATURALS) + num_held(one, two, JOKER)
    return held - value // CARD, LOW_POINTS * (value % CARD)


@jit.kernel
def measure_hands(one, two, identical, points, left):
    """Write `most_points` of many hands into ``points``, and the first of `fewest_left` into ``left``.

    Args:
        one: int64 ``(N,)``, the types held.
        two: int64 ``(N,)``, those held twice.
        identical: 1 if identical cards may stand in one set (N3.1).
        points: int array ``(N,)``, written.
        left: int array ``(N,)``, written.
    """
    for hand in range(len(one)):
        points[hand] = most_points(one[hand], two[hand], identical)
        left[hand] = fewest_left(one[hand], two[hand], identical)[0]
