"""Databases of profilers of GPUs: exports of Nsight Systems, and those of ROCm (rocpd)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.format import Format
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.sqlite import nsight, rocpd
from tilescope.tiler.readers.sqlite.database import Database, open_database
from tilescope.tiler.readers.sqlite.nsight import Nsight
from tilescope.tiler.readers.sqlite.rocpd import Rocpd
from tilescope.tiler.readers.sqlite.rows_translation import RowsTranslation
from tilescope.tiler.readers.sqlite.signature import NSIGHT_MARK, ROCPD_MARK, looks_like
from tilescope.tiler.readers.translated import TranslatedReader

_ENDINGS: Final = (".sqlite", ".sqlite3", ".db")


def _reader(
    translate: Callable[[Database, int, Room], RowsTranslation],
    format_id: str,
    source: ByteSource,
    scratch_dir: Path | None,
    room: Room | None,
) -> Reader:
    path, size_bytes = source.path, source.size_bytes
    database = open_database(source, scratch_dir)
    try:
        translation = translate(database, size_bytes, room or Room())
        return TranslatedReader(translation, format_id, path, size_bytes, scratch_dir=scratch_dir, room=room)
    except BaseException:
        database.close()
        raise


def _open_nsight(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
    return _reader(Nsight, nsight.ID, source, scratch_dir, room)


def _open_rocpd(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
    return _reader(Rocpd, rocpd.ID, source, scratch_dir, room)


NSIGHT: Final = Format(
    id=nsight.ID,
    title="SQLite exports of Nsight Systems",
    looks_like=looks_like(NSIGHT_MARK),
    open=_open_nsight,
    args=json_args.CODEC,
    suffixes=(),
    endings=_ENDINGS,
)
ROCPD: Final = Format(
    id=rocpd.ID,
    title="databases of rocprofv3 (rocpd)",
    looks_like=looks_like(ROCPD_MARK),
    open=_open_rocpd,
    args=json_args.CODEC,
    suffixes=(),
    endings=_ENDINGS,
)

__all__ = ["NSIGHT", "ROCPD"]
