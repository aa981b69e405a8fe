"""The native sums per name against plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.histogram_reference import Row, Timed, buckets, buckets_of, histogram, on_top, rows_of
from tests.tiler.pyramid.reference import Slice, canonical
from tests.tiler.pyramid.tracks import SHAPES, late, repeated_tracks, small_tracks
from tilescope.tiler import _native
from tilescope.tiler.records.histogram import OTHER_NAMES, Histogram
from tilescope.tiler.records.spread import DurationSpread

pytestmark = pytest.mark.slow

Tile = tuple[int, int]  # level, index
Spreads = dict[Tile, dict[int, dict[int, int]]]


def wanted_tiles(track: Sequence[Slice], at_least: int) -> list[Tile]:
    """The root, and all tiles in which so many slices start, parents before children."""
    tiles: list[Tile] = []

    def descend(level: int, index: int, starts: list[int]) -> None:
        tiles.append((level, index))
        for child in range(4 * index, 4 * index + 4) if level else ():
            width = 256 * 4 ** (level - 1)
            inside = [start for start in starts if child * width <= start < (child + 1) * width]
            if len(inside) >= at_least:
                descend(level - 1, child, inside)

    descend(_native.root_level(max((s.end for s in track), default=0)), 0, [s.start for s in track])
    return tiles


def columns(track: Sequence[Slice]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    times = (np.array([getattr(s, column) for s in track], np.int64) for column in ("start", "duration"))
    return *times, np.array([s.name for s in track], np.int32)  # type: ignore[return-value]


def arrays(tiles: Sequence[Tile], leaves: Collection[Tile] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array([level for level, _ in tiles], np.uint8),
        np.array([index for _, index in tiles], np.int64),
        np.array([tile in leaves for tile in tiles], np.uint32),
    )


def walk(
    track: Sequence[Slice],
    tiles: Sequence[Tile],
    leaves: set[Tile],
    rows: int = 1 << 20,
    spreads: Spreads | None = None,
) -> dict[Tile, list[Row]]:
    found = _native.Histograms([columns(track)], *arrays(tiles, leaves), rows)
    out: dict[Tile, list[Row]] = {}
    spreads = {} if spreads is None else spreads
    assert found.with_records()[0].all()
    while (record := found.next(7)) is not None:
        _, level, index, *stored = record
        assert (level, index) not in out
        histogram = Histogram.decode(stored[0], 7, level)
        spread = DurationSpread.decode(stored[1], 7, level, histogram)
        assert stored == [histogram.encode(7, level), spread.encode(7, level, histogram)]
        out[level, index] = rows_of(histogram)
        spreads[level, index] = buckets_of(histogram.name.tolist(), spread)
    assert found.next(7) is None
    return out


def check(track: Sequence[Slice], at_least: int, seed: int = 0) -> None:
    tiles = wanted_tiles(track, at_least)
    parents = {(level + 1, index >> 2) for level, index in tiles}
    leaves = {tile for tile in tiles if tile not in parents and random.Random(seed).random() < 0.3}
    spreads: Spreads = {}
    found = walk(track, tiles, leaves, spreads=spreads)
    assert found.keys() == set(tiles)
    events = [Timed(s.start, s.duration, s.name) for s in track]
    tops = list(on_top(events))
    for level, index in tiles:
        width = 256 * 4**level
        rows = histogram(events, tops, index * width, (index + 1) * width)
        assert found[level, index] == rows
        assert spreads[level, index] == buckets(events, index * width, (index + 1) * width)
        covered = sum(
            min(t.stop, (index + 1) * width) - max(t.start, index * width)
            for t in tops
            if t.stop > index * width and t.start < (index + 1) * width
        )
        assert sum(row.self_busy for row in rows) == covered


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("at_least", [1, 20, 200])
@pytest.mark.parametrize("names", [1, 300])
def test_tracks_of_all_sorts(shape: str, at_least: int, names: int) -> None:
    track = canonical(SHAPES[shape](random.Random(names), 600, names, 50))
    check(track, at_least, seed=names)


@pytest.mark.parametrize("shape", SHAPES)
def test_at_the_end_of_all_time(shape: str) -> None:
    check(late(canonical(SHAPES[shape](random.Random(5), 300, 7, 50))), 10)


@given(small_tracks(), st.integers(1, 10))
def test_a_few_slices_anyhow(track: list[Slice], at_least: int) -> None:
    check(track, at_least)


@given(repeated_tracks())
def test_patterns(track: list[Slice]) -> None:
    check(track[:600], 100)


@given(small_tracks(), st.integers(1, 10), st.integers(1, 12))
def test_tiles_that_have_no_records_are_in_those_above(track: list[Slice], at_least: int, per_row: int) -> None:
    """Whether a tile was summed up by itself does not matter to those above it."""
    tiles = wanted_tiles(track, at_least)
    every = walk(track, tiles, set())
    found = _native.Histograms([columns(track)], *arrays(tiles), 1 << 20, per_row)
    without = [tiles[k] for k in np.flatnonzero(found.with_records()[0] == 0).tolist()]
    assert without == [tile for tile in tiles if len(every[tile]) * per_row > sum(row.count for row in every[tile])]
    seen = set[Tile]()
    while (record := found.next(7)) is not None:
        _, level, index, stored, _ = record
        seen.add((level, index))
        assert rows_of(Histogram.decode(stored, 7, level)) == every[level, index]
    assert seen == set(tiles) - set(without)


@given(small_tracks(), st.integers(1, 10), st.sampled_from([700, 5_000_000]))
def test_names_far_apart(track: list[Slice], at_least: int, apart: int) -> None:
    """Numbers of names are looked up in a list, or in a table."""
    most = max((s.name for s in track), default=0)
    far = [s._replace(name=s.name if s.name < 0 else (1 << 31) - 1 - (most - s.name) * apart) for s in track]
    check(far, at_least)


@pytest.mark.parametrize("n_tiles", [pytest.param(1, marks=pytest.mark.deep), 40])
def test_more_slices_than_are_held_as_they_come(n_tiles: int) -> None:
    """Millions in one tile, and more parts than are kept side by side."""
    rng = np.random.default_rng(1)
    n = 2_500_000
    duration = rng.integers(0, 1 << 20, n) >> rng.integers(0, 20, n)
    name = rng.integers(0, 50, n).astype(np.int32) ** 2
    start = np.sort(rng.integers(0, n_tiles * 256, n))
    level = _native.root_level(int((start + duration).max()))
    tiles = [(z, 0) for z in range(level, -1, -1)]
    found = _native.Histograms([(start, duration, name)], *arrays(tiles), 1 << 20)
    while (record := found.next(7)) is not None:
        _, z, _, stored, stored_spread = record
        of_tile = Histogram.decode(stored, 7, z)
        starting = start < 256 * 4**z
        order = np.argsort(of_tile.name)
        assert (of_tile.count[order] == np.bincount(name[starting])[of_tile.name[order]]).all()
        sums = np.bincount(name[starting], duration[starting])
        assert (of_tile.duration[order] == sums[of_tile.name[order]].astype(np.int64)).all()
        bucket = _native.duration_bucket(duration[starting]).astype(np.int64)
        pairs, counts = np.unique(name[starting].astype(np.int64) << 32 | bucket, return_counts=True)
        spread = buckets_of(of_tile.name.tolist(), DurationSpread.decode(stored_spread, 7, z, of_tile))
        told = sorted((row, bucket, count) for row, of in spread.items() for bucket, count in of.items())
        assert told == [(p >> 32, p & 0xFFFFFFFF, n) for p, n in zip(pairs.tolist(), counts.tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_tracks_together(seed: int) -> None:
    """A tile counts the tracks for which no tile above is a leaf, by name and by track."""
    rng = random.Random(seed)
    tracks = [canonical(SHAPES[shape](rng, 200, 9, 50)) for shape in SHAPES]
    every = [Timed(s.start, s.duration, s.name) for track in tracks for s in track]
    level = _native.root_level(max(event.end for event in every))
    tiles = [(level, 0), (level - 1, 0), (level - 2, 1), (level - 1, 2)]
    leaf_of = [1 << rng.randrange(len(tracks)) if level > 1 else 0 for _ in tiles]
    numbers = np.array([z for z, _ in tiles], np.uint8), np.array([index for _, index in tiles], np.int64)
    slots = [3 * k + seed for k in range(len(tracks))]
    found = _native.Histograms(
        [columns(track) for track in tracks], *numbers, np.array(leaf_of, np.uint32), 1 << 20, 0, None, slots
    )
    seen = {}
    seen_by_track: dict[Tile, tuple[list[Row], dict[int, dict[int, int]]]] = {}
    while (record := found.next_by_track(0)) is not None:
        z, index, stored, stored_spread = record
        of_tracks = Histogram.decode(stored, 0, z)
        spread = DurationSpread.decode(stored_spread, 0, z, of_tracks)
        seen_by_track[z, index] = sorted(rows_of(of_tracks)), buckets_of(of_tracks.name.tolist(), spread)
    while (named := found.next(0)) is not None:
        _, z, index, stored, _ = named
        of_tile = Histogram.decode(stored, 0, z)
        columns_of = (of_tile.name, of_tile.count, of_tile.busy, of_tile.self_busy)
        seen[z, index] = {row[0]: row[1:] for row in zip(*(c.tolist() for c in columns_of), strict=True)}
    for z, index in tiles:
        above = [leaf for (z0, i0), leaf in zip(tiles, leaf_of, strict=True) if z0 > z and index >> 2 * (z0 - z) == i0]
        width, expected = 256 * 4**z, dict[int, list[int]]()
        rows_by_track, buckets_by_track = list[Row](), dict[int, dict[int, int]]()
        for number, track in enumerate(tracks):
            if any(leaf >> number & 1 for leaf in above):
                continue
            within = index * width, (index + 1) * width
            events = [Timed(s.start, s.duration, s.name) for s in track]
            tops = list(on_top(events))
            together = [event._replace(name=slots[number]) for event in events]
            rows_by_track += histogram(together, tops, *within)
            buckets_by_track |= buckets(together, *within)
            for row in histogram(events, tops, *within):
                sums = expected.setdefault(row.name, [0, 0, 0])
                expected[row.name] = [a + b for a, b in zip(sums, (row.count, row.busy, row.self_busy), strict=True)]
        assert seen[z, index] == {name: tuple(sums) for name, sums in expected.items()}
        assert seen_by_track[z, index] == (rows_by_track, buckets_by_track)


Record = tuple[int, int, bytes, bytes]


def by_name(found: _native.Histograms, owners: Sequence[int] = ()) -> dict[int | None, list[Record]]:
    """All that there is, of all together and by the place of a track."""
    records: dict[int | None, list[Record]] = {}
    while (record := found.next(99, owners)) is not None:
        records.setdefault(record[0], []).append(record[1:])
    return records


def check_each(
    tracks: Sequence[Sequence[Slice]],
    rng: random.Random,
    per_row: int = 0,
    rows: int = 1 << 20,
    most_pairs: int = 1 << 18,
) -> None:
    """What a walk tells of each track and of all together is what walks of their own tell."""
    everything = canonical([s for track in tracks for s in track])
    tiles = wanted_tiles(everything, 5)
    below: list[int] = []  # tracks that are counted in the tiles below each
    leaf_of, own = np.zeros(len(tiles), np.uint32), np.zeros(len(tiles), np.uint32)
    together = np.zeros(len(tiles), np.uint8)
    of_each = rng.getrandbits(len(tracks))
    for k, (level, index) in enumerate(tiles):
        counted = wanted = (1 << len(tracks)) - 1
        is_wanted = True
        if k:
            parent = tiles.index((level + 1, index >> 2))
            counted &= below[parent]
            wanted = int(own[parent])
            is_wanted = bool(together[parent])
        leaf_of[k] = counted & rng.getrandbits(32) & rng.getrandbits(32)
        below.append(counted & ~int(leaf_of[k]))
        own[k] = counted & wanted & (of_each if k == 0 or rng.random() < 0.8 else rng.getrandbits(32))
        together[k] = is_wanted and rng.random() < 0.9
    levels, indices, _ = arrays(tiles)
    every = [columns(track) for track in tracks]
    owners = [10 + k for k in range(len(tracks))]
    walk = _native.Histograms(every, levels, indices, leaf_of, rows, per_row, None, None, together, own, most_pairs)
    flags = walk.with_records()
    found = by_name(walk, owners)

    alone = _native.Histograms(every, levels, indices, leaf_of, rows, per_row)
    has_record = alone.with_records()[0] * together
    assert flags[0].tolist() == has_record.tolist()
    of_tile = {record[:2]: record for record in by_name(alone).get(None, [])}
    expected = [of_tile[tile] for tile, has in zip(tiles, has_record, strict=True) if has]
    assert sorted(found.get(None, [])) == sorted(expected)
    for k in range(len(tracks)):
        bit = np.uint32(1 << k)
        is_counted = [at == 0 or below[tiles.index((z + 1, i >> 2))] >> k & 1 for at, (z, i) in enumerate(tiles)]
        some = np.flatnonzero(is_counted)
        leaf = (leaf_of[some] & bit != 0).astype(np.uint32)
        alone = _native.Histograms([every[k]], levels[some], indices[some], leaf, rows, per_row)
        has_record = alone.with_records()[0] * (own[some] & bit != 0)
        assert (flags[1][some] & bit != 0).tolist() == has_record.tolist()
        of_tile = {}
        while (record := alone.next(owners[k])) is not None:
            of_tile[record[1:3]] = record[1:]
        expected = [of_tile[tiles[at]] for at, has in zip(some.tolist(), has_record, strict=True) if has]
        assert sorted(found.get(k, [])) == sorted(expected)


@given(
    st.lists(small_tracks(), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
    st.integers(0, 4),
    st.sampled_from([0, 3, 10, 1 << 18]),
)
def test_each_of_some_tracks_and_all_together(
    tracks: list[list[Slice]], rng: random.Random, per_row: int, most_pairs: int
) -> None:
    check_each(tracks, rng, per_row, most_pairs=most_pairs)


@pytest.mark.parametrize("seed", range(4))
def test_each_of_tracks_of_all_sorts(seed: int) -> None:
    rng = random.Random(seed)
    names = (3, 40, 400)[seed % 3]
    check_each([canonical(SHAPES[shape](rng, 300, names, 50)) for shape in SHAPES], rng, rows=20 if seed else 1 << 20)


@pytest.mark.parametrize("most_pairs", [1, 100, 1 << 18])
def test_each_of_as_many_tracks_as_there_may_be(most_pairs: int) -> None:
    rng = random.Random(3)
    tracks = [canonical(SHAPES["nested"](rng, 40, 20, 50)) for _ in range(32)]
    check_each(tracks, rng, per_row=1, most_pairs=most_pairs)


def test_tracks_that_are_not_there_have_no_histograms() -> None:
    tile = arrays([(_native.root_level(2000), 0)])
    with pytest.raises(ValueError, match="not there"):
        _native.Histograms([columns([Slice(0, 5, 1)])], *tile, 10, own=np.full(1, 2, np.uint32))


def test_tiles_with_few_events_a_row_have_no_records() -> None:
    track = canonical([Slice(10 * k, 5, k % 20) for k in range(100)])
    tile = np.array([_native.root_level(2000)], np.uint8), np.zeros(1, np.int64), np.zeros(1, np.uint32)
    for events_per_row, rows, is_stored in ((5, 20, True), (6, 20, False), (9, 10, True), (10, 10, False)):
        found = _native.Histograms([columns(track)], *tile, rows, events_per_row)
        assert found.with_records()[0].tolist() == [is_stored]
        assert (found.next(0) is not None) == is_stored


def test_rows_beyond_the_limit_are_summed_up() -> None:
    track = canonical([Slice(10 * k, 10 + k % 7, k) for k in range(100)])
    tile = (_native.root_level(2000), 0)
    every = walk(track, [tile], set())[tile]
    spreads: Spreads = {}
    found = walk(track, [tile], set(), rows=60, spreads=spreads)[tile]
    assert found[:60] == every[:60]
    rest = every[60:]
    sums = [sum(row[k] for row in rest) for k in range(1, 5)]
    extremes = [max(row.longest for row in rest), min(row.shortest for row in rest)]
    assert found[60:] == [Row(*[OTHER_NAMES, *sums, *extremes])]
    durations = Counter(row.duration for row in rest)  # one slice each
    assert spreads[tile][OTHER_NAMES] == durations
    assert walk(track, [tile], set(), rows=100)[tile] == every


@pytest.mark.parametrize(
    ("tiles", "message"),
    [
        ([(2, 0), (0, 3)], "lack their parents"),
        ([(1, 0), (2, 0)], "lack their parents"),
        ([(28, 0)], "beyond"),
        ([(0, 1)], "before the first tile"),
        ([(27, 1)], "beyond"),
        ([(3, -1)], "beyond"),
    ],
)
def test_lists_of_tiles_that_are_refused(tiles: list[Tile], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        walk([Slice(0, 5, 1)], tiles, set())


@pytest.mark.parametrize("track", [[Slice(5, 1, 0), Slice(4, 1, 0)], [Slice(-1, 1, 0)], [Slice(1, 1 << 61, 0)]])
def test_times_that_are_refused(track: list[Slice]) -> None:
    with pytest.raises(ValueError, match=r"time order|2\*\*61"):
        walk(track, [(1, 0)], set())
