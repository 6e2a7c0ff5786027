"""The same loops in other libraries, where they are installed, and how many times quicker ours are.

Their games are not ours, but of like size: what is compared is what a decision costs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import aec, table
from benchmarks.batch import NUM_GAMES, random_play
from benchmarks.figures import emit_rate, rate, versions
from kuns_env import Batch, KunsRules, kuns_v0

Work = Callable[[int], int]
PGX_STEPS = 64


def pettingzoo_work(name: str, raw: bool) -> Work:
    """Return the AEC loop over one of PettingZoo's classic games."""
    from importlib import import_module

    module = import_module(f"pettingzoo.classic.{name}")
    env = module.raw_env() if raw else module.env()
    env.reset(seed=1)
    return aec.random_loop(env)


def rlcard_work(name: str) -> Work:
    """Return random play of a game of RLCard."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make(name, config={"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            trajectories, _ = env.run(is_training=True)
            done += sum(len(trajectory) for trajectory in trajectories)
        return done

    return work


def open_spiel_work(name: str) -> Work:
    """Return random play of a game of OpenSpiel from Python: legal actions, then one of them."""
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(1).random

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                done += not state.is_chance_node()
                state.apply_action(actions[int(draw() * len(actions))])
        return done

    return work


def pgx_work(name: str) -> Work:
    """Return random play of many games of Pgx at once, restarted where they end, on the processor."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        choose, chance = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choose, logits, axis=1)
        after = step(state, actions, jax.random.split(chance, NUM_GAMES))
        return after, after.observation.sum()  # the sum keeps observations from being left out

    @jax.jit
    def many(state: Any, key: Any) -> tuple[Any, Any]:
        return jax.lax.scan(one, state, jax.random.split(key, PGX_STEPS))

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), NUM_GAMES))
    key = jax.random.PRNGKey(2)

    def work(amount: int) -> int:
        nonlocal state, key
        rounds = -(-amount // (NUM_GAMES * PGX_STEPS))
        for _ in range(rounds):
            key, use = jax.random.split(key)
            state, sums = many(state, use)
        np.asarray(sums)
        return rounds * NUM_GAMES * PGX_STEPS

    return work


def aec_of(kind: str) -> Callable[[], Work]:
    """Return a maker of our AEC loop."""

    def make() -> Work:
        env = getattr(kuns_v0, kind)(rules=KunsRules())
        env.reset(seed=1)
        return aec.random_loop(env)

    return make


OURS: dict[str, Callable[[], Work]] = {
    "batch": lambda: random_play(Batch(KunsRules(), NUM_GAMES, seed=1)),
    "env": aec_of("env"),
    "raw_env": aec_of("raw_env"),
    "table": lambda: table.with_legal_moves(KunsRules.duel()),
}
"""Which of our loops a peer is compared with."""

PEERS: tuple[tuple[str, str, str, Callable[[], Work]], ...] = (
    ("pettingzoo", "env", "texas_holdem_v4, env", lambda: pettingzoo_work("texas_holdem_v4", raw=False)),
    (
        "pettingzoo",
        "raw_env",
        "texas_holdem_v4, raw_env",
        lambda: pettingzoo_work("texas_holdem_v4", raw=True),
    ),
    ("rlcard", "env", "limit-holdem, run", lambda: rlcard_work("limit-holdem")),
    ("pyspiel", "table", "leduc_poker", lambda: open_spiel_work("leduc_poker")),
    ("pyspiel", "table", "gin_rummy", lambda: open_spiel_work("gin_rummy")),
    ("pgx", "batch", "leduc_holdem", lambda: pgx_work("leduc_holdem")),
    ("pgx", "batch", "sparrow_mahjong", lambda: pgx_work("sparrow_mahjong")),
)
"""Module, our loop that it is compared with, the game, and its loop."""


def run() -> None:
    """Print the figures of the peers that are installed, and the ratio of ours to each."""
    ours: dict[str, float] = {}
    for module, loop, game, make in PEERS:
        if find_spec(module) is None or (module == "pettingzoo" and find_spec("rlcard") is None):
            continue
        if loop not in ours:
            ours[loop] = rate(OURS[loop]())[0]
        theirs = make()
        ratio = ours[loop] / rate(theirs)[0]
        emit_rate(
            f"{module}: {game}",
            theirs,
            ours=f"{loop}: {ours[loop]:.4g}/s",
            ratio=float(f"{ratio:.3g}"),
            peer=versions("rlcard", "pettingzoo", "open_spiel", "pgx", "jax"),
        )
