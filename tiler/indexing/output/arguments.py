"""Records the arguments of events, and the tables that decode them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tilescope.tiler.details import chunk
from tilescope.tiler.indexing.device.operations import operation_tables
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry


class ArgumentRecorder(RecordMaker):
    """Chunks of the arguments of each track, but of tracks of operations: these are made with their records."""

    records: ClassVar[tuple[Record, ...]] = (ARGUMENT_TABLES, ARGUMENTS, ARGUMENT_TABLE_PAGES)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def beside(self) -> Iterator[Entry]:
        """Tables that decode the arguments of each file's events."""
        tables = self._recording.tables
        for number, file in enumerate(self._recording.run.files):
            paged = file.summary.args_tables
            yield ARGUMENT_TABLES.key(number), compress(tables.take_head(number))
            if paged is None or not codec_of(file.summary.format).in_pages:
                continue
            for place, page in enumerate(paged.pages()):
                yield ARGUMENT_TABLE_PAGES.key(number, place), compress(page)

    def add(self, track: BuiltTrack) -> Iterator[Entry]:
        """The chunks of a track's arguments."""
        place, data = track.place, track.data
        if not len(data.args) or operation_tables(self._recording, track) is not None:
            return
        file = self._recording.run.files[place.file]
        codec = codec_of(file.summary.format)
        pieces = chunk.split(data.args_end, data.args, columns=codec.in_columns, texts=file.events.texts)
        yield from ((ARGUMENTS.key(place.id, ordinal), args) for ordinal, args in pieces)
