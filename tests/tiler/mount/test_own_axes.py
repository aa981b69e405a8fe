"""Shards with a time axis of their own in a mounted run: files that come late, and hosts whose clocks are far off."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.pods import threads
from tests.tiler.mount.test_mounted_store import rewrite
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.mount import check_merge, keep_merge, open_run, save_shifts
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import MERGED, shard_path
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.store.clocks import clock_shifts
from tilescope.tiler.tools import Scope, ask, from_text, tool, values_of
from tilescope.tiler.verify import verify_store

DAY_US = 86_400 * 10**6
START_US = 100 * 365 * DAY_US


def trace(
    path: Path, start_us: int, *, slices: int = 40, length_us: float = 8, more: list[dict[str, Any]] | None = None
) -> Path:
    """A JSON trace: slices of 8 us every 10 us, with a counter beside them."""
    thread = {"pid": 1, "tid": 1}
    events: list[dict[str, Any]] = [
        {"ph": "X", **thread, "ts": start_us + 10 * number, "dur": length_us, "name": f"op {number % 4}"}
        for number in range(slices)
    ]
    events.append({"ph": "C", "pid": 1, "ts": start_us, "name": "load", "args": {"value": 3}})
    path.write_text(json.dumps({"traceEvents": [*events, *(more or [])]}))
    return path


def build(folder: Path, files: list[Path]) -> ShardedRun:
    run = build_shards(files, folder, threads, progress=lambda _: None)
    keep_merge(folder, run)
    return run


def busy_by_name(folder: Path) -> dict[str, tuple[int, int]]:
    """Events and ticks of each name, by the tool `stats`."""
    with closing(open_run(folder)) as store:
        chosen = tool("stats")
        answer = finish(ask(chosen, Scope(QueryReader(store)), from_text(chosen.question, {})))
    columns = {column.id: values_of(column) for column in answer.table("names").columns}
    rows = zip(columns["name"], columns["count"], columns["busy"], strict=True)
    return {str(name): (int(str(count)), int(str(total))) for name, count, total in rows}


def notes_of(folder: Path) -> list[str]:
    with closing(open_run(folder)) as store:
        chosen = tool("stats")
        return [
            note.text for note in finish(ask(chosen, Scope(QueryReader(store)), from_text(chosen.question, {}))).notes
        ]


LATE = {
    "a day later": (DAY_US, 0),
    "a day earlier": (-DAY_US, 0),
    "earlier, with time in common": (-100, -100_000),
    "later, with time in common": (100, None),
    "in the time of the run": (0, None),
}


@pytest.mark.parametrize("case", LATE)
def test_a_file_that_comes_late_is_in_the_run(tmp_path: Path, case: str) -> None:
    offset_us, shift_ns = LATE[case]
    files = [trace(tmp_path / f"host{host}.trace.json", START_US) for host in range(2)]
    first = build(tmp_path / "run", files)
    files.append(trace(tmp_path / "host2.trace.json", START_US + offset_us, slices=39))
    run = build(tmp_path / "run", files)
    assert run.shards[:2] == first.shards
    build_store([trace(tmp_path / "host2.same.json", START_US, slices=39), *files[:2]], tmp_path / "whole")
    with closing(open_run(tmp_path / "run")) as store, closing(open_run(tmp_path / "whole")) as whole:
        manifest, expected = store.manifest(), whole.manifest()
        assert manifest["missing"] == []
        assert len(manifest["hosts"]) == 3
        for figure in ("origin_ns", "tick_ps", "start", "root_level", "events", "families", "names"):
            assert manifest[figure] == expected[figure], figure
        shifts = clock_shifts(tmp_path / "run", manifest)
    own_lines = [warning for warning in manifest["warnings"] if warning.startswith("host2.trace.json ")]
    if shift_ns is None:
        assert shifts == []
    else:
        assert [(shift.shift, shift.origin) for shift in shifts] == [(str(shift_ns), "own_axis")]
        assert len(own_lines) == 1
        assert any("are counted from the first event there" in note for note in notes_of(tmp_path / "run"))
    assert busy_by_name(tmp_path / "run") == busy_by_name(tmp_path / "whole")
    for shard in run.shards:
        verify_store(shard_path(tmp_path / "run", shard.name))
    assert check_merge(tmp_path / "run", run)
    # The same command has nothing to do, and the merge is opened as it is kept.
    assert build_shards(files, tmp_path / "run", threads, progress=lambda _: None) == run
    with closing(open_run(tmp_path / "run")) as kept:
        (tmp_path / "run" / MERGED).unlink()
        with closing(open_run(tmp_path / "run")) as merged:
            assert kept.manifest() == merged.manifest()
            assert list(kept.records()) == list(merged.records())


def test_a_clock_of_1970_beside_others(tmp_path: Path) -> None:
    files = [trace(tmp_path / f"host{host}.trace.json", start) for host, start in enumerate((START_US, START_US, 0))]
    for file in files:  # with picoseconds, of which an axis holds 26 days
        trace(file, 0 if file is files[2] else START_US, length_us=8.0005)
    run = build(tmp_path / "run", files)
    assert [shard.own is not None for shard in run.shards] == [False, False, True]
    with closing(open_run(tmp_path / "run")) as store:
        manifest = store.manifest()
        reader = QueryReader(store)
        busy = [track.busy for track in reader.tree.tracks if track.kind == "slice"]
    assert manifest["tick_ps"] == 1
    assert manifest["origin_ns"] == str(START_US * 1000)
    assert busy == [40 * 8_000_500] * 3
    assert "host2.trace.json begins 99.9 years before the run" in "\n".join(manifest["warnings"])


def test_ticks_that_differ(tmp_path: Path) -> None:
    files = [trace(tmp_path / "host0.trace.json", START_US)]
    build(tmp_path / "run", files)
    files.append(trace(tmp_path / "host1.trace.json", START_US, length_us=7.9995))
    run = build(tmp_path / "run", files)
    with closing(open_run(tmp_path / "run")) as store:
        manifest = store.manifest()
        busy = [int(track.busy) for track in QueryReader(store).tree.tracks if track.kind == "slice"]
    assert manifest["tick_ps"] == 1000
    assert sorted(busy) == [40 * 7_999, 40 * 8_000]
    assert any("its run counts nanoseconds: times are rounded down" in warning for warning in manifest["warnings"])
    assert not run.failed


def test_wild_times_cost_their_events_alone(tmp_path: Path) -> None:
    wild = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "op 0"}
    files = [
        trace(tmp_path / f"host{host}.trace.json", START_US, length_us=8.0005, more=[wild] if host else [])
        for host in range(2)
    ]
    run = build(tmp_path / "run", files)
    build_store(files, tmp_path / "whole")
    assert not run.failed
    with closing(open_run(tmp_path / "run")) as store, closing(open_run(tmp_path / "whole")) as whole:
        for figure in ("origin_ns", "tick_ps", "end", "root_level", "events", "ignored"):
            assert store.manifest()[figure] == whole.manifest()[figure], figure
    assert busy_by_name(tmp_path / "run") == busy_by_name(tmp_path / "whole")


def test_a_file_that_is_too_long_is_missing(tmp_path: Path) -> None:
    files = [trace(tmp_path / "host0.trace.json", START_US)]
    build(tmp_path / "run", files)
    files.append(trace(tmp_path / "host1.trace.json", START_US, slices=4000))
    run = build(tmp_path / "run", files)
    assert [shard.title for shard in run.failed] == ["host1.trace.json"]
    assert "too long for the time axis of the run (index the run again with --force)" in run.failed[0].error
    with pytest.raises(TraceError, match="too long for the time axis"):
        build_shards(files[1:], tmp_path / "run", threads, progress=lambda _: None)


def test_a_saved_shift_takes_the_place_of_the_own_one(tmp_path: Path) -> None:
    files = [trace(tmp_path / "host0.trace.json", START_US)]
    build(tmp_path / "run", files)
    build(tmp_path / "run", [*files, trace(tmp_path / "host1.trace.json", START_US - 100)])
    folder = tmp_path / "run"
    with closing(open_run(folder)) as store:
        manifest = store.manifest()
    (own,) = clock_shifts(folder, manifest)
    save_shifts(folder, {own.host: 7})
    (moved,) = clock_shifts(folder, manifest)
    assert (moved.host, moved.shift, moved.origin) == (own.host, "7", "by_hand")
    assert notes_of(folder) == [
        f"Times are as they were recorded: the shifts of {own.host} are not added to them.",
        f"Times of {own.host} are counted from the first event there, not from that of the run.",
    ]
    save_shifts(folder, {own.host: 0})
    assert clock_shifts(folder, manifest) == [own]


@pytest.mark.parametrize("harm", [{"axis": "0" * 24}, {"axis": ""}])
def test_a_shard_of_another_own_axis_is_missing(tmp_path: Path, harm: dict[str, str]) -> None:
    files = [trace(tmp_path / "host0.trace.json", START_US)]
    build(tmp_path / "run", files)
    run = build(tmp_path / "run", [*files, trace(tmp_path / "host1.trace.json", START_US - 100)])
    entries = json.loads((tmp_path / "run" / "run.json").read_text())["shards"]
    rewrite(tmp_path / "run", shards=[entries[0], entries[1] | harm], id="1" * 24)
    with closing(open_run(tmp_path / "run")) as store:
        assert store.manifest()["missing"][0]["reason"].endswith("is of another time axis than the run")
        assert run.shards[1].own


def test_a_shard_with_other_tiles_is_missing(tmp_path: Path) -> None:
    files = [trace(tmp_path / "host0.trace.json", START_US)]
    build(tmp_path / "run", files)
    run = build(tmp_path / "run", [*files, trace(tmp_path / "host1.trace.json", START_US - 100)])
    shard = run.shards[1]
    assert shard.own
    with closing(open_run(tmp_path / "run")) as store:
        origin_ns = int(store.manifest()["origin_ns"])
    from tilescope.tiler.shards.axis_file import read_axis

    axis = read_axis(tmp_path / "run")
    assert axis
    assert axis.origin_ns == origin_ns
    longer = structs.replace(shard.own.axis(axis), end=axis.end * 16)
    build_store([Path(shard.files[0])], shard_path(tmp_path / "run", shard.name), axis=longer, force=True)
    with closing(open_run(tmp_path / "run")) as store:
        assert "its ticks or tiles are not those of the run" in store.manifest()["missing"][0]["reason"]
