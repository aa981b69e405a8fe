"""Tiles of rollups: native code against the reference."""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.pyramid import tracks
from tests.tiler.pyramid.native_tree import NativeTree, assert_same, exact_page, native_rollup
from tests.tiler.pyramid.reference import BUSY_LIMIT, TERMINAL, Slice, canonical, rollup_tree, root_level
from tilescope.tiler import _native

pytestmark = pytest.mark.slow


def check(children: list[list[Slice]]) -> NativeTree:
    root = root_level(max((s.end for child in children for s in child), default=0))
    found = native_rollup(children, root)
    assert_same(found, rollup_tree(children, root))
    if found:
        top, events = found[root, 0]
        assert events == sum(len(child) for child in children)
        total = sum(s.duration for child in children for s in child)
        if total < BUSY_LIMIT:
            assert sum(top.bins.busy.tolist()) == total
    return found


@given(st.lists(tracks.small_tracks(), max_size=4))
def test_few_events_in_any_arrangement(children: list[list[Slice]]) -> None:
    check(children)


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(tracks.repeated_tracks(), min_size=4, max_size=5))
def test_many_events_of_any_pattern(children: list[list[Slice]]) -> None:
    check(children)


@settings(deadline=None)
@given(st.lists(tracks.small_tracks(), max_size=3), st.lists(tracks.small_tracks(), min_size=1, max_size=3))
def test_slices_without_a_name_name_only_what_is_theirs_alone(
    named: list[list[Slice]], framing: list[list[Slice]]
) -> None:
    check([*named, *([Slice(s.start, s.duration, -1) for s in child] for child in framing)])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in (1, 2))])
def test_a_frame_around_thousands_of_events(seed: int) -> None:
    rng = random.Random(seed)
    children = [canonical(shape(rng, 3000, 9, 3)) for shape in tracks.SHAPES.values()]
    end = max(s.end for child in children for s in child)
    tree = check([*children, [Slice(0, end, -1)], [Slice(k * end // 7, end // 7, -1) for k in range(7)]])
    names = np.concatenate([tile.bins.name for tile, _ in tree.values()])
    assert (names >= 0).any()


@pytest.mark.parametrize("names", [1, 9, 700])
def test_thousands_of_events(names: int) -> None:
    rng = random.Random(names)
    children = [canonical(shape(rng, 5000, names, 3)) for shape in tracks.SHAPES.values()]
    tree = check(children)
    assert any(not tile.flags & TERMINAL for tile, _ in tree.values())
    assert any(tile.flags & TERMINAL for tile, _ in tree.values())


@pytest.mark.parametrize(("slices", "tiles"), [(65_536, 3), (65_537, 10)])
def test_a_rollup_ends_at_tiles_of_65536_events(slices: int, tiles: int) -> None:
    """All but one within a tile of level 2: the root, its two children, levels 4 to 2, and the quarters of level 1."""
    start = np.append(np.sort(np.arange(slices) * 4 % 4096), 3 * 4**9)
    child = _native.KeptSlices(start, np.ones(len(start), np.int64), (start % 5).astype(np.int32))
    block = _native.Block(0)
    block.add(0, _native.rollup_tiles([child], 6))
    block.seal()
    assert len(block.tiles()[0]) == tiles


def test_a_burst_of_one_tick_ends_at_level_0() -> None:
    tree = check([[Slice(3000, 0, k) for k in range(16_500)], [Slice(0, 4**9, 1)]])
    assert tree[0, 3000 // 256][0].flags & TERMINAL


@pytest.mark.deep
def test_a_burst_of_so_many_events_that_they_are_summed_up_before_their_tile_is_whole() -> None:
    """The longest in a bin is that of events, not of what some of them were summed up to."""
    rng = random.Random(0)
    burst = [Slice(rng.randrange(256), rng.choice([0, 0, 1, 1, 2, 9]), rng.randrange(300)) for _ in range(150_000)]
    check([canonical(burst), [Slice(0, 256, 7), Slice(90, 30, 8)]])


def test_names_whose_ids_are_far_apart() -> None:
    names = 0, -1, 2**22 - 2, 2**22 - 1, 2**22, 2**31 - 1
    check([[Slice(at * 16, at % 5, names[at * at % 7 % 6]) for at in range(500)] for _ in range(2)])


@pytest.mark.parametrize("tracks_at_once", [255, 256, 300])
def test_sums_beyond_64_bits_are_cut(tracks_at_once: int) -> None:
    """Hundreds of tracks that are busy for the whole of a run as long as can be, in picoseconds half a month."""
    end = 2**61 - 1
    long = [[Slice(0, end, k % 3), *(Slice(end, 0, 7) for _ in range(9))] for k in range(tracks_at_once)]
    tree = check(long)
    busy = tree[27, 0][0].bins.busy
    assert (busy.max() == BUSY_LIMIT) == (tracks_at_once >= 256)
    assert busy.min() >= 0
    check([*long, *([[Slice(k * 2**44, 2**60, 5)] for k in range(40)])])


@pytest.mark.parametrize(("more", "level"), [((300, 260), 27), ((1100, 1030), 26), ((300, 255), 27)])
def test_of_names_whose_busy_time_is_cut_the_lowest_dominates(more: tuple[int, int], level: int) -> None:
    """Their slices cover a bin, and some of a third name lie in it."""
    end = 2**61 - 1 if level == 27 else 2**59 - 1
    roofs = [[Slice(0, end, name)] for name, slices in zip((5, 3), more, strict=True) for _ in range(slices)]
    tree = check([*roofs, [Slice(end // 3, end // 5, 4), Slice(end // 2, 9, 5)]])
    assert tree[level, 0][0].bins.name.tolist()[7] == (3 if min(more) >= 4 ** (31 - level) else 5)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.deep)])
def test_long_slices_of_many_names_across_tiles_of_many_levels(seed: int) -> None:
    """Some begin or end where bins do. A burst brings fine tiles, which all of the long ones may run through."""
    rng = random.Random(seed)
    end = 4**11
    long = []
    for _ in range(400):
        edge = 4 ** rng.randrange(11)
        places = [0, end, rng.randrange(end), rng.randrange(end) // edge * edge]
        start, stop = sorted(rng.choices(places, k=2))
        long.append(Slice(start, stop - start, rng.randrange(-1, 4 + 400 * seed)))
    burst = rng.randrange(end)
    tree = check([canonical(long[:300]), canonical(long[300:]), [Slice(burst, 0, 0)] * 16_500])
    assert len({level for level, _ in tree}) > 5


@contextmanager
def room_for(size_bytes: int) -> Iterator[None]:
    """No more than that beside what the process has. AddressSanitizer keeps what was freed: it has no limit."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (taken + size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_names_of_slices_that_run_at_once_take_no_memory_per_bin() -> None:
    """Each slice has a name of its own, and covers half of the run: half a minute and gigabytes, name by bin."""
    slices = 150_000
    start = np.arange(slices)
    child = _native.KeptSlices(start, np.full(slices, slices), np.arange(slices, dtype=np.int32))
    level = root_level(2 * slices)
    with room_for(1_000 * slices):
        tiles = _native.rollup_tiles([child], level)
    block = _native.Block(0)
    block.add(0, tiles)
    block.seal()
    last = len(block.tiles()[0])
    (root,) = exact_page(block, last - 1, last).tiles()
    assert root.level == level
    edges = np.arange(257) * 4**level
    done = np.array([int(np.clip(edge - start, 0, slices).sum()) for edge in edges])
    used = np.diff(done) > 0
    assert root.bins.busy.tolist() == np.diff(done)[used].tolist()
    # Of the slices that cover a bin: that which starts in it, or the lowest. Nothing covers the last.
    first, stop = edges[:-1][used], edges[1:][used]
    assert root.bins.name.tolist()[:-1] == np.where(first < slices, first, stop - slices).tolist()[:-1]


@pytest.mark.parametrize("shape", ["nested", "all end at once", "stairs", "pyramid"])
def test_a_name_that_is_open_a_million_times_at_once(shape: str) -> None:
    """What waits for its end does so in one place, and what covers a node is counted by name: 0.3 kB a slice."""
    slices = 1_000_000
    start = np.arange(slices)
    duration = {
        "nested": 1000 * slices - 2 * start,
        "all end at once": 3 * slices - start,
        "stairs": np.full(slices, 2 * slices),
        "pyramid": 64**3 * slices - 64**3 * start,
    }[shape]
    child = _native.KeptSlices(start, duration, np.zeros(slices, np.int32))
    level = root_level(int((start + duration).max()))
    with room_for(300 * slices):
        tiles = _native.rollup_tiles([child], level)
    block = _native.Block(0)
    block.add(0, tiles)
    block.seal()
    last = len(block.tiles()[0])
    (root,) = exact_page(block, last - 1, last).tiles()
    assert int(root.bins.busy.sum()) == int(duration.sum())
    assert int(root.bins.count.sum()) == slices


@pytest.mark.parametrize(
    ("start", "duration"), [([6, 5], [1, 1]), ([-1, 5], [1, 1]), ([5, 6], [1, -1]), ([5, 6], [1, 2**61])]
)
def test_times_that_are_refused(start: list[int], duration: list[int]) -> None:
    child = _native.KeptSlices(np.array(start), np.array(duration), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match=r"order|end"):
        _native.rollup_tiles([child], 3)


def test_a_file_that_cannot_be_written_or_was_cut(tmp_path: Path) -> None:
    columns = np.arange(2000), np.zeros(2000, np.int64), np.zeros(2000, np.int32)
    path = tmp_path / "scratch"
    path.touch()
    with path.open("rb") as file, pytest.raises(OSError, match="Bad file descriptor"):
        _native.KeptSlices.in_file(file.fileno(), 0, *columns)
    with path.open("w+b") as file:
        kept = _native.KeptSlices.in_file(file.fileno(), 0, *columns)
        assert kept.bytes == 40_000  # at most
        written = path.stat().st_size
        assert written == 2000 * (4 + 4 + 2)
        file.truncate(written // 2)
        with pytest.raises(OSError, match="Input/output error"):
            _native.rollup_tiles([kept], 5)


@pytest.mark.parametrize(
    "step", [1, 2**23, 2**24]
)  # 512 slices, which are read at a time, last less than 2**32 or more
@pytest.mark.parametrize("duration", [0, 2**32 - 1, 2**32, 2**60])
@pytest.mark.parametrize("names", [(-1, 2**16 - 2), (-1, 2**16 - 1), (7, 7)])
def test_slices_in_a_file_come_back_whatever_bytes_they_take(step: int, duration: int, names: tuple[int, int]) -> None:
    # One slice alone decides what the durations of its piece take.
    track = [Slice(5 + step * at, duration if at == 700 else 1, name=names[at % 2]) for at in range(1300)]
    assert native_rollup([track], root_level(max(one.end for one in track)))  # the same from a file as from memory


@pytest.mark.parametrize("gap", [0, 2**28, 2**50])
def test_the_same_tiles_are_terminal_whether_slices_are_in_a_file_or_in_memory(gap: int, tmp_path: Path) -> None:
    """In a file, it is known without reading about when some of them start. Tiles end amid bursts."""
    rng = np.random.default_rng(gap)
    bursts = [4**9 + at * gap + rng.integers(-40, 40, 300) * 4 ** (at % 5) for at in range(12)]
    start = np.sort(np.concatenate(bursts))
    columns = start, np.zeros(len(start), np.int64), np.zeros(len(start), np.int32)
    level = root_level(int(start[-1]))
    with (tmp_path / "scratch").open("w+b") as file:
        in_file = _native.KeptSlices.in_file(file.fileno(), 0, *columns)
        for terminal_slices in [*range(1, 400), *range(400, 3600, 61)]:
            trees = []
            for kept in (in_file, _native.KeptSlices(*columns)):
                block = _native.Block(0)
                block.add(0, _native.rollup_tiles([kept], level, terminal_slices=terminal_slices))
                block.seal()
                trees.append([column.tolist() for column in block.tiles()])
            assert trees[0] == trees[1]


def test_parts_of_rollups_are_refused_where_they_cannot_be_joined() -> None:
    def kept(start: list[int]) -> _native.KeptSlices:
        return _native.KeptSlices(np.array(start), np.ones(len(start), np.int64), np.zeros(len(start), np.int32))

    slices = [kept(list(range(0, 4**8, 16)))]
    assert _native.rollup_cuts(slices, 4, 4) == [4**8 // 4, 4**8 // 2, 4**8 // 4 * 3]
    (cut,) = _native.rollup_cuts(slices, 4, 2)
    assert cut == 4**8 // 2
    assert _native.rollup_cuts(slices, 3, 2) == _native.rollup_cuts(slices, 4, 1) == []
    for start, stop in [(cut + 1, None), (-cut, None), (2**63 - 1, None), (0, cut - 1), (4**8, None), (0, 4**8)]:
        with pytest.raises(ValueError, match="cut where a bin of its root begins"):
            _native.rollup_tiles(slices, 4, start=start, stop=stop)
    first = _native.rollup_tiles(slices, 4, stop=cut)
    later = _native.rollup_tiles(slices, 4, start=cut)
    with pytest.raises(ValueError, match="not in time order"):
        first.join(_native.rollup_tiles(slices, 4, start=cut // 2))
    with pytest.raises(ValueError, match="not the two parts"):
        _native.rollup_tiles(slices, 4, stop=cut).join(_native.rollup_tiles([], 4, start=cut))
    for tiles in (first, later):
        with pytest.raises(ValueError, match="not the part behind a cut"):
            tiles.join(first)
    with pytest.raises(ValueError, match="not the part behind a cut"):
        later.join(later)
    with pytest.raises(ValueError, match="only the parts of rollups"):
        later.join(_native.counter_tiles(np.zeros(1, np.int64), np.zeros(1), 4))
