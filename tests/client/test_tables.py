"""Tables and where they go."""

from __future__ import annotations

import gc
import subprocess
import sys
from decimal import Decimal

import nanoarrow
import numpy as np
import pyarrow
import pytest

from tilescope.client.tables import Table
from tilescope.tiler.errors import UsageError
from tilescope.tiler.words import Words

TABLE = Table(
    {
        "name": Words(np.array([1, 0, 1], np.int32), ["a", "b"]),
        "start": np.array([5, 2**62, 7]),
        "busy": np.array([1, 2**65, 3], object),
    }
)


def test_columns_and_rows() -> None:
    assert (len(TABLE), TABLE.columns) == (3, ["name", "start", "busy"])
    assert TABLE["name"].tolist() == ["b", "a", "b"]
    assert TABLE.rows()[1] == {"name": "a", "start": 2**62, "busy": 2**65}
    assert len(Table({})) == 0


def test_to_arrow() -> None:
    table = TABLE.to_arrow()
    assert table.schema.field("name").type == pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    assert table.column("start").to_pylist() == [5, 2**62, 7]
    assert [int(value) for value in table.column("busy").to_pylist()] == [1, 2**65, 3]


def test_to_pandas() -> None:
    frame = TABLE.to_pandas()
    assert frame["name"].tolist() == ["b", "a", "b"]
    assert str(frame["name"].dtype) == "category"
    assert frame["start"].tolist() == [5, 2**62, 7]
    assert "<table" in TABLE._repr_html_()


def test_iterating_gives_rows() -> None:
    assert list(TABLE) == TABLE.rows()
    assert [row["start"] for row in TABLE] == [5, 2**62, 7]
    with pytest.raises(TypeError):
        "name" in TABLE  # type: ignore[operator]  # noqa: B015


def test_how_it_is_shown() -> None:
    assert repr(TABLE).splitlines() == [
        "name                start                  busy",
        "b                       5                     1",
        "a     4611686018427387904  36893488147419103232",
        "b                       7                     3",
        "[3 rows x 3 columns]",
    ]
    assert repr(Table({})) == "\n[0 rows x 0 columns]"
    hostile = Table({"name": Words.from_texts(["<script>", "\x1b[31m" + "x" * 99, *"abcdefghi", "last", None])})
    html = hostile._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    shown = repr(hostile)
    assert "\x1b" not in shown
    assert shown.splitlines()[6:] == ["…", "g", "h", "i", "last", "–", "[13 rows x 1 columns]"]
    assert max(map(len, shown.splitlines())) == 40


MIXED = Table(
    {
        "name": Words(np.array([1, 0, 1, -1], np.int32), ["größe", "a name of more than twelve bytes"]),
        "start": np.array([5, 2**62, 7, -1]),
        "row": np.array([0, 1, 2, 3], np.int32),
        "open": np.array([True, False, True, True]),
        "value": np.array([0.5, np.nan, 1e300, 0.0]),
        "busy": np.array([1, 2**65, None, -3], object),
        "flops": np.array([1, None, 3, -(2**63)], object),
    }
)
MIXED_ROWS = [
    ("a name of more than twelve bytes", 5, 0, True, 0.5, 1, 1),
    ("größe", 2**62, 1, False, None, 2**65, None),
    ("a name of more than twelve bytes", 7, 2, True, 1e300, None, 3),
    (None, -1, 3, True, 0.0, -3, -(2**63)),
]


def test_pyarrow_reads_the_stream_as_to_arrow_does() -> None:
    streamed, made = pyarrow.table(MIXED), MIXED.to_arrow()
    assert streamed.to_pylist() == made.to_pylist()
    assert [tuple(row.values()) for row in streamed.to_pylist()] == MIXED_ROWS
    assert streamed.schema.field("start").type == made.schema.field("start").type == pyarrow.int64()
    assert pyarrow.table(Table({"a": np.zeros(0, np.int64), "b": Words.from_texts([])})).num_rows == 0
    streamed.validate(full=True)


@pytest.mark.deep
def test_polars_reads_it_as_it_is() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed: make deep-tools")
    frame = polars.DataFrame(MIXED)
    assert frame.columns == MIXED.columns
    assert frame.rows() == MIXED_ROWS
    assert polars.DataFrame(Table({"a": np.zeros(0, np.int64), "b": Words.from_texts([])})).shape == (0, 2)


@pytest.mark.deep
def test_duckdb_reads_it_as_it_is() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make deep-tools")
    found = duckdb.sql("SELECT * FROM MIXED").fetchall()
    assert [tuple(int(v) if isinstance(v, Decimal) else v for v in row) for row in found] == MIXED_ROWS
    sums = duckdb.sql("SELECT name, count(*), sum(start) FROM MIXED WHERE row < 3 GROUP BY 1 ORDER BY 1").fetchall()
    assert sums == [("a name of more than twelve bytes", 2, 12), ("größe", 1, 2**62)]


@pytest.mark.deep
def test_arrow_needs_no_pyarrow() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import numpy as np, polars
from tilescope import Table
assert polars.DataFrame(Table({"a": np.arange(3)}))["a"].sum() == 3
"""
    pytest.importorskip("polars", reason="polars is not installed: make deep-tools")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_stream_outlives_its_table() -> None:
    stream = nanoarrow.c_array_stream(Table({"a": np.arange(100_000), "b": Words.from_texts(["x"] * 100_000)}))
    gc.collect()
    (batch,) = list(nanoarrow.Array(stream).iter_chunks())
    assert batch.to_pylist()[99_999] == {"a": 99_999, "b": "x"}


def test_without_the_extra_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pyarrow"):
        TABLE.to_arrow()
    with pytest.raises(UsageError, match="pip install pandas"):
        TABLE.to_pandas()
