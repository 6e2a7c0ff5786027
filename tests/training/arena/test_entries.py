"""Who takes part: labels that tell agents apart, and agents that fail when they are asked what they play."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from kuns_env import KunsRules
from kuns_training.arena.entries import labels, why_not


def test_labels_are_all_different_whatever_the_names() -> None:
    for names in itertools.product(("x", "x#2", "x#3", "x#2#2"), repeat=5):
        made = labels([SimpleNamespace(name=name) for name in names])
        assert len(set(made)) == len(names)
        assert set(names) <= set(made)  # the first of a name is called by it
    assert labels([SimpleNamespace(name=name) for name in ("x", "x", "x")]) == ["x", "x#2", "x#3"]
    assert labels([SimpleNamespace(name="x\ud800")]) == [r"x\ud800"]


class PanicError(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("nested")


@pytest.mark.parametrize("error", [KeyError("no"), SystemExit(0), GeneratorExit("\ud800"), PanicError()])
def test_what_is_raised_by_supports_is_a_refusal(error: BaseException) -> None:
    def supports(_: object) -> None:
        raise error

    refusal = why_not(SimpleNamespace(name="odd", supports=supports), KunsRules.duel())
    assert refusal is not None
    assert refusal.startswith(
        f"agent 'odd' raised when asked whether it plays these rules: {type(error).__name__}"
    )
    assert refusal.encode()


def test_supports_must_answer_in_text_or_none() -> None:
    agent = SimpleNamespace(name="odd", supports=lambda _: [1])
    assert "answered supports(rules) by [1]" in str(why_not(agent, KunsRules.duel()))
    agent = SimpleNamespace(name="odd", supports=lambda _: "no \ud800")
    assert why_not(agent, KunsRules.duel()) == r"agent 'odd' does not play these rules: no \ud800"
