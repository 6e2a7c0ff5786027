"""Loops over many records, and the few calls that a single table needs: each is the rule, once a row.

Numba keeps no compiled code of loops that are handed their rules as functions, so each game has its own.
"""

from kuns_env.engine.stepping import BLOCK
from kuns_env.jit import jit
from kuns_env.kunken import deal, determinize, history, observe, play, redact, tally
from kuns_env.kunken.moves import NUM_MOVES
from kuns_env.rng import stream_key

NO_MOVE = -1


@jit.kernel
def start_one(states, rules, seed, slot, episode, dealer, hands, bank, stock):
    """Begin episode ``(seed, slot, episode)`` in ``states[0]``. ``dealer`` -1 is the lot; no bank is no set-up."""
    key_0, key_1 = stream_key(seed, slot, episode)
    deal.start_game(states[0], rules[0], key_0, key_1, dealer, hands, bank, stock)


def legal_one(states, rules, mask):
    """Write the legal moves of ``states[0]`` into ``mask``."""
    # No kernel of its own: that would compile the whole of N4.3 once more.
    apply_one(states, rules, mask, NO_MOVE)


@jit.kernel
def apply_one(states, rules, mask, move):
    """Play ``move`` in ``states[0]`` if it is legal, and return whether it was. ``mask`` is scratch."""
    play.legal_moves(states[0], rules[0], mask)
    if move < 0 or move >= NUM_MOVES or mask[move] == 0:
        return False
    play.apply(states[0], rules[0], move)
    return True


@jit.kernel
def start_many(states, rules, seed, slots, episodes):
    """Begin the episode of every row."""
    none = states[0]["bank"][:0]
    for row in range(states.shape[0]):
        key_0, key_1 = stream_key(seed, slots[row], episodes[row])
        deal.start_game(states[row], rules[0], key_0, key_1, -1, none, none, none)


@jit.kernel
def observe_many(states, rules, rows, encoding, output):
    """Write seat to act, mask and `table` encoding of each of ``rows``, for the seat to act."""
    # Tuples are unpacked outside the loop: inside, each access would count a reference.
    width, scale, at = encoding
    to_play, masks, observations, _, _, _, _, _ = output
    for i in range(rows.shape[0]):
        row = rows[i]
        state = states[row]
        seat = int(state["seat"])
        to_play[row] = seat
        play.legal_moves(state, rules[0], masks[row])
        observe.encode(state, rules[0], seat, width, scale, at, observations[row])


@jit.kernel
def play_many(states, rules, rows, chosen, streams, encoding, output):
    """Play one legal move in each of ``rows``; a game that ends begins its next episode at once."""
    width, scale, at = encoding
    _, _, _, rewards, dones, final_seats, finals, tallies = output
    seed, slots, episodes = streams
    none = states[0]["bank"][:0]
    for i in range(rows.shape[0]):
        row = rows[i]
        state = states[row]
        before = state["hands_done"]
        play.apply_move(state, rules[0], chosen[i])
        ended = state["hands_done"] != before
        for seat in range(rewards.shape[1]):
            rewards[row, seat] = state["payoff"][seat] if ended else 0
        if ended:
            tally.tally(state, rules[0], tallies, row)  # before the next deal clears the table
            play.go_on(state, rules[0])
        dones[row] = 0
        if state["seat"] < 0:
            dones[row] = 1 + state["truncated"]
            observe.encode(state, rules[0], final_seats[row], width, scale, at, finals[row])
            episodes[row] += 1
            key_0, key_1 = stream_key(seed, slots[row], episodes[row])
            deal.start_game(state, rules[0], key_0, key_1, -1, none, none, none)


@jit.kernel
def step_many(states, rules, rows, chosen, streams, encoding, output):
    """Play one legal move in each of ``rows``, then observe them: `play_many`, `observe_many`.

    Args:
        states: all records, ``(N,)``.
        rules: one `RULES` record.
        rows: the games that move, ``(B,)``.
        chosen: their moves, ``(B,)``.
        streams: `kuns_env.engine.stepping.Streams`.
        encoding: `kuns_env.engine.stepping.Encoding`.
        output: `kuns_env.engine.stepping.Output`; only ``rows`` of it are written.
    """
    # In blocks, so that a record is still in the processor's cache when it is looked at.
    for start in range(0, rows.shape[0], BLOCK):
        block = rows[start : start + BLOCK]
        play_many(states, rules, block, chosen[start : start + BLOCK], streams, encoding, output)
        observe_many(states, rules, block, encoding, output)


@jit.kernel
def encode_table(states, rules, rows, viewers, encoding, out):
    """Write the `table` encoding of ``states[rows[i]]`` for ``viewers[i]`` into ``out[i]``."""
    width, scale, at = encoding
    for i in range(rows.shape[0]):
        observe.encode(states[rows[i]], rules[0], int(viewers[i]), width, scale, at, out[i])


@jit.kernel
def encode_history(states, rules, rows, viewers, deal_digits, standing_digits, out):
    """Write the `history` encoding of ``states[rows[i]]`` for ``viewers[i]`` into ``out[i]``."""
    for i in range(rows.shape[0]):
        history.encode(states[rows[i]], rules[0], int(viewers[i]), deal_digits, standing_digits, out[i])


@jit.kernel
def redact_many(states, rules, rows, viewers, out):
    """Write what ``viewers[i]`` knows of ``states[rows[i]]`` into ``out[i]``."""
    for i in range(rows.shape[0]):
        redact.redact(states, rules[0], rows[i], viewers[i], out, i)


@jit
def determinize_one(known, rules, key_0, key_1, out):
    """Write a record that the viewer of ``known[0]`` cannot tell from the real one into ``out[0]``."""
    determinize.determinize(known, rules[0], key_0, key_1, out)
