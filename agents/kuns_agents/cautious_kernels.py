"""The kernel of `cautious`: thresholds on its own hand."""

from kuns_agents.compiler import jit
from kuns_agents.equity_kernels import affordable_ante
from kuns_agents.hands_kernels import node_of
from kuns_env.kuns import moves
from kuns_env.kuns.state import ANTE, BET


@jit
def choose_cautious(records, seats, masks, rules, children, chance, least, bold, order, out):
    """Write the move of `cautious` for every row.

    Args:
        records: redacted `STATE` records ``(B,)``.
        seats: int64 ``(B,)``, the seats to act.
        masks: int8 ``(B, NUM_MOVES)``.
        rules: one `RULES` record.
        children: int64 ``(nodes, ranks)``.
        chance: float64 ``(nodes,)``: to beat one hand not seen.
        least: float64 ``(3,)``: the least chance for a call, by round.
        bold: the least chance for the highest ante.
        order: int64 ``(NUM_MOVES,)``: what it does where its hand does not matter, the first legal move.
        out: int64 ``(B,)``.
    """
    for row in range(records.shape[0]):
        state, seat, mask = records[row], int(seats[row]), masks[row]
        phase = state["phase"]
        if phase == BET:
            node = node_of(state, seat, children)
            call = chance[node] >= least[state["round"] - 1] and mask[moves.CALL] == 1
            out[row] = moves.CALL if call else moves.FOLD
        elif phase == ANTE and state["round"] > 0 and chance[node_of(state, seat, children)] >= bold:
            wanted = rules[0]["num_antes"] - 1
            out[row] = moves.ANTE_BASE + affordable_ante(state, rules[0], seat, wanted)
        else:
            place = 0
            while mask[order[place]] == 0:
                place += 1
            out[row] = order[place]
