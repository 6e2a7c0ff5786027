"""Masked distributions hold: extreme logits, a thousand moves, one legal move, a network that is broken."""

import copy

import numpy as np
import pytest
import torch as th
from gymnasium import spaces

from kuns_training.masking import (
    MOST_SKIPPED,
    DivergedError,
    SafeCategorical,
    SafeMaskablePolicy,
    guard_gradients,
    uniform_legal,
)

NUM_MOVES = 1_000
ROWS = 64


def distribution(logits, masks=None):
    made = SafeCategorical(logits.shape[-1]).proba_distribution(logits)
    if masks is not None:
        made.apply_masking(masks)
    return made


def random_masks(rng, rows=ROWS, moves=NUM_MOVES):
    masks = (rng.random((rows, moves)) < rng.random((rows, 1))).astype(np.int8)
    masks[np.arange(rows), rng.integers(moves, size=rows)] = 1
    return masks


@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0, 1e6, 1e30])
def test_a_thousand_moves_and_any_logits(scale):
    rng = np.random.default_rng(1)
    masks = random_masks(rng)
    logits = th.tensor(rng.standard_normal((ROWS, NUM_MOVES)) * scale, dtype=th.float32, requires_grad=True)
    made = distribution(logits, masks)
    probs = made.probs.detach().numpy()
    assert (probs[masks == 0] == 0).all()
    np.testing.assert_allclose(probs.sum(1), 1, atol=1e-5)
    for _ in range(20):
        moves = made.sample()
        assert masks[np.arange(ROWS), moves].all()
    assert masks[np.arange(ROWS), made.mode()].all()
    loss = made.log_prob(moves).sum() + made.entropy().sum()
    assert th.isfinite(loss)
    loss.backward()
    assert th.isfinite(logits.grad).all()
    assert (logits.grad.numpy()[masks == 0] == 0).all()


@pytest.mark.parametrize("favoured", [1e6, -1e6])
def test_what_is_illegal_stays_so_against_the_largest_logits(favoured):
    # A fill of -1e8 or of the least float would lose here: the only legal move is the least likely.
    logits = th.full((1, NUM_MOVES), -favoured)
    logits[0, 7] = favoured
    masks = np.zeros((1, NUM_MOVES), np.int8)
    masks[0, 7] = 1
    made = distribution(logits, masks)
    assert {int(made.sample()) for _ in range(50)} == {7}
    assert made.probs[0, 7] == 1
    assert float(made.log_prob(th.tensor([7]))) == 0
    assert float(made.entropy()) == 0


def test_the_usual_fill_of_sb3_contrib_would_fail():
    """What this guards against: with -1e8 in the place of illegal logits, logits below it win."""
    from sb3_contrib.common.maskable.distributions import MaskableCategorical

    logits, masks = th.tensor([[-1e9, 0.0, 0.0]]), np.array([[1, 0, 0]])
    theirs = MaskableCategorical(logits=logits, masks=masks, validate_args=False)
    assert float(theirs.probs[0, 0]) == 0
    assert float(distribution(logits, masks).probs[0, 0]) == 1


def test_sampling_has_the_right_frequencies():
    th.manual_seed(3)
    masks = np.array([[1, 0, 1, 1]])
    made = distribution(th.tensor([[0.0, 5.0, 1.0, -1.0]]).repeat(100_000, 1), masks.repeat(100_000, 0))
    counts = np.bincount(made.sample(), minlength=4) / 100_000
    np.testing.assert_allclose(counts, made.probs[0].numpy(), atol=0.006)


def test_agreement_with_torch():
    rng = np.random.default_rng(2)
    logits = th.tensor(rng.standard_normal((ROWS, 38)), dtype=th.float32)
    masks = random_masks(rng, moves=38)
    made = distribution(logits, masks)
    for row in range(ROWS):
        legal = np.flatnonzero(masks[row])
        theirs = th.distributions.Categorical(logits=logits[row, legal])
        moves = th.arange(len(legal))
        ours = made._log_probs[row, legal]
        np.testing.assert_allclose(ours, theirs.log_prob(moves), atol=1e-5)
        assert float(made.entropy()[row]) == pytest.approx(float(theirs.entropy()), abs=1e-5)


def test_masks_are_taken_off_again():
    made = distribution(th.zeros(2, 3), np.array([[1, 0, 0], [0, 1, 1]]))
    made.apply_masking(None)
    np.testing.assert_allclose(made.probs, 1 / 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_broken_network_is_named_as_the_cause(bad):
    logits = th.zeros(4, 3)
    logits[2, 1] = bad
    with pytest.raises(DivergedError, match="not finite in 1 of 4 positions: its weights have diverged"):
        distribution(logits)


def test_a_row_without_a_legal_move_is_named():
    with pytest.raises(ValueError, match="row 1 allows no move"):
        distribution(th.zeros(2, 3), np.array([[1, 0, 0], [0, 0, 0]]))


def small_policy():
    box = spaces.Box(-1, 1, (5,), np.float32)
    return SafeMaskablePolicy(
        box, spaces.Discrete(NUM_MOVES), lambda _: 1e-2, net_arch={"pi": [8], "vf": [8]}
    )


def test_an_update_with_infinite_gradients_is_skipped():
    policy = small_policy()
    before = copy.deepcopy(policy.state_dict())
    for bad in (np.inf, np.nan):
        policy.optimizer.zero_grad()
        policy.value_net.weight.grad = th.full_like(policy.value_net.weight, bad)
        th.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        policy.optimizer.step()
    for name, tensor in policy.state_dict().items():
        assert th.equal(tensor, before[name]), name


def test_a_good_update_is_not_skipped():
    policy = small_policy()
    before = policy.value_net.weight.detach().clone()
    policy.value_net.weight.grad = th.ones_like(before)
    policy.optimizer.step()
    assert not th.equal(policy.value_net.weight, before)


def test_skipping_for_ever_is_an_error():
    weight = th.nn.Parameter(th.ones(1))
    optimizer = th.optim.SGD([weight], lr=0.1)
    guard_gradients(optimizer)
    for _ in range(MOST_SKIPPED):
        weight.grad = th.full_like(weight, np.nan)
        optimizer.step()
    weight.grad = th.full_like(weight, np.nan)
    with pytest.raises(DivergedError, match="gradients of 21 updates in a row"):
        optimizer.step()
    assert weight.item() == 1


def test_many_updates_with_a_thousand_moves_keep_every_weight_finite():
    th.manual_seed(0)
    rng = np.random.default_rng(0)
    policy = small_policy()
    for step in range(200):
        masks = random_masks(rng, rows=32)
        observations = th.tensor(rng.standard_normal((32, 5)), dtype=th.float32)
        moves, _, _ = policy(observations, action_masks=masks)
        assert masks[np.arange(32), moves].all()
        _, log_prob, entropy = policy.evaluate_actions(observations, moves, action_masks=th.tensor(masks))
        advantages = th.tensor(rng.standard_normal(32) * 1e3, dtype=th.float32)
        loss = -(advantages * log_prob).mean() - (1e3 if step % 2 else -1e3) * entropy.mean()
        policy.optimizer.zero_grad()
        loss.backward()
        policy.optimizer.step()
    assert all(bool(th.isfinite(weight).all()) for weight in policy.parameters())


def test_random_legal_moves_are_uniform():
    rng = np.random.default_rng(5)
    masks = np.tile(np.array([[0, 1, 0, 1, 1, 0]], np.int8), (90_000, 1))
    counts = np.bincount(uniform_legal(masks, rng), minlength=6) / 90_000
    np.testing.assert_allclose(counts, [0, 1 / 3, 0, 1 / 3, 1 / 3, 0], atol=0.006)
