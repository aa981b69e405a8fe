"""Trace-event JSON as text, event by event, and cases over it."""

from __future__ import annotations

from collections.abc import Callable

from tests.hostile.case import Case, Indexed, Refused, put

Spans = tuple[tuple[str, int, int], ...]

A = '{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":2}'
B = '{"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":2}'
US = 1_000_000  # ps
SPAN_A, SPAN_B = ("a", 0, 2 * US), ("b", 4 * US, 2 * US)
BOTH: Spans = (SPAN_A, SPAN_B)


def event(ph: str, ts: object, **more: object) -> str:
    """One event on thread 2 of process 1; values are text as it is written."""
    members = {"name": '"a"', "pid": "1", "tid": "2", "ts": ts, **more}
    return (
        "{" + f'"ph":"{ph}"' + "".join(f',"{key}":{value}' for key, value in members.items() if value is not None) + "}"
    )


def array(*events: str) -> str:
    """The events as a file."""
    return "[" + ",\n".join(events) + "]"


def many(count: int, make: Callable[[int], str]) -> str:
    """So many events as a file, made one by one of their numbers."""
    return array(*map(make, range(count)))


def case(
    name: str,
    about: str,
    content: str | bytes,
    accepted: Indexed | Refused,
    *others: Indexed | Refused,
    file: str = "t.json",
) -> Case:
    """A case of one small JSON file."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return Case(name, about, put(file, data), (accepted, *others))


def kept(said: tuple[str, ...] = (), events: int = 2, spans: Spans | None = BOTH, tracks: int = 1) -> Indexed:
    """Both events are there."""
    return Indexed(events, tracks, said, spans)
