"""Parents, children and self times of slices against plain Python, in nested tracks and in one that overlaps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from tests.example import Example, PlainEvent
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import finish
from tilescope.tiler.resolver import TileIndex
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.nesting.family import MAX_PARENTS

MANY = 40_000


def asked(example: Example, track: int, ordinal: int, **values: Any) -> Answer:
    nesting = tool("nesting")
    question = from_values(nesting.question, {"track": track, "ordinal": ordinal, **values})
    return finish(ask(nesting, Scope(example.reader), question))


def ordinals(answer: Answer, table: str) -> list[int]:
    return [int(str(event).partition(".")[2]) for event in values_of(answer.table(table).column("event"))]


def fact(answer: Answer, name: str) -> Any:
    return answer.fact(name).value


@dataclass
class PlainSlice:
    """A slice as a plain first fit puts it on rows."""

    start: int
    end: int
    name: str
    row: int = 0
    above: tuple[int, ...] = ()  # what runs when it starts, the nearest first
    self_ticks: int = 0


def plain(events: list[PlainEvent], track: str) -> list[PlainSlice]:
    of_track = (event for event in events if event.track == track)
    in_order = sorted(of_track, key=lambda event: (event.start, -event.duration))
    slices = [PlainSlice(event.start, event.start + event.duration, event.name) for event in in_order]
    last: list[int] = []  # of each row
    for k, one in enumerate(slices):
        row = next((r for r, at in enumerate(last) if slices[at].end <= one.start), len(last))
        one.row, one.above = row, tuple(reversed(last[:row]))
        last[row : row + 1] = [k]
    borders = sorted({tick for one in slices for tick in (one.start, one.end)})
    running: list[int] = []
    at = 0
    for first, stop in pairwise(borders):
        while at < len(slices) and slices[at].start <= first:
            running.append(at)
            at += 1
        running = [k for k in running if slices[k].end > first]
        if running:
            slices[running[-1]].self_ticks += stop - first
    return slices


def overlapping_events(rng: random.Random) -> list[PlainEvent]:
    """Slices of any lengths at any time; calls in calls of one name, deeper than are listed; and many in one."""
    events = [
        PlainEvent("wild", f"op {rng.randrange(5)}", "", rng.randrange(30_000), rng.choice([0, 3, 40, 300, 9000]))
        for _ in range(5000)
    ]
    depth = MAX_PARENTS + 20
    events += [PlainEvent("recursion", "f", "", k, 4 * depth - 2 * k) for k in range(depth)]
    events.append(PlainEvent("many", "all", "", 0, 100 * MANY))
    return events + [PlainEvent("many", f"op {k % 7}", "", 100 * k, 90) for k in range(MANY)]


@pytest.fixture(scope="module")
def wild(_many_histograms: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    example = Example(tmp_path_factory.mktemp("wild"), overlapping_events(random.Random(5)))
    yield example
    example.store.close()


@pytest.fixture(scope="module")
def examples(example: Example, wild: Example) -> dict[str, Example]:
    return {"thread 0": example, "thread 1": example, "wild": wild}


@pytest.mark.parametrize("track", ["thread 0", "thread 1", "wild"])
def test_every_figure_is_that_of_the_events(examples: dict[str, Example], track: str) -> None:
    example = examples[track]
    slices = plain(example.events, track)
    children: dict[int | None, list[int]] = {}
    for k, one in enumerate(slices):
        children.setdefault(next(iter(one.above), None), []).append(k)
    assert sum(one.self_ticks for one in slices) > 0
    assert max(one.row for one in slices) > 1
    number = example.track(track)
    some = {k for k in children if k is not None and len(children[k]) > 1}
    rng = random.Random(1)
    for k in {0, *rng.sample(sorted(some), min(len(some), 30)), *rng.sample(range(len(slices)), 30)}:
        one, own = slices[k], children.get(k, [])
        answer = asked(example, number, k, limit=20)
        assert fact(answer, "name") == one.name
        assert (fact(answer, "start"), fact(answer, "duration")) == (one.start, one.end - one.start)
        assert (fact(answer, "row"), fact(answer, "children")) == (one.row, len(own)), k
        assert fact(answer, "self") == one.self_ticks, k
        assert ordinals(answer, "parents") == list(one.above)
        assert ordinals(answer, "children") == own[:20]
        by_length = sorted(own, key=lambda c: (slices[c].start - slices[c].end, c))
        assert ordinals(asked(example, number, k, limit=7, order="longest"), "children") == by_length[:7]


def test_all_children_page_by_page(example: Example) -> None:
    slices = plain(example.events, "thread 2")
    wanted = [k for k, one in enumerate(slices) if one.above == (0,)]
    assert len(wanted) > 3000
    found: list[int] = []
    after = None
    while True:
        answer = asked(example, example.track("thread 2"), 0, limit=700, after=after)
        assert fact(answer, "children") == len(wanted)
        found += ordinals(answer, "children")
        after = answer.table("children").more
        if after is None:
            break
    assert found == wanted
    longest = ordinals(asked(example, example.track("thread 2"), 0, limit=1000, order="longest"), "children")
    assert longest == sorted(wanted, key=lambda k: (slices[k].start - slices[k].end, k))[:1000]


def test_few_tiles_are_read_however_many_children(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    track = wild.track("many")
    read = set()
    position = TileIndex.position

    def noted(index: TileIndex, *tile: int) -> int | None:
        read.add(tile)
        return position(index, *tile)

    monkeypatch.setattr(TileIndex, "position", noted)
    after = f"{50 * MANY},{track},{MANY // 2}"
    answers = [asked(wild, track, 0, limit=10), asked(wild, track, 0, limit=10, after=after)]
    answers.append(asked(wild, track, 0, limit=10, order="longest"))
    assert [fact(answer, "children") for answer in answers] == [MANY] * 3
    assert {fact(answer, "self") for answer in answers} == {10 * MANY}
    first = list(range(1, 11))
    assert [ordinals(answer, "children") for answer in answers] == [first, [MANY // 2 + k for k in first], first]
    assert len(read) < 20
    assert len(wild.reader.tiles(track // TRACKS_PER_BLOCK).shape) > 80


def test_the_nearest_of_many_parents(wild: Example) -> None:
    answer = asked(wild, wild.track("recursion"), MAX_PARENTS + 10)
    assert ordinals(answer, "parents") == list(range(MAX_PARENTS + 9, 9, -1))
    assert fact(answer, "row") == MAX_PARENTS + 10
    assert fact(answer, "self") == 2  # one at each side of the next call


def test_what_has_no_answer_is_refused(example: Example) -> None:
    with pytest.raises(UsageError, match="track 77 does not exist"):
        asked(example, 77, 0)
    with pytest.raises(UsageError, match="of kind counter: only the slices"):
        asked(example, example.track("memory · v"), 0)
    track = example.track("thread 1")
    with pytest.raises(UsageError, match=f"track {track} has no event 99999"):
        asked(example, track, 99_999)
    with pytest.raises(UsageError, match="only a list by time goes on"):
        asked(example, track, 0, order="longest", after="1,2,3")
