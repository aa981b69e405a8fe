"""The manifest of a store, decoded."""

from __future__ import annotations

from tilescope.tiler.schema import RunManifest
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


def run_manifest(store: Store) -> RunManifest:
    """The manifest of a store, decoded: a `QueryReader` keeps it. Raises DamagedStore."""
    with must_make_sense(store.location):
        return RunManifest.from_json(store.manifest())
