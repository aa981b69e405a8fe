"""Operations of the framework as numbers: instructions share one whose paths, or else names, say the same."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.facts.test_metadata_codes import stat, tables_of
from tilescope.tiler.details.instruction_stats import STATS
from tilescope.tiler.details.xstat_tables import EventMetadata
from tilescope.tiler.facts.metadata_codes import MetadataCodes
from tilescope.tiler.facts.operations.framework import framework_numbers, framework_op_name
from tilescope.tiler.query import QueryReader

NAMES = ["a", "b", "a/b", "Iterator", "", "c:d"]
PATHS = [
    b"",
    b"a:",
    b"a",
    b"a:Add",
    b"a/b:",
    b"a/b",
    b"a/b:Mul",
    b":",
    b"Iterator:",
    b"Iterator",
    b"c:d:",
    b"c:d",
    b"\xff:",
    b"b::",
]


def read(said: list[tuple[int, bytes]]) -> tuple[MetadataCodes, list[int]]:
    """Metadata with these names and paths, and of each its row."""

    class KnownNames(list[SimpleNamespace]):
        def texts(self, ids: list[int]) -> list[str]:
            return [self[at].text for at in ids]

    names = KnownNames(SimpleNamespace(text=name) for name in NAMES)
    store = SimpleNamespace(get=lambda _record, _chunk: None)
    reader = cast(QueryReader, SimpleNamespace(names=names, store=store))
    place = STATS.index("tf_op") + 1
    entries = [EventMetadata(0, at, f"{at}", "", stat(place, 5, path)) for at, (_, path) in enumerate(said)]
    tables = tables_of(entries, [name for name, _ in said])
    codes = MetadataCodes(reader)
    for _ in codes.rows_of(0, tables, tables.alike):
        pass
    return codes, codes.of(0, tables.alike).tolist()


@given(st.lists(st.tuples(st.integers(0, len(NAMES) - 1), st.sampled_from(PATHS)), min_size=1, max_size=20))
def test_instructions_of_one_operation_share_a_number(said: list[tuple[int, bytes]]) -> None:
    codes, rows = read(said)
    names, numbers = framework_numbers(codes, np.array(rows, np.int64))
    plain = [framework_op_name(path.decode("utf-8", "replace")) if path else NAMES[name] for name, path in said]
    assert [names[number] for number in numbers.tolist()] == plain
    assert len(set(names)) == len(names)
    assert list(names[:]) == list(names)
