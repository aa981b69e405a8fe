"""The translation of spans: services as processes, instances of them as tracks, what goes across as flows.

Spans of an instance that overlap are on rows below each other. A flow leads from each parent to a child on another
track, and from each span that is linked; both ends have to be in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.telemetry.span import ServiceSpan
from tilescope.tiler.readers.translated.event_text import Event, event_texts, metadata, trace_text

CATEGORY: Final = "span"
_SPANS: Final = "spans"


class _Place(Struct, frozen=True):
    pid: str
    tid: str
    start_ns: int
    end_ns: int


class SpanTranslation:
    """A `Translation` of a source, which belongs to it. `read` yields its spans, and counts what is left out."""

    def __init__(
        self, source: ByteSource, read: Callable[[ByteSource, dict[str, int]], Iterator[ServiceSpan]], room: Room
    ) -> None:
        self.ignored: dict[str, int] = {}
        self.warnings: list[str] = []
        self._source = source
        self._read = read
        self._room = room

    def pieces(self) -> Iterator[bytes]:
        """The text. Raises TraceError."""
        return trace_text(event_texts(self._events()), dict)

    def bytes_read(self) -> int:
        """Bytes of the file that were read."""
        return self._source.bytes_read

    def close(self) -> None:
        """Closes the source."""
        self._source.close()

    def _events(self) -> Iterator[Event]:
        """Spans as they come, flows when the place of each span is known."""
        places: dict[tuple[str, str], _Place] = {}
        leads: list[tuple[tuple[str, str], tuple[str, str], bool]] = []  # from, to, from a parent
        named: set[tuple[str, str]] = set()
        id_bytes = 0
        for span in self._read(self._source, self.ignored):
            place = _Place(span.service, _track(span), span.start_ns, span.end_ns)
            for name, tid in (("process_name", None), ("thread_name", place.tid)):
                if (place.pid, tid or "") not in named:
                    named.add((place.pid, tid or ""))
                    yield metadata(name, place.pid, tid, tid or place.pid)
            key = (span.trace, span.id)
            if key in places:
                self.ignored["spans_of_an_id_that_is_there"] = self.ignored.get("spans_of_an_id_that_is_there", 0) + 1
            places.setdefault(key, place)
            id_bytes += len(span.trace) + len(span.id)
            self._room.check(self._source.path, ids=len(places), id_bytes=id_bytes)
            if span.parent:
                leads.append(((span.trace, span.parent), key, True))
            leads += [((link.trace, link.span), key, False) for link in span.links]
            yield from _span_events(span, place)
        yield from self._flows(leads, places)

    def _flows(
        self,
        leads: Iterable[tuple[tuple[str, str], tuple[str, str], bool]],
        places: Mapping[tuple[str, str], _Place],
    ) -> Iterator[Event]:
        missing = 0
        for number, (start, end, is_parent) in enumerate(leads, 1):
            source, target = places.get(start), places[end]
            if source is None:
                missing += 1
                continue
            if is_parent and (source.pid, source.tid) == (target.pid, target.tid):
                continue
            flow = {"cat": "parent" if is_parent else "link", "name": "parent" if is_parent else "link", "id": number}
            # Where the child begins, if its parent lasts so long; a link may come from a span that has ended.
            begin = min(max(target.start_ns, source.start_ns), source.end_ns)
            yield flow | {"ph": "s", "pid": source.pid, "tid": source.tid, "ts": begin}
            yield flow | {"ph": "f", "bp": "e", "pid": target.pid, "tid": target.tid, "ts": target.start_ns}
        if missing:
            self.ignored["parents_and_links_that_are_elsewhere"] = missing


def _track(span: ServiceSpan) -> str:
    return " · ".join(part for part in (span.instance, span.thread) if part) or _SPANS


def _span_events(span: ServiceSpan, place: _Place) -> Iterator[Event]:
    ids = {"trace": span.trace, "span": span.id, **({"kind": span.kind} if span.kind else {})}
    common = {"cat": CATEGORY, "pid": place.pid, "tid": place.tid}
    yield common | {
        "ph": "X",
        "name": span.name,
        "ts": span.start_ns,
        "dur": span.end_ns - span.start_ns,
        "args": {**span.args, **ids},
    }
    for moment in span.moments:
        yield common | {"ph": "i", "name": moment.name, "ts": moment.time_ns, "args": moment.args}
