"""The heat map against plain sums over the slices that were written."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.pod_run import PodShape, write_pod
from tests.device_trace import DeviceTrace, union
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.query.outliers import RunOutliers
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema.outliers import Outlier, Outliers
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.heat_map import MAX_CELLS
from tilescope.tiler.tools.heat_map.grid import Grid

PROCESSES, THREADS = 3, 15  # in more than one block

Spans = list[tuple[int, int]]


@dataclass(frozen=True)
class Nested:
    """A run of threads with nested slices, dense in some places; `outer` has the outermost slices of each thread."""

    reader: QueryReader
    outer: dict[tuple[int, int], Spans]

    def ask(self, **values: object) -> Answer:
        return heat_map_of(self.reader, **values)


def heat_map_of(reader: QueryReader, **values: object) -> Answer:
    heat_map = tool("heat_map")
    return finish(ask(heat_map, Scope(reader), from_values(heat_map.question, values)))


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nested]:
    rng, folder = random.Random(5), tmp_path_factory.mktemp("nested")
    events: list[dict[str, Any]] = []
    outer: dict[tuple[int, int], Spans] = {}
    for process in range(PROCESSES):
        for thread in range(THREADS):
            tick, spans = 500 * thread, outer.setdefault((process, thread), [])
            for _ in range(rng.choice([3, 400, 3000])):
                tick += rng.choice([0, 1, 60, 900])
                length = rng.choice([1, 3, 40, 300, 20_000])
                spans.append((tick, tick + length))
                events.append(_slice(process, thread, tick, length))
                if length > 30:
                    events.append(_slice(process, thread, tick + 3, 20))
                tick += length
    (folder / "t.json").write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    build_store([folder / "t.json"], folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        reader = QueryReader(store)
        first = min(start for spans in outer.values() for start, _ in spans)
        yield Nested(reader, {key: [(a - first, b - first) for a, b in spans] for key, spans in outer.items()})


def _slice(process: int, thread: int, start: int, duration: int, name: str = "work") -> dict[str, Any]:
    ts, dur = (f"{ticks // 1000}.{ticks % 1000:03}" for ticks in (start, duration))
    return {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": ts, "dur": dur}


def grid_of(answer: Answer) -> tuple[int, int, int, int]:
    """Begin and width of the columns of an answer; first tick and end of what counts of them."""
    figures = [answer.fact(name).value for name in ("start", "end", "column_ticks")]
    first, last, width, begin = (int(str(value)) for value in (*figures, values_of(answer.series[0].x)[0]))
    return begin, width, first, last


def plain_ticks(spans: Spans, answer: Answer) -> list[int]:
    """Ticks of spans in the columns of an answer."""
    start, width, first, last = grid_of(answer)
    ticks = [0] * len(answer.series[0].x.values)
    for a, b in ((max(a, first), min(b, last)) for a, b in spans):
        for column in range(max(0, (a - start) // width), min(len(ticks), (b - 1 - start) // width + 1)):
            left = start + column * width
            ticks[column] += max(0, min(b, left + width) - max(a, left))
    return ticks


def cells(answer: Answer, series: str = "busy") -> list[list[float]]:
    (drawn,) = [each for each in answer.series if each.id == series]
    return [[float(value) for value in values_of(column)] for column in drawn.ys]  # type: ignore[arg-type]


def columns(answer: Answer) -> dict[str, list[Any]]:
    return {column.id: values_of(column) for column in answer.table("rows").columns}


def check_rows(answer: Answer, lanes_of_rows: Sequence[Sequence[Spans]]) -> None:
    """Every row has the sum of its lanes in each column, as a share in hundredths."""
    start, width, first, last = grid_of(answer)
    columns_at = [start + k * width for k in range(len(answer.series[0].x.values))]
    widths = [min(begin + width, last) - max(begin, first) for begin in columns_at]
    table = columns(answer)
    assert len(table["name"]) == len(lanes_of_rows) == answer.fact("rows").value
    for number, lanes in enumerate(lanes_of_rows):
        plain = [
            min(sum(ticks), 10**18) for ticks in zip(*(plain_ticks(spans, answer) for spans in lanes), strict=True)
        ]
        assert table["busy"][number] == sum(plain)
        assert table["lanes"][number] == len(lanes)
        shown = cells(answer)[number]
        assert [share > 0 for share in shown] == [ticks > 0 for ticks in plain]
        shares = [ticks / (counted * len(lanes)) for ticks, counted in zip(plain, widths, strict=True)]
        assert shown == pytest.approx(shares, abs=0.01)
        assert table["share"][number] == pytest.approx(sum(plain) / ((last - first) * len(lanes)))
    assert answer.fact("busy").value == sum(table["busy"])


def by_process(nested: Nested) -> list[list[Spans]]:
    return [[nested.outer[process, thread] for thread in range(THREADS)] for process in range(PROCESSES)]


@pytest.mark.parametrize("most", [2, 3, 40, 300, 1024])
def test_rows_have_what_their_slices_take(nested: Nested, most: int) -> None:
    check_rows(nested.ask(level="process", columns=most), by_process(nested))
    check_rows(nested.ask(level="track", columns=most), [[spans] for spans in nested.outer.values()])
    everything = [spans for lanes in by_process(nested) for spans in lanes]
    check_rows(nested.ask(level="host", columns=most), [everything])


@given(start=st.integers(0, 900_000), length=st.integers(0, 400_000), most=st.integers(2, 1024))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_span_has_columns_of_its_own(nested: Nested, start: int, length: int, most: int) -> None:
    answer = nested.ask(level="process", start=start, end=start + length, columns=most)
    check_rows(answer, by_process(nested))
    begin, width, first, last = grid_of(answer)
    stop = min(start + length, nested.reader.end + 1)
    begin_of_span = min(start, stop)
    assert (first, last) == (begin_of_span, max(stop, begin_of_span + 1))
    assert len(answer.series[0].x.values) <= most
    assert begin <= first < begin + width
    assert begin % width == 0


@given(borders=st.lists(st.integers(0, 900_000), min_size=3, max_size=3, unique=True), most=st.integers(2, 1024))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_span_has_what_its_halves_have(nested: Nested, borders: list[int], most: int) -> None:
    first, middle, last = (min(border, nested.reader.end - 2 + k) for k, border in enumerate(sorted(borders)))
    spans = [(first, last), (first, middle), (middle, last)]
    whole, *halves = (columns(nested.ask(level="track", start=a, end=b, columns=most))["busy"] for a, b in spans)
    assert whole == [left + right for left, right in zip(*halves, strict=True)]


def test_neighbours_are_summed_where_rows_are_too_few(nested: Nested) -> None:
    answer = nested.ask(level="track", rows=7)
    tracks = list(nested.outer.values())
    check_rows(answer, [tracks[k : k + 7] for k in range(0, len(tracks), 7)])
    assert answer.fact("together").value == 7
    table = columns(answer)
    again = nested.ask(level="track", tracks=nested_tracks(table["tracks"][2]), rows=7)
    check_rows(again, [[spans] for spans in tracks[14:21]])


def nested_tracks(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def test_the_finest_level_that_fits_is_shown(nested: Nested) -> None:
    assert nested.ask(rows=45).fact("level").value == "track"
    assert nested.ask(rows=44).fact("level").value == "process"
    assert nested.ask(rows=2).fact("level").value == "process"
    assert nested.ask(rows=2).fact("together").value == 2


def test_cells_are_bounded(nested: Nested, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.tools.heat_map.MAX_CELLS", 45 * 10)
    answer = nested.ask(level="track", columns=1024)
    assert 5 < len(answer.series[0].x.values) <= 10
    check_rows(answer, [[spans] for spans in nested.outer.values()])
    assert MAX_CELLS * 5 < 1_400_000  # bytes of a map in JSON, before it is compressed


@pytest.fixture(params=["each", "two", "all"])
def together(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices are read each by itself, two by two or so, all together."""
    few, many = {"each": (-1, 1), "two": (1 << 12, 2), "all": (1 << 12, 1 << 16)}[request.param]
    monkeypatch.setattr("tilescope.tiler.tools.heat_map.small_devices._FEW", few)
    monkeypatch.setattr("tilescope.tiler.tools.heat_map.small_devices._MANY", many)


@pytest.mark.usefixtures("together")
@pytest.mark.parametrize("most", [7, 200])
@pytest.mark.parametrize("level", ["host", "process", "track"])
def test_devices_are_busy_while_they_work(devices: DeviceTrace, level: str, most: int) -> None:
    """Annotations over their work are none; a device of several streams is busy while one of them is."""
    streams = sorted({(task.process, task.thread) for task in devices.tasks if task.kind is not None})
    by_device = {device: [stream for stream in streams if stream[0] == device] for device, _ in streams}
    rows: dict[str, list[list[list[tuple[int, int]]]]] = {
        "host": [list(by_device.values())],
        "process": [[each] for each in by_device.values()],
        "track": [[[stream]] for stream in streams],
    }
    works = [
        [union(*(((task.start, task.stop) for task in devices.work(*stream)) for stream in lane)) for lane in lanes]
        for lanes in rows[level]
    ]
    check_rows(heat_map_of(devices.reader, level=level, columns=most), works)


@pytest.mark.usefixtures("together")
def test_devices_compute_while_they_do_not_communicate(devices: DeviceTrace) -> None:
    works = [
        [union((task.start, task.stop) for task in devices.work(device) if task.kind != "communication")]
        for device in (0, 1)
    ]
    check_rows(heat_map_of(devices.reader, level="process", counted="computing", columns=50), [*works])


@pytest.mark.usefixtures("together")
def test_devices_are_not_busy_with_events_that_cannot_be_true(devices: DeviceTrace) -> None:
    own = [task for task in devices.tasks if (task.process, task.thread) == (0, 7)]
    own.sort(key=lambda task: (task.start, task.start - task.stop))
    left_out = [number for number, task in enumerate(own) if task.kind and task.stop - task.start > 100][::3]
    outlier = {"track": devices.track(0, 7), "name": -1, "start": "0", "end": "1", "reason": "too_long"}
    events = [Outlier(ordinal=str(number), **outlier) for number in left_out]  # type: ignore[arg-type]
    counts = {"before": "0", "after": "0", "too_long": str(len(events)), "overruns": "0"}
    reader = QueryReader(devices.store)
    reader.outliers = RunOutliers(Outliers(start="0", end=str(reader.end), events=events, **counts))
    gone = {id(own[number]) for number in left_out}
    streams = sorted({(task.process, task.thread) for task in devices.tasks if task.kind is not None})
    works = [
        [union((task.start, task.stop) for task in devices.work(*stream) if id(task) not in gone)] for stream in streams
    ]
    assert sum(map(len, works[0])) < len(union((task.start, task.stop) for task in devices.work(0, 7)))
    check_rows(heat_map_of(reader, level="track", columns=50), [*works])


def test_tracks_of_devices_and_hosts_are_asked_for(devices: DeviceTrace) -> None:
    by_tracks = columns(heat_map_of(devices.reader, level="process", counted="tracks"))
    assert len(by_tracks["name"]) > len(columns(heat_map_of(devices.reader, level="process"))["name"])


def stepping(folder: Path, ends: Sequence[Sequence[int]]) -> QueryReader:
    """A process of a file each, which end their steps at these ticks."""
    paths = []
    for process, process_ends in enumerate(ends):
        begin = 0
        events: list[dict[str, Any]] = []
        for number, end in enumerate(process_ends):
            events.append(_slice(process, 1, begin, end - begin, f"ProfilerStep#{number}"))
            begin = end
        paths.append(folder / f"{process}.json")
        paths[-1].write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    build_store(paths, folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def test_a_process_that_ends_its_step_far_behind_the_others_is_late(tmp_path: Path) -> None:
    usual = [10_000, 20_000, 30_000]
    ends = [usual, [10_020, 20_020, 30_020], [10_040, 20_040, 30_040], [10_010, 24_000, 30_010]]
    reader = stepping(tmp_path, ends)
    answer = heat_map_of(reader, level="process")
    table = columns(answer)
    late = table["late"]
    assert [ticks > 0 for ticks in late] == [False, False, False, True]
    assert late[3] == 24_000 - 20_040  # the later one of the two in the middle
    width = int(answer.fact("column_ticks").value)  # type: ignore[arg-type]
    (shown,) = [row for row in cells(answer, "late") if any(row)]
    places = [k * width for k, share in enumerate(shown) if share]
    assert 20_040 - width < places[0] <= 20_040
    assert places[-1] < 24_000
    assert answer.headline is not None
    assert "is behind the others for 3.96 µs" in answer.headline.text
    reader.store.close()


def test_two_processes_have_no_usual_end(tmp_path: Path) -> None:
    reader = stepping(tmp_path, [[10_000, 20_000], [10_000, 29_000]])
    assert {series.id for series in heat_map_of(reader).series} == {"busy"}
    reader.store.close()


class _Reversed(PodShape):
    def host_name(self, host: int) -> str:
        return super().host_name(self.hosts - 1 - host)


@pytest.fixture(scope="module")
def reversed_pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """A pod whose hosts are named against the order of their chips, which fill a grid of two rows of four."""
    folder = tmp_path_factory.mktemp("pod")
    build_store(write_pod(folder / "made", _Reversed(hosts=4, chips=2, steps=2)).files, folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        yield QueryReader(store)


def test_rows_stand_as_their_chips(reversed_pod: QueryReader) -> None:
    as_named = heat_map_of(reversed_pod, level="host")
    by_chip = heat_map_of(reversed_pod, level="host", order="chips")
    table = columns(by_chip)
    assert columns(as_named)["name"] == [f"pod-worker-{host}" for host in range(4)]
    assert "chip" not in columns(as_named)
    assert table["name"] == [f"pod-worker-{host}" for host in (3, 2, 1, 0)]
    assert (table["chip"], table["y"]) == ([0, 2, 4, 6], [0, 0, 1, 1])
    assert cells(by_chip) == cells(as_named)[::-1]
    # Neighbours that are summed are those of the pod.
    assert columns(heat_map_of(reversed_pod, level="host", order="chips", rows=2))["y"] == [0, 1]
    cores = columns(heat_map_of(reversed_pod, level="process", order="chips"))
    assert cores["chip"] == list(range(8))


def test_chips_that_are_not_numbered_change_no_order(nested: Nested) -> None:
    answer = nested.ask(level="process", order="chips")
    assert columns(answer) == columns(nested.ask(level="process"))
    assert [note.text for note in answer.notes] == [
        "The trace does not number the chips of these rows: they stand as in the timeline."
    ]


@given(start=st.integers(0, 10**6), length=st.integers(1, 10**5))
@settings(max_examples=30)
def test_devices_in_a_span_have_the_same_read_together(devices: DeviceTrace, start: int, length: int) -> None:
    begin = start % devices.reader.end
    values = {"level": "track", "start": begin, "end": begin + length, "columns": 30}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tilescope.tiler.tools.heat_map.small_devices._FEW", -1)
        apart = heat_map_of(devices.reader, **values)
    together = heat_map_of(devices.reader, **values)
    assert (columns(together), cells(together)) == (columns(apart), cells(apart))


@pytest.mark.parametrize("most", [2, 9, 700])
def test_an_asynchronous_track_is_busy_while_any_of_its_slices_runs(tmp_path: Path, most: int) -> None:
    rng = random.Random(3)
    starts = [rng.randrange(40_000) for _ in range(300)]
    spans = [(0, 50), *((start, start + rng.choice([5, 90, 1500])) for start in starts)]
    events = [
        {"ph": phase, "cat": "wait", "id": number, "name": "wait", "pid": 1, "tid": 1, "ts": f"{tick / 1000:.3f}"}
        for number, span in enumerate(spans)
        for phase, tick in zip("be", span, strict=True)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        assert {track.kind for track in reader.tree.tracks if track.events} - {"rollup"} == {"async"}
        check_rows(heat_map_of(reader, level="track", columns=most), [[union(spans)]])


def test_tracks_without_slices_make_no_row(nested: Nested) -> None:
    answer = nested.ask(tracks=[])
    assert answer.fact("rows").value == 0
    assert not answer.tables
    with pytest.raises(UsageError, match="are not a span"):
        nested.ask(start=5, end=4)


def ticks_of(span: TickRange) -> int:
    return span.stop - span.start


@given(
    start=st.integers(0, 10**6),
    length=st.integers(0, 10**6),
    most=st.integers(2, 50),
    spans=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 10**6), st.integers(0, 10**5)), max_size=20),
)
def test_ticks_within_columns(start: int, length: int, most: int, spans: list[tuple[int, int, int]]) -> None:
    grid = Grid.of_span(TickRange(start, start + length), most)
    lane, begin, size = (np.array([span[k] for span in spans], np.int64) for k in range(3))
    ticks = grid.ticks_within(lane, begin, begin + size, 3)
    width, cut = 1 << grid.shift, grid.cut(1 << 62)
    for k, column in enumerate(grid.starts.tolist()):
        for number in range(3):
            first, last = max(column, grid.span.start), min(column + width, grid.span.stop)
            plain = sum(max(0, min(b + n, last) - max(b, first)) for each, b, n in spans if each == number)
            assert ticks[number, k] == plain
            assert grid.widths[k] == last - first == ticks_of(cut.get(k, TickRange(column, column + width)))
    assert 1 <= grid.columns <= most
    # Where nothing lies behind the span, its end cuts nothing.
    assert set(grid.cut(grid.span.stop)) == ({0} if grid.start < grid.span.start else set())
