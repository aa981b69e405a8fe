"""The manifest of a run as clients have it: that of its store, by the run's name, with its shifts as they are now."""

from __future__ import annotations

from tilescope.server.runs.run import FoundRun
from tilescope.tiler.schema import Manifest, manifest_of
from tilescope.tiler.store.clocks import clock_shifts
from tilescope.tiler.store.store import Store


def run_manifest(run: FoundRun, store: Store) -> Manifest:
    """The manifest of a build of the run. Raises StoreError."""
    manifest = store.manifest()
    shifts = clock_shifts(run.store, manifest)
    return manifest_of(manifest, run.id, run.name, is_growing=store.is_growing, shifts=shifts)
