"""Shifts of the clocks of a run, of one store as of many shards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tilescope.tiler.errors import UsageError
from tilescope.tiler.mount.open_run import open_run
from tilescope.tiler.store.clocks import all_clock_names, hosts_of
from tilescope.tiler.store.shifts import SavedOrigin, Shift, read_shifts, update_shifts

_NAMED = 20  # clocks in a message


def save_shifts(
    path: Path, shifts: Mapping[str, int], origin: SavedOrigin = "by_hand", *, tick_ps: int | None = None
) -> dict[str, Shift]:
    """Saves shifts of clocks of the run at `path`, for all who look at it; clocks that are not named keep theirs.

    `shifts`: ticks by which all of a clock is drawn later, by its name: that of a host group, as in the manifest's
    `hosts`, or the part of it that is a rank, `rank 3`, or a machine; 0 takes the shift back. `tick_ps`: picoseconds
    of these ticks, those of the run unless given. `origin`: `measured` by a tool, or set `by_hand`.

    Nothing that is stored changes. Commands that save shifts at once lose none of them. Returns all shifts that there
    are now. Raises UsageError for a name that is no clock's, a shift that is too large, and an archive; StoreError.
    """
    store = open_run(path)
    try:
        manifest = store.manifest()
    finally:
        store.close()
    clocks, before = all_clock_names(hosts_of(manifest)), read_shifts(path)
    for name in shifts:
        if name not in clocks and name not in before:
            more = f" and {len(clocks) - _NAMED:,} more" if len(clocks) > _NAMED else ""
            raise UsageError(f"there is no host or rank {name!r:.200}: there are {', '.join(clocks[:_NAMED])}{more}")
    unit = manifest["tick_ps"] if tick_ps is None else tick_ps
    return update_shifts(path, {name: ticks * unit for name, ticks in shifts.items()}, origin)
