"""Which part of time is shown: against a plain search over all windows."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.columns import Crowd, Length, Span
from tilescope.tiler.indexing.reading.window import NANOSECONDS, PICOSECONDS, choose_window

LIMIT = {NANOSECONDS: (2**61 - 1), PICOSECONDS: (2**61 - 1) // 1000}
DAY = 86400 * 10**9

# Times around which crowds are: near each other, near the borders of both axes, and wild.
PLACES = st.one_of(
    st.integers(0, 5 * DAY),
    st.integers(20 * DAY, 30 * DAY),
    st.sampled_from([2**61 - DAY, 2**61, 2**61 + DAY, 2**62, 2**63 - 1, -(2**63), -(2**61)]),
    st.integers(-(2**63), 2**63 - 1),
)
EXTENTS = {
    Length.SHORT: st.integers(0, 3 * DAY),
    Length.LONG: st.integers(14 * DAY, 2**60),
    Length.ENDLESS: st.integers(2**60, 2**61),
}


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    length = draw(st.sampled_from([Length.SHORT] * 4 + [Length.LONG, Length.ENDLESS]))
    first = draw(PLACES)
    span = Span(first, first + draw(EXTENTS[length]), draw(st.integers(0, 999)), draw(st.booleans()))
    return Crowd(length, span, draw(st.sampled_from([1, 2, 50, 500])))


FILES = st.lists(
    st.tuples(st.lists(crowds(), min_size=1, max_size=5), st.sampled_from([0, 7, 2**62])), min_size=1, max_size=3
)

Placed = tuple[int, Crowd, int, int]  # file, crowd, first, last


def fit(found: list[Placed], scale: int) -> bool:
    return not found or max(c[3] for c in found) - min(c[2] for c in found) + 1 <= LIMIT[scale]


def busiest(found: list[Placed], scale: int) -> list[Placed]:
    windows = []
    for first in sorted({c[2] for c in found}):
        inside = [c for c in found if c[2] >= first and c[3] - first + 1 <= LIMIT[scale]]
        windows.append((-sum(c[1].events for c in inside), first, inside))
    return min(windows, key=lambda window: window[:2])[2] if windows else []


def cheap(found: list[Placed], kept: list[Placed]) -> bool:
    total, left = Counter[int](), Counter[int]()
    for counter, some in ((total, found), (left, kept)):
        for c in some:
            counter[c[0]] += c[1].events
    lost = {file: total[file] - left[file] for file in total}
    return all(100 * lost[f] <= total[f] or (lost[f] == 1 and total[f] >= 3) for f in total)


@given(FILES)
def test_the_window_with_the_most_events(files: list[tuple[list[Crowd], int]]) -> None:
    everyone: list[Placed] = [
        (number, c, (c.span.first_ns or 0) + base, c.span.last_ns + base)
        for number, (some, base) in enumerate(files)
        for c in some
    ]
    shown = everyone
    if not fit(everyone, NANOSECONDS):
        shown = busiest([c for c in everyone if c[1].length < Length.ENDLESS], NANOSECONDS)
    if any(c[1].span.any_ps for c in shown) and not fit(shown, PICOSECONDS):
        close = busiest([c for c in shown if c[1].length == Length.SHORT], PICOSECONDS)
        if any(c[1].span.any_ps for c in close) and cheap(shown, close):
            shown = close
    window = choose_window(files)
    if len(shown) == len(everyone):
        assert window is None
    elif shown:
        assert window is not None
        assert window.first_ns == min(c[2] for c in shown)
        assert (window.last_ns, window.last_ps) == max((c[3], c[1].span.last_ps) for c in shown)
        assert fit(shown, window.ticks_per_ns)


def test_of_windows_with_as_many_events_the_earliest() -> None:
    far = [Crowd(Length.SHORT, Span(k << 62, k << 62), 5) for k in (1, -1, 0)]
    window = choose_window([(far, 0)])
    assert window is not None
    assert (window.first_ns, window.last_ns) == (-1 << 62, -1 << 62)
