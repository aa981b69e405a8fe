"""Timeline of a profile: at each moment, the stage of each thread and whether it works."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from tilescope.tiler.profile.spans import ProfileSpan, WorkProfile

# Only one thread at a time is in Python: of several that seem to be, the others wait for its lock.
ThreadState = Literal["python", "unlocked", "waiting"]

_STATES: Final[dict[str, ThreadState]] = {
    "stage": "python",
    "call": "python",
    "unlocked": "unlocked",
    "wait": "waiting",
}


class ThreadPiece(NamedTuple):
    """A stretch of time of one thread in which nothing changes. `stage` is the innermost."""

    begin_ns: int
    end_ns: int
    stage: str
    state: ThreadState


class Moment(NamedTuple):
    """A stretch of time in which no thread changes. `stages`: those in work, and how many threads run in each."""

    begin_ns: int
    end_ns: int
    stages: dict[str, float]

    @property
    def running(self) -> float:
        """Number of threads that run."""
        return sum(self.stages.values())


def spans_by_thread(profile: WorkProfile) -> dict[int, list[ProfileSpan]]:
    """The spans of each thread, each behind those that it lies in."""
    threads: defaultdict[int, list[ProfileSpan]] = defaultdict(list)
    last_ended_first = profile.spans[::-1]  # of spans with the same times, the outer one ended last
    for span in sorted(last_ended_first, key=lambda span: (span.begin_ns, -span.end_ns)):
        threads[span.thread].append(span)
    return threads


def thread_pieces(spans: Iterable[ProfileSpan]) -> Iterator[ThreadPiece]:
    """Pieces of one thread, whose spans come as in `spans_by_thread`. Nothing while it is in no stage."""
    open_spans: list[tuple[ProfileSpan, str]] = []  # each with the stage
    position_ns = 0

    def until(time_ns: int) -> Iterator[ThreadPiece]:
        nonlocal position_ns
        if open_spans and time_ns > position_ns:
            span, stage = open_spans[-1]
            if stage:
                yield ThreadPiece(position_ns, time_ns, stage, _STATES[span.kind])
        position_ns = max(position_ns, time_ns)

    for span in spans:
        while open_spans and open_spans[-1][0].end_ns <= span.begin_ns:
            yield from until(open_spans[-1][0].end_ns)
            open_spans.pop()
        yield from until(span.begin_ns)
        outer = open_spans[-1][1] if open_spans else ""
        open_spans.append((span, span.name if span.kind == "stage" else outer))
    while open_spans:
        yield from until(open_spans[-1][0].end_ns)
        open_spans.pop()


def moments(profile: WorkProfile) -> Iterator[Moment]:
    """The whole time of the profile, in pieces, in order."""
    changes: list[tuple[int, int, ThreadPiece]] = []
    for spans in spans_by_thread(profile).values():
        for piece in thread_pieces(spans):
            changes += [(piece.begin_ns, 1, piece), (piece.end_ns, -1, piece)]
    changes.sort(key=lambda change: change[:2])
    position_ns = profile.begin_ns
    counts: defaultdict[tuple[str, ThreadState], int] = defaultdict(int)
    for time_ns, step, piece in changes:
        time_ns = min(max(time_ns, profile.begin_ns), profile.end_ns)
        if time_ns > position_ns:
            yield Moment(position_ns, time_ns, _running(counts))
            position_ns = time_ns
        counts[piece.stage, piece.state] += step
    if profile.end_ns > position_ns:
        yield Moment(position_ns, profile.end_ns, _running(counts))


def _running(counts: dict[tuple[str, ThreadState], int]) -> dict[str, float]:
    in_python = sum(count for (_, state), count in counts.items() if state == "python")
    stages: dict[str, float] = {}
    for (stage, state), count in counts.items():
        if count:
            running = {"python": count / max(in_python, 1), "unlocked": float(count), "waiting": 0.0}[state]
            stages[stage] = stages.get(stage, 0.0) + running
    return stages
