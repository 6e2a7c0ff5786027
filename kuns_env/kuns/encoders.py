"""The encoders of Kuns: `kuns_env.encoders`, filled by the loops of this game."""

from __future__ import annotations

from typing import Final

from kuns_env import encoders
from kuns_env.engine.stepping import Encoding
from kuns_env.kuns import history, loops, observe
from kuns_env.kuns.rules import MAX_PLAYERS, KunsRules
from kuns_env.kuns.state import compile_rules


class TableEncoder(encoders.TableEncoder):
    """`table`: what the seat knows now, as float32 of shape ``(layout.size,)``."""

    def __init__(self, rules: KunsRules, pad: bool) -> None:
        layout = observe.layout(rules, pad)
        width = MAX_PLAYERS if pad else rules.num_players
        kernel = Encoding(width, 1 / max(rules.ante_menu), layout.offsets)
        super().__init__(rules, pad, compile_rules(rules), layout, kernel, loops.encode_table)


class HistoryEncoder(encoders.HistoryEncoder):
    """`history`: perfect recall of the hand, as int16 tokens of shape ``(length,)``."""

    def __init__(self, rules: KunsRules, pad: bool) -> None:
        super().__init__(
            rules,
            pad,
            compile_rules(rules),
            # A padded sequence is as long as eight players can make it; tokens do not depend on the count.
            length=history.length(rules, MAX_PLAYERS if pad else rules.num_players),
            num_tokens=history.NUM_TOKENS,
            digits=history.digits_of(rules),
            fill=loops.encode_history,
            describe=history.describe_token,
        )


ENCODERS: Final = {"table": TableEncoder, "history": HistoryEncoder}
"""Encoder name to class."""
