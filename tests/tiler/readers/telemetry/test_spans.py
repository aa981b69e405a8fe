"""Spans of services: each is a slice on its service, with attributes, events, and flows from its parent and links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers.translated_events import Event, read_events
from tilescope.tiler.columns import Phase
from tilescope.tiler.errors import DamagedTrace

TRACE = "5b8aa5a2d2c872e8321cf37308d69df2"
START = 1_544_712_660_000_000_000


def attribute(key: str, **value: object) -> dict[str, object]:
    return {"key": key, "value": value}


def span(span_id: str, start: int, end: int, **other: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": span_id,
        "name": span_id,
        "startTimeUnixNano": str(START + start),
        "endTimeUnixNano": str(START + end),
    } | other


def service(name: str, *spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [attribute("service.name", stringValue=name)]}
    return {"resource": resource, "scopeSpans": [{"spans": list(spans)}]}


FRONT = service(
    "front",
    span(
        "get",
        0,
        900,
        kind=2,
        attributes=[attribute("http.status", intValue="200"), attribute("cached", boolValue=False)],
        events=[{"timeUnixNano": str(START + 10), "name": "queued", "attributes": [attribute("depth", intValue="3")]}],
    ),
    span("render", 100, 300, parentSpanId="get"),
    span("other", 200, 400, parentSpanId="get"),
)
MODEL = service(
    "model",
    span(
        "chat",
        150,
        800,
        parentSpanId="get",
        links=[{"traceId": TRACE, "spanId": "render"}, {"traceId": TRACE, "spanId": "gone"}],
        status={"code": 2, "message": "out of memory"},
        attributes=[
            attribute("gen_ai.usage.output_tokens", intValue="512"),
            attribute("gen_ai.request.model", stringValue="small"),
            attribute("stops", arrayValue={"values": [{"stringValue": "a"}, {"doubleValue": 0.5}]}),
        ],
    ),
)


def slices(events: list[Event]) -> dict[str, Event]:
    return {event.name: event for event in events if event.phase is Phase.COMPLETE}


@pytest.mark.parametrize("lines", [True, False])
def test_otlp(tmp_path: Path, lines: bool) -> None:
    path = tmp_path / "spans.json"
    if lines:
        path.write_text("\n".join(json.dumps({"resourceSpans": [entry]}) for entry in (FRONT, MODEL)))
    else:
        path.write_text(json.dumps({"resourceSpans": [FRONT, MODEL]}, indent=2))
    events, summary = read_events(path)
    assert summary.format == "otlp_json"
    by_name = slices(events)
    assert {name: (event.process, event.start_ns - START, event.duration_ns) for name, event in by_name.items()} == {
        "get": ("front", 0, 900),
        "render": ("front", 100, 200),
        "other": ("front", 200, 200),
        "chat": ("model", 150, 650),
    }
    assert by_name["get"].args == {"http.status": 200, "cached": False, "trace": TRACE, "span": "get", "kind": "server"}
    assert by_name["chat"].args == {
        "gen_ai.usage.output_tokens": 512,
        "gen_ai.request.model": "small",
        "stops": ["a", 0.5],
        "status": "error",
        "message": "out of memory",
        "trace": TRACE,
        "span": "chat",
    }
    (queued,) = (event for event in events if event.phase is Phase.INSTANT)
    assert (queued.name, queued.start_ns - START, queued.args) == ("queued", 10, {"depth": 3})
    flows = [(event.name, event.process, event.start_ns - START) for event in events if event.phase >= Phase.FLOW_START]
    assert flows == [("parent", "front", 150), ("parent", "model", 150), ("link", "front", 150), ("link", "model", 150)]
    assert summary.ignored == {"parents_and_links_that_are_elsewhere": 1}


def test_jaeger(tmp_path: Path) -> None:
    entries = [
        {"traceID": "t", "spanID": "a", "operationName": "get", "startTime": 100, "duration": 50, "processID": "p1"},
        {
            "traceID": "t",
            "spanID": "b",
            "operationName": "query",
            "references": [{"refType": "CHILD_OF", "traceID": "t", "spanID": "a"}],
            "startTime": 110,
            "duration": 20,
            "processID": "p2",
            "tags": [{"key": "rows", "type": "int64", "value": 7}],
            "logs": [{"timestamp": 111, "fields": [{"key": "event", "value": "begin"}]}],
        },
        {"traceID": "t", "spanID": "", "startTime": 1},
    ]
    processes = {"p1": {"serviceName": "front"}, "p2": {"serviceName": "db", "tags": [{"key": "ip", "value": "::1"}]}}
    path = tmp_path / "jaeger.json"
    path.write_text(json.dumps({"data": [{"traceID": "t", "spans": entries, "processes": processes}]}))
    events, summary = read_events(path)
    assert summary.format == "jaeger_json"
    by_name = slices(events)
    assert (by_name["query"].process, by_name["query"].track) == ("db", "::1")
    assert (by_name["query"].start_ns, by_name["query"].duration_ns) == (110_000, 20_000)
    assert by_name["query"].args == {"rows": 7, "trace": "t", "span": "b"}
    assert [event.name for event in events if event.phase is Phase.INSTANT] == ["begin"]
    assert sum(event.phase >= Phase.FLOW_START for event in events) == 2
    assert summary.ignored == {"spans_without_id_or_time": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"startTimeUnixNano": "soon"},
        {"startTimeUnixNano": 1e300},
        {"startTimeUnixNano": "9" * 30},
        {"spanId": 7},
        {"spanId": ""},
        {"startTimeUnixNano": True},
    ],
)
def test_spans_without_id_or_time_are_counted(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"resourceSpans": [service("s", span("sound", 0, 1), span("x", 0, 1) | wrong)]}))
    events, summary = read_events(path)
    assert list(slices(events)) == ["sound"]
    assert summary.ignored == {"spans_without_id_or_time": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"attributes": 7, "events": {}, "links": [None], "status": "bad", "kind": [], "parentSpanId": 5},
        {"attributes": [{"key": 5, "value": {"intValue": "x"}}], "endTimeUnixNano": "0", "name": None},
        {"attributes": [{"key": "deep", "value": {"arrayValue": {"values": "no"}}}]},
    ],
)
def test_wrong_types_of_other_members(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"resourceSpans": [service("s", span("x", 0, 1) | wrong)]}))
    events, _ = read_events(path)
    assert len(slices(events)) == 1


def test_metrics_beside_spans_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"resourceSpans": [FRONT]}) + "\n" + json.dumps({"resourceMetrics": [{}, {}]}) + "\n7\n")
    _, summary = read_events(path)
    assert summary.ignored == {"resource_metrics": 2, "values_that_are_no_objects": 1}


def test_a_parent_that_is_its_own_child(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"resourceSpans": [service("s", span("x", 0, 1, parentSpanId="x"))]}))
    events, _ = read_events(path)
    assert len(events) == 1


def test_cut_json_names_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = json.dumps({"resourceSpans": [FRONT]}) + "\n"
    path.write_text(line + line[:100])
    with pytest.raises(DamagedTrace, match=f"byte {len(line)}|ends within an object"):
        read_events(path)
