"""Derived lanes in an export: exact, marked, and no part of a run that is made of the file."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import DeviceTrace
from tests.examples import examples
from tilescope.tiler.errors import UsageError
from tilescope.tiler.export import Cursor, ExportQuestion, derived_lanes, next_piece, pieces
from tilescope.tiler.facts import busy
from tilescope.tiler.facts.lanes import stream_queue
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

pytestmark = pytest.mark.slow

SPANS = st.one_of(
    st.none(), st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(lambda span: (min(span), max(span) + 1))
)
NAMES = ("Computation", "Exposed communication", "Exposed copies", "Idle")

Event = dict[str, Any]


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeviceTrace]:
    trace = DeviceTrace(tmp_path_factory.mktemp("devices"), random.Random(44))
    yield trace
    trace.store.close()


@pytest.fixture(autouse=True)
def _many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_queue, "_EVENTS_AT_ONCE", 500)
    monkeypatch.setattr(busy, "_EVENTS_AT_ONCE", 500)
    monkeypatch.setattr(derived_lanes, "_EVENTS_AT_ONCE", 300)


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def lane_ids(reader: QueryReader) -> list[str]:
    return [str(name) for name in values_of(answer_of(reader, "lanes").table("lanes").column("lane"))]


def split(data: bytes) -> tuple[list[Event], list[Event]]:
    """Events of the trace, and those of derived lanes."""
    events: list[Event] = json.loads(data)["traceEvents"]
    is_derived = [event.get("cat") == derived_lanes.CATEGORY for event in events]
    return (
        [event for event, derived in zip(events, is_derived, strict=True) if not derived],
        [event for event, derived in zip(events, is_derived, strict=True) if derived],
    )


def figures(data: bytes) -> tuple[Any, ...]:
    """Everything that is counted of a run that is made of a file, and which events were ignored as derived."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "again.json").write_bytes(data)
        build_store([Path(folder) / "again.json"], Path(folder) / "store")
        reader = QueryReader(open_run_store(Path(folder) / "store"))
        manifest = reader.store.manifest()
        ignored = dict(manifest["ignored"])
        derived = int(ignored.pop("derived_lane", 0))
        table = answer_of(reader, "stats").tables[0]
        columns = [list(values_of(table.column(name))) for name in ("name", "count", "busy")]
        groups = [(group.name, group.detail) for group in reader.tree.groups]
        tracks = [(track.name, track.kind, track.events) for track in reader.tree.tracks]
        facts = [manifest[key] for key in ("events", "flows", "tick_ps", "origin_ns", "end", "warnings")]
        return (columns, groups, tracks, facts, ignored), derived


def ticks(reader: QueryReader, microseconds: str) -> int:
    return int(Fraction(microseconds) * 10**6 / reader.tick_ps)


@given(span=SPANS, data=st.data())
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_run_of_the_file_has_the_events_and_no_lane(
    devices: DeviceTrace, span: tuple[int, int] | None, data: st.DataObject
) -> None:
    reader = devices.reader
    lanes = data.draw(st.lists(st.sampled_from(lane_ids(reader)), min_size=1, max_size=4, unique=True))
    bounds: dict[str, Any] = {} if span is None else {"start": span[0], "end": span[1]}
    with_lanes = b"".join(pieces(reader, ExportQuestion(**bounds, lanes=",".join(lanes))))
    without = b"".join(pieces(reader, ExportQuestion(**bounds)))
    events, derived = split(with_lanes)
    assert events == json.loads(without)["traceEvents"]
    shown, ignored = figures(with_lanes)
    assert (shown, 0) == figures(without)
    assert ignored == sum(event["ph"] != "M" for event in derived)
    assert {event["args"]["lane"] for event in derived if event["name"] == "thread_name"} == set(lanes)
    assert not {event["pid"] for event in derived} & {event.get("pid") for event in events}


@given(span=SPANS, device=st.sampled_from([0, 1]), stream=st.sampled_from([(0, 7), (1, 9)]))
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lanes_of_a_file_are_exact(
    devices: DeviceTrace, span: tuple[int, int] | None, device: int, stream: tuple[int, int]
) -> None:
    reader = devices.reader
    start, end = span or (0, reader.end + 1)
    end = min(end, reader.end + 1)
    bounds: dict[str, Any] = {} if span is None else {"start": start, "end": end}
    track, queue = devices.track(device, 7), devices.track(*stream)
    table = answer_of(reader, "lanes").table("lanes")
    by_place = {
        (str(lane).split(".")[0], where): str(lane)
        for lane, where in zip(values_of(table.column("lane")), values_of(table.column("track")), strict=True)
    }
    names = [by_place["overlap", track], by_place["queues", queue]]
    text = b"".join(pieces(reader, ExportQuestion(**bounds, lanes=",".join(names))))
    _, derived = split(text)
    derived = [
        {**event, "ts": str(event["ts"])}
        for event in json.loads(text, parse_float=str)["traceEvents"]
        if event.get("cat") == derived_lanes.CATEGORY and event["ph"] != "M"
    ]
    shift = min(task.start for task in devices.tasks)
    overlap = answer_of(reader, "overlap", start=start, end=end, tracks=[track])
    parts: Counter[str] = Counter()
    slices = []
    for event in derived:
        if event["ph"] == "X":
            begin = ticks(reader, event["ts"]) - shift
            stop = begin + ticks(reader, str(event["dur"]))
            slices.append((begin, stop))
            assert begin < end
            assert stop > start
            parts[event["name"]] += min(stop, end) - max(begin, start)
    facts = ("computation", "exposed_communication", "exposed_copies", "idle")
    assert dict(parts) == {
        name: value for name, fact in zip(NAMES, facts, strict=True) if (value := overlap.fact(fact).value)
    }
    # One follows the other: nothing is cut at a border of pieces.
    assert all(left[1] == right[0] for left, right in pairwise(slices))
    samples = [
        (ticks(reader, event["ts"]) - shift, int(event["args"]["value"])) for event in derived if event["ph"] == "C"
    ]
    assert [time for time, _ in samples] == sorted(time for time, _ in samples)
    area = sum(
        value * (after - time)
        for (time, value), after in zip(samples, [*(time for time, _ in samples[1:]), end], strict=True)
    )
    assert area == answer_of(reader, "queues", start=start, end=end, tracks=[queue]).fact("waiting").value


def test_pieces_are_those_of_the_whole(devices: DeviceTrace) -> None:
    question = ExportQuestion(start=1000, lanes=",".join(lane_ids(devices.reader)))
    cursor: Cursor | None = None
    parts = []
    while True:
        piece, cursor = finish(next_piece(devices.reader, question, cursor, 1))
        parts.append(piece)
        if cursor is None:
            break
        cursor = pickle.loads(pickle.dumps(cursor))
    assert b"".join(parts) == b"".join(pieces(devices.reader, question))


def test_memory_is_written_as_recorded(tmp_path: Path) -> None:
    build_store([corpus_path("xplane/tpu_v6e_4core.xplane.pb")], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    lane = next(name for name in lane_ids(reader) if name.startswith("memory_profile."))
    data = b"".join(pieces(reader, ExportQuestion(lanes=lane)))
    values = [event["args"]["value"] for event in split(data)[1] if event["ph"] == "C"]
    assert max(values) == answer_of(reader, "memory_profile").fact("peak").value
    assert figures(data)[1] == len(values)


def test_a_lane_that_there_is_not_is_an_error(devices: DeviceTrace) -> None:
    with pytest.raises(UsageError, match=r"there is no lane 'queues\.x'"):
        list(pieces(devices.reader, ExportQuestion(lanes="queues.x")))


def test_a_pid_of_many_digits_is_a_text(tmp_path: Path) -> None:
    """Python refuses to read numbers of more than 4,300 digits."""
    far = "9" * 5000
    events = [{"ph": "X", "name": "a", "pid": pid, "tid": 1, "ts": 0, "dur": 1} for pid in (far, "7")]
    (tmp_path / "trace.json").write_text(json.dumps(events))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    written = split(b"".join(pieces(reader, ExportQuestion())))[0]
    assert {event["pid"] for event in written if event["ph"] == "X"} == {far, "7"}
