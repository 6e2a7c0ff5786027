"""Slow reference engines, written from RULES.md alone. They share no code with `kuns_env`."""
