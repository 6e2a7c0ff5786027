"""What is counted of finished hands: who won chips and showed cards; where it is asked for, how each seat played."""

from __future__ import annotations

from typing import Final

from kuns_env.jit import jit
from kuns_env.kuns import moves
from kuns_env.kuns.rules import MAX_ANTES, KunsRules
from kuns_env.kuns.seats import first_seat
from kuns_env.kuns.settle import bet_units
from kuns_env.kuns.state import DEAL, NUM_ROUNDS
from kuns_env.kuns.value import KUNS_BONUS, TENS, has_kuns, rank_at, value_of
from kuns_env.tallies import HANDS, PAYOFF, Statistic, Words

# --- what is counted --------------------------------------------------------------------------------------

TALLIES: Final = (HANDS, PAYOFF, "won", "shown", "won_shown", "showdowns")
"""Rows of a tally, each with a column a seat; `tally` says what they hold."""

AT_HANDS, AT_PAYOFF, AT_WON, AT_SHOWN, AT_WON_SHOWN, AT_SHOWDOWNS = range(len(TALLIES))

BANDS: Final = ("weak", "middle", "strong")
"""How good the cards of a seat are for their number; see `band_of`."""
WEAK, MIDDLE, STRONG = range(len(BANDS))

ROUNDS: Final = tuple(range(1, NUM_ROUNDS + 1))
PLACES: Final = ("dealer", "first", "other")
"""Where a seat sits: it deals, it is the first to act, or it is another."""
DEALER, FIRST, OTHER = range(len(PLACES))

STYLE_TALLIES: Final = (
    "antes",
    "ante_chips",
    *(f"ante_{entry}" for entry in range(MAX_ANTES)),
    *(f"decided_{number}" for number in ROUNDS),
    *(f"folded_{number}" for number in ROUNDS),
    *(f"decided_{number}_{band}" for number in ROUNDS for band in BANDS),
    *(f"folded_{number}_{band}" for number in ROUNDS for band in BANDS),
    *(f"hands_{place}" for place in PLACES),
    *(f"payoff_{place}" for place in PLACES),
    "offers",
    "offers_taken",
    "answers",
    "accepts",
    "bets",
    "bets_won",
    "payoff_bets",
)
"""Further rows, where a batch counts the style of play."""

NUM_TALLIES: Final = len(TALLIES)
AT: Final = {name: NUM_TALLIES + place for place, name in enumerate(STYLE_TALLIES)}
AT_ANTES: Final = AT["antes"]
AT_ANTE_CHIPS: Final = AT["ante_chips"]
AT_ANTE: Final = AT["ante_0"]
AT_DECIDED: Final = AT["decided_1"]
AT_FOLDED: Final = AT["folded_1"]
AT_DECIDED_BAND: Final = AT["decided_1_weak"]
AT_FOLDED_BAND: Final = AT["folded_1_weak"]
AT_HANDS_PLACE: Final = AT["hands_dealer"]
AT_PAYOFF_PLACE: Final = AT["payoff_dealer"]
AT_OFFERS: Final = AT["offers"]
AT_OFFERS_TAKEN: Final = AT["offers_taken"]
AT_ANSWERS: Final = AT["answers"]
AT_ACCEPTS: Final = AT["accepts"]
AT_BETS: Final = AT["bets"]
AT_BETS_WON: Final = AT["bets_won"]
AT_PAYOFF_BETS: Final = AT["payoff_bets"]
NUM_BANDS: Final = len(BANDS)

# --- what the counts say ----------------------------------------------------------------------------------

WORDS: Final = Words(amount="chips", hand="hand")

GENERAL: Final = (
    Statistic("won", HANDS, "won %", "Share of hands in which it won chips (K7.1).", is_share=True),
    Statistic(
        "shown",
        HANDS,
        "to a showdown %",
        "Share of hands in which it showed its cards (K7.3).",
        is_share=True,
    ),
    Statistic(
        "won_shown", "shown", "won there %", "Share of these in which it won chips (K7.1).", is_share=True
    ),
    Statistic(
        "showdowns",
        HANDS,
        "showdowns %",
        "Share of hands in which cards were shown (K7.3).",
        is_share=True,
        of_table=True,
    ),
)

FOUR: Final = 4
"""Cards of a hand in round 2."""
MOST_OUTS_OF_WEAK: Final = 4
"""Ranks that would complete a kuns, of which a middle hand of four cards has more."""
HIGHEST_OF_MIDDLE: Final = KUNS_BONUS + 5
"""Strength of the best middle hand of five cards: kuns of 5."""

BAND_MEANINGS: Final = (
    {
        "weak": "a pair",
        "middle": "two ranks that do not make ten",
        "strong": "two different ranks that make ten",
    },
    {
        "weak": "no kuns yet, and at most four of the ten ranks would complete one",
        "middle": "no kuns yet, and five or six ranks would complete one",
        "strong": "kuns",
    },
    {"weak": "no kuns", "middle": "kuns of 1 to 5", "strong": "kuns of 6 to 10"},
)
"""What the bands are after two, four and five cards."""


PLACE_MEANINGS: Final = {
    "dealer": "as dealer",
    "first": "first to act",
    "other": "elsewhere",
}
SIDE_BETS: Final = (
    Statistic("offers", HANDS, "offers", "Side bets that it offered in a hand (K6.2).", group="side bets"),
    Statistic(
        "offers_taken",
        "offers",
        "offers taken %",
        "Share of these that somebody took (K6.4).",
        is_share=True,
        group="side bets",
    ),
    Statistic(
        "accepts",
        "answers",
        "accepts %",
        "Share of the offers put to it that it took (K6.4).",
        is_share=True,
        group="side bets",
    ),
    Statistic(
        "bets_won",
        "bets",
        "bets won %",
        "Share of its side bets, offered or taken, that it won; void ones are not won (K6.5).",
        is_share=True,
        group="side bets",
    ),
    Statistic(
        "payoff_bets",
        HANDS,
        "chips by bets",
        "Chips that it won by side bets in a hand (K6.5).",
        group="side bets",
        in_units=True,
    ),
)


def statistics(rules: KunsRules) -> tuple[Statistic, ...]:
    """Return what the tallies say of those who played by ``rules``: nothing of what these rules do not have."""
    antes = ante_statistics(rules) if len(rules.ante_menu) > 1 else ()
    side_bets = SIDE_BETS if rules.side_bets else ()
    folds = (statistic for number in ROUNDS for statistic in fold_statistics(number))
    return (*GENERAL, *antes, *folds, *place_statistics(rules), *side_bets)


def ante_statistics(rules: KunsRules) -> tuple[Statistic, ...]:
    """Return what is said of the antes that a dealer set (K3.1)."""
    mean = Statistic(
        "ante_chips", "antes", "mean ante", "Mean ante that it set, in chips (K3.1).", group="antes"
    )
    entries = (
        Statistic(
            f"ante_{entry}",
            "antes",
            f"ante {ante} %",
            f"Share of the antes that it set that were {ante} (K3.1).",
            is_share=True,
            group="antes",
        )
        for entry, ante in enumerate(rules.ante_menu)
    )
    return (mean, *entries)


def fold_statistics(number: int) -> tuple[Statistic, ...]:
    """Return what is said of folds in round ``number``, with any hand and in each band (K4.2)."""
    meanings = {"": "it folded (K4.2)."}
    for band in BANDS:
        meanings[f"_{band}"] = f"it folded, of those with a {band} hand: {BAND_MEANINGS[number - 1][band]}."
    return tuple(
        Statistic(
            f"folded_{number}{band}",
            f"decided_{number}{band}",
            f"{band.removeprefix('_') or 'all'} %",
            f"Share of its decisions in round {number} in which {meaning}",
            is_share=True,
            group=f"folds in round {number}",
        )
        for band, meaning in meanings.items()
    )


def place_statistics(rules: KunsRules) -> tuple[Statistic, ...]:
    """Return what is said of chips by position (K2.1, K4.2)."""
    places = PLACES if rules.num_players > 2 else PLACES[:OTHER]
    return tuple(
        Statistic(
            f"payoff_{place}",
            f"hands_{place}",
            PLACE_MEANINGS[place],
            f"Chips that it won in a hand {PLACE_MEANINGS[place]} (K2.1, K4.2).",
            group="chips by position",
            in_units=True,
        )
        for place in places
    )


# --- counting ---------------------------------------------------------------------------------------------


@jit.kernel
def tally(state, rules, tallies, row):
    """Add the hand that has just ended to ``tallies[row]``, int64 ``(T, P)``.

    Hands and showdowns count for every seat alike; the rest is each seat's own. It reads the hand as it was
    settled, before the next one is dealt.
    """
    for seat in range(tallies.shape[2]):
        tallies[row, AT_HANDS, seat] += 1
        tallies[row, AT_SHOWDOWNS, seat] += state["showdown"]
        tallies[row, AT_PAYOFF, seat] += state["payoff"][seat]
        won = 1 if state["payoff"][seat] > 0 else 0
        shown = 1 if state["showdown"] == 1 and state["shown"][seat, 0] >= 0 else 0
        tallies[row, AT_WON, seat] += won
        tallies[row, AT_SHOWN, seat] += shown
        tallies[row, AT_WON_SHOWN, seat] += won * shown
    if tallies.shape[1] > NUM_TALLIES:
        count_ante(state, rules, tallies[row])
        count_folds(state, rules, tallies[row])
        count_places(state, tallies[row])
        count_side_bets(state, rules, tallies[row])


@jit.kernel
def count_ante(state, rules, counts):
    """K3.1: the ante, where the dealer had a choice. ``counts`` is int64 ``(T, P)`` here and below."""
    if rules["num_antes"] > 1:
        dealer = int(state["dealer"])
        counts[AT_ANTES, dealer] += 1
        counts[AT_ANTE_CHIPS, dealer] += state["ante"]
        counts[AT_ANTE + state["ante_index"], dealer] += 1


@jit.kernel
def count_folds(state, rules, counts):
    """K4.2: every decision to call or to fold, by round and by what the seat held then."""
    for seat in range(counts.shape[1]):
        if state["seated"][seat] == 0:
            continue
        # One decision a round: what a seat paid says how often it called.
        num_calls = (int(state["paid"][seat]) - rules["forced_ante"]) // int(state["ante"])
        folded = 1 - int(state["in_hand"][seat])
        for past in range(num_calls + folded):
            fold = 1 if past == num_calls else 0
            at_band = past * NUM_BANDS + band_of(state["hole"], seat, past)
            counts[AT_DECIDED + past, seat] += 1
            counts[AT_FOLDED + past, seat] += fold
            counts[AT_DECIDED_BAND + at_band, seat] += 1
            counts[AT_FOLDED_BAND + at_band, seat] += fold


@jit.kernel
def band_of(hole, seat, past):
    """Return how good a hand was after ``past`` whole rounds, for its number of cards: `BAND_MEANINGS`.

    The bands follow the chance of winning against a hand that nobody knows, a tie being half (full deck). Of two cards
    a pair is worst (44 %) and two that make ten are best (52 %); most lie between (84 % of hands, 50 %). Of four, and
    of five, each band holds about a third: they win 37, 45 and 66 %, and 16, 49 and 83 %.
    """
    first, second = rank_at(hole, seat, 0), rank_at(hole, seat, 1)
    if past == 0:
        if first == second:
            return WEAK
        return STRONG if first + second == TENS else MIDDLE
    third, fourth = rank_at(hole, seat, 2), rank_at(hole, seat, 3)
    if past == 1:
        four = (first, second, third, fourth, 0)
        if has_kuns(four, FOUR, (first + second + third + fourth) % TENS) == 1:
            return STRONG
        return MIDDLE if num_outs(four) > MOST_OUTS_OF_WEAK else WEAK
    value = value_of((first, second, third, fourth, rank_at(hole, seat, 4)))
    if value <= KUNS_BONUS:
        return WEAK
    return STRONG if value > HIGHEST_OF_MIDDLE else MIDDLE


@jit.inline
def num_outs(four):
    """Return how many of the ten ranks make tens with two of ``four`` cards, a tuple of ranks that may go on."""
    # A rank completes two cards that sum to minus itself: different sums, different ranks.
    sums = 0
    for i in range(FOUR - 1):
        for j in range(i + 1, FOUR):
            sums |= 1 << ((four[i] + four[j]) % TENS)
    outs = 0
    while sums > 0:
        outs += sums & 1
        sums >>= 1
    return outs


@jit.kernel
def count_places(state, counts):
    """K2.1, K4.2: hands and chips as the dealer, as the first to act, and elsewhere."""
    dealer = int(state["dealer"])
    first = first_seat(state["seated"], dealer, counts.shape[1])
    for seat in range(counts.shape[1]):
        if state["seated"][seat] == 1:
            place = DEALER if seat == dealer else FIRST if seat == first else OTHER
            counts[AT_HANDS_PLACE + place, seat] += 1
            counts[AT_PAYOFF_PLACE + place, seat] += state["payoff"][seat]


@jit.kernel
def count_side_bets(state, rules, counts):
    """K6: offers, answers, and what came of the bets."""
    if rules["side_bets"] == 0:
        return
    for i in range(int(state["num_history"])):
        seat, move = int(state["history"][i, 0]), int(state["history"][i, 1])
        if seat == DEAL:
            continue
        if moves.STAKE_BASE <= move < moves.ACCEPT:
            counts[AT_OFFERS, seat] += 1
        elif move == moves.ACCEPT or move == moves.DECLINE:
            counts[AT_ANSWERS, seat] += 1
            if move == moves.ACCEPT:
                counts[AT_ACCEPTS, seat] += 1
    for i in range(int(state["num_bets"])):
        bet = state["bets"][i]
        units = bet_units(state, rules, bet)
        counts[AT_OFFERS_TAKEN, bet[0]] += 1
        for side in range(2):
            own = units if side == 0 else -units
            counts[AT_BETS, bet[side]] += 1
            counts[AT_PAYOFF_BETS, bet[side]] += own
            if own > 0:
                counts[AT_BETS_WON, bet[side]] += 1
