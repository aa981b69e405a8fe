"""Call trees whose slices lie in others that ended before what is read: limits, threads, pauses and slices left out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.example import Example
from tests.tiler.pyramid.reference import Slice
from tests.tiler.records.test_span_sums import SLOT, page_of
from tests.tiler.tools.plain_call_tree import Chain, PlainNode, PlainTrack, plain_tree
from tests.tiler.tools.test_call_tree import END, answer_of, figures, tree_figures, wild_events
from tilescope.tiler import _native
from tilescope.tiler.pages.container import MAX_ROWS
from tilescope.tiler.query import Interruptible, QueryReader, Reading, finish
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.outliers import RunOutliers
from tilescope.tiler.schema.outliers import Outlier, Outliers
from tilescope.tiler.store import two_threads
from tilescope.tiler.tools import Scope, ask, call_tree, from_values, tool, values_of
from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.call_tree import chains as chains_module
from tilescope.tiler.tools.call_tree import tree as tree_module
from tilescope.tiler.tools.call_tree.chains import Chains, LeafReads
from tilescope.tiler.tools.call_tree.pieces import pieces
from tilescope.tiler.windows import Windows, everywhere

# Many gaps, in which parents of slices end.
WINDOWS = Windows.from_spans(range(0, END, 30_000), range(700, END + 700, 30_000))
WHOLE = Windows.single(0, 1 << 40)
NODES_AT_ONCE = 64


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    example = Example(tmp_path_factory.mktemp("wild"), wild_events(random.Random(5)))
    yield example
    example.store.close()


@pytest.fixture
def one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of one page, by one thread: as many borders as there can be."""
    monkeypatch.setattr(tree_module, "_PAGES", 1)
    monkeypatch.setattr(two_threads, "_processors", lambda: 1)


def with_pieces(example: Example, tree: _native.CallTree) -> Chains:
    """Adds all slices of the track `wild`, page by page; nothing is closed yet."""
    for piece in pieces(example.reader, example.track("wild"), WHOLE, 1):
        piece.add_to(tree, example.reader, ())
    return Chains(tree, LeafReads(example.reader), lambda _: ())


def closed(example: Example) -> _native.CallTree:
    tree = _native.CallTree()
    finish(tree_module.close_places(with_pieces(example, tree)))
    return tree


def rows_of(tree: _native.CallTree) -> list[list[int]]:
    return [column.tolist() for column in tree.rows(100_000, 10_000)]


def test_slices_whose_parents_are_yet_to_be_read_do_not_count_as_chains(wild: Example) -> None:
    """The tree is full, and holds the chains all the same."""
    nodes, *_ = closed(wild).totals()
    tree = _native.CallTree()
    filler = tree.node(1_000_000 + np.arange(_native.MOST_NODES - nodes))
    chains = with_pieces(wild, tree)
    assert len(tree.open_places()[0]) > 20
    finish(tree_module.close_places(chains))
    assert tree.totals()[0] == nodes
    assert len(tree.open_places()[0]) == 0
    with pytest.raises(_native.TooManyNodes):
        tree.node(np.array([0]), filler)


def test_nodes_are_moved_in_parts(wild: Example) -> None:
    at_once, in_parts = closed(wild), closed(wild)
    taken, joined = _native.CallTree(), _native.CallTree()
    assert not taken.take(at_once, 1 << 30)
    pauses = 0
    while joined.take(in_parts, NODES_AT_ONCE):
        pauses += 1
    assert rows_of(joined) == rows_of(taken) == rows_of(closed(wild))
    assert pauses >= taken.totals()[0] // NODES_AT_ONCE
    assert in_parts.totals() == (0, 0, 0, 0)
    assert not joined.take(closed(wild), 1 << 30)
    assert joined.totals()[:3] == (taken.totals()[0], 2 * taken.totals()[1], 2 * taken.totals()[2])


def test_places_are_settled_in_parts(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    expected_rows = rows_of(closed(wild))
    pauses = []
    for nodes in (1 << 30, 2):
        monkeypatch.setattr(tree_module, "_NODES", nodes)
        tree = _native.CallTree()
        chains = with_pieces(wild, tree)
        pauses.append(sum(1 for _ in tree_module.close_places(chains)))
        assert rows_of(tree) == expected_rows
    assert pauses[1] > pauses[0] + 5


def test_trees_that_cannot_be_moved(wild: Example) -> None:
    tree, other, third = (_native.CallTree() for _ in range(3))
    with pytest.raises(ValueError, match="itself"):
        tree.take(tree, 1)
    with_pieces(wild, other)
    with pytest.raises(ValueError, match="places are open"):
        tree.take(other, 1)
    with pytest.raises(ValueError, match="places are open"):
        other.settle(1)
    with pytest.raises(ValueError, match="each open place needs a node"):
        other.close_places(np.zeros(1, np.int64))
    places = len(other.open_places()[0])
    with pytest.raises(ValueError, match="no such node"):
        other.close_places(np.full(places, 1 << 40))
    other.close_places(np.full(places, -1))
    with pytest.raises(ValueError, match="being moved"):
        other.node(np.array([0]))
    moved = closed(wild)
    assert tree.take(moved, 1)
    with pytest.raises(ValueError, match="being moved"):
        moved.node(np.array([0]))
    with pytest.raises(ValueError, match="another tree"):
        third.take(moved, 1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"starts": [0, 5], "stops": [10, 20]}, "windows are not in order"),
        ({"starts": [-5], "stops": [10]}, "windows are not in order"),
        ({"starts": [5], "stops": [5]}, "windows are not in order"),
        ({"starts": [5], "stops": [6, 7]}, "col"),
        ({"left_out": [3, 2]}, "ordinals do not ascend"),
        ({"start": -1}, "no such tick"),
        ({"root": 0}, "no such node"),
        ({"root": -2}, "no such node"),
    ],
)
def test_pieces_that_cannot_be(changes: dict[str, Any], words: str) -> None:
    none = np.zeros(0, np.int64)
    arguments: dict[str, Any] = dict.fromkeys(("page", "tile", "index", "slot", "first", "after"), none)
    arguments |= {"track": 0, "root": -1, "start": 0, "stop": 9, "starts": none, "stops": none, "left_out": none}
    arrays = {name: np.array(value) if isinstance(value, list) else value for name, value in changes.items()}
    tree = _native.CallTree()
    tree.add([], 1, **arguments)
    with pytest.raises(ValueError, match=words):
        tree.add([], 1, **(arguments | arrays))


@pytest.mark.parametrize("row", [1, (1 << 24) - 1])
def test_a_row_below_more_slices_than_come_before_is_damaged(row: int) -> None:
    page, _ = page_of([Slice(0, 100, 0, row=row)])
    zero, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    leaf: dict[str, Any] = dict.fromkeys(("page", "tile", "index", "first", "after"), zero) | {"slot": zero + SLOT}
    piece: dict[str, Any] = {"track": 0, "root": -1, "start": 0, "stop": 100, "left_out": none}
    piece |= {"starts": zero, "stops": zero + 100}
    with pytest.raises(_native.DamagedContainer, match="no such row"):
        _native.CallTree().add([page], MAX_ROWS, **leaf, **piece)


@pytest.mark.usefixtures("one_page")
def test_parents_are_looked_up_once_and_leaves_read_one_by_one(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    lookups: Counter[int] = Counter()
    leaf_reads: list[int] = []
    parent, read = chains_module._parent, Reading.events_and_outliers

    def noted_parent(events: Events, child: Any) -> Any:
        lookups[child.ordinal] += 1
        return parent(events, child)

    def noted_read(self: Reading, *arguments: Any) -> Iterator[Events]:
        leaf_reads.append(1)
        return read(self, *arguments)

    monkeypatch.setattr(chains_module, "_parent", noted_parent)
    monkeypatch.setattr(Reading, "events_and_outliers", noted_read)
    most = total = 0
    for _ in call_tree_steps(wild.reader, [wild.track("wild")]):
        most, total = max(most, len(leaf_reads)), total + len(leaf_reads)
        leaf_reads.clear()
    assert (most, not leaf_reads) == (1, True)
    assert total >= 3
    assert len(lookups) > 20
    assert set(lookups.values()) == {1}


def call_tree_steps(reader: QueryReader, tracks: list[int]) -> Interruptible[_native.CallTree]:
    return tree_module.call_tree(reader, tracks, everywhere(WINDOWS), by_track=False)


def test_columns_of_the_table_are_made_in_parts(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noted_column(name: str, *arguments: Any, **more: Any) -> Column:
        made.append(name)
        return Column(name, *arguments, **more)

    monkeypatch.setattr(call_tree, "Column", noted_column)
    question = from_values(tool("call_tree").question, {})
    most = total = 0
    for _ in ask(tool("call_tree"), Scope(wild.reader), question):
        most, total = max(most, len(made)), total + len(made)
        made.clear()
    assert most <= 4
    assert total >= 10


def test_threads_and_sizes_of_pieces_change_nothing(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the longest slices of nodes, either: of equal ones it is the first."""
    answers = []
    for processors, pages in ((1, 8), (1, 1), (2, 8), (2, 1)):
        monkeypatch.setattr(two_threads, "_processors", lambda processors=processors: processors)
        monkeypatch.setattr(tree_module, "_PAGES", pages)
        table = answer_of(QueryReader(wild.store)).table("nodes")
        answers.append([list(values_of(column)) for column in table.columns])
    assert all(answer == answers[0] for answer in answers)


def test_the_first_of_the_longest_slices_is_named(wild: Example) -> None:
    table = answer_of(wild.reader, tracks=[wild.track("nested")]).table("nodes")
    nested = sorted(
        (event for event in wild.events if event.track == "nested"), key=lambda event: (event.start, -event.duration)
    )
    (step,) = (
        event
        for name, event in zip(*(values_of(table.column(column)) for column in ("name", "event")), strict=True)
        if name == "step 1"
    )
    first = next(ordinal for ordinal, event in enumerate(nested) if event.name == "step 1")
    assert step == f"{wild.track('nested')}.{first}"


@pytest.mark.usefixtures("one_page")
@pytest.mark.parametrize("windows", [WHOLE, WINDOWS], ids=["whole", "gaps"])
def test_slices_that_are_left_out(wild: Example, windows: Windows) -> None:
    """They are parents at the top and further down, above slices whose parents are read later, and children."""
    track = wild.track("wild")
    events = [event for event in wild.events if event.track == "wild"]
    in_order = sorted(events, key=lambda event: (event.start, -event.duration))
    left_out = [ordinal for ordinal, event in enumerate(in_order) if event.name == "op 1" and event.duration > 100]
    reader = reader_without(wild, track, left_out)
    tree = finish(tree_module.call_tree(reader, [track], everywhere(windows), by_track=False))
    nodes: defaultdict[Chain, PlainNode] = defaultdict(PlainNode)
    spans = list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))
    PlainTrack(events, set(left_out)).add(nodes, spans)
    assert tree_figures(tree, reader) == plain_tree(nodes)


def reader_without(example: Example, track: int, ordinals: list[int]) -> QueryReader:
    reader = QueryReader(example.store)
    too_long = [
        Outlier(track=track, ordinal=str(ordinal), name=-1, start="0", end="1", reason="too_long")
        for ordinal in ordinals
    ]
    counts = {"before": "0", "after": "0", "too_long": str(len(too_long)), "overruns": "0"}
    reader.outliers = RunOutliers(Outliers(start="0", end=str(END), events=too_long, **counts))
    return reader


def test_a_rollup_stands_for_its_tracks(wild: Example) -> None:
    rollup = next(track.id for track in wild.reader.tree.tracks if track.kind == "rollup")
    children = wild.reader.tree.children(rollup)
    assert children
    assert figures(answer_of(wild.reader, tracks=[rollup])) == figures(answer_of(wild.reader, tracks=children))
