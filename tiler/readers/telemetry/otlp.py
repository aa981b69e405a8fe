"""Spans in OTLP JSON: `resourceSpans` of one object, or of an object in each line, as collectors write them.

The mapping of https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: 64-bit integers are texts, ids are in
hexadecimal. Metrics and logs are no spans, and are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilescope.tiler.readers.telemetry.span import ServiceSpan, SpanEvent, SpanLink

_KINDS: Final = ("", "internal", "server", "client", "producer", "consumer")
_LATEST: Final = 1 << 62
_DEEPEST: Final = 20  # values of attributes in each other

Object = Mapping[str, object]


def spans_of(value: Object, ignored: dict[str, int]) -> Iterator[ServiceSpan]:
    """The spans of an object. What is left out is counted."""
    for signal in ("Metrics", "Logs", "Profiles"):
        entries = _objects(value.get(f"resource{signal}") or value.get(f"resource_{signal.lower()}"))
        _count(ignored, f"resource_{signal.lower()}", len(entries))
    for resource_spans in _objects(value.get("resourceSpans") or value.get("resource_spans")):
        resource = resource_spans.get("resource")
        attributes = attributes_of(resource.get("attributes")) if isinstance(resource, dict) else {}
        for scope in _objects(
            resource_spans.get("scopeSpans")
            or resource_spans.get("scope_spans")
            or resource_spans.get("instrumentationLibrarySpans")
        ):
            for entry in _objects(scope.get("spans")):
                span = _span(entry, attributes)
                if span is None:
                    _count(ignored, "spans_without_id_or_time", 1)
                else:
                    yield span


def _span(entry: Object, resource: Mapping[str, object]) -> ServiceSpan | None:
    start, end = (_time(_member(entry, name)) for name in ("startTimeUnixNano", "endTimeUnixNano"))
    span_id = _member(entry, "spanId")
    if start is None or not isinstance(span_id, str) or not span_id:
        return None
    args = attributes_of(entry.get("attributes"))
    status = entry.get("status")
    if isinstance(status, dict) and status.get("code") in (2, "STATUS_CODE_ERROR"):
        args = {**args, "status": "error", **({"message": status["message"]} if status.get("message") else {})}
    kind = entry.get("kind")
    number = kind if isinstance(kind, int) else -1
    named = kind.removeprefix("SPAN_KIND_").lower() if isinstance(kind, str) else ""
    thread = args.get("thread.name") or args.get("thread.id") or ""
    return ServiceSpan(
        service=str(resource.get("service.name") or "service"),
        instance=str(resource.get("service.instance.id") or resource.get("host.name") or ""),
        thread=str(thread),
        trace=_text(_member(entry, "traceId")),
        id=span_id,
        parent=_text(_member(entry, "parentSpanId")),
        name=_text(entry.get("name")) or "span",
        kind=_KINDS[number] if 0 <= number < len(_KINDS) else named,
        start_ns=start,
        end_ns=max(start, end if end is not None else start),
        args=args,
        moments=tuple(_moments(entry)),
        links=tuple(
            SpanLink(_text(_member(link, "traceId")), _text(_member(link, "spanId")))
            for link in _objects(entry.get("links"))
        ),
    )


def _moments(entry: Object) -> Iterator[SpanEvent]:
    for event in _objects(entry.get("events")):
        time = _time(_member(event, "timeUnixNano"))
        if time is not None:
            yield SpanEvent(_text(event.get("name")) or "event", time, attributes_of(event.get("attributes")))


def attributes_of(entries: object) -> dict[str, object]:
    """Attributes by name, with the types that they have."""
    return {_text(entry.get("key")): _value(entry.get("value")) for entry in _objects(entries)}


def _value(value: object, depth: int = 0) -> object:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    for kind, content in value.items():
        if kind in ("intValue", "int_value") and isinstance(content, str):
            digits = content.removeprefix("-")
            return int(content) if digits.isascii() and digits.isdigit() and len(digits) < 20 else content
        if kind in ("arrayValue", "array_value") and isinstance(content, dict):
            return [_value(item, depth + 1) for item in _objects(content.get("values"))]
        if kind in ("kvlistValue", "kvlist_value") and isinstance(content, dict):
            return {
                _text(item.get("key")): _value(item.get("value"), depth + 1) for item in _objects(content.get("values"))
            }
        return content
    return None


def _member(entry: Object, name: str) -> object:
    """A member as it is called in JSON, or in the names of the protobuf messages."""
    if name in entry:
        return entry[name]
    return entry.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name))


def _time(value: object) -> int | None:
    """Nanoseconds, as a text or a number; 0 stands for none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LATEST else None


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(ignored: dict[str, int], reason: str, count: int) -> None:
    if count:
        ignored[reason] = ignored.get(reason, 0) + count
