"""Hands as two words (`kuns_env.kunken.state`): what a card more or less makes of them."""

from kuns_env.jit import jit
from kuns_env.kunken.bits import with_card


@jit.inline
def without(one, two, gone_one, gone_two):
    """Return the words of a hand without the cards ``(gone_one, gone_two)``, which it holds."""
    single = gone_one & ~gone_two
    # Of a type held twice one card stays behind.
    return one & ~gone_two & ~(single & ~two), two & ~gone_two & ~single


@jit.inline
def receive(state, seat, card):
    """Put ``card`` into the hand of ``seat``, unseen by the others."""
    one, two = with_card(state["one"][seat], state["two"][seat], card)
    state["one"][seat] = one
    state["two"][seat] = two
    state["num_cards"][seat] += 1


@jit.inline
def receive_openly(state, seat, card):
    """Put ``card`` into the hand of ``seat`` in public view (N4.2, N3.4)."""
    receive(state, seat, card)
    one, two = with_card(state["known_one"][seat], state["known_two"][seat], card)
    state["known_one"][seat] = one
    state["known_two"][seat] = two


@jit.inline
def lose(state, seat, card):
    """Take ``card`` out of the hand of ``seat`` in public view. Of equal cards the known one leaves first."""
    bit = 1 << int(card)
    one, two = without(state["one"][seat], state["two"][seat], bit, 0)
    state["one"][seat] = one
    state["two"][seat] = two
    known_one, known_two = without(state["known_one"][seat], state["known_two"][seat], bit, 0)
    state["known_one"][seat] = known_one
    state["known_two"][seat] = known_two
    state["num_cards"][seat] -= 1
