"""Arguments of events: the chunks that hold them, and their decoders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.details import UNREADABLE, ArgsCodec, Arguments
from tilescope.tiler.details.chunk import Chunk, RowShapes
from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import FormatFailed
from tilescope.tiler.lookup.device_durations import device_durations
from tilescope.tiler.pages import decompress
from tilescope.tiler.readers.formats import codec
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.store.store import Store, need
from tilescope.tiler.store.validation import must_make_sense

# Tables read pages when they are needed, and keep the last ones.
_TABLES: Final = KeyedCache[Store, int, Any]("argument_tables", "Tables of arguments of files", grows=True)

_UNREAD: Final = object()


def argument_chunk(store: Store, track: int, ordinal: int) -> Chunk | None:
    """The chunk of arguments that begins with an event or before; None where there is none. Raises DamagedStore."""
    record = store.at_most(ARGUMENTS, track, ordinal)
    if record is None:
        return None
    (_, first), chunk = record
    return Chunk.parse(decompress(chunk), first, device_durations(store, track))


def argument_row_shapes(store: Store, track: int, ordinal: int) -> RowShapes | None:
    """The shapes of the events of that chunk; None where there is none, or one without shapes. Raises DamagedStore."""
    record = store.at_most(ARGUMENTS, track, ordinal)
    if record is None:
        return None
    (_, first), chunk = record
    return RowShapes.parse(decompress(chunk), first)


def argument_decoder(store: Store, file: int) -> Callable[[bytes], Arguments]:
    """A function that returns the arguments of an event of a file from their bytes. Raises DamagedStore, StoredLast."""
    tables, decode = _tables(store, file), _codec(store, file).decode  # in this order: the first asks the gate

    def decoded(raw: bytes) -> Arguments:
        if not raw:
            return []
        try:
            with must_make_sense(store.location):
                return decode(raw, tables)
        except FormatFailed as error:  # the event itself is known
            return [(UNREADABLE, error.what)]

    return decoded


def argument_values(
    store: Store, file: int, chunk: Chunk, positions: NDArray[np.int64], names: Sequence[str]
) -> list[Values]:
    """The first argument of each name of some events of a chunk, as far as it can be read quickly.

    Values that have to be decoded event by event are unclear. Raises DamagedStore, StoredLast.
    """
    with must_make_sense(store.location):
        tables, read = _tables(store, file), _codec(store, file).values
        if read is None:
            unclear = np.full(len(positions), ValueKind.UNCLEAR, np.uint8)
            return [Values(unclear.copy(), np.zeros(len(positions), np.int64)) for _ in names]
        return read(chunk.ends, chunk.args, positions, names, tables)


def event_metadata(store: Store, file: int) -> XStatTables | None:
    """Names and stats that events of a file's kinds share; None for a file whose format has none.

    Little is read at once, the rest page by page when it is needed. Raises DamagedStore, StoredLast.
    """
    with must_make_sense(store.location):
        tables = _tables(store, file)
        return tables if isinstance(tables, XStatTables) else None


def _codec(store: Store, file: int) -> ArgsCodec:
    return codec(store.internals()["files"][file]["args_encoding"])


def _tables(store: Store, file: int) -> Any:
    tables = _TABLES.get(store, file, _UNREAD)
    if tables is not _UNREAD:
        return tables
    head = decompress(need(store, ARGUMENT_TABLES, file))
    tables = _codec(store, file).tables(head, lambda page: decompress(need(store, ARGUMENT_TABLE_PAGES, file, page)))
    return _TABLES.keep(store, file, tables)
