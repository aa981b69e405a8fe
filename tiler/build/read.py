"""Reads the files of a run, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilescope.tiler.build.ahead import ahead
from tilescope.tiler.build.gather import Gatherer
from tilescope.tiler.build.progress import Progress, ProgressCallback
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.readers import open_trace


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A file that has been read."""

    path: Path
    size_bytes: int
    gathered: Gatherer
    summary: TraceSummary


def read_files(files: Sequence[Path], scratch: Scratch, report: ProgressCallback) -> list[TraceFile]:
    """Reads all files. Raises TraceError at the first that cannot be read."""
    total = max(sum(_size_bytes(file) for file in files), 1)
    traces: list[TraceFile] = []
    for file in files:
        before = sum(trace.size_bytes for trace in traces)
        events = sum(trace.gathered.events for trace in traces)
        gathered = Gatherer(scratch)
        reader = open_trace(file, scratch_dir=scratch.folder)
        try:
            for chunk in ahead(reader.chunks()):
                gathered.add(chunk)
                report(Progress("read", min(1.0, (before + reader.bytes_read()) / total), events + gathered.events))
            traces.append(TraceFile(file, reader.size_bytes, gathered, reader.summary()))
        finally:
            reader.close()
    return traces


def _size_bytes(file: Path) -> int:
    """Size on disk; 0 for a member of an archive, whose size is known when it is read."""
    return file.stat().st_size if file.is_file() else 0
