"""Scans of tables against the events that were written, and against the reader of all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.example import Example
from tests.examples import examples
from tests.tiler.windows import WINDOWS, overlaps
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVENT_KINDS, QueryReader, Reading, join, no_events
from tilescope.tiler.query.event_columns import event_columns
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tables import TABLES, TablePart, scan
from tilescope.tiler.windows import Windows, everywhere

THREADS = [f"thread {k}" for k in range(4)]


def rows_of(
    reader: QueryReader, table: str, columns: list[str] | None = None, part: TablePart | None = None
) -> list[Any]:
    """The rows of a scan, as Arrow has them."""
    batches = list(scan(reader, TABLES[table], columns, part))
    return [row for batch in batches for row in pyarrow.record_batch(batch).to_pylist()]


@given(windows=WINDOWS, data=st.data())
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_of_any_windows_tracks_and_names(example: Example, windows: Windows, data: st.DataObject) -> None:
    threads = data.draw(st.sets(st.sampled_from(THREADS), min_size=1))
    names = data.draw(st.none() | st.frozensets(st.sampled_from(["op 3", "op 7", "everything", "absent", ""])))
    part = TablePart([example.track(thread) for thread in threads], everywhere(windows), names)
    rows = rows_of(example.reader, "slices", None, part)
    assert [(row["track"], row["ordinal"]) for row in rows] == sorted({(row["track"], row["ordinal"]) for row in rows})
    wanted = [
        (example.track(e.track), e.name, e.category, e.start, e.duration)
        for e in example.events
        if e.track in threads and overlaps(e, windows) and (names is None or e.name in names)
    ]
    scanned = [tuple(row[name] for name in ("track", "name", "category", "start", "duration")) for row in rows]
    assert sorted(scanned) == sorted(wanted)
    assert all(row["end"] == row["start"] + row["duration"] for row in rows)


@given(windows=WINDOWS, columns=st.lists(st.sampled_from(["ordinal", "start", "duration", "row", "name", "flags"])))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_chosen_columns_are_those_of_whole_events(example: Example, windows: Windows, columns: list[str]) -> None:
    reader = example.reader
    for track in reader.tree.leaves(None, EVENT_KINDS):
        plan = reader.plan(track, windows)
        is_counter = reader.tree.kind(track) == "counter"
        parts = [
            event_columns(plan, run, reader.page_content(run.page), columns, is_counter=is_counter)
            for run in plan.leaf_runs
        ]
        whole = join([no_events(track), *Reading(reader).events(plan, plan.leaf_runs)])
        assert sum(map(len, parts)) == len(whole)
        for name in columns:
            values = np.concatenate([np.zeros(0, np.int64), *(part.columns[name] for part in parts)])
            assert values.tolist() == getattr(whole, name).tolist()


def test_a_column_is_read_without_others(example: Example) -> None:
    durations = [row["duration"] for row in rows_of(example.reader, "slices", ["duration"])]
    assert sum(durations) == sum(e.duration for e in example.events if e.value is None)
    (batch,) = scan(example.reader, TABLES["counters"], ["value", "start"])
    assert list(batch.columns) == ["value", "start"]
    assert batch.columns["value"].tolist() == [e.value for e in example.events if e.value is not None]  # type: ignore[union-attr]


def test_every_table_has_the_columns_that_it_says(example: Example) -> None:
    for table in TABLES.values():
        for batch in scan(example.reader, table):
            arrow = pyarrow.record_batch(batch)
            assert arrow.schema.names == table.column_names
            for column, values in zip(table.columns, arrow.columns, strict=True):
                assert str(values.type).removeprefix("large_") in (
                    column.type,
                    column.type.replace("float64", "double"),
                )
                assert column.is_nullable or not values.null_count, (table.name, column.name)


def test_batches_of_long_texts_have_few_rows(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [row for batch in scan(example.reader, TABLES["names"]) for row in pyarrow.record_batch(batch).to_pylist()]
    monkeypatch.setattr("tilescope.tiler.tables.made_rows._BATCH_CHARACTERS", 40)
    batches = [pyarrow.record_batch(batch).to_pylist() for batch in scan(example.reader, TABLES["names"])]
    assert [row for batch in batches for row in batch] == whole
    assert all(sum(len(row["name"] + row["category"]) for row in batch[:-1]) < 40 for batch in batches)
    assert len(batches) > 2


def test_names_tracks_and_processes_join(example: Example) -> None:
    tracks = rows_of(example.reader, "tracks")
    assert [track["id"] for track in tracks] == list(range(len(example.reader.tree.tracks)))
    processes = {row["id"]: row for row in rows_of(example.reader, "processes")}
    assert all(track["path"] == processes[track["process"]]["path"] for track in tracks)
    texts = {(row["name"], row["category"]) for row in rows_of(example.reader, "names")}
    assert {(e.name, e.category) for e in example.events if e.value is None} <= texts
    (run,) = rows_of(example.reader, "runs")
    assert (run["tick_ps"], run["end"]) == (example.reader.tick_ps, example.reader.end)


def test_steps_are_those_that_are_marked(example: Example) -> None:
    steps = rows_of(example.reader, "steps")
    assert [step["step"] for step in steps] == list(range(3, 13))
    marks = [e for e in example.events if e.name.startswith("Iteration ")]
    assert [(step["start"], step["end"]) for step in steps] == [(e.start, e.start + e.duration) for e in marks]
    first = rows_of(example.reader, "steps", None, TablePart(None, everywhere(Windows.single(0, marks[0].start + 1))))
    assert [step["step"] for step in first] == [3]


@pytest.mark.parametrize("name", ["kineto/nccl_data.json.gz", "xplane/tpu_v6e_4core.xplane.pb"])
def test_arguments_and_flows_of_real_traces(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    path = tmp_path_factory.mktemp("real") / "store"
    build_store([corpus_path(name)], path)
    store = open_run_store(path)
    reader = QueryReader(store)
    slices = {(row["track"], row["ordinal"]): row for row in rows_of(reader, "slices", ["track", "ordinal", "start"])}
    assert len(slices) + len(rows_of(reader, "instants")) == sum(
        track.events for track in reader.tree.tracks if track.kind in ("slice", "async", "instant")
    )
    flows = rows_of(reader, "flows")
    assert sum(not flow["derived"] for flow in flows) == reader.manifest.flows.edges
    assert sum(flow["derived"] for flow in flows) == reader.manifest.flows.derived
    for flow in flows:
        assert {(flow["from_track"], flow["from_ordinal"]), (flow["to_track"], flow["to_ordinal"])} <= slices.keys()
    arguments = rows_of(reader, "args")
    assert {(row["track"], row["ordinal"]) for row in arguments} & slices.keys()
    for row in arguments:
        assert row["integer"] is None or (row["text"] == str(row["integer"]) and row["real"] == float(row["integer"]))
    store.close()


def test_what_is_not_there_is_refused(example: Example) -> None:
    with pytest.raises(UsageError, match="slices has no column 'colour': there are track, ordinal, name"):
        list(scan(example.reader, TABLES["slices"], ["colour"]))
    for table in ("slices", "tracks", "steps", "flows", "args"):
        with pytest.raises(UsageError, match="track 5000 does not exist"):
            list(scan(example.reader, TABLES[table], None, TablePart([5000])))
