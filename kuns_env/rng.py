"""Counter-based random numbers: a draw is a function of a game's key and a counter, nothing else.

A game's key comes from (seed, slot, episode), so a deal never depends on what was played before, on the
size of a batch, on threads or on the machine. The mixing function is the finalizer of SplitMix64
(Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators"), used twice with two words of
key, so that different games do not walk along one shared cycle.
"""

import numpy as np

from kuns_env.jit import jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_A, SHIFT_B, SHIFT_C = np.uint64(30), np.uint64(27), np.uint64(31)
WORD = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
MAX_SEED = 2**63 - 1


@jit.inline
def mix(word):
    """Return ``word`` (uint64) with its bits well mixed: a bijection."""
    word = (word ^ (word >> SHIFT_A)) * MIX_1
    word = (word ^ (word >> SHIFT_B)) * MIX_2
    return word ^ (word >> SHIFT_C)


@jit.kernel
def stream_key(seed, slot, episode):
    """Return the key of game (seed, slot, episode): two uint64 words."""
    word = mix(np.uint64(seed) + GOLDEN)
    word = mix(word ^ (np.uint64(slot) * MIX_1 + GOLDEN))
    word = mix(word ^ (np.uint64(episode) * MIX_2 + GOLDEN))
    return word, mix(word ^ GOLDEN)


@jit.inline
def draw(key_0, key_1, counter):
    """Return the ``counter``-th random word (uint64) of a key."""
    return mix(mix(np.uint64(counter) * GOLDEN + key_0) ^ key_1)


@jit.inline
def pick(word, bound):
    """Return (an integer in 0 .. ``bound`` - 1, whether it may be used) from 32 random bits.

    Multiply and shift with rejection (Lemire 2019, "Fast random integer generation in an interval"): the
    integers that may be used are exactly uniform.
    """
    wide = np.uint64(bound)
    product = word * wide
    low = product & LOW
    # The second test is rarely reached: it costs a division.
    fair = low >= wide or low >= (LOW + np.uint64(1) - wide) % wide
    return np.int64(product >> WORD), fair


@jit.kernel
def below(key_0, key_1, counter, bound):
    """Return (an exactly uniform integer in 0 .. ``bound`` - 1, the counter after it)."""
    while True:
        number, fair = pick(draw(key_0, key_1, counter) >> WORD, bound)
        counter += 1
        if fair:
            return number, counter


@jit.kernel
def shuffle(key_0, key_1, counter, cards, first, last, end):
    """Put a uniformly drawn order of ``cards[first:end]`` into ``cards[first:last]`` (Fisher & Yates).

    The rest stays behind in no particular order. Two cards are drawn from each random word.
    """
    place = first
    while place < last:
        word = draw(key_0, key_1, counter)
        counter += 1
        for half in range(2):
            number, fair = pick(word >> WORD if half == 0 else word & LOW, end - place)
            if fair and place < last:
                cards[place], cards[place + number] = cards[place + number], cards[place]
                place += 1
    return counter
