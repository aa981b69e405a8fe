"""What is known of a track once it is built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilescope.tiler.indexing.tracks.track_data import TrackData


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """Totals over the columns of a track, made before there is any tile."""

    events: int = 0
    rows: int = 1
    busy: int = 0  # sum of the durations of its slices
    with_details: int = (
        0  # events that have an entry in a chunk of arguments: all of a track of which any has arguments
    )
    value_range: tuple[float, float] | None = None  # of a counter

    @classmethod
    def of(cls, data: TrackData | None) -> TrackFacts:
        """Of a track that has been read; None: it has no events."""
        if data is None:
            return cls()
        values = None if data.value is None else (float(data.value.min()), float(data.value.max()))
        return cls(len(data), data.rows, data.busy, len(data) if len(data.args) else 0, values)

    @classmethod
    def of_rollup(cls, children: Iterable[TrackFacts]) -> TrackFacts:
        """Of a rollup of these tracks."""
        facts = list(children)
        return cls(sum(child.events for child in facts), 1, sum(child.busy for child in facts))
