"""Attachments of an XSpace: HLO protos, stats of planes, and large metadata without events."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, PlaneNames, pack_head, page_count
from tilescope.tiler.readers.attached import MAX_ATTACHMENTS, Attached
from tilescope.tiler.readers.mapped import MappedBytes

PROTOBUF: Final = "application/x-protobuf"

_PIECE_BYTES: Final = 1 << 20
_NUMBERS_AT_ONCE: Final = 1 << 16  # of metadata
_PAGES_AT_ONCE: Final = 64  # of tables, before what was read of the file for them is given back
_UINT64: Final = (1 << 64) - 1

Damage = Callable[[], AbstractContextManager[None]]


def attach(
    attached: Attached,
    native: _native.XSpaceFile,
    planes: Sequence[_native.XSpacePlane],
    mapped: MappedBytes,
) -> None:
    """Finds all of it; the bytes stay where they are until they are asked for."""
    pieces, more = native.apart(MAX_ATTACHMENTS)
    for piece in pieces:
        if piece.is_hlo:
            name = f"hlo/{_program_id(piece)}"
        else:
            name = f"metadata/{planes[piece.plane].name}/{piece.metadata_id & _UINT64}"
        attached.add(name, piece.name, PROTOBUF, piece.end - piece.begin, _range(mapped, piece.begin, piece.end))
    attached.leave_out_more(more)
    for number, plane in enumerate(planes):
        size = native.plane_stats_bytes(number)
        if size:
            attached.add(f"plane/{plane.name}/stats", plane.name, PROTOBUF, size, _plane_stats(native, mapped, number))


class XSpaceTables:
    """The tables of `xstat_tables.py`, from a file that has been surveyed. `damage` turns errors of the reader."""

    def __init__(
        self,
        native: _native.XSpaceFile,
        planes: Sequence[_native.XSpacePlane],
        mapped: MappedBytes,
        damage: Damage,
    ) -> None:
        self._native = native
        self._planes = planes
        self._mapped = mapped
        self._damage = damage
        self._finding = threading.Lock()
        self._metadata: _native.XSpaceMetadata | None = None
        self._named: list[PlaneNames] = []
        self._pages_read = 0

    def find(self) -> None:
        """Finds which metadata is alike, beside other work: all that is asked for waits until it is found.

        What fails here fails again for whoever asks.
        """
        with suppress(Exception):
            self._tables()

    def head(self, names: NDArray[np.int32]) -> bytes:
        """Names of planes and stats, and which metadata has which name."""
        tables = self._tables()
        self._native.forget_messages()  # whoever has these tables has surveyed the file
        plane, ids, name, alike = tables.columns()
        return pack_head(self._named, plane, ids, alike, names[name])  # the last of the ids is -1

    def pages(self) -> Iterator[bytes]:
        """The metadata, page by page."""
        for number in range(page_count(self._tables().entries)):
            yield self.page(number)
        self.release()

    def page(self, number: int) -> bytes:
        """One of them."""
        tables = self._tables()
        with self._damage():
            made = (tables.texts if number % 2 else tables.stats)(number // 2, ENTRIES_PER_PAGE)
            self._mapped.check()
        self._pages_read += 1
        if self._pages_read % _PAGES_AT_ONCE == 0:
            self.release()
        return made

    def release(self) -> None:
        """Lets go of what was read of the file."""
        self._mapped.release(0, len(self._mapped))

    def texts_of_stat(self, stat: str) -> tuple[NDArray[np.int32], list[str]]:
        """The texts of a stat, and for each number of metadata the index of its text, -1 without one.

        What is no UTF-8 is an empty text.
        """
        tables = self._tables()
        ids = [[number for number, name in plane.stat_names.items() if name == stat] for plane in self._planes]
        texts: dict[str, int] = {}
        of_entry = [np.zeros(0, np.int32)]
        for first in range(0, tables.entries, _NUMBERS_AT_ONCE):
            with self._damage():
                places_in_batch, batch_texts = tables.said(ids, first, min(_NUMBERS_AT_ONCE, tables.entries - first))
                self._mapped.check()
            self._mapped.release(0, len(self._mapped))
            places = [texts.setdefault(self._text(*reference), len(texts)) for reference in batch_texts]
            of_entry.append(np.array([*places, -1], np.int32)[places_in_batch])  # the last is that of none
        alike = tables.columns()[3]
        entry = np.cumsum(alike == np.arange(len(alike))) - 1
        return np.concatenate(of_entry)[entry[alike]], list(texts)

    def _text(self, text: bytes, plane: int, reference: int) -> str:
        if plane >= 0:
            return self._planes[plane].stat_names.get(reference) or f"[stat {reference}]"
        try:
            return text.decode()
        except UnicodeDecodeError:
            return ""

    def _tables(self) -> _native.XSpaceMetadata:
        with self._finding:
            if self._metadata is None:
                classes: dict[tuple[tuple[int, str], ...], int] = {}
                of_plane = [classes.setdefault(tuple(plane.stat_names.items()), len(classes)) for plane in self._planes]
                with self._damage():
                    metadata = self._native.metadata_tables(np.array(of_plane, np.int32))
                    while metadata.advance(_NUMBERS_AT_ONCE):
                        self._mapped.check()
                        self._mapped.release(0, len(self._mapped))
                    self._mapped.check()
                self._mapped.release(0, len(self._mapped))
                with_metadata = np.zeros(len(self._planes), np.bool_)
                with_metadata[metadata.columns()[0]] = True
                self._named = [
                    PlaneNames(plane.name, plane.stat_names if has_metadata else {})
                    for plane, has_metadata in zip(self._planes, with_metadata.tolist(), strict=True)
                ]
                self._metadata = metadata  # last: where memory is short before, another thread finds nothing half made
            return self._metadata


def _program_id(piece: _native.XSpaceApart) -> str:
    """That in the name, as in `jit_step(7)`; else the metadata's own id, which is the same in most files."""
    named = re.search(r"\((\d{1,20})\)$", piece.name)
    return named[1] if named else str(piece.metadata_id & _UINT64)


def _range(mapped: MappedBytes, begin: int, end: int) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        for start in range(begin, end, _PIECE_BYTES):
            stop = min(start + _PIECE_BYTES, end)
            piece = mapped.array[start:stop].tobytes()
            mapped.check()
            mapped.release(start, stop)
            yield piece

    return pieces


def _plane_stats(native: _native.XSpaceFile, mapped: MappedBytes, plane: int) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        stats = native.plane_stats(plane)
        while piece := stats.next(_PIECE_BYTES):
            mapped.check()
            yield piece
        mapped.release(0, len(mapped))  # of a file with hundreds of planes the stats of all would be 200 MB

    return pieces
