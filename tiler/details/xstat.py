"""Arguments of XSpace events: XStats, completed by those of the event's metadata, as people read them.

One event's arguments (encoding "xstat") are a varint, the number of its metadata in the tables (`xstat_tables.py`),
followed by the event's `stats` fields exactly as they lie in the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.wire import Field, WireDamage, double, fields, signed, varint
from tilescope.tiler.details.xstat_tables import XStatTables

_METADATA_ID, _DOUBLE, _UINT64, _INT64, _STR, _BYTES, _REF = range(1, 8)
_VARINT_BYTES: Final = 10


class XStat(Struct, frozen=True):
    """One decoded stat. `value`: int, float, str, None where the file has none, or {"bytes": n} for raw bytes."""

    name: str
    value: object


def decode(raw: bytes, tables: XStatTables) -> list[tuple[str, object]]:
    """(name, value) of each argument: the event's own in order, then those of its metadata that it does not override.

    `long_name` comes first where the metadata has one. Damaged bytes become an argument "[damaged]".
    """
    if not raw:  # flow ends have none of their own
        return []
    number, args_begin = varint(raw, 0)
    metadata = tables.entry(number)
    names = tables.planes[metadata.plane].stat_names
    own = list(stats(raw[args_begin:], names))
    present = {stat.name for stat in own}
    shared = [stat for stat in stats(metadata.stats, names) if stat.name not in present]
    long_name = [XStat("long_name", metadata.long_name)] if metadata.long_name else []
    return [(stat.name, stat.value) for stat in (*long_name, *own, *shared)]


def stats(raw: bytes, names: Mapping[int, str]) -> Iterator[XStat]:
    """The XStats in the length-delimited fields of `raw`, whatever their field number."""
    try:
        for field in fields(raw):
            if isinstance(field.value, bytes):
                yield stat(field.value, names)
    except WireDamage as damage:
        yield XStat("[damaged]", str(damage))


def stat(raw: bytes, names: Mapping[int, str]) -> XStat:
    """One XStat message. Raises `WireDamage`."""
    metadata_id = 0
    value: object = None
    for field in fields(raw):
        if field.number == _METADATA_ID and isinstance(field.value, int):
            metadata_id = signed(field.value)
        elif _DOUBLE <= field.number <= _REF:
            value = _value(field, names)
    return XStat(names.get(metadata_id) or f"[stat {metadata_id}]", value)


def _value(field: Field, names: Mapping[int, str]) -> object:
    if isinstance(field.value, int):
        if field.number == _INT64:
            return signed(field.value)
        if field.number == _REF:
            return names.get(signed(field.value), f"[stat {signed(field.value)}]")
        return field.value
    if field.number == _DOUBLE and len(field.value) == 8:
        number = double(field.value)
        return number if math.isfinite(number) else str(number)  # JSON has no word for it
    if field.number == _STR:
        return field.value.decode("utf-8", errors="replace")
    return {"bytes": len(field.value)}


def integers(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], rows: NDArray[np.int64], name: str, tables: XStatTables
) -> NDArray[np.int64]:
    """The integer stat of this name of the events `rows`, all of one line; -1 where it is none or below 0."""
    begin = int(args_end[rows[0] - 1]) if rows[0] else 0
    metadata, _ = varint(args[begin : begin + _VARINT_BYTES].tobytes(), 0)
    plane = int(tables.plane[metadata])  # that of the whole line
    ids = tables.stat_ids(plane).get(name, [])
    number: NDArray[np.int64] = _native.integer_stats(args_end, args, rows, ids, -1)
    return number
