"""`run.json`: the shards of a run, and what became of them. It reaches no further than its own folder."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, to_builtins

from tilescope.tiler.errors import DamagedStore, StoreVersion
from tilescope.tiler.shards.folder import RUN
from tilescope.tiler.shards.own_axis import OwnAxis
from tilescope.tiler.store import is_store
from tilescope.tiler.store.documents import read_document, write_document
from tilescope.tiler.store.version import STORE_VERSION

_MOST_BYTES: Final = 64 << 20

_VERSION: Final = 2  # of this file

MOST_SHARDS: Final = 4096


class Shard(Struct, frozen=True, forbid_unknown_fields=True):
    """One shard. Its store lies in `shards/NAME`."""

    name: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    files: list[str]  # as they were named
    state: Literal["ready", "failed"]
    build: Annotated[str, Meta(pattern="^[0-9a-f]{0,24}$")] = ""
    error: Annotated[str, Meta(max_length=2000)] = ""  # of a shard that failed
    own: OwnAxis | None = None  # the axis that it has in place of the one of the run
    axis: Annotated[str, Meta(pattern="^[0-9a-f]{0,24}$")] = ""  # id of that axis; empty: that of the run

    @property
    def title(self) -> str:
        """Its name in messages."""
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return (Path(self.files[0]).name if self.files else self.name) + more


class ShardedRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run of shards, in the order of its files."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]  # of all that follows: it stands first, for those who look
    version: Literal[2]
    store_version: int
    axis: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    shards: Annotated[list[Shard], Meta(max_length=MOST_SHARDS)]
    notes: list[str] = []

    @property
    def failed(self) -> list[Shard]:
        """Shards that are missing in the run."""
        return [shard for shard in self.shards if shard.state == "failed"]


def make_sharded_run(axis: str, shards: Sequence[Shard], notes: Sequence[str]) -> ShardedRun:
    """The document of a run that was just indexed."""
    content = json.dumps(to_builtins([STORE_VERSION, axis, list(shards), list(notes)]))
    return ShardedRun(
        hashlib.sha256(content.encode()).hexdigest()[:24], _VERSION, STORE_VERSION, axis, list(shards), list(notes)
    )


def is_run_of_shards(folder: Path) -> bool:
    """True if `folder` is one of shards, whatever they are worth."""
    return (folder / RUN).is_file()


def is_run(path: Path) -> bool:
    """True if a store lies at `path`, or a folder of shards."""
    return is_store(path) or is_run_of_shards(path)


def write_sharded_run(folder: Path, run: ShardedRun) -> None:
    """Publishes a run. Raises StoreError."""
    write_document(folder / RUN, run)


def read_sharded_run(folder: Path) -> ShardedRun:
    """The run in a folder. Raises NoStore, StoreVersion, StoreError or DamagedStore."""
    try:
        run = read_document(folder / RUN, ShardedRun, _MOST_BYTES)
    except DamagedStore:
        _check_version(folder)
        raise
    if run.store_version != STORE_VERSION:
        what = f"its shards are of store version {run.store_version}, this is version {STORE_VERSION}"
        raise StoreVersion(f"{folder / RUN}: {what} (index the run again)")
    twice = [name for name, count in Counter(shard.name for shard in run.shards).items() if count > 1]
    if twice:
        raise DamagedStore(f"{folder / RUN}: names shard {twice[0]} more than once")
    return run


class _Head(Struct, frozen=True):
    """The version of the file, whatever else there is."""

    version: int


def _check_version(folder: Path) -> None:
    """Raises StoreVersion for a file of another version, DamagedStore for one that makes no sense."""
    version = read_document(folder / RUN, _Head, _MOST_BYTES).version
    if version != _VERSION:
        what = f"is of version {version}, this reads version {_VERSION}"
        raise StoreVersion(f"{folder / RUN}: {what} (index the run again: its shards are kept)")
