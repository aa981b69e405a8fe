"""Counts with their nouns."""

from __future__ import annotations

from tilescope.tiler.count_text import count_text, plural


def test_a_count_agrees_with_its_noun() -> None:
    assert plural(1, "more cause is", "more causes are") == "1 more cause is"
    assert plural(0, "cause", "causes") == "0 causes"
    assert plural(1_200, "cause", "causes") == "1,200 causes"
    assert count_text(1_234_567) == "1,234,567"
