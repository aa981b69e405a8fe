"""Lines on times that are not those that are drawn, for commands that write times into files."""

from __future__ import annotations

from pathlib import Path

from tilescope.cli.say import complain
from tilescope.tiler.store.clocks import clock_shifts, hosts_on_own_axes
from tilescope.tiler.store.store import Store
from tilescope.tiler.tools import clock_notes


def complain_of_clocks(path: Path, store: Store) -> None:
    """Says of which hosts of the run at `path` times are not those that are drawn. Raises StoreError."""
    manifest = store.manifest()
    for line in clock_notes(clock_shifts(path, manifest), hosts_on_own_axes(path, manifest)):
        complain(line)
