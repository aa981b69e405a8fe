"""The density of hits by rows and rollups, against sums over the hits that `search` lists."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from tests.example import Example
from tilescope.tiler.query import finish
from tilescope.tiler.search.bins import rows_in_tiles
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

Sums = dict[tuple[int, int, int], tuple[int, int]]


def asked(example: Example, name: str, **values: Any) -> Answer:
    asked_of = tool(name)
    return finish(ask(asked_of, Scope(example.reader), from_values(asked_of.question, values)))


def columns(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    found = answer.table(table)
    return list(zip(*(values_of(found.column(name)) for name in ids), strict=True))


def lanes(answer: Answer) -> Sums:
    return {
        (track, row, start): (count, busy)
        for track, row, start, count, busy in columns(answer, "bins", "track", "row", "start", "count", "busy")
    }


@pytest.mark.parametrize("query", ["op", "dur>1us", "arg:index>20", "dur>1us dur<1ms", "nothing has this name"])
@pytest.mark.parametrize(("start", "end", "px"), [(0, 4_200_000, 100), (100_000, 300_000, 700), (5000, 5100, 300)])
def test_each_row_has_its_own_hits_and_a_rollup_those_of_all_its_tracks(
    example: Example, query: str, start: int, end: int, px: int
) -> None:
    rollup = next(track.id for track in example.reader.tree.tracks if track.kind == "rollup")
    own = [example.track("thread 1"), example.track("thread 2")]  # also in the rollup
    asked_by = {"query": query, "start": start, "end": end, "px": px}
    answer = asked(example, "hit_bins", **asked_by, tracks=[*own, rollup], by="lane")
    width = int(answer.facts[0].value)  # type: ignore[arg-type]
    hits = columns(asked(example, "search", query=query, limit=100_000), "events", "track", "row", "start", "duration")
    first, last = start // width, (end - 1) // width
    expected: dict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    for track, row, at, duration in hits:
        for lane in ([(track, row)] if track in own else []) + [(rollup, 0)]:
            for bin in range(max(at // width, first), min(max(at, at + duration - 1) // width, last) + 1):
                sums = expected[*lane, bin * width]
                sums[0] += bin == at // width
                sums[1] += min(at + duration, (bin + 1) * width) - max(at, bin * width)
    assert lanes(answer) == {lane: (count, busy) for lane, (count, busy) in expected.items() if count or busy}
    by_track = asked(example, "hit_bins", **asked_by, tracks=own)
    summed: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for (track, _, at), (count, busy) in lanes(answer).items():
        if track in own:
            summed[track, at][0] += count
            summed[track, at][1] += busy
    found = columns(by_track, "bins", "track", "start", "count", "busy")
    assert {(track, at): [count, busy] for track, at, count, busy in found} == dict(summed)


def test_without_tracks_every_row_of_the_run_has_a_lane(example: Example) -> None:
    told = lanes(asked(example, "hit_bins", query="op", px=20, by="lane"))
    by_track = columns(asked(example, "hit_bins", query="op", px=20), "bins", "track", "count")
    assert {track for track, _, _ in told} == {track for track, _ in by_track}
    assert max(row for _, row, _ in told) > 0


def test_tiles_say_how_many_rows_a_track_has_before_the_tree_does(example: Example) -> None:
    told = {track.id: track.rows for track in example.reader.tree.tracks if track.kind == "slice"}
    assert max(told.values()) > 1
    assert {track: rows_in_tiles(example.reader, track) for track in told} == {
        track: max(rows, 1) for track, rows in told.items()
    }
