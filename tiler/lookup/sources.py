"""The files that a store is an index of."""

from __future__ import annotations

from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


def sources(store: Store) -> tuple[Fingerprint, ...]:
    """Fingerprints of the trace files, as they were when indexing began. Raises DamagedStore."""
    with must_make_sense(store.location):
        return tuple(Fingerprint.from_json(file) for file in store.internals().get("sources", ()))
