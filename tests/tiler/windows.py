"""Windows for property tests, and what they mean, in plain Python."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.example import PlainEvent
from tilescope.tiler.windows import Windows

_LENGTHS = st.sampled_from([0, 1, 5, 1000, 70_000, 5_000_000])
_SPAN = st.tuples(st.integers(-1000, 4_100_000), _LENGTHS).map(lambda s: (s[0], s[0] + s[1]))
_SHORT = st.tuples(st.integers(0, 4_000_000), st.integers(1, 3000)).map(lambda s: (s[0], s[0] + s[1]))

# One window as a rule; else a few of any length, or many short ones.
WINDOWS = (st.lists(_SPAN, min_size=1, max_size=1) | st.lists(_SPAN, max_size=4) | st.lists(_SHORT, max_size=60)).map(
    lambda spans: Windows.from_spans([start for start, _ in spans], [stop for _, stop in spans])
)


def pairs(windows: Windows) -> list[tuple[int, int]]:
    """(start, stop) of each window."""
    return list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))


def starts_in(event: PlainEvent, windows: Windows) -> bool:
    return any(start <= event.start < stop for start, stop in pairs(windows))


def overlaps(event: PlainEvent, windows: Windows) -> bool:
    return any(event.overlaps(start, stop) for start, stop in pairs(windows))


def ticks_in(event: PlainEvent, windows: Windows) -> int:
    end = event.start + event.duration
    return sum(max(0, min(end, stop) - max(event.start, start)) for start, stop in pairs(windows))
