"""Derived lanes against plain Python: queues, what devices do, memory; and what a view reads of a run."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import DeviceTrace, Spans, Task, both, of_kind, ticks, trace_events, without
from tests.example import Example
from tests.examples import examples
from tilescope.tiler.errors import ToolFailed, UsageError
from tilescope.tiler.facts import busy
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.lanes import stream_queue as queue_module
from tilescope.tiler.facts.launches import device_launches, step_work
from tilescope.tiler.facts.track_leaves import TrackLeaves, UnreadParts
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, Reading, finish
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, memory_profile, tool, values_of
from tilescope.tiler.tools import lanes as lanes_module
from tilescope.tiler.tools.lane import LaneSource
from tilescope.tiler.tools.question import StreamQuestion
from tilescope.tiler.windows import Windows

SPANS = st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(lambda span: (min(span), max(span)))
STATES = {"Computation": 0, "Exposed communication": 1, "Exposed copies": 2, "Idle": 3}


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


def lanes(reader: QueryReader, name: str) -> dict[str, int]:
    """Ids of the lanes of a tool, with the tracks below which they are drawn."""
    return dict(rows(answer_of(reader, "lanes", source=name), "lanes", "lane", "track"))


@pytest.fixture(autouse=True)
def _many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "_EVENTS_AT_ONCE", 500)


def waiting(devices: DeviceTrace, device: int, thread: int) -> Spans:
    """From its launch to its start, each slice of a stream that waits: by all events and launches of the run."""
    (work_track,) = (
        work_track
        for device_of_run in finish(devices_of(devices.reader))
        for work_track in device_of_run.tracks
        if work_track.track == devices.track(device, thread)
    )
    work = finish(step_work(devices.reader, devices.reader.steps, work_track))
    launches = finish(device_launches(devices.reader, work_track.track))
    starts = dict(zip(work.ordinal.tolist(), work.start.tolist(), strict=True))
    pairs = zip(launches.ordinal.tolist(), launches.start.tolist(), strict=True)
    return [(launch, starts[ordinal]) for ordinal, launch in pairs if launch < starts[ordinal]]


STREAMS = [(0, 7), (0, 8), (1, 7), (1, 8), (1, 9)]


@given(span=SPANS, bins=st.integers(1, 40), stream=st.sampled_from(STREAMS), middle=st.integers(0, 620_000))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_queue_is_what_plain_python_counts(
    devices: DeviceTrace, span: tuple[int, int], bins: int, stream: tuple[int, int], middle: int
) -> None:
    track = devices.track(*stream)
    (lane,) = (name for name, other in lanes(devices.reader, "queues").items() if other == track)
    start, end = span
    answer = answer_of(devices.reader, "lane_bins", lane=lane, start=start, end=end, bins=bins)
    spans = waiting(devices, *stream)
    table = rows(answer, "counter_bins", "start", "duration", "min", "max", "sum", "recorded")
    for begin, length, least, greatest, total, recorded in table:
        inside = [(max(a, begin), min(b, begin + length)) for a, b in spans if a < begin + length and b > begin]
        assert total == sum(b - a for a, b in inside)
        assert recorded == length
        times = sorted({begin, *(a for a, _ in inside), *(b for _, b in inside if b < begin + length)})
        lengths = [sum(a <= time < b for a, b in inside) for time in times]
        assert (least, greatest) == (min(lengths), max(lengths))
        assert least >= 0
    middle = min(max(middle, start), end)
    halves = [
        answer_of(devices.reader, "queues", start=a, end=b, tracks=[track]).fact("waiting").value
        for a, b in ((start, middle), (middle, end))
    ]
    assert sum(row[4] for row in table) == sum(int(str(half)) for half in halves)


def test_a_queue_ends_empty(devices: DeviceTrace) -> None:
    for lane in lanes(devices.reader, "queues"):
        table = rows(answer_of(devices.reader, "lane_bins", lane=lane, bins=4000), "counter_bins", "min", "max")
        assert min(least for least, _ in table) == 0
        last = devices.reader.end
        (end,) = rows(answer_of(devices.reader, "lane_bins", lane=lane, start=last), "counter_bins", "min", "max")
        assert end == (0, 0)


@given(span=SPANS, bins=st.integers(1, 60), device=st.sampled_from([0, 1]))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_device_lane_is_overlap_to_the_tick(
    devices: DeviceTrace, span: tuple[int, int], bins: int, device: int
) -> None:
    track = devices.track(device, 7)
    (lane,) = (name for name, other in lanes(devices.reader, "overlap").items() if other == track)
    start, end = span
    answer = answer_of(devices.reader, "lane_bins", lane=lane, start=start, end=end, bins=bins)
    slices = rows(answer, "slices", "start", "duration", "name")
    sums = rows(answer, "bins", "start", "duration", "busy", "name")
    overlap = answer_of(devices.reader, "overlap", start=start, end=end, tracks=[track])
    figures = {
        "Computation": overlap.fact("computation").value,
        "Exposed communication": overlap.fact("exposed_communication").value,
        "Exposed copies": overlap.fact("exposed_copies").value,
        "Idle": overlap.fact("idle").value,
    }
    for name, figure in figures.items():
        ours = sum(row[1] for row in slices if row[2] == name) + sum(row[2] for row in sums if row[3] == name)
        assert ours == figure, name
    # Bin by bin, and each slice as it is in the trace.
    work = devices.work(device)
    everything = of_kind(work)
    compute = of_kind(work, "computation")
    talk = without(of_kind(work, "communication"), compute)
    copies = without(without(of_kind(work, "copies"), compute), of_kind(work, "communication"))
    extent = [(everything[0][0], everything[-1][1])]
    states = [compute, talk, copies, without(extent, everything)]
    for begin, length, name in slices:
        assert both([(begin, begin + length)], states[STATES[name]]) == [(begin, begin + length)]
    for begin, length, part, name in sums:
        wide = [(a, a + b) for a, b, other in slices if other == name]
        assert part == ticks(without(both([(begin, begin + length)], states[STATES[name]]), wide))


def test_memory_is_a_lane_of_its_own(tmp_path: Path) -> None:
    reader = indexed(corpus_path("xplane/tpu_v6e_4core.xplane.pb"), tmp_path)
    profile = answer_of(reader, "memory_profile")
    name, peak = profile.fact("memory").value, profile.fact("peak").value
    table = rows(answer_of(reader, "lanes", source="memory_profile"), "lanes", "lane", "title", "figure")
    (lane,) = (lane for lane, title, _ in table if title == f"Memory {name}")
    assert {figure for *_, figure in table} == {"bytes"}
    recorded = [
        greatest
        for (greatest,) in rows(answer_of(reader, "lane_bins", lane=lane, bins=900), "counter_bins", "max")
        if greatest is not None
    ]
    assert max(recorded) == peak


def test_errors_name_what_there_is(devices: DeviceTrace, example: Example) -> None:
    for lane, words in {
        "queues.x": "there is no lane 'queues.x': of queues this run has queues.",
        "stats.1": "there is no lane 'stats.1': framework_ops, critical_path, overlap, queues, copies, memory_profile",
        "": "lane",
    }.items():
        with pytest.raises(UsageError, match=words):
            answer_of(devices.reader, "lane_bins", lane=lane)
    with pytest.raises(UsageError, match="of queues this run has none"):
        answer_of(example.reader, "lane_bins", lane="queues.1")
    with pytest.raises(UsageError, match="the tool 'stats' has no lanes"):
        answer_of(example.reader, "lanes", source="stats")
    assert not len(answer_of(example.reader, "lanes").tables[0])


def test_lanes_of_other_tools_are_there_without_those_of_one_that_fails(
    devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_profile, "records_allocations", lambda reader: True)

    def too_many(*_: Any) -> Iterator[None]:
        yield
        raise UsageError("a host has too many allocations")

    monkeypatch.setattr(memory_profile.lanes, "listed_memories", too_many)
    answer = answer_of(devices.reader, "lanes")
    names = {lane.partition(".")[0] for (lane,) in rows(answer, "lanes", "lane")}
    assert names == {"critical_path", "overlap", "queues", "copies"}
    (note,) = answer.notes
    assert note.text == "There are no lanes of memory_profile: a host has too many allocations."


def test_what_a_tool_of_another_package_has_for_lanes_is_its_fault(
    devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Elsewhere(StreamQuestion, frozen=True, kw_only=True):
        __module__ = "another.package"

    def no_lanes(scope: Scope) -> Generator[None, None, Any]:
        yield
        return [3]

    queues = tool("queues")
    assert queues.lanes is not None
    other = replace(
        queues,
        id="other",
        question=Elsewhere,
        lanes=LaneSource(no_lanes, queues.lanes.bins, queues.lanes.pieces, queues.lanes.events),
    )
    monkeypatch.setattr(lanes_module, "lane_tools", lambda: {"other": other, "queues": queues})
    answer = answer_of(devices.reader, "lanes")
    assert {lane.partition(".")[0] for (lane,) in rows(answer, "lanes", "lane")} == {"queues"}
    assert [note.text for note in answer.notes if "the tool 'other' failed" in note.text]
    with pytest.raises(ToolFailed, match="the tool 'other' failed"):
        answer_of(devices.reader, "lane_bins", lane="other.1")


def test_a_device_lane_has_work_that_lies_apart(tmp_path: Path) -> None:
    """As `overlap` counts it in a span with both ends, so that the lanes of a device agree with each other."""
    host = [Task(500, 1, "cudaLaunchKernel", "cuda_runtime", 2000 * k, 2000 * k + 900) for k in range(300)]
    kernels = [Task(0, 7, "gemm", "kernel", task.start + 5000, task.start + 6700, k) for k, task in enumerate(host)]
    far = 10**12
    late = [
        Task(500, 1, "cudaLaunchKernel", "cuda_runtime", far, far + 5),
        Task(0, 7, "far", "kernel", far + 9, far + 90),
    ]
    (tmp_path / "trace.json").write_text(json.dumps(list(trace_events([*host, *kernels, *late]))))
    reader = indexed(tmp_path / "trace.json", tmp_path)
    assert reader.without_outliers is not reader
    ((lane, _),) = lanes(reader, "overlap").items()
    for start, end in ((0, reader.end + 1), (far, reader.end + 1), (500_000, 700_000)):
        answer = answer_of(reader, "lane_bins", lane=lane, start=start, end=end, bins=7)
        overlap = answer_of(reader, "overlap", start=start, end=end)
        sums = [*rows(answer, "slices", "duration", "name"), *rows(answer, "bins", "busy", "name")]
        for name, figure in (("Computation", "computation"), ("Idle", "idle")):
            assert sum(busy for busy, other in sums if other == name) == overlap.fact(figure).value


def test_a_view_of_a_tenth_reads_its_own_events(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    host = [Task(500, 1, "cudaLaunchKernel", "cuda_runtime", 2000 * k, 2000 * k + 900 + k % 97) for k in range(20_000)]
    kernels = [
        Task(0, 7, f"gemm{k % 7}", "kernel", task.start + 5000, task.start + 6700 + k % 89, k)
        for k, task in enumerate(host)
    ]
    (tmp_path / "trace.json").write_text(json.dumps(list(trace_events(host + kernels))))
    store = indexed(tmp_path / "trace.json", tmp_path).store
    monkeypatch.setattr(busy, "_EVENTS_AT_ONCE", 500)
    read_events, read_work = Reading.events_and_outliers, TrackLeaves.parts
    leaves: list[int] = []

    def events(self: Reading, plan: EventPlan, runs: Sequence[LeafRun]) -> Iterator[Events]:
        leaves[-1] += sum(len(run.tiles) for run in runs)
        return read_events(self, plan, runs)

    def work(self: TrackLeaves, tiles: Any, windows: Windows) -> UnreadParts:
        leaves[-1] += len(tiles)
        return read_work(self, tiles, windows)

    for part in (1, 10):
        reader = QueryReader(store)
        streams = lanes(reader, "queues") | lanes(reader, "overlap")
        start = 0 if part == 1 else reader.end // 2
        leaves.append(0)
        with monkeypatch.context() as patch:
            patch.setattr(Reading, "events_and_outliers", events)
            patch.setattr(TrackLeaves, "parts", work)
            for lane in streams:
                answer_of(reader, "lane_bins", lane=lane, start=start, end=start + reader.end // part)
    whole, tenth = leaves
    assert 0 < tenth <= whole // 5


# -- real traces: longest queue, and the mean from the first launch to the last start, counted independently -----------

REAL = {
    "kineto/mi250_minitoy.json.gz": {"stream 0": (1, 0.757845)},
    "kineto/nccl_data.json.gz": {"stream 7": (10, 0.207567), "stream 40": (1, 0.00309)},
    "kineto/ns_resolution.pt.trace.json.gz": {"stream 7": (1022, 873.051095)},
    "kineto/sampled_rank-0.json.gz": {
        "stream 7": (80, 16.102502),
        "stream 23": (4, 0.007317),
        "stream 25": (8, 1.202678),
        "stream 84": (2, 0.23149),
        "stream 203": (1, 0.169883),
    },
}


def indexed(path: Path, folder: Path) -> QueryReader:
    build_store([path], folder / "real.store")
    return QueryReader(open_run_store(folder / "real.store"))


def queued_ticks(reader: QueryReader, track: int) -> Iterator[tuple[int, int]]:
    """Start and end of the spans in which the queue of a stream is not empty."""
    curve = queue_module.queue_curve(reader, track)
    assert curve is not None
    for piece in curve.pieces(reader, 0, reader.end + 1):
        if piece is not None:
            times = [*piece.time.tolist(), piece.stop]
            for start, stop, value in zip(times, times[1:], piece.value.tolist(), strict=False):
                assert value >= 0
                if value:
                    yield start, stop


@pytest.mark.parametrize("name", REAL)
def test_queues_of_real_traces(name: str, tmp_path: Path) -> None:
    reader = indexed(corpus_path(name), tmp_path)
    table = rows(answer_of(reader, "queues"), "streams", "stream", "track", "longest", "waiting")
    assert {stream: longest for stream, _, longest, _ in table} == {
        stream: longest for stream, (longest, _) in REAL[name].items()
    }
    for stream, track, _, total in table:
        spans = list(queued_ticks(reader, track))
        mean = total / (spans[-1][1] - spans[0][0])
        assert mean == pytest.approx(REAL[name][stream][1], rel=2e-5, abs=6e-7)


def test_a_graph_of_many_kernels_waits_once_until_the_last_of_them_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the pieces in which the curve is made."""
    host = [Task(500, 1, "cudaGraphLaunch", "cuda_runtime", 1000 * k, 1000 * k + 100) for k in range(40)]
    kernels = []
    now = 0
    for number, task in enumerate(host):
        for part in range(10):
            now = max(now, task.start + 500) + 150
            kernels.append(Task(0, 7, f"kernel{part}", "kernel", now - 150, now, number))
    (tmp_path / "trace.json").write_text(json.dumps(list(trace_events([*host, *kernels]))))
    monkeypatch.setattr(queue_module, "_EVENTS_AT_ONCE", 7)
    reader = indexed(tmp_path / "trace.json", tmp_path)
    (lane,) = lanes(reader, "queues")
    spans = [
        (task.start, max(kernel.start for kernel in kernels if kernel.launched_by == number))
        for number, task in enumerate(host)
    ]
    for begin, length, least, greatest, total in rows(
        answer_of(reader, "lane_bins", lane=lane, bins=97), "counter_bins", "start", "duration", "min", "max", "sum"
    ):
        inside = [(max(a, begin), min(b, begin + length)) for a, b in spans if a < begin + length and b > begin]
        assert total == sum(b - a for a, b in inside)
        lengths = [
            sum(a <= time < b for a, b in inside)
            for time in {begin, *(a for a, _ in inside), *(b for _, b in inside if b < begin + length)}
        ]
        assert (least, greatest) == (min(lengths), max(lengths))
    assert answer_of(reader, "queues").fact("waiting").value == sum(b - a for a, b in spans)
