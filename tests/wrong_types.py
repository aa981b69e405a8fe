"""JSON of an outline, with values of wrong types anywhere: what a careless or hostile program writes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_NUMBERS = st.integers() | st.floats() | st.sampled_from([2**63, -(2**64), 10**30, 10**4000, 1e308, -0.0, True, False])
_TEXTS = st.text() | st.sampled_from(["NaN", "1e999", "9" * 30, "-", "\ud800", "\0", "true", "<" * 50])

JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def wrong(outline: Any) -> st.SearchStrategy[Any]:
    """Values that are as the outline is but in some places; a list has any number of values like its own."""
    right: st.SearchStrategy[Any]
    if isinstance(outline, dict):
        inner = {key: wrong(value) for key, value in outline.items()}
        right = st.fixed_dictionaries({}, optional=inner) | st.fixed_dictionaries(inner)
    elif isinstance(outline, list):
        right = st.lists(st.one_of([wrong(value) for value in outline]), max_size=3)
    else:
        right = st.just(outline)
    return st.one_of([right] * 4 + [JUNK])
