"""Tables of operations that were made last: the next tool that is asked about the same range takes them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Final

from tilescope.tiler.facts.operations.op_rows import OpRows
from tilescope.tiler.facts.operations.op_table import OpTable
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import WindowsOf

# Of a row that is numbers in columns, and of one that is an object.
_COLUMN_BYTES: Final = 220
_ROW_BYTES: Final = 1200


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
    table = _TABLES.get(reader, key)
    return _TABLES.keep(reader, key, (yield from make())) if table is None else table


def _size(table: OpTable) -> int:
    """About what it takes."""
    rows = table.operations
    if isinstance(rows, OpRows):
        return len(rows) * _COLUMN_BYTES + rows.made * _ROW_BYTES
    return len(rows) * _ROW_BYTES


_TABLES: Final = KeyedRunCache[Hashable, OpTable]("operations", "Tables of operations of devices", _size, grows=True)
