"""Room in the memory of indexing for tracks, processes, names, ids, flow ends and open slices of a run: `--memory`.

Not `_native.MemoryBudget`, which counts the bytes that native code allocates.

They stay in memory until a run is published, or are worked on all at once, and unlike events they cannot lie in
scratch files. A file of some megabytes can name millions of each, so they are counted as they are found, and refused
before they take too much.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import TooMany

# Measured with `tilescope index` on 30,000 and 100,000 lines, and planes, with an event each: what the process takes at
# its peak beyond what it takes anyway, per piece, rounded up for lines with more events (2 kB of bins of activity).
TRACK_BYTES: Final = 6 << 10
PROCESS_BYTES: Final = 4 << 10
NAME_BYTES: Final = 768  # beside its text
NAME_COPIES: Final = 4  # of the text

# Of threads that metadata names, whether they have events or not: 0.4 kB measured on 1.5 million.
THREAD_BYTES: Final = 512

# Of async slices and flows, where an id is not a number: entries and slots of a table that doubles, and its text.
ID_BYTES: Final = 128
ID_COPIES: Final = 3

# Of a file's flow ends while they are joined, beside what lies in scratch files: 10 million of one slice, the worst,
# took 1.1 GB altogether.
FLOW_END_BYTES: Final = 96

# Of a track's slices that are open at once, which its tiles, pages and rollups hold together: 60 to 96 bytes measured
# on five million, and as much again is for what the budget is for otherwise.
OPEN_SLICE_BYTES: Final = 160

# Of async begins and ends whose ids are looked at together, because several processes use them.
SHARED_ASYNC_BYTES: Final = 384

# Of slices of a stream while files of its device are compared: columns, and as many while they are sorted.
COMPARED_SLICE_BYTES: Final = 256

# Of an attachment, what reading and listing it take; and how many a run has at most, whatever the memory.
ATTACHMENT_BYTES: Final = 8 << 10
MAX_ATTACHMENTS: Final = 100_000

# Below that much memory even Python and its libraries have no room.
_LEAST_BYTES: Final = 64 << 20


@dataclass(slots=True)
class _Taken:
    """Room that the files of a run have taken together."""

    attachments: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class Room:
    """`memory_bytes` is what indexing may take altogether."""

    memory_bytes: int = 1 << 62
    _taken: _Taken = field(default_factory=_Taken, compare=False, repr=False)

    @property
    def bytes(self) -> int:
        """Bytes that tracks, processes, names and ids may take."""
        return max(self.memory_bytes, _LEAST_BYTES)

    def take_attachment(self) -> bool:
        """Takes the room of one more attachment of the run; False when there is none left."""
        with self._taken.lock:
            self._taken.attachments += 1
            return self._taken.attachments <= min(MAX_ATTACHMENTS, self.bytes // ATTACHMENT_BYTES)

    def check(
        self,
        path: Path | str,
        tracks: int = 0,
        processes: int = 0,
        names: int = 0,
        text_bytes: int = 0,
        ids: int = 0,
        id_bytes: int = 0,
        threads: int = 0,
    ) -> None:
        """Raises `TooMany`. `text_bytes` and `id_bytes`: of the texts of all names and ids, where they are known."""
        of_names = names * NAME_BYTES + text_bytes * NAME_COPIES
        of_ids = ids * ID_BYTES + id_bytes * ID_COPIES
        of_threads = threads * THREAD_BYTES
        if tracks * TRACK_BYTES + processes * PROCESS_BYTES + of_threads + of_names + of_ids > self.bytes:
            counts = (
                (tracks, "tracks"),
                (processes, "processes"),
                (threads, "threads"),
                (names, "names"),
                (ids, "ids that are no numbers"),
            )
            many = [f"{count:,} {what}" for count, what in counts if count > 1]
            raise self.error(path, "has " + (" and ".join(many) or "a very long name"))

    def check_flow_ends(self, path: Path | str, flow_ends: int) -> None:
        """Raises `TooMany` for more than can be joined."""
        if flow_ends * FLOW_END_BYTES > self.bytes:
            raise self.error(path, f"has {flow_ends:,} flow ends")

    def error(self, path: Path | str, what: str) -> TooMany:
        """For what has too much of something, as `what` says."""
        costs = (
            f"{TRACK_BYTES >> 10} kB a track, {PROCESS_BYTES >> 10} kB a process, 1 kB a name and its text, "
            f"{FLOW_END_BYTES} bytes a flow end, {OPEN_SLICE_BYTES} bytes a slice of those "
            "that are open at once on a track"
        )
        limit = f"more than there is room for in {self.bytes / 1e6:,.0f} MB of memory"
        return TooMany(path, f"{what}, {limit}", advice=f"give more with --memory: {costs}")
