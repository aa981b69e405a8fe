"""Flow tiles: any ends against plain Python, at every level."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.indexing import scratch
from tilescope.tiler.indexing.flows import bins as flow_bins
from tilescope.tiler.indexing.flows.bins import EndsByTick, flow_tiles
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.records.flow_bins import FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds

Row = tuple[int, int, int]  # tick, incoming, partner track
Content = tuple[list[tuple[int, ...]], list[tuple[int, ...]]]  # bins and edges of a tile
ENDS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=60)
ROOT_LEVEL = 3
LIMIT, EDGES = 8, 5


def ends_of(rows: list[Row]) -> EndsByTick:
    tick, incoming, partner = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    other = np.zeros(len(rows), np.int64)
    return EndsByTick.from_track(FlowEnds(other, incoming, tick, partner, other, other, other, other), None, Scratch())


def mixed(rows: list[Row], launches: list[Row]) -> EndsByTick:
    """Ends of flows, and of launches."""
    both = sorted([*rows, *launches])
    tick, incoming, partner = zip(*both, strict=True)
    flow_tick = np.array(sorted(tick for tick, _, _ in rows), np.int64)
    columns = np.array(tick, np.int64), np.array(incoming, np.int8), np.array(partner, np.int32)
    return EndsByTick(*columns, flow_tick)


def expected(rows: list[Row], level: int) -> dict[int, Content]:
    """Bins and edges of all tiles of a level, as if each had a record."""
    out: dict[int, Content] = {}
    for index in {tick >> (2 * level + 8) for tick, _, _ in rows}:
        here = [
            ((tick >> 2 * level) & 255, incoming, partner)
            for tick, incoming, partner in rows
            if tick >> (2 * level + 8) == index
        ]
        ranked = sorted(Counter(here).items(), key=lambda item: (-item[1], item[0]))[:EDGES]
        total: Counter[tuple[int, int]] = Counter()
        for bin_, incoming, _ in here:
            total[bin_, incoming] += 1
        used = sorted({bin_ for bin_, _, _ in here})
        bins: list[tuple[int, ...]] = [(b, total[b, 0], total[b, 1]) for b in used]
        out[index] = bins, [(*key, count) for key, count in ranked]
    return out


def found(tiles: FlowTiles) -> dict[int, Content]:
    bins = rows_of(tiles.bin, tiles.out, tiles.into)
    edges = rows_of(tiles.edge_bin, tiles.edge_incoming, tiles.edge_partner, tiles.edge_count)
    out: dict[int, Content] = {}
    for index, n_bins, n_edges in zip(tiles.index.tolist(), tiles.n_bins, tiles.n_edges, strict=True):
        out[index] = bins[:n_bins], edges[:n_edges]
        bins, edges = bins[n_bins:], edges[n_edges:]
    assert not bins
    assert not edges
    return out


def rows_of(*columns: np.ndarray) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(ENDS)
def test_tiles(rows: list[Row]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_bins, "ENDS_OF_LAST_TILE", LIMIT)
        patch.setattr(flow_bins, "EDGES_PER_TILE", EDGES)
        levels = list(flow_tiles(ends_of(rows), ROOT_LEVEL))
    covered = rows
    for level, tiles in zip(range(ROOT_LEVEL, -1, -1), levels, strict=False):
        assert tiles.level == level
        assert found(tiles) == expected(covered, level)
        sizes = Counter(tick >> (2 * level + 8) for tick, _, _ in covered)
        covered = [row for row in covered if sizes[row[0] >> (2 * level + 8)] > LIMIT]
        joined = [FlowTiles.decode(chunk.encode(9), 9) for chunk in tiles.chunks()]
        assert {k: v for chunk in joined for k, v in found(chunk).items()} == found(tiles)
    assert not covered or len(levels) == ROOT_LEVEL + 1


@given(ENDS, ENDS)
def test_launches_end_at_larger_tiles(rows: list[Row], launches: list[Row]) -> None:
    """A tile has others below it by its flows alone, or by all of its ends where they are very many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_bins, "ENDS_OF_LAST_TILE", LIMIT)
        patch.setattr(flow_bins, "LAUNCHES_OF_LAST_TILE", 2 * LIMIT)
        patch.setattr(flow_bins, "EDGES_PER_TILE", EDGES)
        levels = list(flow_tiles(mixed(rows, launches), ROOT_LEVEL))
    covered = [*rows, *launches]
    for level, tiles in zip(range(ROOT_LEVEL, -1, -1), levels, strict=False):
        assert found(tiles) == expected(covered, level)
        shift = 2 * level + 8
        sizes = Counter(tick >> shift for tick, _, _ in covered)
        flows = Counter(tick >> shift for tick, _, _ in rows)
        covered = [row for row in covered if flows[row[0] >> shift] > LIMIT or sizes[row[0] >> shift] > 2 * LIMIT]
    assert not covered or len(levels) == ROOT_LEVEL + 1


@given(ENDS, st.integers(1, 40))
def test_tiles_that_are_summed_up_piece_by_piece(rows: list[Row], at_once: int) -> None:
    """The same tiles, each once; those of a level in order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_bins, "ENDS_OF_LAST_TILE", LIMIT)
        patch.setattr(flow_bins, "EDGES_PER_TILE", EDGES)
        whole = list(flow_tiles(ends_of(rows), ROOT_LEVEL))
        patch.setattr(flow_bins, "_ENDS_AT_ONCE", at_once)
        patch.setattr(scratch, "_PART", at_once)
        pieces = list(flow_tiles(ends_of(rows), ROOT_LEVEL))
    contents = [
        [(tiles.level, index, content) for tiles in levels for index, content in found(tiles).items()]
        for levels in (whole, sorted(pieces, key=lambda tiles: -tiles.level))
    ]
    assert contents[0] == contents[1]
    assert max(len(tiles) for tiles in pieces) <= at_once


@given(ENDS, st.sampled_from([(0, None), (None, 2), (1, 3)]))
def test_a_value_that_all_ends_have_stands_once(rows: list[Row], alike: tuple[int | None, int | None]) -> None:
    """`alike`: the direction that all have, and the partner; None: they differ."""
    direction, track = alike
    rows = [
        (tick, incoming if direction is None else direction, partner if track is None else track)
        for tick, incoming, partner in sorted(rows)
    ]
    tick, incoming, partner = (np.array(column) for column in zip(*rows, strict=True))
    incoming, partner = incoming.astype(np.int8), partner.astype(np.int32)
    once = incoming if direction is None else incoming[:1], partner if track is None else partner[:1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_bins, "ENDS_OF_LAST_TILE", LIMIT)
        patch.setattr(flow_bins, "EDGES_PER_TILE", EDGES)
        levels, levels_once = (
            [
                (tiles.level, found(tiles))
                for tiles in flow_tiles(EndsByTick(tick, columns[0], columns[1], tick), ROOT_LEVEL)
            ]
            for columns in ((incoming, partner), once)
        )
    assert levels_once == levels


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([(5, 0, 1), (4, 0, 1)], "flow ends are not in time order"),
        ([(-1, 0, 1)], "flow ends are not in time order"),
        ([(5, 2, 1)], "there are no such flow ends"),
        ([(5, 0, -1)], "there are no such flow ends"),
    ],
)
def test_ends_that_there_are_not(rows: list[Row], what: str) -> None:
    tick, incoming, partner = zip(*rows, strict=True)
    ends = EndsByTick(np.array(tick), np.array(incoming, np.int8), np.array(partner, np.int32), np.zeros(0, np.int64))
    with pytest.raises(ValueError, match=what):
        list(flow_tiles(ends, ROOT_LEVEL))
