"""Spans in Jaeger's JSON, as its page saves and its API answers them. Times are microseconds since the epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilescope.tiler.readers.telemetry.span import ServiceSpan, SpanEvent, SpanLink

_MICROSECOND_NS: Final = 1000
_LATEST_US: Final = 1 << 52


def spans_of(value: Mapping[str, object], ignored: dict[str, int]) -> Iterator[ServiceSpan]:
    """The spans of an object. What is left out is counted."""
    for trace in _objects(value.get("data")):
        processes = trace.get("processes")
        for entry in _objects(trace.get("spans")):
            span = _span(entry, processes if isinstance(processes, dict) else {})
            if span is None:
                ignored["spans_without_id_or_time"] = ignored.get("spans_without_id_or_time", 0) + 1
            else:
                yield span


def _span(entry: Mapping[str, object], processes: Mapping[str, object]) -> ServiceSpan | None:
    start, duration = _whole(entry.get("startTime")), _whole(entry.get("duration"))
    span_id, trace_id = _text(entry.get("spanID")), _text(entry.get("traceID"))
    if start is None or not span_id:
        return None
    key = _text(entry.get("processID"))
    process = processes.get(key) or entry.get("process")
    place = process if isinstance(process, dict) else {}
    tags = _tags(place.get("tags"))
    parent, links = "", []
    for reference in _objects(entry.get("references")):
        if reference.get("refType") == "CHILD_OF" and not parent and _text(reference.get("traceID")) == trace_id:
            parent = _text(reference.get("spanID"))
        else:
            links.append(SpanLink(_text(reference.get("traceID")), _text(reference.get("spanID"))))
    args = _tags(entry.get("tags"))
    return ServiceSpan(
        service=_text(place.get("serviceName")) or key or "service",
        instance=str(tags.get("service.instance.id") or tags.get("hostname") or tags.get("ip") or ""),
        thread=str(args.get("thread.name") or args.get("thread.id") or ""),
        trace=trace_id,
        id=span_id,
        parent=parent,
        name=_text(entry.get("operationName")) or "span",
        kind=str(args.get("span.kind") or ""),
        start_ns=start * _MICROSECOND_NS,
        end_ns=(start + (duration or 0)) * _MICROSECOND_NS,
        args=args,
        moments=tuple(_moments(entry)),
        links=tuple(links),
    )


def _moments(entry: Mapping[str, object]) -> Iterator[SpanEvent]:
    for log in _objects(entry.get("logs")):
        time = _whole(log.get("timestamp"))
        if time is not None:
            fields = _tags(log.get("fields"))
            name = fields.get("event") or fields.get("message") or "log"
            yield SpanEvent(str(name), time * _MICROSECOND_NS, fields)


def _tags(entries: object) -> dict[str, object]:
    return {_text(entry.get("key")): entry.get("value") for entry in _objects(entries)}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LATEST_US else None


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
