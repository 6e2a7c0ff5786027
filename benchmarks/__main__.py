"""``python -m benchmarks [name ...]``: print the figures of some or all benchmarks."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("startup", "batch", "obligation", "table", "aec", "training", "solver", "peers")
"""Those that measure speed."""
STRENGTH = ("learners", "tournaments")
"""Those that measure how strong agents are."""


def main() -> int:
    """Run the benchmarks that are named; without a name all that measure speed."""
    wanted = sys.argv[1:] or list(NAMES)
    for name in wanted:
        if name not in NAMES + STRENGTH:
            print(f"no benchmark {name!r}; there are: {', '.join(NAMES + STRENGTH)}", file=sys.stderr)
            return 2
    for name in wanted:
        import_module(f"benchmarks.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
