"""Shifts of hosts' clocks, in a file beside the shards of a run or the generations of a store.

They are added when the run is drawn: nothing that is stored changes, so that a shift can be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from tilescope.tiler.errors import DamagedStore, NoStore, UsageError
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store.documents import read_document, write_document

SHIFTS: Final = "shifts.json"

_MOST_BYTES: Final = 4 << 20
_MOST_PS: Final = 1 << 62


class _StoredShift(Struct, frozen=True, forbid_unknown_fields=True):
    host: str
    ps: Annotated[str, Meta(pattern="^-?[0-9]{1,19}$")]  # decimal: a run that is indexed anew may have other ticks


class _Document(Struct, frozen=True, forbid_unknown_fields=True):
    version: Literal[1]
    shifts: Annotated[list[_StoredShift], Meta(max_length=1 << 16)]


def read_shifts(path: Path) -> dict[str, int]:
    """Picoseconds by which each host of the run at `path` is drawn later. Raises StoreError or DamagedStore."""
    if not path.is_dir():
        return {}
    try:
        document = read_document(path / SHIFTS, _Document, _MOST_BYTES)
    except NoStore:
        return {}
    shifts = {shift.host: int(shift.ps) for shift in document.shifts}
    for host, ps in shifts.items():
        if not -_MOST_PS < ps < _MOST_PS:
            raise DamagedStore(f"{path / SHIFTS}: makes no sense: {host!r:.200} is shifted by {ps:,} ps")
    return {host: ps for host, ps in shifts.items() if ps}


def write_shifts(path: Path, shifts: Mapping[str, int]) -> None:
    """Saves them in place of those that are there. Raises UsageError, StoreError."""
    if not path.is_dir():
        raise UsageError(f"{path}: an archive takes no shifts: set them before it is written, or in a store")
    for host, ps in shifts.items():
        if not -_MOST_PS < ps < _MOST_PS:
            raise UsageError(f"{host}: a shift of {ps:,} ps is more than the {_MOST_PS:,} that there may be")
    stored = [_StoredShift(host, str(ps)) for host, ps in sorted(shifts.items()) if ps]
    write_document(path / SHIFTS, _Document(1, stored))


def clock_shifts(path: Path, tick_ps: int) -> list[ClockShift]:
    """As the manifest of the run at `path` has them, in ticks, the nearest. Raises StoreError or DamagedStore."""
    ticks = {host: (2 * ps + tick_ps) // (2 * tick_ps) for host, ps in read_shifts(path).items()}
    return [ClockShift(host=host, shift=str(shift)) for host, shift in ticks.items() if shift]
