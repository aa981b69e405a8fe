"""Opens a trace with the reader that its content asks for."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.container import trace_paths
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.signature import HEAD_BYTES, Signature, recognise
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.sources import open_source


def open_trace(path: Path | str, *, scratch_dir: Path | None = None, max_inflated: int | None = None) -> Reader:
    """A reader of one trace file: plain, compressed, or a member of a zip or tar archive (`traces.zip/host0.json`).

    `scratch_dir` is where compressed files may be inflated, `max_inflated` to how many bytes at most. Raises
    `UnknownFormat` for what is no trace, `TraceError` for what cannot be opened; damage is found while reading. Close
    the reader.
    """
    return reader_of(open_source(path, max_inflated), scratch_dir=scratch_dir)


def signature_of(source: ByteSource) -> Signature:
    """Signature of a source, by its first bytes. Raises `UnknownFormat`, and `DamagedTrace` where none can be had."""
    head = source.peek(HEAD_BYTES)
    if not head and source.problem is not None:
        raise DamagedTrace(source.path, source.problem)
    return recognise(head, source.path)


def check_file(path: Path, max_inflated: int | None = None) -> None:
    """Raises `TraceError` for a file, or an archive, whose first bytes are not those of a trace. Folders pass."""
    if path.is_file():
        with open_source(trace_paths(path, max_inflated)[0], max_inflated) as source:
            signature_of(source)


def reader_of(source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> Reader:
    """A reader of a source, which belongs to it from now on. Raises as `open_trace` does.

    `room` is how much it may find.
    """
    try:
        signature = signature_of(source)
        return signature.format.open(source, scratch_dir=scratch_dir, room=room)
    except BaseException:
        source.close()
        raise
