"""Tables of operations that were made last: the next tool that is asked about the same range takes them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Final

from tilescope.tiler.facts.operations.op_rows import OpRows
from tilescope.tiler.facts.operations.op_table import OpTable
from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.windows import WindowsOf

# Of all open stores of a process together: ten tables of 40,000 instructions.
KEPT_BYTES: Final = 96 << 20

# Of a row that is numbers in columns, and of one that is an object.
_COLUMN_BYTES: Final = 220
_ROW_BYTES: Final = 1200


class _Kept:
    """The least recently used are forgotten first. For whatever thread."""

    def __init__(self) -> None:
        self._of: KeptWith[QueryReader, OrderedDict[Hashable, OpTable]] = KeptWith()
        self._lock = threading.Lock()

    def get(self, reader: QueryReader, key: Hashable) -> OpTable | None:
        """One that is kept."""
        with self._lock:
            tables = self._of.get(reader, OrderedDict[Hashable, OpTable]())
            if key in tables:
                tables.move_to_end(key)
            return tables.get(key)

    def keep(self, reader: QueryReader, key: Hashable, table: OpTable) -> None:
        """Keeps one, and forgets others where there is no room."""
        with self._lock:
            self._of.setdefault(reader, OrderedDict())[key] = table
            left = KEPT_BYTES
            for tables in [self._of[reader], *(of for one, of in self._of.items() if one is not reader)]:
                for one in reversed(list(tables)):
                    left -= _size(tables[one])
                    if left < 0:
                        del tables[one]


_KEPT: Final = _Kept()


def kept_table(
    reader: QueryReader,
    kind: str,
    tracks: Sequence[int],
    windows_of: WindowsOf,
    make: Callable[[], Generator[None, None, OpTable]],
) -> Steps[OpTable]:
    """The table of a kind of devices with these tracks, in the windows of each. Raises DamagedStore, NotBuilt."""
    if reader.store.is_growing:
        return (yield from make())
    windows = [windows_of(track) for track in tracks]
    texts = {id(of): (of.starts.tobytes(), of.stops.tobytes()) for of in windows}
    key = kind, tuple(tracks), tuple(texts[id(of)] for of in windows)
    found = _KEPT.get(reader, key)
    if found is None:
        found = yield from make()
        _KEPT.keep(reader, key, found)
    return found


def _size(table: OpTable) -> int:
    """About what it takes."""
    of = table.operations
    return len(of) * _COLUMN_BYTES + of.made * _ROW_BYTES if isinstance(of, OpRows) else len(of) * _ROW_BYTES
