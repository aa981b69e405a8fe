"""The formats of telemetry, told by the members of their JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.format import Format, Likeness
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.telemetry import jaeger, otlp
from tilescope.tiler.readers.telemetry.span import ServiceSpan
from tilescope.tiler.readers.telemetry.translation import SpanTranslation
from tilescope.tiler.readers.trace_event.signature import has_event_mark
from tilescope.tiler.readers.translated import TranslatedReader

_OTLP: Final = re.compile(rb'"resource_?(?:Spans|spans)"\s*:')
_JAEGER: Final = tuple(re.compile(rb'"%s"\s*:' % name) for name in (b"data", b"traceID", b"spanID", b"operationName"))
_LONGEST: Final = 64 << 20  # bytes of an object, whose values take about ten times as much memory
_STEP: Final = 1 << 20
_WHITE_SPACE: Final = " \t\r\n"


def _is_otlp(head: bytes) -> Likeness:
    is_begun = head.lstrip().startswith(b"{") and not has_event_mark(head)
    return Likeness.CERTAIN if is_begun and _OTLP.search(head) else Likeness.NONE


def _is_jaeger(head: bytes) -> Likeness:
    is_begun = head.lstrip().startswith(b"{") and not has_event_mark(head)
    return Likeness.CERTAIN if is_begun and all(member.search(head) for member in _JAEGER) else Likeness.NONE


def _spans(
    of_object: Callable[[otlp.Object, dict[str, int]], Iterator[ServiceSpan]],
) -> Callable[[ByteSource, dict[str, int]], Iterator[ServiceSpan]]:
    def read(source: ByteSource, ignored: dict[str, int]) -> Iterator[ServiceSpan]:
        for value in _objects(source, ignored):
            yield from of_object(value, ignored)

    return read


def _objects(source: ByteSource, ignored: dict[str, int]) -> Iterator[otlp.Object]:
    """Objects one after the other: one of several lines, or one in each."""
    decoder = json.JSONDecoder(strict=False)
    text, offset = "", 0
    for piece in _texts(source):
        text += piece
        start = 0
        while start < len(text):
            if text[start] in _WHITE_SPACE:
                start += 1
                continue
            try:
                value, end = decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                break  # more is to come
            if isinstance(value, dict):
                yield value
            else:
                ignored["values_that_are_no_objects"] = ignored.get("values_that_are_no_objects", 0) + 1
            start = end
        text, offset = text[start:], offset + start
        if len(text) > _LONGEST:
            what = f"an object of more than {_LONGEST >> 20} MiB, or damaged JSON"
            raise DamagedTrace(source.path, what, offset=offset, advice="write an object a line, as collectors do")
    if text.strip():
        raise DamagedTrace(source.path, "the JSON is damaged, or ends within an object", offset=offset)


def _texts(source: ByteSource) -> Iterator[str]:
    """Pieces that end with a line, or are as long as an object may be."""
    rest = b""
    step = _STEP
    while piece := source.read(step):
        rest += piece
        end = rest.rfind(b"\n") + 1
        if end:
            yield rest[:end].decode("utf-8", "replace")
            rest = rest[end:]
        elif len(rest) > _LONGEST:
            break
        # An object of many lines is tried again with each piece: they grow with it.
        step = min(2 * step, _LONGEST)
    if rest:
        yield rest.decode("utf-8", "replace")
    if source.problem is not None:
        raise DamagedTrace(source.path, source.problem)


def _format(
    format_id: str,
    title: str,
    looks_like: Callable[[bytes], Likeness],
    read: Callable[[ByteSource, dict[str, int]], Iterator[ServiceSpan]],
    endings: tuple[str, ...],
) -> Format:
    def open_reader(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
        translation = SpanTranslation(source, read, room or Room())
        return TranslatedReader(
            translation, format_id, source.path, source.size_bytes, scratch_dir=scratch_dir, room=room
        )

    return Format(
        id=format_id,
        title=title,
        looks_like=looks_like,
        open=open_reader,
        args=json_args.CODEC,
        suffixes=(),
        endings=endings,
    )


OTLP: Final = _format("otlp_json", "OpenTelemetry's JSON", _is_otlp, _spans(otlp.spans_of), (".jsonl", ".otlp"))
JAEGER: Final = _format("jaeger_json", "Jaeger's JSON", _is_jaeger, _spans(jaeger.spans_of), ())
