"""A span of a service, whatever wrote it."""

from __future__ import annotations

from msgspec import Struct


class SpanEvent(Struct, frozen=True):
    """An event within a span."""

    name: str
    time_ns: int
    args: dict[str, object]


class SpanLink(Struct, frozen=True):
    """A span that this one comes from without being within it."""

    trace: str
    span: str


class ServiceSpan(Struct, frozen=True):
    """Times in nanoseconds since the epoch."""

    service: str
    instance: str  # of the service, "" where there is one
    thread: str  # "" where it is not recorded
    trace: str
    id: str
    parent: str  # "" of a root
    name: str
    kind: str
    start_ns: int
    end_ns: int
    args: dict[str, object]
    moments: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
