"""Notes are sentences, and names in them stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.sentence import sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the trace has no steps", "The trace has no steps."),
        ("Nothing is missing.", "Nothing is missing."),
        ("none of these events has an argument 'k'", "None of these events has an argument 'k'."),
        ("not used: steps of thread 3", "Not used: steps of thread 3."),
        ("3 gaps reach an edge", "3 gaps reach an edge."),
        ("fusion.1 waits", "fusion.1 waits."),
        ("tpu-pod-w-1 lacks steps", "tpu-pod-w-1 lacks steps."),
        ("jit_f(3) uses no memory", "jit_f(3) uses no memory."),
        ("most of it is of void f<int>…", "Most of it is of void f<int>…"),
        ("", ""),
    ],
)
def test_a_sentence(text: str, expected: str) -> None:
    assert sentence(text) == expected
    assert Note("info", text).text == expected


@given(st.text())
def test_only_a_capital_and_a_full_stop_are_new(text: str) -> None:
    made = sentence(text)
    assert sentence(made) == made
    assert made in (text, f"{text}.", text[:1].upper() + text[1:], f"{text[:1].upper()}{text[1:]}.")
