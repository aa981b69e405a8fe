"""Reads files that have no events: what is in them is kept, as one attachment, for the tool that shows it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.readers.attached import Attached
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.source import ByteSource


class EventlessReader(ABC):
    """A `Reader` of one file, of the format `ID`."""

    ID: str

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> None:
        self.size_bytes = source.size_bytes
        self._source = source
        self._room = room or Room()
        self._summary = TraceSummary(self.ID)

    @abstractmethod
    def _content(self) -> tuple[str, bytes]:
        """The name of the attachment, and JSON. Raises TraceError."""

    def chunks(self) -> Iterator[EventChunk]:
        """None, but the file is read. Raises TraceError."""
        name, content = self._content()
        attached = Attached(self._room)
        attached.add(name, self._source.path.name, "application/json", len(content), lambda: iter([content]))
        self._summary.attachments = attached.accepted
        self._summary.warnings = [*attached.notes()]
        yield from ()

    def bytes_read(self) -> int:
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        return self._summary

    def close(self) -> None:
        self._source.close()
