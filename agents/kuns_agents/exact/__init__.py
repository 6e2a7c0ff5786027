"""Exact strength in Kuns without side bets: hands as multisets, the public tree, solving it, best responses."""
