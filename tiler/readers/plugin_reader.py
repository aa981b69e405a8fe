"""Readers of other packages: what they give is looked at before the stages after them take it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import ArgsTables, Attachment, EventChunk, TraceSummary
from tilescope.tiler.readers.plugin_events import ChunkCheck, check_summary
from tilescope.tiler.readers.reader import Reader

T = TypeVar("T")
Blaming = Callable[[Path], AbstractContextManager[None]]


class PluginReader:
    """A `Reader` over one of another package. Raises FormatFailed for whatever is wrong with that.

    It is read from end to end, also where it could give each track by itself.
    """

    def __init__(self, reader: Reader, format_id: str, path: Path, blame: Blaming) -> None:
        self._reader = reader
        self._format = format_id
        self._path = path
        self._blame = blame
        self._check = ChunkCheck()
        with blame(path):
            self.size_bytes = int(reader.size_bytes)

    def chunks(self) -> Iterator[EventChunk]:
        """Chunks of the reader, each checked; at the end what they refer to."""
        for chunk in self._each(self._reader.chunks):
            with self._blame(self._path):
                self._check.add(chunk)
            yield chunk
        with self._blame(self._path):
            self._check.end(self._reader.summary())

    def bytes_read(self) -> int:
        """Bytes that the reader has read."""
        with self._blame(self._path):
            return min(max(0, int(self._reader.bytes_read())), self.size_bytes)

    def summary(self) -> TraceSummary:
        """That of the reader."""
        with self._blame(self._path):
            return self._checked(self._reader.summary())

    def summary_so_far(self) -> TraceSummary:
        """That of the reader: it has the tracks of all chunks that were taken."""
        with self._blame(self._path):
            return self._checked(self._reader.summary_so_far())

    def close(self) -> None:
        """Closes it."""
        with self._blame(self._path):
            self._reader.close()

    def _checked(self, summary: TraceSummary) -> TraceSummary:
        check_summary(summary)
        self._check.tracks_are_in(summary)
        tables = None if summary.args_tables is None else _Tables(summary.args_tables, self)
        attachments = [self._guarded(attachment) for attachment in summary.attachments]
        return replace(summary, format=self._format, args_tables=tables, attachments=attachments)

    def _guarded(self, attachment: Attachment) -> Attachment:
        return replace(attachment, pieces=lambda: self._each(attachment.pieces))

    def _each(self, make: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The items, one by one: what their taker raises is not the reader's fault."""
        with self._blame(self._path):
            items = iter(make())
        while True:
            with self._blame(self._path):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item


class _Tables:
    """The `ArgsTables` of such a reader."""

    def __init__(self, tables: ArgsTables, reader: PluginReader) -> None:
        self._tables = tables
        self._reader = reader

    def head(self, names: NDArray[np.int32]) -> bytes:
        """As the reader gives it."""
        with self._reader._blame(self._reader._path):
            return bytes(self._tables.head(names))

    def pages(self) -> Iterator[bytes]:
        """As the reader gives them."""
        return self._reader._each(self._tables.pages)
