"""The rules, moves and encoders of Kuns; the engine is in `kuns_env.engine`."""
