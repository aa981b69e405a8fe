"""Records the texts that events of an XSpace have among stats of their own, while their arguments are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from tilescope.tiler.details.same_names import SameNames
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.device.operation_maker import pieces
from tilescope.tiler.records.own_text_maker import OwnTextMaker
from tilescope.tiler.records.own_texts import OWN_TEXTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry


class OwnTextRecorder(RecordMaker):
    """One record for each track of an XSpace whose events have arguments."""

    records: ClassVar[tuple[Record, ...]] = (OWN_TEXTS,)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._names: dict[int, SameNames] = {}  # by file

    def add(self, track: BuiltTrack) -> Iterator[Entry]:
        """The record of a track."""
        place, data = track.place, track.data
        if not len(data.args) or not codec_of(self._recording.run.files[place.file].summary.format).in_pages:
            return
        tables = self._recording.tables.tables_of(place.file)
        names = self._names.get(place.file) or self._names.setdefault(place.file, SameNames(tables))
        maker = OwnTextMaker(tables, names, data.args)
        for piece in pieces(len(data)):
            begin = int(data.args_end[piece.start - 1]) if piece.start else 0
            maker.add(np.ascontiguousarray(data.args_end[piece], np.int64), begin, data.args)
        yield OWN_TEXTS.key(place.id), compress(maker.finish().encode())
