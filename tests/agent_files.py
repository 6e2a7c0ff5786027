"""What tests of trained agents share: their files, changed."""

from __future__ import annotations

import json

import numpy as np

from kuns_agents.archive import META


def rewrite(path, **changes):
    """Change the description in an agent file; None takes a key away."""
    with np.load(path) as file:
        arrays = dict(file)
    meta = json.loads(str(arrays.pop(META))) | changes
    meta = {key: value for key, value in meta.items() if value is not None}
    np.savez(path, **{META: np.array(json.dumps(meta))}, **arrays)
