"""Patterns searched in many texts at once, against each text by itself."""

from __future__ import annotations

from enum import IntEnum

from hypothesis import example, given
from hypothesis import strategies as st

from tilescope.tiler.facts.work.rule import OrderedPatterns


class Kind(IntEnum):
    """Kinds of this test."""

    A = 1
    B = 2
    C = 3


PATTERNS: OrderedPatterns[Kind] = OrderedPatterns(
    [(Kind.A, r"^ab?$"), (Kind.B, r"(?i)\bb[^x]a"), (Kind.A, "c+$"), (Kind.C, r"^\s?x")]
)
NULLABLE: OrderedPatterns[Kind] = OrderedPatterns([(Kind.C, "x"), (Kind.B, "^$")])


@given(st.lists(st.text("abBcx \n", max_size=6).map(str.encode), max_size=12))
@example([])
@example([b"a", b""])
@example([b"", b"", b"a\na", b"b", b"a"])
def test_kinds_of_many_texts_are_those_of_each(texts: list[bytes]) -> None:
    for patterns in (PATTERNS, NULLABLE):
        assert patterns.kinds(texts) == [patterns.kind(text) for text in texts]
