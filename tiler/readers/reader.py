"""The contract of a format reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tilescope.tiler.columns import EventChunk, TraceSummary


class Reader(Protocol):
    """Reads one trace file. `chunks` may be called once; `summary` is complete when it is exhausted.

    Raises `TraceError` with path, byte offset and advice.
    """

    size_bytes: int  # of the file as it lies on disk

    def chunks(self) -> Iterator[EventChunk]: ...

    def bytes_read(self) -> int:
        """How far the reader is in `size_bytes`, for progress."""

    def summary(self) -> TraceSummary: ...

    def close(self) -> None: ...
