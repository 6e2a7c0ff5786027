"""The arena: who meets whom, playing it, and what came of it. `kuns evaluate` and `kuns tournament` are its doors."""
