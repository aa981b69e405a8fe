"""The vectors that clients in all languages share, and what they do not reach."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vectors import make_resolver
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import PageKey, Shape, TileFlag
from tilescope.tiler.resolver import TileIndex, TrackRequest, View, resolve, sharp_level

VECTORS = sorted((Path(__file__).parents[2] / "vectors" / "resolver").glob("*.json"))


def shape_of(block: int, rows: list[list[int]]) -> Shape:
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    level, index, slot, flags, events = (column.copy() for column in columns)
    return Shape(block, level, index, slot, flags, events, *[np.zeros_like(level)] * 2)


def answer(vector: dict[str, Any]) -> list[list[Any]]:
    view = View(
        **{**vector["view"], "start_ticks": int(vector["view"]["start_ticks"]), "margin_px": vector["margin_px"]}
    )
    tiles = {int(block): TileIndex(shape_of(int(block), rows)) for block, rows in vector["blocks"].items()}
    tracks, nearby = ([TrackRequest(*row) for row in vector[part]] for part in ("tracks", "nearby"))
    return [
        [tier.value, *key.to_json()] for tier, key in resolve(view, tracks, tiles.get, vector["root_level"], nearby)
    ]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vectors(path: Path) -> None:
    vector = json.loads(path.read_text())
    assert answer(vector) == vector["pages"]


def test_there_are_vectors() -> None:
    assert len(VECTORS) >= 12


@given(
    seed=st.randoms(use_true_random=False),
    root_level=st.integers(1, 4),
    slots=st.lists(st.integers(0, 31), min_size=1, max_size=4, unique=True),
    per_page=st.integers(1, 6),
    holes=st.floats(0, 0.9),
    view=st.tuples(
        st.integers(-5000, 70_000), st.sampled_from([0.0, 0.25, 0.99]), st.floats(0.01, 300), st.integers(0, 2000)
    ),
    margin=st.sampled_from([None, 0, 17]),
)
def test_random_trees_against_the_plain_reference(
    seed: Any, root_level: int, slots: list[int], per_page: int, holes: float, view: Any, margin: int | None
) -> None:
    blocks = {
        str(block): make_resolver.random_shape(seed, root_level, sorted(slots), per_page, holes) for block in (0, 2)
    }
    requests = [(track, seed.choice(make_resolver.KINDS)) for track in (slots[0], 64 + slots[-1], 40, slots[-1], 64)]
    vector = make_resolver.make(
        "random", root_level, blocks, view, tracks=requests[:3], nearby=requests[3:], margin_px=margin
    )
    assert answer(vector) == vector["pages"]


@given(
    seed=st.randoms(use_true_random=False),
    terminal_level=st.integers(1, 3),
    per_page=st.integers(1, 6),
    view=st.tuples(
        st.integers(-5000, 20_000), st.sampled_from([0.0, 0.25]), st.sampled_from([0.01, 0.9, 3.0, 40.0]), st.just(700)
    ),
)
def test_random_rollups_against_the_plain_reference(seed: Any, terminal_level: int, per_page: int, view: Any) -> None:
    rows = [make_resolver.random_shape(seed, 3, [0, 1, 30], per_page, 0.3) for _ in range(2)]
    blocks = {"0": make_resolver.with_rollup(rows[0], 9, [0, 1, 30], terminal_level, per_page), "1": rows[1]}
    children = seed.sample([0, 1, 30, 32, 33, 62], 4)
    tracks = [(9, "rollup", children), (33, "slice"), (0, "async")]
    vector = make_resolver.make("random", 3, blocks, view, tracks=tracks, nearby=[(9, "rollup", [0, 1])])
    assert answer(vector) == vector["pages"]


def test_ticks_beyond_every_tile_find_nothing_or_the_last() -> None:
    tiles = {0: TileIndex(shape_of(0, [[0, 0, 0, 5, 1], [0, 2**53 - 1, 0, 1, 1]]))}
    track = [TrackRequest(0, "slice")]
    assert resolve(View(2**70, 1.0, 100, margin_px=0), track, tiles.get, 0) == [("coarse", PageKey(0, 0, 0, 0))]
    assert resolve(View(300, 1.0, 100, margin_px=0), track, tiles.get, 0) == []


@given(start=st.integers(0, 70_000), width=st.integers(1, 70_000))
def test_leaves_of_a_span_are_those_with_a_tick_in_it(start: int, width: int) -> None:
    leaf = TileFlag.LEAF | TileFlag.PAGE_START
    rows = [[0, 3, 1, leaf, 1], [0, 3, 4, leaf, 1], [0, 200, 1, leaf, 1]]
    rows += [[1, 1, 1, TileFlag.PAGE_START, 2], [1, 7, 4, leaf, 1], [3, 0, 2, leaf, 9], [3, 3, 2, leaf, 1]]
    spans = [(index << (2 * level + 8), (index + 1) << (2 * level + 8)) for level, index, *_ in rows]
    wanted = [
        at for at, (first, stop) in enumerate(spans) if rows[at][3] == leaf and first < start + width and stop > start
    ]
    assert TileIndex(shape_of(0, rows)).leaves_between(start, start + width).tolist() == wanted


def test_the_sharp_level_has_bins_of_half_a_pixel_to_two() -> None:
    assert [sharp_level(ticks, 30) for ticks in (0.001, 1.99, 2.0, 7.9, 8.0, 2.0 * 4**20)] == [0, 0, 1, 1, 2, 21]
    assert sharp_level(1e300, 3) == 3


@pytest.mark.parametrize(
    "numbers",
    [
        (0, 0.0, 100),
        (0, float("nan"), 100),
        (0, float("inf"), 100),
        (0, 1.0, -1),
        (0, 1.0, 100, 1.0),
        (0, 1.0, 100, -0.5),
        (0, 1e300, 1e300),
        (0, 1.0, 100, 0.0, -3.0),
        (0, 1.0, 100, 0.0, float("nan")),
    ],
)
def test_what_is_no_view_is_refused(numbers: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        View(*numbers)


def test_a_screen_of_deep_tracks_is_resolved_within_a_frame() -> None:
    rng = np.random.default_rng(5)
    rows: list[list[int]] = []
    for slot in range(32):
        rows += [[9, 0, slot, 0, 9]]
        for level in range(8, 1, -1):
            rows += [[level, index, slot, int(rng.random() < 0.2), 9] for index in range(min(4 ** (9 - level), 400))]
    rows.sort()
    for k in range(0, len(rows), 12):
        rows[k][3] |= 4
    tiles = {block: TileIndex(shape_of(block, rows)) for block in (0, 1)}
    tracks = [TrackRequest(track, "slice") for track in range(50)]
    resolve(View(0, 40.0, 1600), tracks, tiles.get, 9)
    took = []
    for k in range(5):
        begin = time.perf_counter()
        assert resolve(View(1000 * k, 40.0, 1600), tracks, tiles.get, 9)
        took.append(time.perf_counter() - begin)
    assert min(took) < 0.1
