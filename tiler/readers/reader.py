"""The contract of a format reader."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import Executor
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import Activity, EventChunk, MakeColumn, SliceColumns, Span, TickScale, TraceSummary


class Reader(Protocol):
    """Reads one trace file. `chunks` may be called once; `summary` is complete when it is exhausted.

    Raises `TraceError` with path, byte offset and advice.
    """

    size_bytes: int  # of the file as it lies on disk

    def chunks(self) -> Iterator[EventChunk]: ...

    def bytes_read(self) -> int:
        """Progress of the reader in `size_bytes`."""

    def summary(self) -> TraceSummary: ...

    def summary_so_far(self) -> TraceSummary:
        """Processes and tracks that are known between two chunks, to be asked by whoever takes the chunks."""

    def close(self) -> None: ...


@runtime_checkable
class TrackwiseReader(Reader, Protocol):
    """Reads each track by itself: in any order, several at a time, and again if need be. So nothing has to be kept.

    `survey` comes first. When it is exhausted `summary` is complete, and the rest may be called, from any thread.
    """

    def survey(self, executor: Executor | None) -> Generator[None, None, None]:
        """Looks into all tracks, by tasks on `executor`, which have ended when this is closed. Yields for progress."""

    def span_of(self, track: int) -> Span: ...

    def events_of(self, track: int) -> int:
        """Number of events of a track, without flow ends."""

    def rows_of(self, track: int) -> int:
        """Number of rows of a track's chunks: events and flow ends."""

    def activity_of(self, track: int) -> Activity | None: ...

    def track_chunks(self, track: int) -> Iterator[EventChunk]:
        """The track's events, in file order."""


@runtime_checkable
class SliceReader(TrackwiseReader, Protocol):
    """Reads slices straight into the columns that their track is built from, without chunks."""

    def track_slices(
        self, track: int, scale: TickScale, names: NDArray[np.int32], make: MakeColumn
    ) -> SliceColumns | None:
        """All events of a track, as `track_chunks` has them; None: that is to be asked.

        `names` has the numbers that the names of the summary have in the run.
        """
