"""Clocks of a run by name, and the shifts of its hosts that follow from theirs.

Each host group of a run is a host, or a rank of a job: `rank 3 · node1 · GPU 0`. Its clock is named by all of that, by
its rank alone, `rank 3`, or by the machine, `node1`, which stands for all ranks on it. The nearer name goes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import convert

from tilescope.tiler.device_lines import is_device_label
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store.shifts import MOST_PS, Shift, read_shifts
from tilescope.tiler.store.validation import must_make_sense

_SEPARATOR: Final = " · "
_RANK: Final = re.compile(r"rank [0-9]{1,9}")
_REPEATED: Final = re.compile(r" \([0-9]{1,9}\)$")  # behind the second group of one name


def is_rank(host: str) -> bool:
    """True of a host group that is a rank of a job."""
    return _RANK.fullmatch(_REPEATED.sub("", host).split(_SEPARATOR)[0]) is not None


def clock_names(host: str) -> list[str]:
    """Names of the clock of a host group, the nearest first."""
    if not is_rank(host):
        return [host]
    rank, *parts = _REPEATED.sub("", host).split(_SEPARATOR)
    return list(dict.fromkeys([host, rank, *(part for part in parts if not is_device_label(part))]))


def all_clock_names(hosts: Iterable[str]) -> list[str]:
    """Names by which clocks of a run with these host groups can be shifted: those of groups first."""
    names = [clock_names(host) for host in hosts]
    return list(dict.fromkeys([own[0] for own in names] + [name for own in names for name in own[1:]]))


def hosts_of(manifest: Mapping[str, Any]) -> list[str]:
    """The host groups of a run by its manifest, those that are missing too."""
    return [*manifest["hosts"], *(host["name"] for host in manifest.get("missing", ()))]


def clock_shifts(path: Path, manifest: Mapping[str, Any]) -> list[ClockShift]:
    """The shift of each host group of the run at `path` that has one, in the nearest ticks.

    `manifest`: of the run, whose own shifts hold where none was saved. Raises StoreError or DamagedStore.
    """
    own, saved = _own_shifts(path, manifest), read_shifts(path)
    if not own and not saved:
        return []
    shifts = (_of_host(saved, host, manifest["tick_ps"]) or own.get(host) for host in hosts_of(manifest))
    return [shift for shift in shifts if shift is not None]


def hosts_on_own_axes(path: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Hosts whose times are counted from another origin than the run's, also where another shift was saved.

    Raises DamagedStore.
    """
    return [host for host, shift in _own_shifts(path, manifest).items() if shift.origin == "own_axis"]


def _own_shifts(path: Path, manifest: Mapping[str, Any]) -> dict[str, ClockShift]:
    """Shifts that the run brings along: those of an archive, and of shards with a time axis of their own, by host."""
    with must_make_sense(path):
        shifts = convert(manifest.get("shifts", ()), list[ClockShift])
        for shift in shifts:
            if abs(int(shift.shift)) > MOST_PS:
                raise ValueError(f"{shift.host!r:.200} is shifted by {int(shift.shift):,} ticks")
    return {shift.host: shift for shift in shifts}


def _of_host(shifts: Mapping[str, Shift], host: str, tick_ps: int) -> ClockShift | None:
    shift = next((shifts[name] for name in clock_names(host) if name in shifts), None)
    ticks = 0 if shift is None else (2 * shift.ps + tick_ps) // (2 * tick_ps)
    return ClockShift(host=host, shift=str(ticks), origin=shift.origin) if shift is not None and ticks else None
