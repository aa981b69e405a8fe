"""An export is equal to the trace-event file that it was made of: events, ids, labels, members; and so is one of it."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tilescope.tiler.export.trace_event import ExportQuestion, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Tracks
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

Event = dict[str, Any]


def exported(folder: Path, name: str, *files: Path) -> bytes:
    """Indexes files, proves the store, and returns the export of it all."""
    build_store(list(files), folder / name)
    verify_store(folder / name)
    with closing(open_run_store(folder / name)) as store:
        return b"".join(pieces(QueryReader(store), ExportQuestion()))


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def shown(store_path: Path) -> tuple[Any, ...]:
    """Everything that a store shows: the tree, and each event with its arguments and flows; what was odd."""
    with closing(open_run_store(store_path)) as store:
        reader = QueryReader(store)
        manifest = store.manifest()
        tree = [
            {key: value for key, value in entry.items() if key not in ("id", "group", "parent", "rollup")}
            for entry in (*reader.tree.groups, *reader.tree.tracks)
        ]
        events = [
            event
            for track in reader.tree.tracks
            if track.kind != "rollup"
            for ordinal in range(track.events)
            if (event := event_details(store, track.id, ordinal)) is not None
        ]
        for event in events:  # flows of one time come in any order
            for side in ("in", "out"):
                event["flows"][side].sort(key=json.dumps)
        members = {entry["name"] for entry in json.loads(gzip.decompress(store.get(ATTACHMENTS) or b""))["attachments"]}
        facts = {
            key: manifest[key] for key in ("events", "flows", "tick_ps", "origin_ns", "end", "ignored", "warnings")
        }
        return tree, events, facts, members


# Times in quarters of a microsecond: they overlap, touch and begin together.
TIME = st.integers(0, 60).map(lambda quarters: quarters / 4)
LENGTH = st.integers(0, 40).map(lambda quarters: quarters / 4)
PID = st.sampled_from([0, 1, 7, "8", "7x", "worker"])
TID = st.sampled_from([1, 2, 7, -5, "main", "2b"])
NAME = st.sampled_from(["a", "b", "täter ✓", 'quote"\\', "[x]"])
CAT = st.sampled_from([None, "kernel", "cpu_op", "a,b", "io"])
ID = st.sampled_from([0, 7, 12345678901234567890, "0x1f", "text", "7 "])
ARGS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["n", "id", "s", "tid", "correlation", "ä"]),
    st.one_of(st.integers(-5, 5), st.sampled_from([0.5, 1e300, None, True, "", "text\n", [1, {"x": None}], {}])),
    max_size=3,
)
BASE = st.fixed_dictionaries({"pid": PID, "tid": TID, "ts": TIME, "name": NAME}, optional={"cat": CAT, "args": ARGS})


def phase(letter: str, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Event]]:
    return st.builds(
        lambda base, more: [{"ph": letter} | _without_none(base) | _without_none(more)],
        BASE,
        st.fixed_dictionaries(members),
    )


def _without_none(event: Event) -> Event:
    return {key: value for key, value in event.items() if key in ("args",) or value is not None}


def asynchronous(
    begin: Event, length: float | None, id_: Any, end_args: dict[str, Any] | None, letters: str
) -> list[Event]:
    """An async slice of an id of its own, and an instant; `letters` of begin, end, instant; without length, no end."""
    shared = {"id": id_} | {key: begin[key] for key in ("pid", "tid", "name", "cat") if begin.get(key) is not None}
    events = [{"ph": letters[0], "ts": begin["ts"]} | shared]
    if begin.get("args") is not None:
        events[0]["args"] = begin["args"]
    if length is not None:
        events.append({"ph": letters[1], "ts": begin["ts"] + length} | shared)
    if end_args is not None:
        events[-1]["args"] = end_args
        events.append({"ph": letters[2], "ts": begin["ts"], "args": end_args} | shared)
    return events


SLICES = phase("X", dur=LENGTH, tts=st.sampled_from([None, 5, 1.25]), id=st.sampled_from([None, 3, "x"]))
OPEN = phase("B", tts=st.sampled_from([None, 5]))
UNENDING = phase("X", args=ARGS)
BOUND = phase("X", dur=LENGTH, bind_id=ID, flow_out=st.just(True), flow_in=st.sampled_from([None, True, False]))
INSTANTS = st.one_of(
    phase("i", s=st.sampled_from([None, "t", "p", "g"])), phase("R"), phase("P", s=st.sampled_from(["g", "p"]))
)
COUNTERS = st.builds(
    lambda base, id_, values: [_without_none(base | {"ph": "C", "id": id_, "args": values})],
    BASE,
    st.sampled_from([None, 1, "two"]),
    st.dictionaries(st.sampled_from(["used", "free", "value"]), st.integers(-9, 9), min_size=1),
)
FLOWS = st.one_of(
    phase("s", id=ID),
    phase("t", id=ID),
    phase("f", id=ID, bp=st.sampled_from([None, "e"])),
    phase("s", id2=st.builds(lambda id_: {"local": id_}, ID), scope=st.sampled_from([None, "of one"])),
)
LABELS = st.one_of(
    st.builds(lambda pid, name: [_label("process_name", pid, None, "name", name)], PID, NAME),
    st.builds(
        lambda pid, index: [_label("process_sort_index", pid, None, "sort_index", index)], PID, st.integers(-3, 3)
    ),
    st.builds(lambda pid, name: [_label("process_labels", pid, None, "labels", name)], PID, NAME),
    st.builds(lambda pid, tid, name: [_label("thread_name", pid, tid, "name", name)], PID, TID, NAME),
    st.builds(
        lambda p, t, index: [_label("thread_sort_index", p, t, "sort_index", index)], PID, TID, st.integers(-3, 3)
    ),
)
MEMBERS = st.dictionaries(
    st.sampled_from(["schemaVersion", "distributedInfo", "displayTimeUnit", "otherData"]),
    st.sampled_from([1, "ms", {"rank": 3}, [1, None]]),
)


def _label(what: str, pid: Any, tid: Any, key: str, value: Any) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "args": {key: value}} | ({} if tid is None else {"tid": tid})


def pairs(begins: list[tuple[Any, Any, float, float]]) -> list[Event]:
    """Begins and ends on a thread of their own, each slice with a name of its own; both have members."""
    events = []
    for number, (pid, args, start, length) in enumerate(begins):
        told = {"pid": pid, "tid": "pairs", "name": f"pair {number}", "cat": "pair"}
        events.append({"ph": "B", "ts": start, "args": args, "tts": number} | told)
        events.append({"ph": "E", "ts": start + length, "tts": number + 5} | told)
    return events


PAIRS = st.lists(st.tuples(PID, ARGS, TIME, LENGTH), max_size=4).map(pairs)
ASYNC = st.lists(
    st.tuples(BASE, st.one_of(st.none(), LENGTH), st.one_of(st.none(), ARGS), st.sampled_from(["ben", "SFT", "SFp"])),
    max_size=4,
).map(
    lambda made: [
        event
        for number, (begin, length, args, letters) in enumerate(made)
        for event in asynchronous(begin, length, [number, f"0x{number}", f"id {number}"][number % 3], args, letters)
    ]
)
MIXED = st.lists(st.one_of(SLICES, OPEN, UNENDING, BOUND, INSTANTS, COUNTERS, FLOWS), min_size=1, max_size=20).map(
    lambda groups: [event for group in groups for event in group]
)
ONE_EACH = st.lists(LABELS, max_size=8).map(
    lambda groups: list({(e["name"], e["pid"], e.get("tid")): e for group in groups for e in group}.values())
)


def normal(content: bytes) -> Counter[str]:
    """Events as a multiset of texts: with times as exact decimals, as 5.0 and 5 are one."""
    whole = json.loads(content, parse_float=Decimal)
    events = whole if isinstance(whole, list) else whole["traceEvents"]
    return Counter(json.dumps(_normal(event), sort_keys=True, default=str) for event in events)


def _normal(event: Event) -> Event:
    if event["ph"] == "M":  # whatever else writers put there, as times
        names = ("ph", "name", "pid", "tid", "args") if event["name"].startswith("thread_") else _PROCESS_LABEL
        return {key: event[key] for key in names if key in event}
    times = {key: str(round(Decimal(str(event[key]).strip()), 6).normalize()) for key in ("ts", "dur") if key in event}
    task = event.get("args") or {}
    kind = task.get("Task Type") if isinstance(task, dict) else None  # read as a category where there is none
    category = {"cat": kind} if isinstance(kind, str) and kind and not event.get("cat") else {}
    return event | times | category | ({"ph": "i"} if event["ph"] == "I" else {})


_PROCESS_LABEL = ("ph", "name", "pid", "args")


@settings(deadline=None)
@given(MIXED, PAIRS, ASYNC, ONE_EACH, MEMBERS, st.sampled_from([None, 1_700_000_000_000_000_000, 5]))
def test_any_trace_comes_back(
    mixed: list[Event],
    begins_and_ends: list[Event],
    slices_of_ids: list[Event],
    labels: list[Event],
    members: dict[str, Any],
    base_ns: int | None,
) -> None:
    """Source and export have the same events and members; and so has an export of the export, byte for byte."""
    base = {} if base_ns is None else {"baseTimeNanoseconds": base_ns}
    events = [*labels, *mixed, *begins_and_ends, *slices_of_ids]
    source = json.dumps({"traceEvents": events} | members | base).encode()
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = exported(folder, "first", written(folder, "trace.json", source))
        second = exported(folder, "second", written(folder, "trace.json", first))
        assert normal(first) == normal(source)
        outer = [json.loads(content) for content in (source, first)]
        for whole in outer:
            del whole["traceEvents"]
        assert outer[0] == outer[1]
        assert second == first
        assert shown(folder / "first") == shown(folder / "second")


# Small ones, of many writers: begins and ends, async slices, flows, counters, instants, odd ids; none is damaged.
SOUND = [
    "chrome/chrome-trace-issue-5429.json.gz",
    "chrome/chrome-tracing.json.gz",
    "chrome/flow_simple.json",
    "chrome/instance_counters.json",
    "chrome/instant_events.json",
    "ascend/msprof_1_0_6.json",
    "ascend/msprof_trace_view_string_ts.json",
    "kineto/backward_thread.json",
    "kineto/mi250_minitoy.json.gz",
    pytest.param("kineto/nccl_data.json.gz", marks=pytest.mark.deep),
    pytest.param("kineto/ns_resolution.pt.trace.json.gz", marks=pytest.mark.deep),
    pytest.param("kineto/sampled_rank-0.json.gz", marks=pytest.mark.deep),
    "reports/container_pid_1.json",
    "reports/same_name_two_categories.json",
    "reports/stack_frames.json",
]


@pytest.mark.parametrize("name", SOUND)
def test_real_traces_come_back(name: str, tmp_path: Path) -> None:
    source = corpus_path(name)
    first = exported(tmp_path, "first", source)
    second = exported(tmp_path, "second", written(tmp_path, "trace.json", first))
    data = source.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    there, expected = normal(first), normal(data)
    for event in [*there, *expected]:
        if '"ph": "M"' in event:  # repeated, or not of processes and threads
            there[event] = expected[event] = 0
    assert there == expected
    assert second == first
    assert shown(tmp_path / "first") == shown(tmp_path / "second")


def test_files_with_equal_pids_and_ids_stay_apart(tmp_path: Path) -> None:
    """Of the first the ids are its own; each has its flow, and its async slice."""
    at = {"pid": 1, "tid": "main", "cat": "c", "id": 7}
    files = [
        written(
            tmp_path,
            f"{name}.trace.json",
            json.dumps(
                [
                    {"ph": "X", "name": name, "pid": 1, "tid": "main", "ts": 1 + start, "dur": 5},
                    {"ph": "b", "name": f"async {name}", "ts": 1 + start} | at,
                    {"ph": "e", "name": f"async {name}", "ts": 4 + start} | at,
                    {"ph": "s", "name": "go", "ts": 2 + start} | at,
                    {"ph": "f", "name": "go", "ts": 3 + start, "bp": "e"} | at,
                ]
            ).encode(),
        )
        for start, name in enumerate("ab")
    ]
    first = exported(tmp_path, "first", *files)
    again = exported(tmp_path, "second", written(tmp_path, "again.json", first))
    assert normal(again) == normal(first)
    events = [event for event in json.loads(first)["traceEvents"] if event["ph"] != "M"]
    assert normal(files[0].read_bytes()) <= normal(first)
    assert {event["tid"] for event in events} == {"main"}
    names = {event["pid"]: event["name"] for event in events if event["ph"] == "X"}
    assert sorted(names.values()) == ["a", "b"]
    ids = {(event["pid"], event["id"]) for event in events if "id" in event}
    assert len(ids) == len({id_ for _, id_ in ids}) == 2
    for store in ("first", "second"):
        with closing(open_run_store(tmp_path / store)) as opened:
            assert opened.manifest()["flows"]["edges"] == "2"
            assert opened.manifest()["events"]["async_slices"] == "2"


def test_annotations_above_frames_are_on_their_thread_again(tmp_path: Path) -> None:
    """Alone, too: both tracks are named as their thread is in the file."""
    event = {"ph": "X", "pid": 5, "tid": 7}
    label = {"ph": "M", "name": "thread_name", "pid": 5, "tid": 7, "args": {"name": "thread 7 (python 7)"}}
    frame = {"name": "main", "cat": "python_function", "ts": 0, "dur": 10} | event
    step = {"name": "ProfilerStep#1", "cat": "user_annotation", "ts": 5, "dur": 10} | event
    source = written(tmp_path, "trace.json", json.dumps([label, frame, step]).encode())
    whole = exported(tmp_path, "store", source)
    assert normal(whole) == normal(source.read_bytes())
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        tracks = {track.name: track.id for track in reader.tree.tracks if track.kind == "slice"}
        assert list(tracks) == ["python 7 · annotations", "python 7"]
        for track, piece in zip(tracks.values(), (step, frame), strict=True):
            part = b"".join(pieces(reader, ExportQuestion(tracks=Tracks.from_numbers([track]))))
            assert normal(part) == normal(json.dumps([label, piece]).encode())
    assert shown(tmp_path / "store") == shown_again(tmp_path, whole)


def shown_again(folder: Path, content: bytes) -> tuple[Any, ...]:
    """Everything that a store of this file shows."""
    exported(folder, "again", written(folder, "again.json", content))
    return shown(folder / "again")
