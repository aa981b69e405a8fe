"""The text of a trace: events as JSON, one after the other, and members of the object around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

Event = Mapping[str, object]

_EVENTS: Final = 512  # in a piece
_PIECE_BYTES: Final = 1 << 20
_ENCODER: Final = msgspec.json.Encoder()


def trace_text(events: Iterable[bytes], members: Callable[[], Mapping[str, object]]) -> Iterator[bytes]:
    """Pieces of a JSON object: `events` are one or several each, with commas between; `members` is asked at the end."""
    begin = b'{"traceEvents":[\n'
    for text in events:
        if text:
            yield begin + text
            begin = b"\n,"
    ends = "".join(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in members().items())
    yield (b"" if begin == b"\n," else begin) + f"\n]{ends}}}\n".encode()


def event_texts(events: Iterable[Event]) -> Iterator[bytes]:
    """Events as JSON, many at once."""
    batch: list[bytes] = []
    size = 0
    for event in events:
        batch.append(_encoded(event))
        size += len(batch[-1])
        if len(batch) == _EVENTS or size > _PIECE_BYTES:
            yield b"\n,".join(batch)
            batch.clear()
            size = 0
    yield b"\n,".join(batch)


def _encoded(event: Event) -> bytes:
    """The JSON of an event, also of one with integers beyond 64 bits, or with halves of characters."""
    try:
        return _ENCODER.encode(event)
    except (OverflowError, TypeError, ValueError, RecursionError):
        pass
    try:
        return json.dumps(event, default=str).encode()
    except (RecursionError, ValueError, OverflowError):
        return json.dumps(
            {**event, "args": {"[unreadable]": "nested too deep, or numbers too long"}}, default=str
        ).encode()


def metadata(what: str, pid: int | str, tid: int | str | None, value: str | int) -> Event:
    """A metadata event: `process_name`, `thread_name` or `process_sort_index`."""
    key = "sort_index" if what.endswith("sort_index") else "name"
    thread = {} if tid is None else {"tid": tid}
    return {"ph": "M", "name": what, "pid": pid, **thread, "args": {key: value}}
