"""Value functions that take the luck out of results: what a position is worth to somebody who sees all cards.

Each gives, for every decision of a hand, terms whose mean is known to be 0: see `kuns_agents.luck.protocol`.
"""
