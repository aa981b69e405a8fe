"""A hostile input, and what may become of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
GIB = 1 << 30

# Writes the input into an empty folder, from nothing and always the same; returns the path to index.
Maker = Callable[[Path], Path]


@dataclass(frozen=True, slots=True)
class Indexed:
    """It is indexed, `tilescope verify` agrees, and this is in the store."""

    events: int  # as written, those that were set aside included: `events.total`
    tracks: int | None  # without rollups; None: whatever
    # Regular expressions: each is met by a warning, note or count, and nothing else is said. None: whatever.
    said: tuple[str, ...] | None = ()
    spans: tuple[tuple[str, int, int], ...] | None = None  # name, start and duration in ps from the first event, sorted
    hosts: tuple[str, ...] | None = None  # in the order of the screen


@dataclass(frozen=True, slots=True)
class Refused:
    """It is refused with one line that the expression is found in, and nothing is left."""

    message: str
    code: int = 1  # 2: wrong usage, such as a folder without any trace


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `accepted` comes from what the formats page promises, not from what the program does."""

    id: str  # family/what
    about: str
    make: Maker
    accepted: tuple[Indexed | Refused, ...]
    args: tuple[str, ...] = ()  # more arguments of `tilescope index`
    cpu_seconds: float = 10.0  # that indexing may take, and verifying
    data_bytes: int = GIB  # RLIMIT_DATA of each process
    address_bytes: int | None = None  # RLIMIT_AS, where that is the point
    apart: bool = False  # only for `make hostile`: takes seconds, much memory or disk, or limits of the process
    meanwhile: Callable[[Path], None] | None = None  # done to the input as soon as indexing has begun to write

    @property
    def family(self) -> str:
        """What it belongs to in the table of outcomes."""
        return self.id.partition("/")[0]


def put(name: str, data: bytes | Callable[[], bytes]) -> Maker:
    """Writes one file; large ones are made when they are wanted."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(data() if callable(data) else data)
        return path

    return make
