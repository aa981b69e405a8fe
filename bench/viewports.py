"""Viewports of viewers: random ones of a run, and walks through it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bench.stream_client import Tiers
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import QueryReader
from tilescope.tiler.resolver import Tier, View

WIDTH_PX = 1600
TRACKS_ON_SCREEN = 50
STEP = 0.25  # of the screen: how far a viewer moves at once

TIER_OF = {Tier.COARSE: "visible", Tier.SHARP: "visible", Tier.MARGIN: "margin", Tier.ROOT: "prefetch"}


@dataclass(frozen=True, slots=True)
class Viewport:
    """A range of time and the tracks on a screen."""

    start: int
    end: int
    tracks: tuple[int, ...]

    def moved(self, part: float) -> Viewport:
        """The same, so much of its width later."""
        by = int((self.end - self.start) * part)
        return Viewport(self.start + by, self.end + by, self.tracks)

    def tiers(self, reader: QueryReader) -> dict[str, list[PageKey]]:
        """Its pages."""
        wants = reader.pages(View.of_span(self.start, self.end, WIDTH_PX), self.tracks)
        tiers: dict[str, list[PageKey]] = {"visible": [], "margin": [], "prefetch": []}
        for name, group in groupby(wants, key=lambda want: TIER_OF[want.tier]):
            tiers[name] += [want.key for want in group]
        return tiers


def whole_run(reader: QueryReader) -> Viewport:
    """The first screen."""
    return Viewport(0, reader.end, _tracks(reader)[:TRACKS_ON_SCREEN])


def random_viewports(reader: QueryReader, seed: int, room: float = 1) -> Iterator[Viewport]:
    """Anywhere, as wide as the run or a few microseconds and all that is between, of neighbouring tracks.

    `room`: so many times their width lies before the end of the run.
    """
    tracks, draw = _tracks(reader), random.Random(seed)
    while True:
        width = int(reader.end * 10 ** draw.uniform(-5, 0) / room) + 1
        start = draw.randrange(max(1, int(reader.end - width * room)))
        first = draw.randrange(max(1, len(tracks) - TRACKS_ON_SCREEN))
        yield Viewport(start, start + width, tracks[first : first + TRACKS_ON_SCREEN])


def walk(reader: QueryReader, viewport: Viewport, steps: int) -> list[Tiers]:
    """Pages that a viewer moving to the right asks for: of each step those that the steps before have not brought."""
    held: set[PageKey] = set()
    lists: list[Tiers] = []
    for step in range(steps):
        tiers = viewport.moved(step * STEP).tiers(reader)
        lists.append({name: [key for key in keys if key not in held] for name, keys in tiers.items()})
        held.update(key for keys in tiers.values() for key in keys)
    return lists


def all_pages(reader: QueryReader) -> list[PageKey]:
    """Every page of the run."""
    blocks = int(reader.store.manifest()["blocks"])
    shapes = (reader.tiles(block).shape for block in range(blocks))
    return [PageKey(*key) for shape in shapes for key in dict.fromkeys(map(shape.page_of, range(len(shape))))]


def _tracks(reader: QueryReader) -> tuple[int, ...]:
    return tuple(track.id for track in reader.tree.tracks if track.events != 0 and track.kind != "rollup")


def percentile(values: Sequence[float], part: float) -> float:
    """The value that this part of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
