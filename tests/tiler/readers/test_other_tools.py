"""Files of other tools are called by their names, however they are laid out; a trace never is."""

from __future__ import annotations

import json
import random
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compressed import COMPRESS
from tilescope.tiler.errors import TraceError, UnknownFormat
from tilescope.tiler.readers.container import list_archive
from tilescope.tiler.readers.logdir import discover
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.signature import recognise

CALL = {"functionName": "f", "scriptId": "1", "url": "", "lineNumber": 1, "columnNumber": 1}
SPAN = {"traceId": "5b8a", "spanId": "0515", "name": "s", "startTimeUnixNano": "1", "endTimeUnixNano": "2"}

# What each tool writes, as small as it can be.
OF_TOOLS: dict[str, Any] = {
    "the JSON of rocprofv3": {"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}, "buffer_records": {}}]},
    "a heap snapshot of V8": {
        "snapshot": {"meta": {"node_fields": ["type"], "node_types": [[]]}, "node_count": 1},
        "nodes": [1],
        "edges": [],
        "strings": [""],
    },
    "a heap profile of V8": {"head": {"callFrame": CALL, "selfSize": 0, "id": 1, "children": []}, "samples": []},
    "a NetLog of Chromium": {
        "constants": {"logEventTypes": {"CANCELLED": 0}, "timeTickOffset": "1"},
        "events": [{"params": {}, "phase": 1, "source": {"id": 1, "type": 1}, "time": "1", "type": 0}],
    },
    "what trtexec writes with --exportTimes": [
        {"startEnqMs": 1, "endEnqMs": 2, "startComputeMs": 1, "endComputeMs": 2, "latencyMs": 1}
    ],
    "what trtexec writes with --exportProfile": [
        {"count": 10},
        {"name": "conv", "timeMs": 1.5, "averageMs": 0.1, "medianMs": 0.1, "percentage": 100},
    ],
    "what trtexec writes with --exportLayerInfo": {"Layers": ["conv"], "Bindings": ["x"]},
    "spans of Zipkin": [{"traceId": "a", "id": "b", "name": "s", "localEndpoint": {"serviceName": "x"}}],
    "a report of Lighthouse": {"lighthouseVersion": "12.0.0", "audits": {}},
    r"an HTTP archive": {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": []}},
}


# The same of formats that are read: by their id, and what they are called where their beginning does not show it.
READ: dict[str, tuple[str, Any]] = {
    "otlp_json": ("spans of OpenTelemetry", {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [SPAN]}]}]}),
    "speedscope": (
        "a profile of speedscope",
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "exporter": "py-spy",
            "shared": {"frames": [{"name": "a", "file": "x", "line": 1}]},
            "profiles": [{"type": "sampled", "unit": "seconds", "samples": [[0]], "weights": [1]}],
        },
    ),
    "cpuprofile": (
        "a CPU profile of V8",
        {
            "nodes": [{"id": 1, "callFrame": CALL, "hitCount": 0, "children": [2]}],
            "startTime": 1,
            "endTime": 2,
            "samples": [1],
            "timeDeltas": [0],
        },
    ),
    "firefox": (
        "a profile of Firefox",
        {
            "meta": {"version": 29, "interval": 1, "stackwalk": 1, "processType": 0},
            "libs": [],
            "threads": [{"name": "GeckoMain", "frameTable": {}, "stackTable": {}}],
            "processes": [],
        },
    ),
    "jaeger_json": (
        "spans of Jaeger",
        {"data": [{"traceID": "a", "spans": [{"traceID": "a", "spanID": "b", "operationName": "s"}], "processes": {}}]},
    ),
}


def refusal_of(path: Path, data: bytes) -> UnknownFormat:
    path.write_bytes(data)
    with closing(open_trace(path)) as reader, pytest.raises(UnknownFormat) as refused:
        list(reader.chunks())
    return refused.value


def shuffled(value: Any, order: random.Random) -> Any:
    """The same with the members of each object in another order."""
    if isinstance(value, list):
        return [shuffled(element, order) for element in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    order.shuffle(names)
    return {name: shuffled(value[name], order) for name in names}


@pytest.mark.parametrize("what", OF_TOOLS)
def test_json_of_other_tools(tmp_path: Path, what: str) -> None:
    order = random.Random(1)
    for indent in (None, 2, "\t"):
        for kind in (None, "gzip", "zstd"):
            data = json.dumps(shuffled(OF_TOOLS[what], order), indent=indent).encode()
            error = refusal_of(tmp_path / "a.json", data if kind is None else COMPRESS[kind](data))
            assert error.what.startswith(f"is {what}")
            assert error.what.endswith(", not a trace")
            assert error.advice


@pytest.mark.parametrize("what", [what for what, value in OF_TOOLS.items() if isinstance(value, dict)])
def test_long_members_hide_nothing(tmp_path: Path, what: str) -> None:
    """Members of the outermost object count wherever they are."""
    first, *others = OF_TOOLS[what].items()
    for count in (10, 10_000, 400_000):
        data = json.dumps(dict([first, ("padding", list(range(count))), *others])).encode()
        assert refusal_of(tmp_path / "a.json", data).what.startswith(f"is {what}")


@pytest.mark.parametrize("format_id", READ)
def test_formats_that_are_read(tmp_path: Path, format_id: str) -> None:
    """In whatever order their members stand; behind a long one they are called by their name, if they are not read."""
    what, value = READ[format_id]
    order = random.Random(1)
    for indent in (None, 2):
        text = json.dumps(shuffled(value, order), indent=indent)
        assert recognise(text.encode(), tmp_path / "a.json").format.id == format_id
    first, *others = value.items()
    for members in (
        [first, ("padding", list(range(40_000))), *others],
        [("padding", list(range(40_000))), first, *others],
    ):
        data = json.dumps(dict(members)).encode()
        if recognise(data[: 64 * 1024], tmp_path / "a.json").format.id != format_id:
            error = refusal_of(tmp_path / "a.json", data)
            assert error.what.startswith(f"is {what}")
            assert "first 64 KiB" in error.advice


@pytest.mark.parametrize("what", OF_TOOLS)
def test_a_member_of_an_archive_is_named(tmp_path: Path, what: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("t.json", json.dumps(OF_TOOLS[what]))
        archive.writestr("u.json", '[{"ph":"X","ts":1,"dur":1,"name":"a"}]')
    listing = list_archive(tmp_path / "a.zip")
    assert listing is not None
    (note,) = listing.notes
    assert note.startswith(f"t.json is left out: it is {what}")


@pytest.mark.parametrize("what", OF_TOOLS)
def test_a_trace_is_never_taken_for_one(tmp_path: Path, what: str) -> None:
    value = OF_TOOLS[what]
    event = {"ph": "X", "ts": 1, "dur": 1, "name": "a", "args": {"of": value}}
    traces = [[event], {"traceEvents": [event]}, {"traceEvents": []}]
    if isinstance(value, dict):
        traces += [{**value, "traceEvents": [event]}, {**value, "traceEvents": []}]
    for trace in traces:
        (tmp_path / "t.json").write_text(json.dumps(trace))
        reader = open_trace(tmp_path / "t.json")
        list(reader.chunks())
        reader.close()


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=5))
def test_other_json_is_of_nobody(tmp_path_factory: pytest.TempPathFactory, members: dict[str, int]) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    assert "is JSON, but not a trace" in refusal_of(path, json.dumps({"x": 1, **members}).encode()).what


def test_lines_of_nsight_systems(tmp_path: Path) -> None:
    lines = [
        {"Type": 79, "CudaEvent": {"startNs": "1", "endNs": "2", "correlationId": 1, "globalPid": "5"}},
        {"Type": 48, "TraceProcessEvent": {"startNs": "1", "endNs": "2", "globalTid": "5"}},
        {"data": ["a", "b"]},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    assert refusal_of(tmp_path / "a.json", data).what == "is the JSON of Nsight Systems, not a trace"


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"<!doctype html><html>", "is an HTML page"),
        (b"\n<!-- saved -->\n<HTML lang='en'>", "is an HTML page"),
        (b'<?xml version="1.0"?>', "is XML"),
        (b"# tracer: nop\n#\n", "is text of ftrace"),
        (b"SQLite format 3\0\x10\0" + bytes(80), "is an SQLite database"),
        (b"NVR\0" + bytes(20), "is a report of Nsight Compute"),
        (b"\n\x04\x08\x01\x10\x02\n\x04\x08\x03\x10\x04\x12\x06\n\x01\x01\x12\x01\x05", "is a profile of pprof"),
        (b"PERFILE2" + bytes(20), "is data of perf record"),
        (b"\x10\0\x04FxT\x16\0" + bytes(20), "is a Fuchsia trace"),
        (b"tr\xfdP" + bytes(20), "is a trace of Tracy"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(20), "is a 7z archive"),
    ],
)
def test_other_files(head: bytes, what: str) -> None:
    with pytest.raises(UnknownFormat, match=what) as refused:
        recognise(head, Path("a.json"))
    assert "Tilescope reads" not in refused.value.advice


@pytest.mark.parametrize(
    "head",
    [
        b"python 1234/1235 [003] 12345.678901:     250000 cpu-clock:pppH: \n\t7f f+0x1 (a.so)\n",
        b"# ========\n# captured on: Mon\n\nperf 12 12.345678: cycles:u: \n",
    ],
)
def test_text_of_perf_script(head: bytes) -> None:
    assert recognise(head, Path("a.txt")).format.id == "perf_script"


def test_reports_of_nsight_systems_are_told_by_their_name() -> None:
    with pytest.raises(UnknownFormat, match="has the name of a report of Nsight Systems"):
        recognise(b"\x7f\x01\x02" * 20, Path("a.nsys-rep"))


@pytest.mark.parametrize("ending", [".tracetable", ".SSTABLE"])
def test_tables_of_streaming_viewers_are_told_by_their_name(tmp_path: Path, ending: str) -> None:
    with pytest.raises(UnknownFormat, match=r"has the name of a table of trace events.*\.xplane\.pb"):
        recognise(b"\x7f\x01\x02" * 20, Path(f"host{ending}"))
    run = tmp_path / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    (run / f"host{ending}").write_bytes(b"\x7f\x01\x02" * 20)
    with pytest.raises(TraceError, match=rf"plugins/profile/run/host{ending} is left out: it has the name of a table"):
        discover(tmp_path)
    (run / "host.xplane.pb").write_bytes(b"\n\x06\x12\x04abcd")
    (listed,) = discover(tmp_path)
    assert listed.notes == (), "its events are there"
