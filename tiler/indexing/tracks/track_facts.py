"""Facts about a track once it is built."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tilescope.tiler import _native
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.track_data import TrackData


class TrackFacts(Struct, frozen=True):
    """Totals over the columns of a track, made before there is any tile."""

    events: int = 0
    rows: int = 1
    busy: int = 0  # sum of the durations of its slices
    with_details: int = (
        0  # events that have an entry in a chunk of arguments: all of a track of which any has arguments
    )
    value_range: tuple[float, float] | None = None  # of a counter
    fingerprint: int = 0  # of its slices: see docs/page-format.md
    span: tuple[int, int] | None = None  # from the start of its first event to the end of the last; None: not known

    @classmethod
    def from_data(cls, data: TrackData | None) -> TrackFacts:
        """Facts about a track that has been read; None: it has no events."""
        if data is None:
            return cls()
        values, fingerprint = None, 0
        if data.value is None:
            columns = data.start, data.duration, data.row, data.name, data.flags
            fingerprint, last = _native.slice_digest(*columns)
        else:
            values = float(data.value.min()), float(data.value.max())
            last = max([int((data.start[part] + data.duration[part]).max()) for part in parts(len(data))])
        span = int(data.start[0]), last  # in canonical order
        return cls(len(data), data.rows, data.busy, len(data) if len(data.args) else 0, values, fingerprint, span)

    @classmethod
    def of_rollup(cls, children: Iterable[TrackFacts]) -> TrackFacts:
        """Facts about a rollup of these tracks."""
        facts = list(children)
        spans = [child.span for child in facts if child.span is not None]
        span = (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None
        return cls(sum(child.events for child in facts), 1, sum(child.busy for child in facts), span=span)
