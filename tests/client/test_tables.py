"""Tables and where they go."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tilescope.client.tables import Table, Words
from tilescope.tiler.errors import UsageError

TABLE = Table(
    {
        "name": Words(np.array([1, 0, 1], np.int32), ["a", "b"]),
        "start": np.array([5, 2**62, 7]),
        "busy": np.array([1, 2**65, 3], object),
    }
)


def test_columns_and_rows() -> None:
    assert (len(TABLE), TABLE.column_names) == (3, ["name", "start", "busy"])
    assert TABLE["name"].tolist() == ["b", "a", "b"]
    assert TABLE.rows()[1] == {"name": "a", "start": 2**62, "busy": 2**65}
    assert len(Table({})) == 0


def test_to_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = TABLE.to_arrow()
    assert table.schema.field("name").type == pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    assert table.column("start").to_pylist() == [5, 2**62, 7]
    assert [int(value) for value in table.column("busy").to_pylist()] == [1, 2**65, 3]


def test_to_pandas() -> None:
    pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert frame["name"].tolist() == ["b", "a", "b"]
    assert str(frame["name"].dtype) == "category"
    assert frame["start"].tolist() == [5, 2**62, 7]
    assert "<table" in TABLE._repr_html_()


def test_without_the_extra_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pyarrow$"):
        TABLE.to_arrow()
    with pytest.raises(UsageError, match="pip install pandas$"):
        TABLE.to_pandas()
    assert TABLE._repr_html_() == "<code>&lt;Table of 3 rows: name, start, busy&gt;</code>"
