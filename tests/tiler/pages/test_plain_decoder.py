"""Real pages, read by a decoder that knows the documentation alone and by the product: the same, and as promised."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tests.tiler.pages.plain_decoder import (
    PlainTile,
    make_exact,
    read_container,
    read_page,
    read_shape,
    stored_parts,
)
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey, Shape, Tile, decode_columns, decompress, with_residual
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store import RunStore, open_run_store

pytestmark = pytest.mark.slow

LEAF, TERMINAL, FIRST_OF_PAGE, HAS_RESIDUAL = 1, 2, 4, 8
REACHES_IN = 1
TRACES = [
    None,
    "xplane/tpu_v6e_4core.xplane.pb",
    "kineto/nccl_data.json.gz",
    "chrome/instance_counters.json",
    "chrome/nestable_async.json",
    "ascend/msprof_1_0_6.json",
]


@pytest.fixture(scope="module", params=TRACES, ids=lambda name: name or "demo")
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    path = tmp_path_factory.mktemp("plain") / "store"
    trace: Path = DEMO_TRACE if request.param is None else corpus_path(request.param)
    build_store([trace], path)
    store = open_run_store(path)
    yield store
    store.close()


def pages_of(store: RunStore) -> Iterator[tuple[int, list[dict[str, Any]], PageKey, bytes]]:
    """Every page of every block, with the rows of the shape that lie on it."""
    for block in range(store.manifest()["blocks"]):
        member = store.get(SHAPE, block)
        assert member is not None
        rows = read_shape(member)
        starts = [k for k, row in enumerate(rows) if row["tile_flags"] & FIRST_OF_PAGE] + [len(rows)]
        assert starts[0] == 0
        for first, last in pairwise(starts):
            head = rows[first]
            key = PageKey(block, head["level"], head["index"], head["slot"])
            page = stored_page(store, key)
            assert page is not None
            yield block, rows[first:last], key, page


def test_pages_hold_the_tiles_that_the_shape_promises(store: RunStore) -> None:
    for block, rows, key, member in pages_of(store):
        assert zlib.crc32(member) == rows[0]["page_crc"]
        assert len(member) <= 49_132
        page, tiles = read_page(member)
        assert (page.block, page.level) == (block, key.level)
        assert [(t.index, t.slot, t.flags) for t in tiles] == [
            (row["index"], row["slot"], row["tile_flags"] & (LEAF | TERMINAL)) for row in rows
        ]
        for tile, row in zip(tiles, rows, strict=True):
            assert events_in(tile) == row["events"], (key, row)


def events_in(tile: PlainTile) -> int:
    in_slices = sum(not row["slice_flags"] & REACHES_IN for row in tile.slices)
    in_bins = sum(int(row["count"]) for row in tile.bins) + sum(int(row["n"]) for row in tile.counter_bins)
    return in_slices + in_bins + len(tile.samples)


def test_the_product_reads_the_same(store: RunStore) -> None:
    for _, _, key, member in pages_of(store):
        page, tiles = read_page(member)
        residual = stored_page(store, key.residual)
        if residual is not None:
            make_exact(page, tiles, residual)
        read = decode_columns(decompress(member))
        if residual is not None:
            read = with_residual(read, decompress(residual))
        for plain, tile in zip(tiles, read.tiles(), strict=True):
            assert same(plain, tile), (key, plain.index, plain.slot)


def test_pages_with_bins_have_residuals(store: RunStore) -> None:
    for _, rows, key, member in pages_of(store):
        residual = stored_page(store, key.residual)
        _, tiles = read_page(member)
        assert (residual is not None) == any(tile.bins for tile in tiles) == bool(rows[0]["tile_flags"] & HAS_RESIDUAL)
        assert rows[0]["residual_crc"] == zlib.crc32(residual or b"")


def test_rounded_busy_times_add_up_to_within_half_a_quantum(store: RunStore) -> None:
    seen = 0
    for _, _, key, member in pages_of(store):
        page, exact_tiles = read_page(member)
        residual = stored_page(store, key.residual)
        if residual is None:
            continue
        make_exact(page, exact_tiles, residual)
        busy = [row["busy"] for tile in exact_tiles for row in tile.bins]
        quantum = max(math.gcd(*busy), min(4**key.level, max(busy)) // 256)
        for rounded, exact in zip(read_page(member)[1], exact_tiles, strict=True):
            off = {row["row"]: 0 for row in exact.bins}
            for near, true in zip(rounded.bins, exact.bins, strict=True):
                seen += near["busy"] != true["busy"]
                assert near["busy"] >= 0
                off[true["row"]] += true["busy"] - near["busy"]
                assert 2 * abs(off[true["row"]]) <= quantum
    assert (seen > 0) == (int(store.manifest()["events"]["total"]) > 1000)  # times of a few events fit as they are


def same(plain: PlainTile, tile: Tile) -> bool:
    for slice_row in plain.slices:
        slice_row["flags"] = slice_row.pop("slice_flags")
    is_same = (plain.index, plain.slot, plain.flags, bits(plain.carry)) == (
        tile.index,
        tile.slot,
        int(tile.flags),
        bits(tile.carry),
    )
    for kind in ("slices", "bins", "counter_bins", "samples"):
        columns = getattr(tile, kind)
        names = columns.__struct_fields__
        rows = [
            dict(zip(names, row, strict=True))
            for row in zip(*(getattr(columns, n).tolist() for n in names), strict=True)
        ]
        is_same &= [exact(row) for row in rows] == [exact(row) for row in getattr(plain, kind)]
    return is_same


def exact(row: dict[str, Any]) -> dict[str, Any]:
    return {name: bits(value) if isinstance(value, float) else value for name, value in row.items()}


def bits(value: float) -> bytes:
    return struct.pack("<d", math.nan if math.isnan(value) else value)


def test_shapes_are_read_the_same(store: RunStore) -> None:
    for block in range(store.manifest()["blocks"]):
        member = store.get(SHAPE, block)
        assert member is not None
        shape = Shape.decode(decompress(member))
        plain = read_shape(member)
        for name, column in (("level", shape.level), ("index", shape.index), ("slot", shape.slot)):
            assert [row[name] for row in plain] == column.tolist()
        assert [row["events"] for row in plain] == shape.events.tolist()
        assert [row["page_crc"] for row in plain] == shape.page_crc.tolist()
        places = [(row["level"], row["index"], row["slot"]) for row in plain]
        assert places == sorted(set(places))


def test_every_record_that_is_a_container_can_be_read(store: RunStore) -> None:
    kinds = {b"P": b"TSPG", b"S": b"TSSH", b"F": b"TSFL", b"G": b"TSFB", b"H": b"TSHG", b"O": b"TSOV"}
    seen = set()
    for key, value in store.records():
        if key[:1] in kinds:
            member = stored_parts(value)[0] if key[:1] == b"P" else value
            assert read_container(member).magic == kinds[key[:1]]
            seen.add(key[:1])
    assert {b"P", b"S"} <= seen


def test_leaves_hold_every_event_in_its_place(store: RunStore) -> None:
    tracks = store.internals()["tracks"]
    found: dict[int, list[tuple[int, int]]] = {}
    for block, _, key, member in pages_of(store):
        for tile in read_page(member)[1]:
            if not tile.flags & LEAF:
                continue
            first, stop = tile.index * 256 * 4**key.level, (tile.index + 1) * 256 * 4**key.level
            track = block * 32 + tile.slot
            for row in tile.slices:
                starts_here = first <= row["start"] < stop
                assert starts_here != bool(row["slice_flags"] & REACHES_IN)
                assert starts_here or row["start"] + row["duration"] > first
                if starts_here:
                    found.setdefault(track, []).append((row["ordinal"], row["start"]))
            for row in tile.samples:
                assert first <= row["time"] < stop
                found.setdefault(track, []).append((row["ordinal"], row["time"]))
    for track, about in enumerate(tracks):
        events = sorted(found.get(track, []))
        wanted = 0 if about["kind"] == "rollup" else about["events"]
        assert [ordinal for ordinal, _ in events] == list(range(wanted))
        assert [tick for _, tick in events] == sorted(tick for _, tick in events)
