"""Small games of the same kind, for quick research: each is solved exactly in well under a second."""

from __future__ import annotations

from typing import Final

from kuns_env import KunsRules

COUSINS: Final = {
    "tiny": KunsRules.tiny(),
    "three ranks": KunsRules(num_players=2, ranks=(2, 5, 8), forced_ante=1, ante_menu=(1,), side_bets=False),
    "low half": KunsRules.duel(ranks=(1, 2, 3, 4, 5)),
    "two suits": KunsRules.duel(num_suits=2),
    "one ante": KunsRules(num_players=2, forced_ante=1, ante_menu=(1,), side_bets=False),
    "blind ante": KunsRules.duel(dealer_sees_hand=False),
}
"""Name to rules (K1.3, K3.1, K3.2), from the smallest on."""
