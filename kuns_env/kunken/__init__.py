"""The rules, moves and encoders of Kunken; the engine is in `kuns_env.engine`."""
