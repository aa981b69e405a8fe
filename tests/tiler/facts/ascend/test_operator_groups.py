"""Operators of tables: rows with the same texts, and the types in their names."""

from __future__ import annotations

import numpy as np
import pytest

from tilescope.tiler.facts.ascend.headers import CodedTexts
from tilescope.tiler.facts.ascend.operator_groups import same_texts, type_in_name
from tilescope.tiler.query import finish


class Many(list[str]):
    """As many words as a hostile table may have."""

    def __len__(self) -> int:
        return 1 << 22


def test_rows_are_the_same_only_if_all_texts_are() -> None:
    """Also where there are more combinations than 64 bits have numbers."""
    codes = [(1, 0, 0), (0, 1 << 20, 3), (0, 0, 1), (1 << 20, 0, 0), (0, 0, 0), (0, 0, 1)]
    columns = [CodedTexts(Many(), np.array(column, np.int64)) for column in zip(*codes, strict=True)]
    groups, size = finish(same_texts(*columns))
    assert size == len(set(codes))
    for left, own in zip(codes, groups.tolist(), strict=True):
        assert [own == other for other in groups.tolist()] == [left == right for right in codes]


def test_no_row_is_no_operator() -> None:
    empty = CodedTexts([""], np.zeros(0, np.int64))
    groups, size = finish(same_texts(empty, empty))
    assert (groups.tolist(), size) == ([], 0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Default/net/Cast-op6", "Cast"),
        ("Cast", "Cast"),
        ("net/Cast-op", "Cast-op"),
        ("net/a-op1-op23", "a-op1"),
        ("net/a-op1b", "a-op1b"),
        ("net-op1/-op7", ""),
        ("", ""),
    ],
)
def test_types_in_names(name: str, kind: str) -> None:
    assert type_in_name(name) == kind
