"""Attachments of a trace file, which it holds beside its events: their number, their size, and their names.

Their bytes stay in the file, or lie in a spill, until a store takes them. What is left out is named in a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tilescope.tiler.columns import Attachment
from tilescope.tiler.readers.left_out import LeftOut
from tilescope.tiler.readers.memory_budget import Room

# Of one file. A message of protobuf has at most 2 GiB; a file that holds more beside its events is none of a profiler.
MAX_ATTACHMENTS: Final = 10_000
MAX_ATTACHED_BYTES: Final = 4 << 30

# Of a name, in bytes. Longer ones are none that somebody asks for.
MAX_NAME_BYTES: Final = 512

_SHOWN_CHARS: Final = 60
_NAMED: Final = 10

Pieces = Callable[[], Iterator[bytes]]


class Attached:
    """The attachments of one file."""

    def __init__(self, room: Room) -> None:
        self.accepted: list[Attachment] = []
        self.size_bytes = 0
        self._room = room
        self._names: dict[str, int] = {}  # how often each was given
        self._left_out = LeftOut("more are left out of what the file has beside its events", _NAMED)
        self._more = 0

    def add(self, name: str, label: str, media_type: str, size_bytes: int, pieces: Pieces) -> None:
        """Takes one, or says why not. A name that is there already gets a number: `json/a`, `json/a~2`."""
        if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
            self.leave_out(name, f"its name is longer than {MAX_NAME_BYTES} bytes")
        elif len(self.accepted) >= MAX_ATTACHMENTS:
            self.leave_out(name, f"it is one of more than {MAX_ATTACHMENTS:,}")
        elif self.size_bytes + size_bytes > MAX_ATTACHED_BYTES:
            self.leave_out(name, f"with its {size_bytes:,} bytes there are more than {MAX_ATTACHED_BYTES:,}")
        elif not self._room.take_attachment():
            self.leave_out(name, "it is one of more than there is room for in a run")
        else:
            self.size_bytes += size_bytes
            self.accepted.append(Attachment(self._free(name), label, media_type, size_bytes, pieces))

    def leave_out(self, name: str, why: str) -> None:
        """Says that something is not kept."""
        self._left_out.add(_shown(name), why)

    def leave_out_more(self, count: int) -> None:
        """So many beyond those that were named."""
        self._more += count

    def notes(self) -> list[str]:
        """Notes on attachments that are left out, in a few lines."""
        lines = self._left_out.notes()
        if self._more:
            what = f"{self._more:,} values beside the events are left out"
            lines.append(f"{what}: {MAX_ATTACHMENTS:,} are kept of a file")
        return lines

    def _free(self, name: str) -> str:
        free = name
        while free in self._names:
            self._names[name] += 1
            free = f"{name}~{self._names[name]}"
        self._names[free] = 1
        return free


def _shown(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _SHOWN_CHARS else name[: _SHOWN_CHARS - 1] + "…"
