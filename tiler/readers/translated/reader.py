"""Reads a file of another format as the trace events that it translates to.

So tracks, arguments, launches and devices are made by what makes them of trace-event JSON. The text goes from the
translation to the native stream piece by piece; none of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.trace_event.reader import TraceEventReader
from tilescope.tiler.readers.translated.translation import Translation


class TranslatedReader(TraceEventReader):
    """A `Reader` of the format `format_id`; the translation belongs to it."""

    def __init__(
        self,
        translation: Translation,
        format_id: str,
        path: Path,
        size_bytes: int,
        *,
        scratch_dir: Path | None = None,
        room: Room | None = None,
    ) -> None:
        """`size_bytes` is that of the file as it lies on disk. Raises TraceError."""
        self._translation = translation
        self._format_id = format_id
        super().__init__(ByteSource(path, _Text(translation), size_bytes), room=room, scratch_dir=scratch_dir)
        self.count_nanoseconds()

    def bytes_read(self) -> int:
        """Bytes of the file as it lies on disk."""
        return self._translation.bytes_read()

    def summary(self) -> TraceSummary:
        """Complete when `chunks` is exhausted, with what the translation left out."""
        summary, translation = super().summary(), self._translation
        return replace(
            summary,
            format=self._format_id,
            ignored=summary.ignored | translation.ignored,
            warnings=[*translation.warnings, *summary.warnings],
        )

    def summary_so_far(self) -> TraceSummary:
        """Processes and tracks of the events that have been taken."""
        return replace(super().summary_so_far(), format=self._format_id)


class _Text:
    """A `RawStream` over the pieces of a translation."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        self._pieces: Iterator[bytes] = translation.pieces()
        self._rest = memoryview(b"")

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes, fewer where a piece ends; none at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest = memoryview(piece)
        part, self._rest = self._rest[:n], self._rest[n:]
        return bytes(part)

    def close(self) -> None:
        """Closes the file that is translated."""
        self._translation.close()
