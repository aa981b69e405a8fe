"""Check that a store is finished: the index of these very files, as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilescope.tiler.errors import StoreError
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.run_store import open_run_store


def build_of(store: Path, sources: Sequence[Fingerprint]) -> str | None:
    """The build id of the store if it is of these files; None otherwise, and where there is none that can be opened."""
    try:
        opened = open_run_store(store)
    except StoreError:
        return None
    try:
        return opened.build if opened.sources() == tuple(sources) else None
    finally:
        opened.close()
