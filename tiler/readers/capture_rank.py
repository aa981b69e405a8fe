"""The rank of the capture of Ascend devices that a trace lies in: on disk, or in an archive."""

from __future__ import annotations

import os
from pathlib import Path

from tilescope.tiler.columns import JobRank
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.container import holding_archive, list_archive
from tilescope.tiler.readers.layouts.ascend_names import framework_folder
from tilescope.tiler.readers.layouts.ascend_ranks import (
    MAX_RANK_FILE_BYTES,
    NO_RANK,
    CaptureRank,
    is_rank_file,
    read_rank,
)
from tilescope.tiler.readers.source import open_raw


def capture_rank(trace: Path, max_inflated: int | None = None) -> CaptureRank:
    """The rank that the files in the folder of a trace's capture say. None of it where there is no such folder."""
    folder = framework_folder(trace)
    if folder is None:
        return NO_RANK
    if folder.is_dir():
        return rank_of_folder(folder)
    try:
        archive = holding_archive(folder)
        listing = None if archive is None else list_archive(archive, max_inflated)
    except TraceError:  # reading the trace says what is wrong
        return NO_RANK
    return NO_RANK if listing is None else listing.rank_of(folder)


def job_rank(trace: Path, max_inflated: int | None = None) -> JobRank | None:
    """The same as the place of the trace's file in a job; None without a number."""
    rank = capture_rank(trace, max_inflated)
    return None if rank.number is None else JobRank(rank.number, rank.world_size)


def rank_of_folder(folder: Path) -> CaptureRank:
    """The rank that files in a folder on disk say. What links lead to is not read."""
    texts: dict[str, bytes] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_rank_file(entry.name) and entry.is_file(follow_symlinks=False):
                    texts[entry.name] = _text(Path(entry.path))
    except (OSError, TraceError):  # removed meanwhile, or not ours to read
        return NO_RANK
    return read_rank(texts)


def _text(path: Path) -> bytes:
    with open_raw(path) as file:
        return file.read(MAX_RANK_FILE_BYTES)
