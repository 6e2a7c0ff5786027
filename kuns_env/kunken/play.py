"""What moves do, one record at a time (N4, N8)."""

from kuns_env.jit import jit
from kuns_env.kunken import melds, moves, tables
from kuns_env.kunken.cards import JOKER, NO_CARD
from kuns_env.kunken.deal import clear_debt, cut_bank, end_deal, end_turn, go_on, put_on_bank
from kuns_env.kunken.hands import lose, receive, receive_openly
from kuns_env.kunken.legal import legal_moves, points_asked
from kuns_env.kunken.state import OWE, PLAY

__all__ = ["apply", "apply_move", "go_on", "legal_moves"]


@jit.kernel
def apply(state, rules, move):
    """Play ``move``, which must be legal, for the seat to act; after the end of a deal, go on."""
    before = state["hands_done"]
    apply_move(state, rules, move)
    if state["hands_done"] != before:
        go_on(state, rules)


@jit.kernel
def apply_move(state, rules, move):
    """Play ``move``; where it ends the deal, stop there."""
    seat = int(state["seat"])
    state["history"][state["num_history"]] = move
    state["num_history"] += 1
    kind = tables.KIND[move]
    if kind == tables.DISCARD:
        discard(state, rules, seat, move)
    elif kind == tables.DRAW:
        draw(state, seat)
    elif kind == tables.TAKE or kind == tables.DEEP:
        take(state, rules, seat, move)
    elif kind == tables.SWAP:
        melds.swap(state, int(tables.PLACE[move]), rules["identical_cards_in_set"])
        lose(state, seat, tables.PLACE[move])
        receive_openly(state, seat, JOKER)
    else:
        lay(state, rules, seat, move)


@jit.inline
def draw(state, seat):
    """N4.1: the top card of the stock."""
    place = int(state["stock_next"])
    card = state["stock"][place]
    receive(state, seat, card)
    state["stock"][place] = NO_CARD
    state["stock_next"] = place + 1
    state["drawn"][state["num_history"] - 1] = card
    state["phase"] = PLAY


@jit.inline
def take(state, rules, seat, move):
    """N4.2: claim the card; what lies above it waits in the bank until the take is completed."""
    card, size = int(tables.PLACE[move]), int(state["num_bank"])
    if move < moves.DEEP_BASE:
        place = size - 1
        while state["bank"][place] != card:
            place -= 1
    else:
        place = 0
        while state["bank"][place] != card:
            place += 1
    state["phase"] = OWE
    state["claim"] = card
    state["claim_at"] = place
    state["claim_due"] = 1
    state["need"] = points_asked(state, rules, seat)
    state["leave"] = 1 if rules["discard_to_go_out"] == 1 and place == size - 1 else 0
    state["takes"][seat] += 1
    receive_openly(state, seat, card)


@jit.inline
def lay(state, rules, seat, move):
    """N4.2, N4.6, N4.7: a new meld, or a card on a meld."""
    kind = tables.KIND[move]
    if kind == tables.SET or kind == tables.RUN:
        if state["opened"][seat] == 0 and state["phase"] == PLAY:  # N4.6
            state["phase"] = OWE
            state["need"] = rules["bank_points"]
            state["leave"] = rules["discard_to_go_out"]
        melds.begin(state, seat, move)
    else:
        # N8.5: while N4.2 is unfinished among the melds of this turn only.
        first = int(state["turn_melds"]) if state["phase"] == OWE else 0
        number = melds.first_that_takes(state, first, move, rules["identical_cards_in_set"])
        melds.grow(state["melds"][number], seat, move)
    for i in range(int(tables.SIZE[move])):
        lose(state, seat, tables.CARDS[move, i])
    points = tables.POINTS[move]
    state["num_laid"][seat] += tables.SIZE[move]
    state["laid_points"][seat] += points
    state["turn_points"] += points
    if state["phase"] == OWE:
        pay(state, seat, move)
    if state["num_cards"][seat] == 0:  # N4.9
        end_deal(state, rules, seat)


@jit.inline
def pay(state, seat, move):
    """N4.2: what is owed falls; with the last of it the cards above the claimed one come to the hand."""
    state["need"] -= tables.POINTS[move]
    if state["claim_due"] == 1 and (tables.ONE[move] >> state["claim"]) & 1 == 1:
        state["claim_due"] = 0
    if state["claim_due"] == 1 or state["need"] > 0:
        return
    state["opened"][seat] = 1
    state["phase"] = PLAY
    place = int(state["claim_at"])
    clear_debt(state)
    if place >= 0:
        for i in range(place + 1, int(state["num_bank"])):
            receive_openly(state, seat, state["bank"][i])
        cut_bank(state, place)


@jit.inline
def discard(state, rules, seat, move):
    """N4.8: a card to the top of the bank ends the turn; the last card ends the deal (N4.9)."""
    card = tables.PLACE[move]
    lose(state, seat, card)
    put_on_bank(state, card)
    if state["num_cards"][seat] == 0:
        end_deal(state, rules, seat)
    else:
        end_turn(state, rules)
