"""A synthetic trace as a file: written beside its place, with its totals, and moved there when it is complete."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from isal import igzip

from tilescope.tiler import _native
from tilescope.tiler.errors import UsageError

FORMATS = ("xspace", "chrome")
COUNTS = ("slices", "instants", "counter_samples", "async_slices", "flow_ends")

# Measured on JSON of 1 M events, one core: level 1 leaves 14.0 % at 1.09 GB/s, level 3 leaves 13.3 % at 0.45 GB/s.
_GZIP_LEVEL = 1

OnProgress = Callable[[int, int], None]  # events so far, bytes so far (before compression)


@dataclass(frozen=True, slots=True)
class SynthResult:
    """Files and totals of a written trace."""

    path: Path
    totals_path: Path
    events: int  # as written in the file, metadata aside
    size_bytes: int  # of the file


def totals_path(path: Path) -> Path:
    """Path of the totals of the trace at `path`."""
    return path.with_name(path.name + ".totals.json")


def write_synthetic_trace(
    path: Path,
    *,
    format: str,
    events: int,
    tracks: int,
    seed: int,
    realistic: bool = False,
    progress: OnProgress | None = None,
) -> SynthResult:
    """Writes a trace of exactly `events` events on `tracks` tracks, gzip-compressed when `path` ends in `.gz`.

    A realistic trace is like those of large programs: an XSpace has 40,000 operations with long expressions, JSON is as
    PyTorch writes it. The same arguments give the same bytes. What was at `path` is replaced in one step, so that an
    interrupted run leaves the old file. Raises `UsageError` for impossible numbers and `OSError` when the file cannot
    be written.
    """
    _check(format, events, tracks, seed)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial_totals = path.with_name(f".{path.name}.{os.getpid()}.totals.partial")
    try:
        per_track = _generate(partial, path.suffix == ".gz", format, events, tracks, seed, realistic, progress)
        totals = _totals(format, seed, realistic, per_track)
        partial_totals.write_text(json.dumps(totals, indent=1) + "\n", encoding="utf-8")
        partial_totals.replace(totals_path(path))
        partial.replace(path)
    except OSError as error:
        # Name the file that was asked for: nobody knows of the partial one.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        partial.unlink(missing_ok=True)
        partial_totals.unlink(missing_ok=True)
    return SynthResult(path, totals_path(path), totals["events"]["total"], path.stat().st_size)


def _check(format: str, events: int, tracks: int, seed: int) -> None:
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}: known are {', '.join(FORMATS)}")
    if not 0 <= events < 2**40:
        raise UsageError(f"{events} events: from 0 to {2**40 - 1:,} are possible")
    if not 1 <= tracks <= 1_000_000:
        raise UsageError(f"{tracks} tracks: from 1 to 1,000,000 are possible")
    if not 0 <= seed < 2**63:
        raise UsageError(f"seed {seed}: it is a number from 0 to 2**63 - 1")


def _generate(
    path: Path,
    compress: bool,
    format: str,
    events: int,
    tracks: int,
    seed: int,
    realistic: bool,
    progress: OnProgress | None,
) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        file: BinaryIO = stack.enter_context(path.open("wb"))
        write: Callable[[bytes], int] = file.write
        if compress:
            # No name and no time in the header: the same seed gives the same bytes.
            gzip_file = igzip.IGzipFile("", "wb", _GZIP_LEVEL, fileobj=file, mtime=0)  # type: ignore[no-untyped-call]
            write = stack.enter_context(gzip_file).write
        written = 0

        def take(piece: bytes, events_so_far: int) -> None:
            nonlocal written
            write(piece)
            written += len(piece)
            if progress is not None:
                progress(events_so_far, written)

        return _native.synth_trace(format, events, tracks, seed, realistic, take)


def _totals(format: str, seed: int, realistic: bool, per_track: list[dict[str, Any]]) -> dict[str, Any]:
    """The content of the totals file: the same keys for the whole trace and for each of its tracks."""
    counts = {kind: sum(track[kind] for track in per_track) for kind in COUNTS}
    total = sum(track["events"] for track in per_track)
    return {
        "format": format,
        "seed": seed,
        "realistic": realistic,
        "events": {"total": total, **counts},
        "busy_ps": sum(track["busy_ps"] for track in per_track),
        "tracks": per_track,
    }
