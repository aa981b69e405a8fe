"""Records of the texts that events have themselves are made anew from the arguments, and compared."""

from __future__ import annotations

from collections.abc import Mapping

from tilescope.tiler import _native
from tilescope.tiler.details.same_names import SameNames
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.arguments import argument_chunk, argument_row_shapes, event_metadata
from tilescope.tiler.lookup.tracks import file_of
from tilescope.tiler.records.own_text_maker import OwnTextMaker, WordingMaker
from tilescope.tiler.records.own_texts import OWN_TEXTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally


class OwnTextCheck:
    """Takes all records in the order of their keys, after those of arguments and of operations."""

    def __init__(self, store: Store, catalogue: Catalogue, tally: Tally) -> None:
        self._store = store
        self._catalogue = catalogue
        self._tally = tally
        self._seen: set[int] = set()
        self._tables: tuple[int, XStatTables, SameNames] | None = None  # of a file

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {OWN_TEXTS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks the record of a track. Raises DamagedStore."""
        (number,) = OWN_TEXTS.numbers_in(key)
        track = self._catalogue.tracks[number] if number < len(self._catalogue.tracks) else None
        if track is None or not self._has_record(track):
            raise unexpected(self._catalogue.location, key)
        try:
            made = self._made(track)
        except (ValueError, LookupError, WireDamage) as error:
            raise self._error(track, f"its arguments make no sense: {error}") from error
        if inflate(value) != made:
            raise self._error(track, "the texts that its events have themselves are other ones than arguments say")
        self._seen.add(number)
        self._tally["own_texts"] += 1

    def finish(self) -> None:
        """To be called after the last record. Raises DamagedStore where one is missing."""
        for track in self._catalogue.tracks:
            if track.id not in self._seen and self._has_record(track):
                raise self._error(track, "the texts that its events have themselves are missing")

    def _has_record(self, track: TrackEntry) -> bool:
        return bool(track.details) and (self._names_of(track) is not None or self._is_packed(track))

    def _is_packed(self, track: TrackEntry) -> bool:
        """True for arguments that are stored as packed texts: those of JSON."""
        return argument_row_shapes(self._store, track.id, 0) is not None

    def _names_of(self, track: TrackEntry) -> tuple[XStatTables, SameNames] | None:
        """Metadata of the file of a track; None where events share nothing."""
        file = file_of(self._store, track.id)
        if file < 0:
            return None
        if self._tables is None or self._tables[0] != file:
            tables = event_metadata(self._store, file)
            if tables is None:
                return None
            self._tables = file, tables, SameNames(tables)
        return self._tables[1:]

    def _made(self, track: TrackEntry) -> bytes:
        names = self._names_of(track)
        texts = _native.PackedTexts()
        maker: OwnTextMaker | WordingMaker | None = WordingMaker(texts) if names is None else None
        ordinal = 0
        while ordinal < track.details:
            chunk = argument_chunk(self._store, track.id, ordinal)
            if chunk is None or chunk.first != ordinal:
                raise self._error(track, f"arguments of event {ordinal} are missing")
            ends, args = (chunk.ends, chunk.args) if names is not None else texts.pack(chunk.ends, chunk.args)
            if maker is None and names is not None:
                maker = OwnTextMaker(*names, args)
            assert maker is not None
            maker.add(ends, 0, args)
            ordinal = chunk.stop
        if maker is None:
            raise self._error(track, "it has no arguments")
        return maker.finish().encode()

    def _error(self, track: TrackEntry, what: str) -> DamagedStore:
        return self._catalogue.track_error(track.id, what)
