"""Operators of tables: rows with the same texts, and the types in their names."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.table_answers import written_tables
from tilescope.tiler.facts.ascend import operator_groups as module
from tilescope.tiler.facts.ascend.headers import CodedTexts
from tilescope.tiler.facts.ascend.operator_groups import OperatorGroups, operator_groups, same_texts, type_in_name
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

KERNELS = """Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)
1,MatMul-1,MatMul,AI_CORE,10.000,5.25
1,Cast-1,{type},AI_VECTOR_CORE,20.000,1.5
1,MatMul-2,MatMul,AI_CORE,30.000,4.125
1,Cast-2,Cast,AI_CORE,40.000,N/A
1,Cast-1,{type},AI_VECTOR_CORE,50.000,0.5
"""


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


@given(data=st.data(), few=st.sampled_from([0, 4, 1 << 16]))
@settings(max_examples=examples(100), deadline=None)
def test_groups_are_numbered_in_the_order_of_their_texts(data: st.DataObject, few: int) -> None:
    """Codes are combined as they are, or made compact before."""
    rows = data.draw(st.integers(0, 30))
    words = [data.draw(st.integers(1, 9)) for _ in range(data.draw(st.integers(1, 4)))]
    codes = [data.draw(st.lists(st.integers(0, most - 1), min_size=rows, max_size=rows)) for most in words]
    columns = [CodedTexts([""] * most, np.array(column, np.int64)) for most, column in zip(words, codes, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", few)
        groups, size = finish(same_texts(*columns))
    texts = list(zip(*codes, strict=True))
    numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
    assert size == len(numbers)
    assert groups.tolist() == [numbers[text] for text in texts]


@pytest.mark.parametrize("kind", ["Cast", ""])
def test_operators_without_names_have_the_sums_of_those_with_names(kind: str, tmp_path: Path) -> None:
    store = written_tables(tmp_path, kernel_details_csv=KERNELS.format(type=kind))
    with closing(open_run_store(store)) as run_store:
        unnamed, named = (_groups(QueryReader(run_store), are_named=are_named) for are_named in (False, True))
    assert len(named) == 4
    assert len(unnamed) == (3 if kind else 4)  # types are in names: "Cast-1"
    assert not (kind and unnamed.has_names)
    assert _sums(unnamed) == _sums(named)
    assert _sums(named)["MatMul", "AI_CORE", "total"] == 9_375_000


def _groups(reader: QueryReader, *, are_named: bool) -> OperatorGroups:
    (table,) = run_tables(reader, "kernel_details")
    return finish(operator_groups(reader, table, are_named=are_named))


def _sums(groups: OperatorGroups) -> Counter[tuple[str, str, str]]:
    """Runs, and picoseconds of those with a time, by type and core."""
    sums: Counter[tuple[str, str, str]] = Counter()
    for place, (kind, core) in enumerate(zip(groups.types.codes, groups.cores.codes, strict=True)):
        key = groups.types.words[kind], groups.cores.words[core]
        for name, figures in (("count", groups.count), ("total", groups.total), ("timed", groups.timed)):
            sums[*key, name] += figures.integers()[place]
    return sums
