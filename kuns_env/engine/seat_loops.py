"""The books of the learner's seats, kept by compiled loops: what a step earned, what was skipped, what ended."""

from typing import Any, NamedTuple

import numpy as np

from kuns_env.jit import jit
from kuns_env.rng import draw, stream_key

FLOAT_BITS = np.uint64(11)
"""Bits of a random word that do not fit the fraction of a float64."""
FLOAT_STEP = 2.0**-53

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
"""What `Books.dones` holds, and what a `Batch` reports of a game."""

ENDED, LEFT, LEFT_SKIPPED = 0, 1, 2
"""How an episode ended: with the game; or the game goes on without the learner, and is to be restarted. Its last
observation is then still to be written, unless the whole episode is skipped."""


class Books(NamedTuple):
    """What is known about the learner's seat in each game, ``(N,)`` arrays."""

    seats: Any  # int64: the learner's seat in the episode that is going on
    decided: Any  # uint8: 1 where it has made a decision in, or entered by its own choice, the hand going on
    between: Any  # uint8: 1 where one hand is over and the next not dealt (Kuns, K2.2)
    hands: Any  # int64: hands that have ended in this episode
    moves: Any  # int64: its decisions in this episode
    logged_units: Any  # int64: units won since the last episode that was logged, skipped hands included
    logged_hands: Any  # int64: hands in that sum
    streak: Any  # int64: episodes skipped in a row
    # What a step reports:
    gains: Any  # int64: units of the hands it has decided in
    dones: Any  # uint8: RUNNING, TERMINATED or TRUNCATED
    skipped_hands: Any  # int64
    skipped_units: Any  # int64
    finals: Any  # float32 (N, size): the last observation of the learner's last episode
    # Of the last episode that ended with a decision of the learner in it:
    last_seats: Any  # int64
    last_moves: Any  # int64
    last_units: Any  # int64
    last_hands: Any  # int64
    forfeits: Any  # uint8: 1 where the last step was an illegal move that ended it


OF_A_STEP = ("gains", "dones", "skipped_hands", "skipped_units", "forfeits")
"""What is set to zero when a step begins."""


@jit
def account(states, rows, batch_rewards, batch_dones, batch_finals, between_phase, books, over):
    """Enter into the books what the last move in each of ``rows`` has brought, and return how many episodes ended.

    A hand in which the learner has made no decision goes to ``skipped``; every other hand's payoff is a gain.
    An episode without any decision is skipped as a whole: it ends no episode of the learner's.

    Args:
        states: records, ``(N,)``.
        rows: the games that moved, ``(B,)``.
        batch_rewards: int64 ``(N, P)``: units by seat of a hand that the move ended, else 0.
        batch_dones: uint8 ``(N,)``: whether the move ended the game, which has then begun anew.
        batch_finals: float32 ``(N, size)``: the last observation of a game that ended.
        between_phase: the phase in which no hand is going on, -1 where the game has none.
        books: `Books`.
        over: int64 ``(2, N)``, filled from the left: the games in which an episode ended for the learner, and
            which of ENDED, LEFT and LEFT_SKIPPED it was.
    """
    (seats, decided, between, hands, moves, logged_units, logged_hands, streak, gains, dones) = books[:10]
    (skipped_hands, skipped_units, finals, last_seats, last_moves, last_units, last_hands) = books[10:17]
    count = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        state = states[row]
        seat = seats[row]
        ended = batch_dones[row] > 0
        # A game may also end between hands, when others leave: no hand ends then.
        if between[row] == 0 and (ended or state["hands_done"] != hands[row]):
            units = batch_rewards[row, seat]
            logged_units[row] += units
            logged_hands[row] += 1
            if decided[row] == 1:
                gains[row] += units
            else:
                skipped_hands[row] += 1
                skipped_units[row] += units
            decided[row] = 0
        hands[row] = state["hands_done"]
        between[row] = 1 if state["phase"] == between_phase else 0
        if not ended and state["seated"][seat] == 1:
            continue
        over[0, count] = row
        over[1, count] = ENDED if ended else LEFT
        count += 1
        if moves[row] == 0:
            streak[row] += 1
            if not ended:
                over[1, count - 1] = LEFT_SKIPPED
            continue
        dones[row] = batch_dones[row] if ended else TERMINATED
        for j in range(finals.shape[1]):
            finals[row, j] = batch_finals[row, j]
        last_seats[row] = seat
        last_moves[row] = moves[row]
        last_units[row] = logged_units[row]
        last_hands[row] = logged_hands[row]
        moves[row] = 0
        logged_units[row] = 0
        logged_hands[row] = 0
        streak[row] = 0
    return count


@jit
def begin(rows, slots, episodes, num_players, fixed_seat, books, final_seats):
    """Open the books of a new episode in each of ``rows``.

    Args:
        rows: games, ``(B,)``.
        slots: int64 ``(N,)``: stream slot of each game.
        episodes: int64 ``(N,)``: the episode that has begun.
        num_players: seats at the table.
        fixed_seat: the learner's seat; -1 rotates it: (slot + episode) modulo the players.
        books: `Books`.
        final_seats: int64 ``(N,)``: told the `Batch`.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        seat = fixed_seat if fixed_seat >= 0 else (slots[row] + episodes[row]) % num_players
        books.seats[row] = seat
        final_seats[row] = seat
        books.decided[row] = 0
        books.between[row] = 0
        books.hands[row] = 0
        books.moves[row] = 0


@jit
def assign(rows, seed, slots, episodes, cumulative, pool, assigned):
    """Draw an opponent for every seat of the games ``rows``.

    Args:
        rows: games, ``(B,)``.
        seed: of the draws; not the seed of the deals.
        slots: int64 ``(N,)``.
        episodes: int64 ``(N,)``: the draw depends on seed, slot, episode and seat alone.
        cumulative: float64 ``(K,)``: sums of the weights, the last is 1.
        pool: int64 ``(K,)``: numbers of the agents.
        assigned: int64 ``(N, P)``: written.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        key_0, key_1 = stream_key(seed, slots[row], episodes[row])
        for seat in range(assigned.shape[1]):
            point = (draw(key_0, key_1, seat) >> FLOAT_BITS) * FLOAT_STEP
            choice = 0
            while point >= cumulative[choice]:
                choice += 1
            assigned[row, seat] = pool[choice]


@jit
def pick(masks, points, out):
    """Write into ``out`` the legal move that lies at the fraction ``points`` (0 to below 1) of each row's list."""
    for i in range(masks.shape[0]):
        legal = 0
        for move in range(masks.shape[1]):
            legal += masks[i, move]
        left = int(points[i] * legal)
        move = -1
        while left >= 0:
            move += 1
            left -= masks[i, move]
        out[i] = move
