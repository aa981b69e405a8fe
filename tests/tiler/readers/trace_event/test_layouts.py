"""Where events stand in a file: arrays, objects, lines, and all that may surround them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.readers.trace_event.trace_event_file import array, event, read, source_of
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.trace_event import TraceEventReader

A, B, C = event(name="a"), event(name="b"), event(name="c")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(array(A, B), id="array"),
        pytest.param(f"[{A},{B},]", id="comma at the end"),
        pytest.param(f"[{A} {B}]", id="no comma"),
        pytest.param(f"[,{A},,\n,{B}]", id="many commas"),
        pytest.param(f'{{"traceEvents":[{A},{B}]}}', id="object"),
        pytest.param(f'{{"a":1,"traceEvents":[{A}],"b":{{"x":[]}},"traceEvents":[{B}],"c":"]}}"}}', id="twice"),
        pytest.param(f'{{"traceEvents":[{A}]}}\n{{"traceEvents":[{B}]}}', id="two objects"),
        pytest.param(f"[{A}][{B}]", id="two arrays"),
        pytest.param(f'[{A}]{{"traceEvents":[{B}]}}', id="array and object"),
        pytest.param(f"{A}\n{B}\n", id="lines"),
        pytest.param(f"{A},\n{B},\n", id="lines with commas"),
        pytest.param(f"\ufeff[{A},{B}]", id="byte order mark"),
        pytest.param(
            '{"stackFrames":{"1":{"name":"{[\\"\\\\"}},"cpus":[{"ph":"X","ts":9}],"displayTimeUnit":"ns",'
            f'"otherData":null,"traceEvents":[{A},{B}],"systemTraceEvents":"[{{}}"}}',
            id="members around",
        ),
    ],
)
def test_all_events_are_read(text: str) -> None:
    result = read(text)
    assert result.names == ["a", "b"]
    assert result.summary.ignored == {}
    assert result.summary.warnings == []


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        (f"[{A},{B}", "the closing ] is missing"),
        (f"[{A},{B},\n", "the closing ] is missing"),
        (f'{{"traceEvents":[{A},{B}', "the closing ] is missing"),
        (f'{{"traceEvents":[{A},{B}]', "the closing } is missing"),
        (f'{{"traceEvents":[{A},{B}],"metadata":{{"x":"y', "the file ends inside a member of its outer object"),
        (f"[{A},{B},{C[:-1]}", f"the file ends inside an event (byte {len(A) + len(B) + 3})"),
        (f'{{"traceEvents":[{A},{B},{C[:20]}', f"the file ends inside an event (byte {len(A) + len(B) + 18})"),
        (f"{A}\n{B}\n{C[:20]}", f"the file ends inside an event (byte {len(A) + len(B) + 2})"),
    ],
)
def test_a_file_that_is_cut_short_keeps_its_whole_events(text: str, ended: str) -> None:
    result = read(text)
    assert result.names == ["a", "b"]
    cut = ["json/metadata is left out: it is cut short"] if "a member" in ended else []
    assert result.summary.warnings == [f"{ended}: the trace was cut short, and 2 whole events kept", *cut]


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (f"[{A},{{}}]", {}),
        (f"[{{}},{A},{{}},{{ }}]", {"missing_ph": 2}),
        (f"[{A},{{}},null]", {"missing_ph": 1, "null_event": 1}),
        (f'[{A},{{}},{{"name":"x"}}]', {"missing_ph": 2}),
        (f'{{"traceEvents":[{A},{{}}],"otherData":{{}}}}', {}),
        (f"[{A},null,null]", {"null_event": 2}),
        (f'[{A},{{"name":"x","ts":1}},{{"ph":null}}]', {"missing_ph": 2}),
        (f'[{A},{{"ph":"X","name":"x"}},{{"ph":"B","ts":null}}]', {"missing_ts": 2}),
        (f'[{A},1,"x",[2],true]', {"not_an_event": 4}),
        (f'[{A},{{"ph":"XX","ts":1}},{{"ph":7,"ts":1}}]', {"bad_ph": 2}),
        (f"[{A}]\0\0\0", {"trailing_bytes": 3}),
        (f"[{A}]garbage", {"trailing_bytes": 7}),
        (f"[{A}\0\0\0", {"trailing_bytes": 3}),
    ],
)
def test_what_is_no_event_is_counted(text: str, ignored: dict[str, int]) -> None:
    result = read(text)
    assert result.names == ["a"]
    assert result.summary.ignored == ignored


@pytest.mark.parametrize(
    ("phase", "reason"),
    [
        ("N", "object_created"),
        ("O", "object_snapshot"),
        ("D", "object_deleted"),
        ("c", "clock_sync"),
        ("v", "memory_dump"),
        ("V", "memory_dump"),
        ("?", "unknown_phase_?"),
    ],
)
def test_phases_that_are_not_shown_are_counted(phase: str, reason: str) -> None:
    result = read(array(A, event(ph=phase)))
    assert result.names == ["a"]
    assert result.summary.ignored == {reason: 1}
    assert result.summary.counts.other == 1
    assert result.summary.counts.total == 2


@pytest.mark.parametrize(
    "text", ["", " \n", "[]", "[ ]\n", '{"traceEvents":[]}', '{"traceEvents":null}', "\ufeff", "["]
)
def test_an_empty_trace_says_so(text: str) -> None:
    result = read(text)
    assert result.rows == []
    assert result.summary.counts.total == 0
    assert len(result.summary.warnings) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html>", r"byte 0: this is no JSON \(line 1, column 1\)"),
        ("hello", "this is no JSON"),
        ('"a string"', "this is no JSON"),
        ("42", "this is no JSON"),
        ('{"a":1}', "it has no traceEvents"),
        ("{}", "it has no traceEvents"),
        ('{"a":1}\n{"b":2}', 'none of its 2 values has a "ph"'),
        ('{"traceEvents":{"a":1}}', "traceEvents is not an array"),
        ('{"traceEvents":"x"}', "traceEvents is not an array"),
        ("[1,2,3]", 'none of its 3 values has a "ph"'),
        ('[{"a":1}]', 'none of its 1 values has a "ph"'),
        ('{"a" 1}', r"damaged before any trace event \(line 1, column 2\)"),
        ("[\n  // a comment\n]", r"single quotes and comments are no JSON \(line 2, column 3\)"),
        ("[\n{'ph':'X'}]", r"byte 3: single quotes and comments are no JSON \(line 2, column 2\)"),
        (f"[{A},\n  /* no */ {B}]", r"single quotes and comments are no JSON \(line 2, column 3\)"),
        ("{'traceEvents':[]}", r"single quotes .* \(line 1, column 2\)"),
        ("// a comment\n[]", "single quotes and comments are no JSON"),
        ('[{"ph":"X", "ts": 1 /* us */}]', "single quotes and comments are no JSON"),
    ],
)
def test_what_is_no_trace_is_refused(text: str, message: str) -> None:
    reader = TraceEventReader(source_of(text.encode()))
    with pytest.raises(UnknownFormat, match=message) as caught:
        list(reader.chunks())
    assert str(caught.value).startswith("trace.json: ")
    assert "\n" not in str(caught.value)


def test_lines_are_counted_across_buffers() -> None:
    text = "[" + "\n".join([event() + ","] * 50_000) + "\n 'x'"
    with pytest.raises(UnknownFormat, match=r"\(line 50001, column 2\)"):
        read(text)


def test_a_large_member_before_the_events_is_passed_over() -> None:
    text = '{"stackFrames":{"x":"' + "y" * 3_000_000 + '"},"traceEvents":[' + A + "]}"
    assert read(text).names == ["a"]


def test_a_large_event_is_read() -> None:
    assert read(array(event(f',"args":{{"x":"{"y" * 3_000_000}"}}'), B)).names == ["a", "b"]


def test_a_line_whose_phase_comes_too_late_is_counted() -> None:
    late = '{"args":{"x":"' + "y" * 2_000_000 + '"},"ph":"i","ts":1}'
    result = read(f"{A}\n{late}\n{B}")
    assert result.names == ["a", "b"]
    assert result.summary.ignored == {"oversized_event": 1}


def test_an_event_that_never_ends_is_given_up() -> None:
    result = read("[" + A + ',{"name":"x","args":[' + "1," * 35_000_000 + B + ",\n" + C + "]")
    assert result.names == ["a", "b", "c"]
    assert result.summary.ignored == {"oversized_event": 1}


def test_base_time_and_host_name() -> None:
    summary = read(f'{{"traceEvents":[{A}],"baseTimeNanoseconds":1735632360000000000,"host_name":"n\\u00e91"}}').summary
    assert summary.base_time_ns == 1735632360000000000
    assert summary.hostname == "né1"


def test_differing_base_times_are_reported() -> None:
    one, two = (f'{{"baseTimeNanoseconds":"{base}","traceEvents":[{A}]}}' for base in (1, 2))
    summary = read(one + two).summary
    assert summary.base_time_ns == 1
    assert summary.warnings == ["there are several baseTimeNanoseconds: the first one was used for all events"]


def test_recognised_by_content(tmp_path: Path) -> None:
    path = tmp_path / "looks_like.xplane.pb"
    path.write_text(array(A))
    reader = open_trace(path)
    assert isinstance(reader, TraceEventReader)
    assert sum(len(chunk) for chunk in reader.chunks()) == 1
    assert reader.bytes_read() == reader.size_bytes
    reader.close()


VIZTRACER = '"viztracer_metadata":{{"version":"1.1.1","baseTimeNanoseconds":{base}}}'


@pytest.mark.parametrize("is_behind", [False, True])
def test_the_base_time_of_viztracer(is_behind: bool) -> None:
    base, events = VIZTRACER.format(base=1700000000000000000), f'"traceEvents":[{A}]'
    parts = [events, base] if is_behind else [base, events]
    summary = read("{" + ",".join(parts) + "}").summary
    assert summary.base_time_ns == 1700000000000000000
    assert summary.warnings == []
    assert [attachment.name for attachment in summary.attachments] == ["json/viztracer_metadata"]


@pytest.mark.parametrize("own_first", [False, True])
def test_the_base_time_of_the_trace_comes_before_that_of_viztracer(own_first: bool) -> None:
    parts = ['"baseTimeNanoseconds":5', VIZTRACER.format(base=7)]
    summary = read("{" + ",".join(parts if own_first else parts[::-1]) + f',"traceEvents":[{A}]}}').summary
    assert summary.base_time_ns == 5
    assert summary.warnings == ["there are several baseTimeNanoseconds: the first one was used for all events"]


@pytest.mark.parametrize("value", ['{"baseTimeNanoseconds":null}', '{"version":"1.1.1"}', "[]", '"no"', "{" * 300])
def test_metadata_of_viztracer_without_a_base_time(value: str) -> None:
    assert read(f'{{"traceEvents":[{A}],"viztracer_metadata":{value}').summary.base_time_ns == 0


def test_a_base_time_of_viztracer_that_is_no_number() -> None:
    text = f'{{{VIZTRACER.format(base="1e18")},"traceEvents":[{A}]}}'
    assert read(text).summary.ignored == {"bad_base_time": 1}


def test_samples_are_counted_and_named() -> None:
    samples = '[{"cpu":0,"sf":{"a":[{}]}},{"cpu":1},null]'
    chunk = '{"ph":"P","ts":1,"name":"ProfileChunk","pid":1,"tid":1,"args":{}}'
    summary = read(f'{{"traceEvents":[{A},{chunk}],"samples":{samples},"stackFrames":{{"1":{{"name":"f"}}}}}}').summary
    assert summary.ignored == {}
    assert summary.counts.instants == 1
    assert summary.warnings == [
        "2 samples of a profiler: not shown yet",
        "1 event Profile or ProfileChunk has samples of V8's CPU profiler, which are not shown yet",
    ]
