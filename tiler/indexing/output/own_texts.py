"""Records the texts that events have themselves, while their arguments are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.same_names import SameNames
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.device.operation_maker import pieces
from tilescope.tiler.records.own_text_maker import OwnTextMaker, WordingMaker
from tilescope.tiler.records.own_texts import OWN_TEXTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry


class OwnTextRecorder(RecordMaker):
    """One record for each track of an XSpace or of JSON whose events have arguments."""

    records: ClassVar[tuple[Record, ...]] = (OWN_TEXTS,)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._names: dict[int, SameNames] = {}  # by file

    def add(self, track: BuiltTrack) -> Iterator[Entry]:
        """The record of a track."""
        place, data = track.place, track.data
        maker = self._maker(place.file, data.args) if len(data.args) else None
        if maker is None:
            return
        for piece in pieces(len(data)):
            begin = int(data.args_end[piece.start - 1]) if piece.start else 0
            maker.add(np.ascontiguousarray(data.args_end[piece], np.int64), begin, data.args)
        yield OWN_TEXTS.key(place.id), compress(maker.finish().encode())

    def _maker(self, number: int, args: NDArray[np.uint8]) -> OwnTextMaker | WordingMaker | None:
        """That of a track with these arguments, of a file; None of a format without such texts."""
        file = self._recording.run.files[number]
        if file.events.texts is not None:
            return WordingMaker(file.events.texts)
        if not codec_of(file.summary.format).in_pages:
            return None
        tables = self._recording.tables.tables_of(number)
        names = self._names.get(number) or self._names.setdefault(number, SameNames(tables))
        return OwnTextMaker(tables, names, args)
