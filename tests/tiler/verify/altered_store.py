"""Alters what is stored in a published store, as damage or a faulty build would."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import lmdb
import numpy as np

from tilescope.tiler.pages import (
    TRACKS_PER_BLOCK,
    Page,
    PageKey,
    Part,
    Shape,
    compress,
    decode_columns,
    decompress,
    join_parts,
    part_of,
)
from tilescope.tiler.pages import container as containers
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.store import generation
from tilescope.tiler.store.checksum import CHECKSUM_BYTES, sealed

Columns = dict[int, np.ndarray]
_COLUMN = struct.Struct("<BBBxIqQ")  # head of a column


class AlteredStore:
    """A store whose records can be replaced and put back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = str(generation.current(path))

    @classmethod
    def copy_of(cls, store: Path, to: Path) -> AlteredStore:
        shutil.copytree(store, to)
        return cls(to)

    def records(self, prefix: bytes) -> dict[bytes, bytes]:
        with self._transaction() as transaction:
            records = ((bytes(key), bytes(value)[CHECKSUM_BYTES:]) for key, value in transaction.cursor())
            return {key: value for key, value in records if key.startswith(prefix)}

    def pages(self) -> dict[PageKey, bytes]:
        return {PageKey(*PAGE.numbers_in(key)): value for key, value in self.records(b"P").items()}

    def tracks_of_kind(self, kind: str) -> list[int]:
        tracks = json.loads(decompress(self.records(MANIFEST.key())[MANIFEST.key()]))["tracks"]
        return [number for number, track in enumerate(tracks) if track["kind"] == kind]

    def shape(self, block: int) -> Shape:
        return Shape.decode(decompress(self.records(SHAPE.key(block))[SHAPE.key(block)]))

    def put(self, records: Mapping[bytes, bytes | None]) -> None:
        with self._transaction() as transaction:
            for key, value in records.items():
                if value is None:
                    assert transaction.delete(key)
                else:
                    transaction.put(key, sealed(key, value))

    @contextmanager
    def replaced(self, records: Mapping[bytes, bytes | None]) -> Iterator[None]:
        """Within the block, these records are others; None: not there."""
        with self._transaction() as transaction:
            found = {key: transaction.get(key) for key in records}
        before = {key: None if value is None else bytes(value)[CHECKSUM_BYTES:] for key, value in found.items()}
        self.put(records)
        try:
            yield
        finally:
            self.put(before)

    def rewritten(self, key: PageKey, change: Callable[[Columns], None]) -> dict[bytes, bytes | None]:
        """Records with which the page is consistent, but other: its columns changed, its checksums in the shape too.

        The columns are those of the page and of its residual.
        """
        stored = [part_of(self.pages()[key], part) for part in Part]
        parts = [containers.decode(decompress(part)) for part in stored if part is not None]
        columns: Columns = {column: values.copy() for part in parts for column, values in part.columns.items()}
        ids = [part.columns.keys() for part in parts]
        change(columns)
        shape = self.shape(key.block)
        first = next(tiles.start for page_key, tiles in shape.pages() if page_key == key)
        data = [b"", b""]
        for k, part in enumerate(parts):
            data[k] = compress(_encode(part, {column: columns[column] for column in ids[k]}))
            (shape.page_crc, shape.residual_crc)[k][first] = zlib.crc32(data[k])
        return {PAGE.key(*key[:4]): join_parts(*data), SHAPE.key(key.block): compress(shape.encode())}

    @contextmanager
    def _transaction(self) -> Iterator[lmdb.Transaction]:
        # A process may have an environment open but once: it must be closed again for whoever reads the store.
        with lmdb.open(self._folder, map_size=1 << 30, lock=False) as env, env.begin(write=True) as transaction:
            yield transaction


def decoded(stored: bytes) -> Page:
    """A page as it is stored, without its residual."""
    page = part_of(stored, Part.PAGE)
    assert page is not None
    return decode_columns(decompress(page))


def track_of(key: PageKey) -> int:
    """The track of a page's first tile."""
    return key.block * TRACKS_PER_BLOCK + key.slot


def _encode(page: containers.Container, columns: Columns) -> bytes:
    """A container in which every column has all eight planes."""
    headers, bodies = [], []
    for column, values in columns.items():
        flags = 4 if values.dtype == np.float64 else 0
        headers.append(_COLUMN.pack(column, 8, flags, len(values), 0, 1))
        bodies.append(np.ascontiguousarray(values).view(np.uint8).reshape(-1, 8).T.tobytes())
    head = containers._HEAD.pack(page.magic, 1, page.level, len(columns), page.n_tiles, page.block)
    return b"".join([head, *headers, *bodies])
