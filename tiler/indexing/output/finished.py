"""Check that a store is finished: the index of these very files, as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilescope.tiler.errors import StoreError
from tilescope.tiler.lookup.sources import axis_of, is_guess, sources
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.run_store import open_run_store


def build_of(
    store: Path, files: Sequence[Fingerprint], *, is_unconfirmed: bool = False, axis: str | None = None
) -> str | None:
    """The build id of the store if it is of these files; None otherwise, and where there is none that can be opened.

    `axis`: id of the axis that it must be on; None: its own.

    Files that are named together are all in it, those of a guess only as far as they are of one time: another store.
    """
    try:
        opened = open_run_store(store)
    except StoreError:
        return None
    try:
        is_same = sources(opened) == tuple(files) and is_guess(opened) == is_unconfirmed
        is_same = is_same and axis_of(opened) == axis
        return opened.build if is_same else None
    finally:
        opened.close()
