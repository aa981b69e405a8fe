"""Profiles as traces that Tilescope opens: trace-event JSON, a track for each thread and one for how many run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Final

import msgspec

from tilescope.tiler.profile.spans import ProfileSpan, WorkProfile
from tilescope.tiler.profile.timeline import moments, spans_by_thread

_PROCESS: Final = 1


def write_profile(profile: WorkProfile, file: IO[bytes]) -> None:
    """Writes the profile as a trace, event by event. Raises OSError."""
    file.write(b'{"displayTimeUnit":"ns","traceEvents":[')
    before = b"\n"
    for event in _events(profile):
        file.write(before + event.encode())
        before = b",\n"
    file.write(b"\n]}\n")


def _events(profile: WorkProfile) -> Iterator[str]:
    yield _metadata("process_name", 0, "tilescope index")
    threads = sorted(spans_by_thread(profile).items(), key=lambda item: item[1][0].begin_ns)
    for number, (thread, spans) in enumerate(threads, 1):
        yield _metadata("thread_name", number, profile.threads.get(thread, "thread"))
        for span in spans:
            yield _slice(span, number, profile.begin_ns)
    running = -1.0
    for moment in moments(profile):
        if moment.running != running:
            running = moment.running
            yield _counter("threads that run", moment.begin_ns - profile.begin_ns, running)


def _metadata(kind: str, thread: int, name: str) -> str:
    return f'{{"ph":"M","pid":{_PROCESS},"tid":{thread},"name":"{kind}","args":{{"name":{_text(name)}}}}}'


def _counter(name: str, time_ns: int, value: float) -> str:
    time = _micros(time_ns)
    return f'{{"ph":"C","pid":{_PROCESS},"name":{_text(name)},"ts":{time},"args":{{"threads":{value:g}}}}}'


def _slice(span: ProfileSpan, thread: int, begin_ns: int) -> str:
    name = f"waits for {span.name}" if span.kind == "wait" else span.name
    cpu = f',"args":{{"cpu_us":{_micros(span.cpu_ns)}}}' if span.cpu_ns >= 0 else ""
    start, duration = _micros(span.begin_ns - begin_ns), _micros(span.end_ns - span.begin_ns)
    return (
        f'{{"ph":"X","pid":{_PROCESS},"tid":{thread},"ts":{start},"dur":{duration},'
        f'"name":{_text(name)},"cat":"{span.kind}"{cpu}}}'
    )


def _micros(time_ns: int) -> str:
    """Nanoseconds in the unit of the format, exactly."""
    return f"{time_ns // 1000}.{time_ns % 1000:03}"


def _text(text: str) -> str:
    return msgspec.json.encode(text).decode()
