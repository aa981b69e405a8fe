"""Traces of Perfetto: what packets say, whatever is lost, late or damaged in them."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.readers.translated_events import Event, read_events
from tilescope.tiler.columns import Phase, TraceSummary
from tilescope.tiler.details.wire import fields, write_varint
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.perfetto.schema import TracePacket

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
BOOTTIME, REALTIME = 6, 1


def packet(**fields: Any) -> Any:
    """A packet of sequence 1, from nested dicts and lists."""
    return _filled(TracePacket(), {"trusted_packet_sequence_id": 1, **fields})


def _filled(message: Any, fields: dict[str, Any]) -> Any:
    for name, value in fields.items():
        if isinstance(value, dict):
            _filled(getattr(message, name), value)
            getattr(message, name).SetInParent()
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    _filled(getattr(message, name).add(), item)
                else:
                    getattr(message, name).append(item.encode() if isinstance(item, str) else item)
        else:
            setattr(message, name, value.encode() if isinstance(value, str) else value)
    return message


def framed(packets: list[Any]) -> bytes:
    payloads = [packet.SerializeToString() for packet in packets]
    return b"".join(b"\n" + write_varint(len(payload)) + payload for payload in payloads)


def read(folder: Path, *packets: Any) -> tuple[list[Event], TraceSummary]:
    path = folder / "a.pftrace"
    path.write_bytes(framed(list(packets)))
    return read_events(path)


def slice_packets(start: int, end: int, **event: Any) -> list[Any]:
    return [
        packet(timestamp=start, track_event={"type": BEGIN, **event}),
        packet(timestamp=end, track_event={"type": END, "track_uuid": event.get("track_uuid", 0)}),
    ]


PROCESS = packet(track_descriptor={"uuid": 5, "process": {"pid": 40, "process_name": "server"}})
THREAD = packet(
    track_descriptor={"uuid": 7, "parent_uuid": 5, "thread": {"pid": 40, "tid": 41, "thread_name": "worker"}}
)


def test_slices_of_a_thread(tmp_path: Path) -> None:
    annotations = [
        {"name": "size", "int_value": -4},
        {"name": "who", "string_value": "me"},
        {"name": "at", "pointer_value": 255},
        {"name": "part", "dict_entries": [{"name": "x", "bool_value": True}]},
        {"name": "list", "array_values": [{"double_value": 0.5}, {"uint_value": 2**64 - 1}]},
        {"name": "old", "nested_value": {"nested_type": 2, "array_values": [{"int_value": 3}]}},
        {"name": "json", "legacy_json_value": '{"a": [1]}'},
    ]
    packets = slice_packets(100, 250, name="work", track_uuid=7, categories=["a", "b"], debug_annotations=annotations)
    events, summary = read(tmp_path, PROCESS, THREAD, *packets)
    assert summary.format == "perfetto"
    begin, end = events
    assert (begin.process, begin.track, begin.name, begin.category) == ("server", "worker", "work", "a,b")
    assert [(begin.phase, begin.start_ns), (end.phase, end.start_ns)] == [(Phase.BEGIN, 100), (Phase.END, 250)]
    assert begin.args == {
        "size": -4,
        "who": "me",
        "at": "0xff",
        "part": {"x": True},
        "list": [0.5, 2**64 - 1],
        "old": [3],
        "json": {"a": [1]},
    }


def test_lanes_are_called_after_the_tracks_around_them(tmp_path: Path) -> None:
    outer = packet(track_descriptor={"uuid": 8, "parent_uuid": 5, "name": "requests"})
    inner = packet(track_descriptor={"uuid": 9, "parent_uuid": 8, "name": "decode"})
    alone = packet(track_descriptor={"uuid": 10, "name": "alone"})
    cycle = [packet(track_descriptor={"uuid": u, "parent_uuid": p, "name": f"c{u}"}) for u, p in ((20, 21), (21, 20))]
    instants = [
        packet(timestamp=1, track_event={"type": INSTANT, "name": "x", "track_uuid": u}) for u in (9, 10, 20, 99)
    ]
    events, summary = read(tmp_path, PROCESS, outer, inner, alone, *cycle, *instants)
    places = [(event.process, event.track.removesuffix(" · instants")) for event in events]
    assert places[:2] == [("server", "requests › decode"), ("Trace", "alone")]
    assert places[2][1].endswith("c20")
    assert summary.ignored == {"events_before_their_track_is_described": 1}


def test_interned_texts_and_what_is_lost(tmp_path: Path) -> None:
    def interned(name: str) -> Any:
        return packet(
            sequence_flags=1,
            timestamp=1,
            interned_data={"event_names": [{"iid": 1, "name": name}], "event_categories": [{"iid": 2, "name": "c"}]},
        )

    def instant(time: int, **fields: Any) -> Any:
        return packet(
            timestamp=time,
            sequence_flags=2,
            track_event={"type": INSTANT, "name_iid": 1, "category_iids": [2]},
            **fields,
        )

    events, summary = read(
        tmp_path,
        instant(0),  # its state was before the trace
        interned("first"),
        instant(2),
        instant(3, previous_packet_dropped=1),
        interned("second"),
        instant(4),
        packet(timestamp=5, trusted_packet_sequence_id=2, track_event={"type": INSTANT, "name_iid": 1}),
    )
    assert [(event.name, event.category) for event in events] == [("first", "c"), ("second", "c"), ("name 1", "")]
    assert summary.ignored == {"packets_whose_state_was_lost": 2, "losses_of_packets": 1}


def test_clocks(tmp_path: Path) -> None:
    readings = [
        {"clock_id": BOOTTIME, "timestamp": 1_000_000},
        {"clock_id": REALTIME, "timestamp": 5_000_000_000},
        {"clock_id": 64, "timestamp": 10, "unit_multiplier_ns": 1000, "is_incremental": True},
        {"clock_id": 3, "timestamp": 400},
    ]
    snapshot = packet(clock_snapshot={"clocks": readings})
    base = 5_000_000_000 - 1_000_000

    def instant(**fields: Any) -> Any:
        return packet(track_event={"type": INSTANT, "name": "x"}, **fields)

    events, summary = read(
        tmp_path,
        snapshot,
        instant(timestamp=1_000_007),
        instant(timestamp=5, timestamp_clock_id=64),
        instant(timestamp=3, timestamp_clock_id=64),
        instant(timestamp=500, timestamp_clock_id=3),
        instant(timestamp=1, timestamp_clock_id=64, trusted_packet_sequence_id=2),  # a clock of another sequence
    )
    assert [event.start_ns - base for event in events] == [1_000_007, 1_005_000, 1_008_000, 1_000_100]
    assert summary.ignored == {"packets_of_a_clock_without_snapshot": 1}


def test_defaults_and_counters(tmp_path: Path) -> None:
    counter = packet(
        track_descriptor={
            "uuid": 11,
            "parent_uuid": 5,
            "name": "memory",
            "counter": {"unit": 3, "unit_multiplier": 1024},
        }
    )
    summed = packet(track_descriptor={"uuid": 12, "name": "calls", "counter": {"is_incremental": True}})
    defaults = packet(sequence_flags=1, trace_packet_defaults={"track_event_defaults": {"track_uuid": 7}})
    samples = [packet(timestamp=t, track_event={"type": COUNTER, "track_uuid": 12, "counter_value": 3}) for t in (1, 2)]
    extra = {"extra_counter_track_uuids": [11], "extra_counter_values": [2]}
    events, summary = read(
        tmp_path,
        PROCESS,
        THREAD,
        counter,
        summed,
        defaults,
        *samples,
        packet(timestamp=3, track_event={"type": INSTANT, "name": "x", **extra}),
        packet(timestamp=4, track_event={"type": COUNTER, "track_uuid": 11, "double_counter_value": 0.5}),
        packet(timestamp=5, track_event={"type": COUNTER, "track_uuid": 77, "counter_value": 1}),
    )
    values = [(event.process, event.track, event.value) for event in events if event.phase is Phase.COUNTER]
    assert values[:2] == [("Trace", "calls", 3.0), ("Trace", "calls", 6.0)]
    assert [(process, value) for process, _, value in values[2:]] == [("server", 2048.0), ("server", 512.0)]
    assert [event.track for event in events if event.phase is Phase.INSTANT] == ["worker · instants"]
    assert summary.ignored == {"counters_without_track": 1}


def test_flows(tmp_path: Path) -> None:
    events, _ = read(
        tmp_path,
        *slice_packets(1, 5, name="a", flow_ids=[9]),
        *slice_packets(6, 7, name="b", flow_ids=[9]),
        *slice_packets(8, 9, name="c", terminating_flow_ids=[9]),
        *slice_packets(10, 11, name="d", flow_ids=[9]),
    )
    flows = [(event.phase, event.start_ns) for event in events if event.phase >= Phase.FLOW_START]
    assert flows == [(Phase.FLOW_START, 1), (Phase.FLOW_STEP, 6), (Phase.FLOW_END, 8), (Phase.FLOW_START, 10)]


def test_events_of_before_track_events(tmp_path: Path) -> None:
    thread = packet(thread_descriptor={"pid": 3, "tid": 4, "thread_name": "old", "reference_timestamp_us": 100})
    complete = {"phase": ord("X"), "duration_us": 7}
    begun = {"phase": ord("b"), "global_id": 5}
    events, _ = read(
        tmp_path,
        thread,
        packet(track_event={"timestamp_delta_us": 2, "name": "x", "legacy_event": complete}),
        packet(track_event={"timestamp_delta_us": 1, "name": "y", "legacy_event": begun}),
        packet(track_event={"timestamp_absolute_us": 50, "name": "y", "legacy_event": begun | {"phase": ord("e")}}),
    )
    assert [(event.name, event.start_ns, event.duration_ns) for event in events] == [
        ("x", 102_000, 7_000),
        ("y", 103_000, 0),
        ("y", 50_000, 0),
    ]
    assert events[0].track == "old"


def test_threads_on_cpus(tmp_path: Path) -> None:
    switches = [
        {"timestamp": 10, "sched_switch": {"next_comm": "worker", "next_pid": 41}},
        {"timestamp": 30, "sched_switch": {"next_comm": "swapper", "next_pid": 0}},
        {"timestamp": 31},
    ]
    compact = {
        "intern_table": ["idle", "main"],
        "switch_timestamp": [40, 5],
        "switch_next_pid": [42, 0],
        "switch_next_comm_index": [1, 0],
    }
    events, summary = read(tmp_path, packet(ftrace_events={"cpu": 2, "event": switches, "compact_sched": compact}))
    assert [(event.track, event.phase, event.name, event.start_ns) for event in events] == [
        ("CPU 2", Phase.BEGIN, "worker", 10),
        ("CPU 2", Phase.END, "", 30),
        ("CPU 2", Phase.BEGIN, "main", 40),
        ("CPU 2", Phase.END, "", 45),
    ]
    assert summary.ignored == {"ftrace_events": 1}


def test_stages_and_counters_of_gpus(tmp_path: Path) -> None:
    specifications = packet(
        sequence_flags=1,
        interned_data={"gpu_specifications": [{"iid": 1, "name": "compute queue"}, {"iid": 2, "name": "dispatch"}]},
    )
    stage = {"event_id": 1, "duration": 50, "hw_queue_iid": 1, "stage_iid": 2, "gpu_id": 1, "name": "gemm"}
    counters = {"counter_descriptor": {"specs": [{"counter_id": 4, "name": "busy"}]}, "counters": []}
    sample = {"counters": [{"counter_id": 4, "double_value": 0.5}]}
    events, _ = read(
        tmp_path,
        specifications,
        packet(timestamp=100, gpu_render_stage_event=stage),
        packet(timestamp=100, gpu_counter_event=counters),
        packet(timestamp=120, gpu_counter_event=sample),
    )
    work, counter = events
    assert (work.process, work.track, work.name, work.duration_ns) == ("GPU 1", "compute queue", "gemm", 50)
    assert work.args["stage"] == "dispatch"
    assert (counter.process, counter.track, counter.value) == ("GPU 0", "busy", 0.5)


def test_call_stacks(tmp_path: Path) -> None:
    data = {
        "function_names": [{"iid": 1, "str": b"main"}, {"iid": 2, "str": b"parse"}],
        "frames": [{"iid": 5, "function_name_id": 1}, {"iid": 6, "function_name_id": 2}],
        "callstacks": [{"iid": 9, "frame_ids": [5, 6, 7]}],
    }
    first = packet(sequence_flags=1, interned_data=data)
    events, _ = read(
        tmp_path, first, packet(timestamp=1, track_event={"type": INSTANT, "name": "x", "callstack_iid": 9})
    )
    assert events[0].args == {"call stack": ["main", "parse", "[unknown]"]}


@pytest.mark.parametrize("is_zipped", [True, False])
def test_compressed_packets(tmp_path: Path, is_zipped: bool) -> None:
    inner = framed(slice_packets(1, 2, name="inside"))
    data = framed([packet(compressed_packets=zlib.compress(inner)), packet(compressed_packets=b"no")])
    path = tmp_path / "a.pftrace"
    path.write_bytes(gzip.compress(data) if is_zipped else data)
    events, summary = read_events(path)
    assert events[0].name == "inside"
    assert summary.ignored == {"damaged_packets": 1}


def test_packets_that_are_not_read_are_counted_by_their_field(tmp_path: Path) -> None:
    log = TracePacket.FromString(write_varint(39 << 3 | 2) + b"\x00" + write_varint(10 << 3) + b"\x01")
    _, summary = read(tmp_path, *slice_packets(1, 2, name="x"), log, log)
    assert summary.ignored == {"packet_field_39": 2}


SMALL = framed([PROCESS, THREAD, *slice_packets(1, 9, name="x", track_uuid=7, debug_annotations=[{"name": "a"}])])


@pytest.mark.parametrize("size", range(0, len(SMALL), 3))
def test_a_trace_that_is_cut_keeps_what_is_before(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.pftrace"
    path.write_bytes(SMALL[:size])
    try:
        events, summary = read_events(path)
    except TraceError:
        return
    assert len(events) <= 2
    assert summary.warnings or not summary.tracks


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_any_byte_may_be_wrong(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(SMALL) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("pf") / "a.pftrace"
    path.write_bytes(damaged)
    try:
        events, _ = read_events(path)
    except TraceError:
        return
    assert len(events) <= 10


@pytest.mark.parametrize(
    "payload",
    [
        b"\n" + write_varint(10**10) + b"\x50\x01",
        b"\n" + b"\xff" * 11,
        b"\n\x02\x50\x01\x0b\x0c",  # a group
    ],
)
def test_lengths_and_groups(tmp_path: Path, payload: bytes) -> None:
    path = tmp_path / "a.pftrace"
    path.write_bytes(SMALL + payload)
    events, summary = read_events(path)
    assert len(events) == 2
    assert any("is cut short, or damaged, at byte" in warning for warning in summary.warnings)


def test_annotations_a_million_deep(tmp_path: Path) -> None:
    inner = b"\x50\x01"
    for _ in range(3000):
        inner = write_varint(11 << 3 | 2) + write_varint(len(inner)) + inner
    event = write_varint(4 << 3 | 2) + write_varint(len(inner)) + inner
    deep = write_varint(10 << 3) + b"\x01" + write_varint(11 << 3 | 2) + write_varint(len(event)) + event
    path = tmp_path / "a.pftrace"
    path.write_bytes(SMALL + b"\n" + write_varint(len(deep)) + deep)
    events, summary = read_events(path)
    assert len(events) == 2
    assert summary.ignored == {"damaged_packets": 1}


def test_a_trace_of_damage_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.pftrace"
    path.write_bytes(b"\n\x04\x50\x01\x40\x01" + struct.pack("<I", 7))
    events, summary = read_events(path)
    assert events == []
    assert any("at byte 6" in warning for warning in summary.warnings)


@pytest.mark.parametrize("name", ["flutter_devtools_performance_data", "perfetto_history_nested_tracks"])
def test_corpus_is_what_the_published_schema_reads(name: str) -> None:
    """As many events of each kind as a plain reader of the fields finds, by the numbers of the published schema."""
    path = corpus_path(f"perfetto/{name}.perfetto-trace")
    kinds: Counter[str] = Counter()
    for frame in fields(path.read_bytes()):
        for member in fields(bytes(frame.value)) if isinstance(frame.value, bytes) else ():
            if member.number == 11 and isinstance(member.value, bytes):
                event = {field.number: field.value for field in fields(member.value)}
                legacy = event.get(6)
                phases = {field.number: field.value for field in fields(legacy)} if isinstance(legacy, bytes) else {}
                phase = phases.get(2)
                shown = {BEGIN: "B", END: "E", INSTANT: "i", COUNTER: "C"}
                kind = event.get(9)
                if isinstance(kind, int):
                    kinds[shown.get(kind, "")] += 1
                elif isinstance(phase, int):
                    kinds[chr(phase)] += 1
    events, _ = read_events(path)
    counts = Counter(event.phase for event in events)
    assert counts[Phase.BEGIN] == kinds["B"] + kinds["b"] + kinds["S"] > 0
    assert counts[Phase.COMPLETE] == kinds["X"]
    assert counts[Phase.INSTANT] == kinds["i"] + kinds["n"] + kinds["I"]
    assert counts[Phase.COUNTER] == kinds["C"]


def test_packets_that_are_not_drawn_move_their_clock(tmp_path: Path) -> None:
    readings = [{"clock_id": BOOTTIME, "timestamp": 100}, {"clock_id": 64, "timestamp": 0, "is_incremental": True}]
    snapshot = packet(clock_snapshot={"clocks": readings})
    described = packet(timestamp=1000, timestamp_clock_id=64, track_descriptor={"uuid": 7, "name": "lane"})
    event = packet(timestamp=1, timestamp_clock_id=64, track_event={"type": INSTANT, "name": "x", "track_uuid": 7})
    events, _ = read(tmp_path, snapshot, described, event)
    assert [event.start_ns for event in events] == [1101]
