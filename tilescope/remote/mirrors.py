"""Addresses where commands take paths: mirrors of places, and of single objects, below a local folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from tilescope.remote.address import Address
from tilescope.remote.opening import open_traces
from tilescope.tiler.blobs import (
    DEFAULT_SCRATCH_BYTES,
    Mirror,
    MirrorState,
    ScratchSpace,
    mirror_of,
    register,
    unregister,
)
from tilescope.tiler.blobs.blob_name import checked_name
from tilescope.tiler.blobs.mirror import MAX_OBJECTS
from tilescope.tiler.count_text import plural

_DIGEST_CHARACTERS: Final = 16


class MirrorPlan(Struct, frozen=True):
    """A mirror as another process can make it, too."""

    address: str  # as it was named, with what it has of signatures: it is shown to nobody
    root: str  # the folder below which mirrors lie
    scratch_folder: str
    scratch_bytes: int
    prefixes: tuple[str, ...] = ()  # below which it must lie: it was given by somebody else than the command line


class Mirrored(Struct, frozen=True):
    """A mirror that is registered, and what its address stands for."""

    mirror: Mirror
    path: Path
    state: MirrorState

    def notes(self) -> Iterator[str]:
        """Lines on objects that are left out."""
        address = self.mirror.place.address
        if self.state.refused:
            names = plural(self.state.refused, "object is", "objects are")
            yield f"{address}: {names} left out, by names that no file can have"
        if not self.state.is_whole:
            yield f"{address}: there are more than {MAX_OBJECTS:,} objects: name a prefix of them"


_PLANS: list[MirrorPlan] = []


def mirror_address(plan: MirrorPlan) -> Mirrored:
    """Makes and registers the mirror of an address. Lists it, and opens nothing. Raises `BlobError`s and UsageError."""
    address = Address.parse(plan.address)
    place, name = open_traces(plan.address, plan.prefixes)
    folder = Path(_plan_folder(plan), "object" if name else checked_name(address.name))
    mirror = Mirror(folder, place, _scratch_space(plan.scratch_folder, plan.scratch_bytes))
    state = mirror.refresh()
    register(mirror)
    _PLANS.append(plan)
    return Mirrored(mirror, folder / name, state)


@cache
def _scratch_space(folder: str, limit_bytes: int) -> ScratchSpace:
    """Space for the copies of all mirrors together."""
    return ScratchSpace(Path(folder), limit_bytes)


def mirror_of_path(path: Path, plans: Iterable[MirrorPlan]) -> None:
    """Has a path stand for its object in this process, too, as it is now. Does nothing for a path of this machine."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.refresh()
        return
    for plan in plans:
        if path.is_relative_to(_plan_folder(plan)):
            mirror_address(plan)


def _plan_folder(plan: MirrorPlan) -> Path:
    """The folder of all that an address may stand for."""
    digest = hashlib.sha256(Address.parse(plan.address).url.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return Path(plan.root, digest)


@contextmanager
def mirrored_object(address: str) -> Iterator[Path]:
    """A path that stands for the object at an address, within the block. Raises UsageError and `BlobError`s."""
    with TemporaryDirectory(prefix="tilescope-mirror-") as root:
        plan = MirrorPlan(address, root, root, DEFAULT_SCRATCH_BYTES)
        mirrored = mirror_address(plan)
        try:
            yield mirrored.path
        finally:
            unregister_plan(mirrored, plan)


def unregister_plan(mirrored: Mirrored, plan: MirrorPlan) -> None:
    """Ends what `mirror_address` began. The folder stays."""
    unregister(mirrored.mirror)
    _PLANS.remove(plan)


def plans_with(paths: Iterable[Path]) -> tuple[MirrorPlan, ...]:
    """The mirrors that some paths lie in: for a process that works on these alone, wherever the hosts of others are."""
    every = list(paths)
    folders = [(plan, _plan_folder(plan)) for plan in _PLANS]
    return tuple(plan for plan, folder in folders if any(path.is_relative_to(folder) for path in every))


def mirror_plans() -> tuple[MirrorPlan, ...]:
    """The mirrors of this process, for one that works on the same files."""
    return tuple(_PLANS)
