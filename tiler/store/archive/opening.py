"""Opens archives as stores."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from pathlib import Path

from tilescope.tiler.blobs import Blob, FileBlob, mirrored_blob
from tilescope.tiler.errors import DamagedStore, NoStore
from tilescope.tiler.path_names import path_name
from tilescope.tiler.store.archive.header import HEADER_BYTES, MAGIC, Header
from tilescope.tiler.store.archive.joined_reader import JoinedReader
from tilescope.tiler.store.archive.manifest_marks import left_out_parts
from tilescope.tiler.store.archive.partial_store import PartialStore
from tilescope.tiler.store.archive.ranges import store_errors
from tilescope.tiler.store.archive.reader import ArchiveReader
from tilescope.tiler.store.run_store import RunStore


def is_archive_file(path: Path) -> bool:
    """True for a regular file with the first bytes of an archive."""
    return _first_bytes(path, len(MAGIC)) == MAGIC


def archive_build(path: Path) -> str:
    """Build id of the archive at `path`. Raises NoStore, StoreVersion, DamagedStore."""
    first = _first_bytes(path, HEADER_BYTES)
    if first is None:
        raise NoStore(f"{path}: there is no archive here")
    return Header.decode(first, str(path)).build


def open_archive(blob: Blob | Path, *, keeps_values: bool = False) -> RunStore | PartialStore:
    """Opens the archive in a blob, or at a path. `keeps_values`: records that were read are kept, as those of an object
    that a path stands for are.

    Raises NoStore, StoreVersion, DamagedStore, StoreError.
    """
    if isinstance(blob, Path):
        with store_errors(path_name(blob)):
            mirrored = mirrored_blob(blob)
        blob, keeps_values = (FileBlob(blob), keeps_values) if mirrored is None else (mirrored, True)
    try:
        reader = ArchiveReader(blob, keeps_values=keeps_values)
        joined = JoinedReader(reader)
        store = RunStore(joined, reader.location, fetch_keys=joined.fetch if keeps_values else None)
        if store.build != reader.header.build:
            raise DamagedStore(f"{reader.location}: byte 24: the manifest is that of another build (copy it anew)")
        left_out = left_out_parts(store.internals(), reader.location)
    except BaseException:
        blob.close()
        raise
    return PartialStore(store, left_out) if left_out else store


def _first_bytes(path: Path, count: int) -> bytes | None:
    """The beginning of a file; None where there is no regular file. Raises StoreError for an object elsewhere."""
    with store_errors(path_name(path)):
        mirrored = mirrored_blob(path)
        if mirrored is not None:
            with closing(mirrored):
                return mirrored.read(0, count)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not make us wait
    except OSError:
        return None
    try:
        return os.pread(descriptor, count, 0) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)
