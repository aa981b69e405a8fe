"""Text that is not quite JSON: nothing that it says is lost without a word."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from tests.reports.traces import FOLDER, Open, answer, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.arguments import ArgumentReader
from tilescope.tiler.store import open_run_store


def arguments(reader: QueryReader, ordinal: int) -> dict[str, object]:
    """The arguments of an event of the first track."""
    (values,) = ArgumentReader(reader.store).decoded(0, [ordinal])
    return dict(values)


def test_bare_words_are_kept(open_by_name: Open) -> None:
    reader = open_by_name("bare_words.json")
    assert [row["name"] for row in rows(answer(reader, "events"), "events")] == ["a", "b", "c", "d", "e"]
    assert [arguments(reader, ordinal) for ordinal in range(5)] == [
        {"Stream": "0x4142e90", "datatype": "ncclFloat32"},
        {"ptr": "0xdeadbeef"},
        {"pinned": True, "parent": None, "share": 0.5},
        {"loss": "+inf"},
        {},
    ]
    assert reader.store.manifest()["ignored"] == {}


def test_an_event_with_quotes_in_its_name_keeps_its_place(open_by_name: Open) -> None:
    reader = open_by_name("quotes_and_newline_in_name.json")
    listed = [
        (row["name"], row["category"], row["start"], row["duration"])
        for row in rows(answer(reader, "events"), "events")
    ]
    assert listed == [
        ("before", "python_function", 0, 1000),
        ('lib = Library("_test", "IMPL")\n(1): <module>', "python_function", 2000, 5000),
        ("after", "python_function", 8000, 1000),
    ]
    assert reader.store.manifest()["ignored"] == {"unescaped_quotes": "1"}
    assert arguments(reader, 1)["[repaired]"] == "quotes in a text of this event were not escaped"
    assert arguments(reader, 1)["Python id"] == 2


def test_nanoseconds_are_not_an_empty_trace(open_by_name: Open, tmp_path: Path) -> None:
    name = "nanoseconds_as_microseconds.json"
    manifest = open_by_name(name).store.manifest()
    assert manifest["ignored"] == {"ts_out_of_range": "10"}
    (warning,) = manifest["warnings"]
    assert warning.startswith("all 10 events are beyond the range of times: ts is in microseconds")
    assert "--time-unit ns" in warning
    store = tmp_path / f"{name}.store"
    first = build_store([FOLDER / name], store)
    second = build_store([FOLDER / name], store, time_unit="ns")
    assert second != first, "an index in another unit is not taken"
    assert build_store([FOLDER / name], store, time_unit="ns") == second
    with closing(open_run_store(store)) as run:
        events = rows(answer(QueryReader(run), "events"), "events")
        assert [(row["start"], row["duration"]) for row in events] == [(10 * k, 5) for k in range(10)]
        written = [int(event["ts"]) for event in json.loads((FOLDER / name).read_text())["traceEvents"]]
        assert int(run.manifest()["origin_ns"]) == written[0]
        assert run.manifest()["warnings"] == []
