"""The session of a command that builds shards: a folder, in which workers say how far they are.

A worker stops at the next look when the folder is gone: the command has ended, or a later one has cleared up.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from tilescope.tiler.errors import Cancelled, StoreError
from tilescope.tiler.shards.folder import SESSION

PULSE_SECONDS: Final = 1.0
_MOST_BYTES: Final = 1024  # of a pulse


class Pulse(Struct, frozen=True):
    """Progress of a task."""

    fraction: float  # 0 to 1
    events: int


class PulseWriter:
    """Writes the pulse of one task, about once a second."""

    def __init__(self, session: Path, task: str) -> None:
        self._session = session
        self._path = session / task
        self._next = 0.0

    def write(self, fraction: float, events: int) -> None:
        """Writes it when it is time. Raises Cancelled when the session is over."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PULSE_SECONDS
        # A name that several attempts of one task share must not be seen half written.
        part = self._session / f".{self._path.name}.{os.urandom(6).hex()}"
        try:
            part.write_bytes(msgspec.json.encode(Pulse(fraction, events)))
            part.replace(self._path)
        except FileNotFoundError as error:
            raise Cancelled("the command that asked for this shard has ended") from error
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be written: {error.strerror}") from error


class Session:
    """The pulses of all tasks of a command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def end(self) -> None:
        """Ends the session: all workers stop at the next look."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def pulses(self) -> dict[str, Pulse]:
        """The pulse of each task that has begun, by name."""
        pulses: dict[str, Pulse] = {}
        if not self.folder.is_dir():
            return pulses
        for entry in os.scandir(self.folder):
            if entry.name.startswith("."):
                continue
            try:
                with Path(entry.path).open("rb") as file:
                    pulses[entry.name] = msgspec.json.decode(file.read(_MOST_BYTES), type=Pulse)
            except (OSError, msgspec.DecodeError):  # of a file system that shows a file before its content
                continue
        return pulses


@contextmanager
def open_session(folder: Path) -> Iterator[Session]:
    """A session, which ends with the block. Those that are left of commands that were killed end as well."""
    for stale in folder.glob(f"{SESSION}*"):
        shutil.rmtree(stale, ignore_errors=True)
    place = folder / f"{SESSION}{os.urandom(8).hex()}"
    place.mkdir()
    session = Session(place)
    try:
        yield session
    finally:
        session.end()
