"""The encoders of Kunken: `kuns_env.encoders`, filled by the loops of this game."""

from __future__ import annotations

from typing import Final

from kuns_env import encoders
from kuns_env.engine.stepping import Encoding
from kuns_env.kunken import history, loops, observe
from kuns_env.kunken.rules import MAX_PLAYERS, KunkenRules
from kuns_env.kunken.state import compile_rules


class TableEncoder(encoders.TableEncoder):
    """`table`: what the seat knows now, as float32 of shape ``(layout.size,)``."""

    def __init__(self, rules: KunkenRules, pad: bool) -> None:
        layout = observe.layout(rules, pad)
        width = MAX_PLAYERS if pad else rules.num_players
        kernel = Encoding(width, 1 / rules.bank_points, layout.offsets)
        super().__init__(rules, pad, compile_rules(rules), layout, kernel, loops.encode_table)


class HistoryEncoder(encoders.HistoryEncoder):
    """`history`: perfect recall of the deal, as int16 tokens of shape ``(length,)``."""

    def __init__(self, rules: KunkenRules, pad: bool) -> None:
        super().__init__(
            rules,
            pad,
            compile_rules(rules),
            length=history.padded_length(rules) if pad else history.length(rules, rules.num_players),
            num_tokens=history.NUM_TOKENS,
            digits=history.digits_of(rules),
            fill=loops.encode_history,
            describe=history.describe_token,
        )


ENCODERS: Final = {"table": TableEncoder, "history": HistoryEncoder}
"""Encoder name to class."""
