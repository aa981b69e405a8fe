"""A decoder written from docs/page-format.md alone: struct and zlib, and nothing of Tilescope.

It shows that the page is complete, and is the oracle for the product's own decoders.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

MASK = 2**64 - 1
MAGICS = (b"TSPG", b"TSRD", b"TSSH", b"TSFL", b"TSFB", b"TSHG", b"TSOV", b"TSAD")
DELTA, ZIGZAG, FLOAT64 = 1, 2, 4

TILE_COLUMNS = {0: "index", 1: "slot", 2: "tile_flags", 3: "n_slices", 4: "n_bins", 5: "n_counter_bins", 6: "n_samples"}
SLICES = {16: "start", 17: "duration", 18: "row", 19: "name", 20: "ordinal", 21: "slice_flags"}
BINS = {32: "bin", 33: "row", 34: "count", 35: "busy", 36: "name", 37: "share"}
RESIDUAL = {39: "busy_residual", 38: "longest_minus_busy"}
COUNTER_BINS = {48: "bin", 49: "n", 50: "first", 51: "last", 52: "min", 53: "max", 54: "mean"}
SAMPLES = {64: "time", 65: "value", 66: "ordinal"}
SHAPE = {80: "level", 81: "index", 82: "slot", 83: "tile_flags", 84: "events", 85: "page_crc", 86: "residual_crc"}

Row = dict[str, Any]


@dataclass
class PlainContainer:
    """The header's fields, and the columns by id as lists of Python numbers."""

    magic: bytes
    level: int
    tiles: int
    block: int
    columns: dict[int, list[Any]]

    def rows(self, names: dict[int, str], count: int) -> list[Row]:
        """Rows of the columns with these ids; one that was left out has no values."""
        columns = {name: self.columns.get(column, []) for column, name in names.items()}
        for name, values in columns.items():
            assert len(values) == count, f"{name} has {len(values)} values, not {count}"
        return [{name: values[k] for name, values in columns.items()} for k in range(count)]


@dataclass
class PlainTile:
    """One tile of a page."""

    index: int
    slot: int
    flags: int
    carry: float
    slices: list[Row] = field(default_factory=list)
    bins: list[Row] = field(default_factory=list)
    counter_bins: list[Row] = field(default_factory=list)
    samples: list[Row] = field(default_factory=list)


def read_container(member: bytes) -> PlainContainer:
    """A column container from its gzip member."""
    inflater = zlib.decompressobj(wbits=31)
    data = inflater.decompress(member)
    assert inflater.eof, "the member is cut off"
    assert not inflater.unused_data, "something follows the member"
    magic, version, level, n_columns, tiles, block = struct.unpack_from("<4sBBHII", data, 0)
    assert magic in MAGICS
    assert version == 1
    body = 16 + 24 * n_columns
    columns: dict[int, list[Any]] = {}
    for k in range(n_columns):
        column, planes, flags, zero, n, base, scale = struct.unpack_from("<BBBBIqQ", data, 16 + 24 * k)
        assert zero == 0
        assert planes <= 8
        assert scale >= 1
        columns[column] = read_column(data[body : body + planes * n], planes, flags, n, base, scale)
        body += planes * n
    assert body == len(data), "bytes follow the last column"
    return PlainContainer(magic, level, tiles, block, columns)


def read_column(body: bytes, planes: int, flags: int, n: int, base: int, scale: int) -> list[Any]:
    """The values of a column."""
    raw = [sum(body[p * n + k] << (8 * p) for p in range(planes)) for k in range(n)]
    if flags & FLOAT64:
        return [struct.unpack("<d", struct.pack("<Q", value))[0] for value in raw]
    steps = [(value >> 1) ^ -(value & 1) for value in raw] if flags & ZIGZAG else raw
    values, before = [], base
    for step in steps:
        value = (before if flags & DELTA else base) + scale * step
        before = value
        values.append((value + 2**63 & MASK) - 2**63)
    return values


def read_page(member: bytes) -> tuple[PlainContainer, list[PlainTile]]:
    """The tiles of a page, in its order."""
    page = read_container(member)
    assert page.magic == b"TSPG"
    heads = page.rows(TILE_COLUMNS, page.tiles)
    carries = page.columns[7]
    kinds = {
        "slices": page.rows(SLICES, sum(head["n_slices"] for head in heads)),
        "bins": page.rows(BINS, sum(head["n_bins"] for head in heads)),
        "counter_bins": page.rows(COUNTER_BINS, sum(head["n_counter_bins"] for head in heads)),
        "samples": page.rows(SAMPLES, sum(head["n_samples"] for head in heads)),
    }
    tiles = []
    at = dict.fromkeys(kinds, 0)
    for head, carry in zip(heads, carries, strict=True):
        tile = PlainTile(head["index"], head["slot"], head["tile_flags"], carry)
        for kind, rows in kinds.items():
            setattr(tile, kind, rows[at[kind] : at[kind] + head[f"n_{kind}"]])
            at[kind] += head[f"n_{kind}"]
        tiles.append(tile)
    return page, tiles


def stored_parts(value: bytes) -> tuple[bytes, bytes]:
    """The members of a page and of its residual in what a store holds; the second is empty when there is none."""
    (length,) = struct.unpack_from("<I", value)
    assert 4 + length <= len(value)
    return value[4 : 4 + length], value[4 + length :]


def make_exact(page: PlainContainer, tiles: list[PlainTile], residual_member: bytes) -> None:
    """Puts right what was rounded off, and adds the longest slice of each bin."""
    residual = read_container(residual_member)
    assert (residual.magic, residual.level, residual.tiles, residual.block) == (
        b"TSRD",
        page.level,
        page.tiles,
        page.block,
    )
    bins = [row for tile in tiles for row in tile.bins]
    for row, more in zip(bins, residual.rows(RESIDUAL, len(bins)), strict=True):
        row["busy"] += more["busy_residual"]
        row["longest"] = row["busy"] + more["longest_minus_busy"]


def read_shape(member: bytes) -> list[Row]:
    """The tiles of a block."""
    shape = read_container(member)
    assert shape.magic == b"TSSH"
    return shape.rows(SHAPE, shape.tiles)
