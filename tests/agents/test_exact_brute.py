"""The brute force of `oracle.kuns_exact`, checked before anything is checked against it.

Every figure here comes a second way: by hand, by going through every order of a deck, or through `KunsOracle`.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, groupby
from math import comb, prod

import pytest

from oracle.kuns import CARDS_PER_ROUND, RANKS, KunsOracle, hand_value
from oracle.kuns_exact import SEATS, SUITS, Game, check, deals, exploitability
from oracle.kuns_policies import always, at_random, by_multiset, by_table, uniform

FEW = {"ranks": (2, 5, 8), "num_suits": 4}
TINY = {"ranks": (1, 4, 5, 10), "num_suits": 3}
"""K8.3."""
PAIRS = {"ranks": (1, 3, 5, 7, 10), "num_suits": 2}
"""Ten cards, all of them dealt: 113,400 orders of the ranks."""
MENU = (1, 3)
HEADS_UP = {"num_players": 2, "side_bets": False, "forced_ante": 1, "ante_menu": (1,)}
STEPS_OF_A_HAND = 30
"""Ways in which five cards can come as two, two and one: 5! / (2! 2! 1!)."""
P_KUNS = 0.67704
MOST_SUITS, NUM_MULTISETS = 4, 1_992


def rules(**fields):
    return {**HEADS_UP, **FEW, **fields}


def orders(left):
    """Yield every order of the ranks in ``left`` once: all are equally likely."""
    if not any(left.values()):
        yield ()
    for rank in [rank for rank, copies in left.items() if copies]:
        left[rank] -= 1
        for rest in orders(left):
            yield (rank, *rest)
        left[rank] += 1


def deal(order):
    """K3.1, K4.1: one card at a time from the left of the dealer; return the cards of the other and the dealer's."""
    hands, place = ((), ()), 0
    for num_cards in CARDS_PER_ROUND:
        step = order[place : place + 2 * num_cards]
        hands = tuple((*hands[i], tuple(sorted(step[i::2]))) for i in range(2))
        place += 2 * num_cards
    return hands


@pytest.fixture(scope="module")
def every_deal():
    """How many orders of the deck `PAIRS` give (the other's cards, the dealer's cards)."""
    copies = dict.fromkeys(PAIRS["ranks"], PAIRS["num_suits"])
    return Counter(deal(order) for order in orders(copies))


# ------------------------------------------------------------------------------------------------ chance


@pytest.mark.parametrize("num_steps", [1, 2, 3])
def test_deals_are_counted_as_the_orders_of_a_deck_are(every_deal, num_steps):
    counted = Counter()
    for (one, two), number in every_deal.items():
        counted[one[:num_steps], two[:num_steps]] += number
    joint = deals(**PAIRS)[num_steps]
    weights = {(one, two): ways for one, row in joint.items() for two, ways in row.items()}
    num_deals = sum(weights.values())
    num_orders = sum(every_deal.values())
    assert num_orders == 113_400
    assert {pair: Fraction(ways, num_deals) for pair, ways in weights.items()} == {
        pair: Fraction(number, num_orders) for pair, number in counted.items()
    }


def ways_to_come(cards):
    """Return in how many ways the cards in hand can have come as these deal steps."""
    hand = Counter(sum(cards, ()))
    ways = 1
    for step in cards:
        for rank, copies in Counter(step).items():
            ways *= comb(hand[rank], copies)
            hand[rank] -= copies
    return ways


@pytest.mark.parametrize("deck", [FEW, TINY, PAIRS])
def test_given_the_multiset_the_order_tells_nothing_about_the_other_hand(deck):
    """Whatever the other holds, and whenever it came: P(order | multiset, other) is the number of splits."""
    for num_steps, all_ways in ((1, 1), (2, 6), (3, STEPS_OF_A_HAND)):
        joint = deals(**deck)[num_steps]
        of_multiset = defaultdict(Counter)
        for own, row in joint.items():
            of_multiset[tuple(sorted(sum(own, ())))].update(row)
        for own, row in joint.items():
            together = of_multiset[tuple(sorted(sum(own, ())))]
            assert set(row) == set(together)
            for other, ways in row.items():
                assert ways * all_ways == ways_to_come(own) * together[other]


def test_two_thirds_of_all_hands_have_kuns():
    """P(kuns) over all 658,008 hands of the full deck, counted by their ranks."""
    ways = {
        ranks: prod(comb(MOST_SUITS, copies) for copies in Counter(ranks).values())
        for ranks in combinations_with_replacement(range(1, 11), 5)
    }
    assert sum(ways.values()) == comb(40, 5)
    assert sum(map(bool, ways.values())) == NUM_MULTISETS
    kuns = sum(number for ranks, number in ways.items() if hand_value(ranks)[0])
    assert round(kuns / comb(40, 5), 5) == P_KUNS


# ------------------------------------------------------------------------------------------------ the game


def test_other_games_are_refused_by_name():
    with pytest.raises(ValueError, match="num_players"):
        check({"num_players": 3, "side_bets": False})
    with pytest.raises(ValueError, match="side_bets"):
        check({"num_players": 2})


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize(
    "fields",
    [
        {"ante_menu": MENU},
        {"ante_menu": MENU, "dealer_sees_hand": False},
        {"forced_ante": 0},
        {"forced_ante": 3, "no_kuns_zero_is_ten": True},
    ],
)
def test_hands_are_played_and_settled_as_in_the_reference_engine(dealer, fields):
    """Through the tree of positions, with the payoffs that brute force gives, and what a player knows."""
    game, rng = Game(rules(**fields), dealer), random.Random(dealer)
    deck = [RANKS[rank - 1] + suit for rank in FEW["ranks"] for suit in SUITS]
    for _ in range(150):
        rng.shuffle(deck)
        reference = KunsOracle(rules(**fields), dealer, lambda hand: deck)
        node = game.root
        while not reference.is_over:
            assert (node.to_play, list(node.legal)) == (reference.to_play, reference.legal_moves())
            cards = known_cards(reference, node.to_play)
            assert cards in game.deals[node.num_steps]
            move = rng.choices(node.legal, [1 if move == "fold" else 4 for move in node.legal])[0]
            node = node.children[move]
            reference.apply(move)
        hands = [known_cards(reference, seat) for seat in SEATS]
        assert node.to_play is None
        assert [
            game.payoff(node, seat, hands[seat], hands[1 - seat]) for seat in SEATS
        ] == reference.payoffs()


def known_cards(reference, seat):
    """Return the cards of the seat, a step at a time, as the reference engine lets it know them."""
    return tuple(event[1] for event in reference.information_state(seat) if event[0] == "cards")


@pytest.mark.parametrize("dealer_sees_hand", [True, False])
def test_values_and_best_responses_fit_together(dealer_sees_hand):
    """Zero-sum; no policy wins more than a best response; one that is played out wins what was said."""
    game = Game(rules(ante_menu=MENU, dealer_sees_hand=dealer_sees_hand), dealer=1)
    for seed in range(2):
        ours, theirs = at_random(seed, MENU), at_random(seed + 50, MENU)
        value = game.value((ours, theirs))
        for seat, policy, against in ((0, ours, theirs), (1, theirs, ours)):
            best, table = game.best_response(seat, against)
            pair = (by_table(table), against) if seat == 0 else (against, by_table(table))
            won = game.value(pair) * (1 if seat == 0 else -1)
            assert won == best, policy
            assert best > value * (1 if seat == 0 else -1)
            assert isinstance(best, Fraction)


def test_the_best_response_is_the_best_of_all_where_all_can_be_tried():
    """One decision that matters: against a policy that always calls, every single departure is worse."""
    game = Game(rules(), dealer=0)
    best, table = game.best_response(0, always("call", (1,)))
    turned = {"call": "fold", "fold": "call"}
    values = []
    for asked in random.Random(1).sample(sorted(table, key=str), 60):
        other = {**table, asked: turned[table[asked]]}
        values.append(game.value((by_table(other), always("call", (1,)))))
    assert max(values) <= best
    assert min(values) < best


# ------------------------------------------------------------------------------------------------ known figures


@pytest.mark.parametrize("deck", [FEW, TINY])
def test_k8_5_who_always_folds_loses_the_forced_ante_and_no_more(deck):
    for forced_ante in (0, 1, 3):
        got = exploitability(rules(**deck, forced_ante=forced_ante, ante_menu=MENU), always("fold", MENU))
        assert got.exploitability == got.as_dealer == got.as_other == forced_ante


def test_against_a_caller_by_going_through_every_order_of_a_deck(every_deal):
    """The best response to "always call", from every order of ten cards: no reach, no chances, no tree.

    With one ante of 1 and one chip forced, a hand that is called down wins or loses 4 chips; one that is
    folded in round 1, 2 or 3 loses 1, 2 or 3.
    """
    results = sorted(
        (own, number * ((4 if mine > theirs else -4) if mine != theirs else 0), number)
        for (own, other), number in every_deal.items()
        for mine, theirs in [(hand_value(sum(own, ())), hand_value(sum(other, ())))]
    )
    for round_number in (3, 2, 1):
        folding, better = -round_number, []
        for own, group in groupby(results, key=lambda row: row[0][:round_number]):
            wins, numbers = zip(*[(won, number) for _, won, number in group], strict=True)
            better.append((own, max(sum(wins), folding * sum(numbers)), sum(numbers)))
        results = better
    best = Fraction(sum(won for _, won, _ in results), sum(number for _, _, number in results))
    got = exploitability({**HEADS_UP, **PAIRS}, always("call", (1,)))
    assert got.as_dealer == got.as_other == best > 0


def test_uniform_play_as_calculated_by_hand():
    """Who calls down a uniform player until the end wins what it pays before it folds.

    Whatever is held, it folds in round 1, 2, 3 with chances 1/2, 1/4, 1/8, and then 1, 2, 3 chips are won; else
    the hands are shown for 4 chips, and two equally likely hands win equally often: 1/2 + 2/4 + 3/8 = 11/8.
    """
    game = Game(rules(), dealer=0)
    value = game.value((always("call", (1,)), uniform((1,))))
    assert value == Fraction(11, 8)
    best, _ = game.best_response(0, uniform((1,)))
    assert best >= value


def mixed(game, seat, policy):
    """Return the policy of the multiset that ``seat`` cannot be told from ``policy`` by.

    For each multiset, what is played with the orders in which it can have come, weighted by how many ways there
    are and by how likely ``policy`` is to have come this far with that order.
    """
    sums = defaultdict(Counter)
    for node, situations in game.situations():
        for asked in situations if node.to_play == seat else ():
            reach, position = ways_to_come(asked.cards), game.root
            for move in asked.moves:
                if position.to_play == seat:
                    earlier = game.asked(position, asked.cards[: position.num_steps])
                    reach *= policy(earlier).get(move, 0)
                position = position.children[move]
            for move, chance in policy(asked).items():
                sums[by_multiset(asked)][move] += reach * chance

    def play(asked):
        total = sum(sums[by_multiset(asked)].values())
        if not total:
            return {"call": 1}  # it never comes here
        return {move: Fraction(weight) / total for move, weight in sums[by_multiset(asked)].items()}

    return play


@pytest.mark.parametrize("dealer", SEATS)
def test_a_policy_of_the_order_has_a_twin_of_the_multiset(dealer):
    """Why multisets lose nothing: whatever the opponent does and knows, the two win and lose the same."""
    game = Game(rules(), dealer)
    policy = at_random(4, (1,))
    for seat in SEATS:
        twin = mixed(game, seat, policy)
        best, _ = game.best_response(1 - seat, policy)
        best_against_twin, table = game.best_response(1 - seat, twin)
        assert best == best_against_twin
        # Against the twin, the order of its own cards is of no use to the opponent either.
        for asked, move in table.items():
            alike = [other for other in table if by_multiset(other) == by_multiset(asked)]
            assert {table[other] for other in alike} == {move}
        one_sided = game.best_response(1 - seat, at_random(5, (1,)))[0]
        assert best != one_sided
