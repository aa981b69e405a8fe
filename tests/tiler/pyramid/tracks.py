"""Tracks of all sorts for the property tests."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st

from tests.tiler.pyramid.reference import AGGREGATED, CLAMPED, NO_DURATION, OPEN, RENAMED, Slice, canonical

TIME_LIMIT = 1 << 61

FLAGS = (0, OPEN, RENAMED, AGGREGATED, CLAMPED, NO_DURATION, OPEN | RENAMED)

# Put behind a track, this makes its root so wide that the other events must be aggregated in it.
FAR = Slice(4**16, 0, 0)


def nested(rng: random.Random, n: int, names: int, step: int) -> list[Slice]:
    """Calls within calls, one after the other, with gaps; some of no length."""
    slices: list[Slice] = []
    time = 0

    def call(depth: int, budget: int) -> int:
        nonlocal time
        at = len(slices)
        slices.append(Slice(time, 0, rng.randrange(names)))
        made = 1
        while depth < 6 and made < budget and rng.random() < 0.6:
            time += rng.randrange(step)
            made += call(depth + 1, budget - made)
        time += rng.randrange(step)
        slices[at] = slices[at]._replace(duration=time - slices[at].start)
        return made

    while len(slices) < n:
        call(0, n - len(slices))
        time += rng.randrange(1, 3 * step)
    return slices


def scattered(rng: random.Random, n: int, names: int, step: int) -> list[Slice]:
    """Anything: partly overlapping, of all lengths, with many equal times."""
    span = max(1, n * step // 4)
    lengths = [0, 0, 1, 2, 3, step, 7 * step, span // 50, span // 3]
    return [
        Slice(
            rng.randrange(span),
            rng.choice(lengths),
            rng.randrange(names),
            flags=rng.choice(FLAGS) * (rng.random() < 0.05),
        )
        for _ in range(n)
    ]


def bursts(rng: random.Random, n: int, names: int, step: int) -> list[Slice]:
    """Thousands of events at few times, some exactly at one tick, and emptiness between."""
    times = [rng.randrange(1 + 4**9 * step) for _ in range(3)]
    jitter = [1, 1, 4, 300]
    lengths = [0, 0, 1, 2, 40]
    return [
        Slice(rng.choice(times) + rng.randrange(rng.choice(jitter)), rng.choice(lengths), rng.randrange(names))
        for _ in range(n)
    ]


def instants(rng: random.Random, n: int, names: int, step: int) -> list[Slice]:
    """Events of no length."""
    return [Slice(rng.randrange(n * step), 0, rng.randrange(names)) for _ in range(n)]


def under_a_roof(rng: random.Random, n: int, names: int, step: int) -> list[Slice]:
    """Short slices below ones that last for the whole run."""
    inner = nested(rng, n, names, step)
    end = max(s.end for s in inner)
    return [Slice(0, end, 0), Slice(0, end - 1, 1), Slice(1, end - 1, names), *inner]


SHAPES: dict[str, Callable[[random.Random, int, int, int], list[Slice]]] = {
    shape.__name__: shape for shape in (nested, scattered, bursts, instants, under_a_roof)
}


def late(track: list[Slice]) -> list[Slice]:
    """The same events at the end of all time."""
    shift = TIME_LIMIT - 1 - max(s.end for s in track)
    return [s._replace(start=s.start + shift) for s in track]


@st.composite
def small_tracks(draw: st.DrawFn, latest: int = TIME_LIMIT // 4, least: int = 0) -> list[Slice]:
    """A few events, anyhow; at least so many. None starts after `latest`, or lasts longer."""
    times = st.integers(0, 40) | st.integers(0, latest)
    event = st.builds(Slice, times, times, st.integers(-1, 12), flags=st.sampled_from(FLAGS))
    return canonical(draw(st.lists(event, min_size=least, max_size=40)))


@st.composite
def repeated_tracks(draw: st.DrawFn) -> list[Slice]:
    """A small pattern, so many times that tiles above it must aggregate."""
    stride = draw(st.integers(1, 200))
    times = st.integers(0, stride - 1)
    event = st.tuples(times, st.integers(0, 3) | st.integers(0, 2 * stride), st.integers(-1, 12))
    pattern = draw(st.lists(event, min_size=1, max_size=8))
    times_over = draw(st.integers(1100, 1500)) // len(pattern) + 1
    first = draw(st.sampled_from([0, 1, 255, 4**12 - 3]))
    names = draw(st.sampled_from([1, 3, 1000]))
    track = [
        Slice(first + k * stride + start, duration, name if name < 0 else (name + k) % names)
        for k in range(times_over)
        for start, duration, name in pattern
    ]
    return canonical([*track, FAR] if draw(st.booleans()) else track)
