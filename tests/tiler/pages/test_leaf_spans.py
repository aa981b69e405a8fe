"""When slices of some kinds run, against sets of ticks in plain Python; pages that are damaged."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.tiler.pyramid.reference import Slice, canonical
from tests.tiler.pyramid.tracks import SHAPES, small_tracks
from tests.tiler.records.test_span_sums import END, NESTED, SLOT, page_of
from tests.tiler.windows import pairs
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Shape
from tilescope.tiler.pages.container import MAX_ROWS
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.pages.leaf_spans import KINDS, LeafPages, LeafSpans
from tilescope.tiler.windows import Windows

NAMES = 40

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def pages_of(shape: Shape, *pages: tuple[bytes, Ints]) -> LeafPages:
    """Pages that all begin with the first tile of a shape, each with its parts."""
    first, counts = np.zeros(len(pages), np.int64), np.array([parts.shape[1] for _, parts in pages])
    return LeafPages(shape, [page for page, _ in pages], first, counts, np.concatenate([p for _, p in pages], axis=1))


def kinds_of(rng: random.Random) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.array([rng.randrange(4) for _ in range(NAMES + 1)], np.uint8)


def check(track: list[Slice], windows: Windows, kinds: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
    page, shape = page_of(track)
    spans = LeafSpans(kinds)
    spans.add(page, shape, 0, leaf_parts(shape, np.zeros(1, np.int64), windows))
    seen = {tick for start, stop in pairs(windows) for tick in range(start, min(stop, END))}
    found = spans.take()
    assert len(found) == KINDS
    for kind in range(1, KINDS):
        of_kind = [s for s in track if kinds[s.name + 1] == kind]
        wanted = {tick for s in of_kind for tick in range(s.start, s.end)} & seen
        assert {tick for start, stop in pairs(found[kind]) for tick in range(start, stop)} == wanted
    halves = windows.clipped(0, END // 2), windows.clipped(END // 2, END)
    parts = [leaf_parts(shape, np.zeros(1, np.int64), half) for half in halves]
    assert [pairs(of_kind) for of_kind in found] == [
        pairs(of_kind) for of_kind in LeafSpans(kinds).windows(pages_of(shape, *((page, part) for part in parts)))
    ]
    assert not len(found[0])
    assert not any(map(len, spans.take()))
    any_kind = {tick for s in track if kinds[s.name + 1] for tick in range(s.start, s.end)} & seen
    for some in (kinds, (kinds > 0).astype(np.uint8)):
        spans = LeafSpans(some)
        spans.add(page, shape, 0, leaf_parts(shape, np.zeros(1, np.int64), windows))
        assert spans.take_ticks() == len(any_kind)
        assert spans.take_ticks() == 0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 31, 300])
def test_windows_of_all_sorts_of_leaves(shape: str, n: int) -> None:
    rng = random.Random(n)
    track = canonical(SHAPES[shape](rng, n, 3, 20))
    track = [s for s in (s._replace(start=s.start - track[0].start) for s in track) if s.end < END]
    borders = sorted(rng.sample(range(END), 40))
    check(track, Windows.from_spans(borders[0::2], borders[1::2]), kinds_of(rng))
    check(track, Windows.single(0, END), kinds_of(rng))


@given(small_tracks(), st.lists(st.integers(0, END), min_size=2, max_size=8, unique=True), st.randoms())
def test_windows_of_a_few_slices(track: list[Slice], borders: list[int], rng: random.Random) -> None:
    inside = [s for s in track if s.end < END]
    assume(inside)
    check(inside, Windows.from_spans(sorted(borders)[0::2][: len(borders) // 2], sorted(borders)[1::2]), kinds_of(rng))


@pytest.mark.parametrize("seed", range(6))
def test_tracks_that_share_a_page_are_read_as_from_pages_of_their_own(seed: int) -> None:
    rng = random.Random(seed)
    tracks = []
    for number in range(6):
        track = canonical(SHAPES[rng.choice(sorted(SHAPES))](rng, rng.choice([1, 15, 16, 33, 200]), 3, 20))
        shift = rng.randrange(1 + 90 * number)
        tracks.append([s for s in (s._replace(start=s.start - track[0].start + shift) for s in track) if s.end < END])
    tracks = [track for track in tracks if track]
    page, shape = page_of(*tracks)
    assert len(shape) == len(tracks)
    kinds, whole = kinds_of(rng), Windows.single(0, END)
    for tile, track in enumerate(tracks):
        alone, own_shape = page_of(track)
        own = LeafSpans(kinds).windows(
            pages_of(own_shape, (alone, leaf_parts(own_shape, np.zeros(1, np.int64), whole)))
        )
        parts = leaf_parts(shape, np.array([tile], np.int64), whole)
        assert list(map(pairs, LeafSpans(kinds).windows(pages_of(shape, (page, parts))))) == list(map(pairs, own))
    tiles = np.array(sorted(rng.sample(range(len(tracks)), min(3, len(tracks)))), np.int64)
    joined = LeafSpans(kinds).windows(pages_of(shape, (page, leaf_parts(shape, tiles, whole))))
    each = [
        LeafSpans(kinds).windows(pages_of(shape, (page, leaf_parts(shape, tiles[k : k + 1], whole))))
        for k in range(len(tiles))
    ]
    assert list(map(pairs, joined)) == [pairs(of_kind[0].joined(*of_kind[1:])) for of_kind in zip(*each, strict=True)]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_page_is_an_error_or_a_page(changes: list[tuple[int, int]]) -> None:
    page, shape = page_of(NESTED)
    damaged = bytearray(page)
    for at, byte in changes:
        damaged[at % len(damaged)] = byte
    spans = LeafSpans(np.ones(8, np.uint8))
    parts = np.array([[0], [10], [500]], np.int64)
    both = (page, parts), (bytes(damaged), parts)
    try:
        spans.add(bytes(damaged), shape, 0, parts)
    except DamagedStore as error:
        with pytest.raises(DamagedStore, match=re.escape(str(error))):
            LeafSpans(np.ones(8, np.uint8)).windows(pages_of(shape, *both))
        with pytest.raises(DamagedStore, match=re.escape(str(error))):
            LeafSpans(np.ones(8, np.uint8)).windows(pages_of(shape, *both[::-1]))
        return
    assert 0 <= spans.take()[1].ticks <= 490
    assert 0 <= LeafSpans(np.ones(8, np.uint8)).windows(pages_of(shape, *both))[1].ticks <= 490


def test_pages_are_read_once_and_the_damaged_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one call of native code, which says at which page it stopped."""
    page, shape = page_of(NESTED)
    monkeypatch.setattr(LeafSpans, "add", lambda *_: pytest.fail("it is read again"))
    rows = {name: np.repeat(getattr(shape, name), 3) for name in shape.__struct_fields__[1:]}
    places = np.arange(3)
    for place in range(3):
        contents = [page] * 3
        contents[place] = page[:11] + b"\xbd" + page[12:]
        named = Shape(0, **rows | {"slot": np.where(places == place, SLOT + 1, SLOT)})
        each = np.concatenate([[[tile], [10], [500]] for tile in range(3)], axis=1)
        with pytest.raises(DamagedStore, match=re.escape(named.page_at(place).text())):
            LeafSpans(np.ones(8, np.uint8)).windows(LeafPages(named, contents, places, np.ones(3, np.int64), each))


def test_a_page_that_says_it_has_billions_of_tiles_is_damaged() -> None:
    page, shape = page_of(NESTED)
    damaged = page[:11] + b"\xbd" + page[12:]
    with pytest.raises(DamagedStore, match=r"n_slices|column 3"):
        LeafSpans(np.ones(8, np.uint8)).add(damaged, shape, 0, np.array([[0], [10], [500]], np.int64))
    one = np.zeros(1, np.int64)
    rows = _native.HitRows(np.ones(NAMES + 1, np.bool_), 0, END, one, one + END, False)
    with pytest.raises(_native.DamagedContainer, match=r"n_slices|column 3"):
        rows.add([damaged], MAX_ROWS, one, one, one, one + SLOT, one, one + END, one)


def test_what_nobody_should_ask() -> None:
    page, shape = page_of(NESTED)
    assert (shape.slot == SLOT).all()
    with pytest.raises(ValueError, match="no such kind"):
        LeafSpans(np.full(8, KINDS, np.uint8))
    with pytest.raises(DamagedStore, match="column name"):
        LeafSpans(np.ones(3, np.uint8)).add(page, shape, 0, np.array([[0], [0], [9]], np.int64))
    with pytest.raises(ValueError, match="not in order"):
        LeafSpans(np.ones(8, np.uint8)).add(page, shape, 0, np.array([[0, 0], [100, 50], [200, 150]], np.int64))
    count, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    for counts in (none, count - 1, count + 1):
        with pytest.raises(ValueError, match="parts"):
            _native.LeafSpans(np.ones(8, np.uint8)).windows([page], MAX_ROWS, counts, none, none, none, none, none, END)
