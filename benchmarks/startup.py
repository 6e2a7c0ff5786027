"""How long a start takes: importing, the first one ever (which compiles), and every later one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.figures import emit

IMPORT = "import kuns_env"
ENGINE = """
import numpy as np
from kuns_env import Batch, KunsRules, Table
table = Table(KunsRules(), seed=1)
table.apply(table.legal_moves()[0])
view = table.view(0)
view.observation("table"), view.observation("history"), view.mask
table.determinize(0, np.random.default_rng(1))
batch = Batch(KunsRules(), num_games=8, seed=1)
batch.step(batch.masks.argmax(axis=1))
batch.views()
"""
AGENTS = """
from kuns_env import Batch, KunsRules
import kuns_agents, numpy as np
views = Batch(KunsRules(), num_games=8, seed=1).views()
for name in kuns_agents.NAMES_OF["kuns"]:
    agent = kuns_agents.load(name)
    if agent.supports(KunsRules()) is None:
        agent.act(views, np.random.default_rng(1))
"""
TIMED = "import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"


def seconds(code: str, cache: str) -> float:
    """Return how long ``code`` takes in a process of its own, without the start of Python."""
    env = os.environ | {"NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", TIMED.format(code=code)]
    result = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    return float(result.stdout.split()[-1])


def run() -> None:
    """Print the figures of the start."""
    with tempfile.TemporaryDirectory() as cache:
        for name, code in (("the engine", ENGINE), ("all agents", AGENTS)):
            emit(f"first start ever, compiling: {name}", seconds(code, cache), "s")
        for name, code in (("import kuns_env", IMPORT), ("the engine", ENGINE), ("all agents", AGENTS)):
            later = min(seconds(code, cache) for _ in range(3))
            emit(f"later start: {name}", later, "s")
