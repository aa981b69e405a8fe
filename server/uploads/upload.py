"""One upload on the disk.

    plan.json     what is going to be sent, written first: without it there is no upload
    parts/3       bytes of the fourth file that have come, from its beginning: its size is how many
    files.part/   the same files by their names, while they are moved
    files/        the upload, whole: this folder appears in one step

A server that is started again, or was killed at any moment, goes on with what is there.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from tilescope.server.errors import InUse, NotFound
from tilescope.server.runs.small_file import read_file, replace_file
from tilescope.server.uploads.plan import Plan
from tilescope.tiler.errors import StoreError
from tilescope.tiler.store.readership import PRIVATE
from tilescope.tiler.system import OF_THIS_PLACE

_PLAN: Final = "plan.json"
_MOST_PLAN_BYTES: Final = 4 << 20


class UploadFolder:
    """An upload. Everything is synchronous, and raises OSError as the disk does."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan

    @classmethod
    def make(cls, folder: Path, plan: Plan) -> UploadFolder:
        """A new one, of which nothing has come."""
        make_private(folder / "parts")
        replace_file(folder / _PLAN, msgspec.json.encode(plan))
        return cls(folder, plan)

    @classmethod
    def load(cls, folder: Path) -> UploadFolder:
        """One that is there. Raises `NotFound`."""
        try:
            return cls(folder, msgspec.json.decode(read_file(folder / _PLAN, _MOST_PLAN_BYTES), type=Plan))
        except (OSError, StoreError, msgspec.DecodeError):
            raise NotFound(f"there is no upload {folder.name!r}") from None

    @property
    def id(self) -> str:
        """Name of its folder."""
        return self.folder.name

    @property
    def root(self) -> Path:
        """The file or folder that is served once all is there."""
        return self.folder / "files" / self.plan.top

    @property
    def is_there(self) -> bool:
        """False once it is removed."""
        return (self.folder / _PLAN).exists()

    @property
    def is_listed(self) -> bool:
        """True once all is there."""
        return (self.folder / "files").is_dir()

    def received_bytes(self) -> list[int]:
        """Bytes that have come, of each file."""
        if self.is_listed:
            return [file.size_bytes for file in self.plan.files]
        sizes: dict[str, int] = {}
        with suppress(OSError), os.scandir(self.folder / "parts") as parts:  # there may be thousands
            for part in parts:
                with suppress(OSError):
                    sizes[part.name] = part.stat().st_size
        is_moving = (self.folder / "files.part").exists()
        return [
            self.received(number) if is_moving else sizes.get(str(number), 0) for number in range(len(self.plan.files))
        ]

    def received(self, number: int) -> int:
        """Bytes that have come of one file."""
        for path in (self._part(number), self._target(number), self.folder / "files" / self.plan.files[number].path):
            with suppress(OSError):
                return path.stat().st_size
        return 0

    def changed_ns(self) -> int:
        """Time at which something of it came, or it was used, last, ns since the epoch."""
        times = [self.plan.begun_ns]
        for path in [self.folder / _PLAN, self.folder / "files", *self.folder.glob("parts/*")]:
            with suppress(OSError):
                times.append(path.stat().st_mtime_ns)
        return max(times)

    def mark_used(self, used_ns: int) -> None:
        """Remembers when somebody opened it, ns since the epoch."""
        if used_ns > self.changed_ns():
            os.utime(self.folder / _PLAN, ns=(used_ns, used_ns))

    def append(self, number: int, start: int, content: bytes) -> None:
        """Writes what follows the bytes that are there.

        Raises `InUse` unless these are `start` bytes, `NotFound` where the upload was removed meanwhile.
        """
        try:
            handle = os.open(self._part(number), os.O_WRONLY | os.O_CREAT | OF_THIS_PLACE, 0o600)
        except FileNotFoundError:
            raise NotFound(f"there is no upload {self.id!r}") from None
        try:
            there = os.fstat(handle).st_size
            if there != start:
                raise InUse(f"{there:,} bytes of this file have come: go on from there")
            view = memoryview(content)
            while view:
                written = os.pwrite(handle, view, start)
                start, view = start + written, view[written:]
        finally:
            os.close(handle)

    def list(self) -> None:
        """Moves all files to where they are served, in one step for whoever looks. Raises `InUse` while some lack."""
        if self.is_listed:
            return
        lacking = sum(
            file.size_bytes - received for file, received in zip(self.plan.files, self.received_bytes(), strict=True)
        )
        if lacking:
            raise InUse(f"{lacking:,} bytes have not come yet")
        for number, file in enumerate(self.plan.files):
            target = self._target(number)
            make_private(target.parent)
            if not target.exists():
                if file.size_bytes == 0:
                    target.touch(0o600)
                else:
                    self._part(number).rename(target)
            os.utime(target, ns=(file.modified_ms * 1_000_000,) * 2)
        (self.folder / "files.part").rename(self.folder / "files")
        shutil.rmtree(self.folder / "parts", ignore_errors=True)

    def remove(self) -> None:
        """Removes it: at once for whoever looks, as there is no upload without its plan."""
        with suppress(OSError):
            (self.folder / "files").rename(self.folder / "files.gone")
        (self.folder / _PLAN).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _part(self, number: int) -> Path:
        return self.folder / "parts" / str(number)

    def _target(self, number: int) -> Path:
        return self.folder / "files.part" / self.plan.files[number].path


def make_private(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for this account alone."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(PRIVATE, exist_ok=True)
