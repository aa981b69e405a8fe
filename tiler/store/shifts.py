"""Shifts of clocks, in a file beside the shards of a run or the generations of a store.

They are added when the run is drawn: nothing that is stored changes, so that a shift can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from tilescope.tiler import system
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError, UsageError
from tilescope.tiler.store.documents import read_document, write_document

SHIFTS: Final = "shifts.json"
SHIFTS_LOCK: Final = "shifts.lock"  # whoever changes them has it (flock); it stays

_MOST_BYTES: Final = 4 << 20
MOST_PS: Final = 1 << 62  # which are at most as many ticks
_MOST_SHIFTS: Final = 1 << 16


SavedOrigin = Literal["measured", "by_hand"]


class Shift(Struct, frozen=True):
    """The shift of one clock."""

    ps: int  # by which all of it is drawn later
    origin: SavedOrigin


class _StoredShift(Struct, frozen=True, forbid_unknown_fields=True):
    host: str  # or rank: a name of a clock, see clocks.py
    ps: Annotated[str, Meta(pattern="^-?[0-9]{1,19}$")]  # decimal: a run that is indexed anew may have other ticks
    origin: SavedOrigin = "by_hand"


class _Document(Struct, frozen=True, forbid_unknown_fields=True):
    version: Literal[1]
    shifts: Annotated[list[_StoredShift], Meta(max_length=_MOST_SHIFTS)]


def read_shifts(path: Path) -> dict[str, Shift]:
    """The shifts of the run at `path`, by the name of the clock. Raises StoreError or DamagedStore."""
    if not path.is_dir():
        return {}
    try:
        document = read_document(path / SHIFTS, _Document, _MOST_BYTES)
    except NoStore:
        return {}
    shifts = {stored.host: Shift(int(stored.ps), stored.origin) for stored in document.shifts}
    for clock, shift in shifts.items():
        if not -MOST_PS < shift.ps < MOST_PS:
            raise DamagedStore(f"{path / SHIFTS}: makes no sense: {clock!r:.200} is shifted by {shift.ps:,} ps")
    return {clock: shift for clock, shift in shifts.items() if shift.ps}


def update_shifts(path: Path, changes: Mapping[str, int], origin: SavedOrigin) -> dict[str, Shift]:
    """Saves some shifts, in picoseconds by the name of the clock, and leaves all others; 0 takes one back.

    Several that do so at once wait for each other. Returns all shifts that there are now. Raises UsageError, StoreError
    or DamagedStore.
    """
    if not changes:
        return read_shifts(path)
    if not path.is_dir():
        raise UsageError(f"{path}: an archive takes no shifts: set them before it is written, or in a store")
    for clock, ps in changes.items():
        if not -MOST_PS < ps < MOST_PS:
            raise UsageError(f"{clock}: a shift of {ps:,} ps is more than the {MOST_PS:,} that there may be")
    with _locked(path):
        shifts = read_shifts(path) | {clock: Shift(ps, origin) for clock, ps in changes.items()}
        shifts = {clock: shift for clock, shift in sorted(shifts.items()) if shift.ps}
        if len(shifts) > _MOST_SHIFTS:
            raise UsageError(
                f"{path}: {len(shifts):,} clocks with a shift are more than the {_MOST_SHIFTS:,} that there may be"
            )
        stored = [_StoredShift(clock, str(shift.ps), shift.origin) for clock, shift in shifts.items()]
        write_document(path / SHIFTS, _Document(1, stored), _MOST_BYTES)
    return shifts


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The shifts of a run for this thread alone. Raises StoreError."""
    try:
        lock = (path / SHIFTS_LOCK).open("ab")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
    with lock:
        try:
            system.lock(lock)
        except OSError as error:
            raise StoreError(f"{path / SHIFTS_LOCK}: cannot be locked: {error.strerror or error}") from error
        yield
