"""``python -m benchmarks [name ...]``: print the figures of some or all benchmarks."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("startup", "batch", "obligation", "table", "aec", "training", "solver", "peers")


def main() -> int:
    """Run the benchmarks that are named, all of them without a name."""
    wanted = sys.argv[1:] or list(NAMES)
    for name in wanted:
        if name not in NAMES:
            print(f"no benchmark {name!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
            return 2
    for name in wanted:
        import_module(f"benchmarks.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
