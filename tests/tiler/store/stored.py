"""What a store has of attachments, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of, content
from tilescope.tiler.store.run_store import RunStore


@contextmanager
def built(files: list[Path], store: Path, **options: int) -> Iterator[RunStore]:
    """An open store of these files."""
    build_store(files, store, **options)  # type: ignore[arg-type]
    run = open_run_store(store)
    try:
        yield run
    finally:
        run.close()


def entries_of(run: RunStore) -> tuple[AttachmentEntry, ...]:
    """The list."""
    return attachments_of(run)


def bytes_of(run: RunStore, entry: AttachmentEntry) -> bytes:
    """The whole content."""
    return b"".join(content(run, entry))


def attached(run: RunStore) -> dict[str, bytes]:
    """All of a run of one file, by name."""
    return {entry.name: bytes_of(run, entry) for entry in entries_of(run)}
