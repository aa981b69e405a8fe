"""Call trees against plain Python: nested tracks, slices that overlap, any windows, and real traces."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.example import Example, PlainEvent
from tests.examples import examples
from tests.tiler.tools.plain_call_tree import Chain, PlainNode, PlainTrack, Window, plain_tree
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, Table, ask, from_values, tool, values_of
from tilescope.tiler.tools.call_tree import pieces as pieces_module
from tilescope.tiler.tools.call_tree import tree as tree_module
from tilescope.tiler.tools.call_tree.pieces import TrackPiece, pieces
from tilescope.tiler.tools.call_tree.tree import call_tree
from tilescope.tiler.windows import Windows, everywhere

Figures = dict[Chain, tuple[int, int, int, int]]  # total, self, count, calls

END = 620_000
TICKS = st.integers(0, END)


def answer_of(reader: QueryReader, **values: Any) -> Answer:
    call_tree_tool = tool("call_tree")
    question = from_values(call_tree_tool.question, {"limit": 100_000, "depth": 10_000, **values})
    return finish(ask(call_tree_tool, Scope(reader), question))


def chains(table: Table) -> list[Chain]:
    """The chain of names of each row."""
    rows: list[Chain] = []
    for name, parent in zip(*(values_of(table.column(column)) for column in ("name", "parent")), strict=True):
        rows.append((*(() if int(str(parent)) < 0 else rows[int(str(parent))]), str(name)))
    return rows


def figures(answer: Answer) -> Figures:
    table = answer.table("nodes")
    columns = [values_of(table.column(name)) for name in ("total", "self", "count", "calls")]
    rows = chains(table)
    assert len(set(rows)) == len(rows)
    return dict(zip(rows, zip(*columns, strict=True), strict=True))


def tree_figures(tree: _native.CallTree, reader: QueryReader) -> Figures:
    """The figures of a tree that no tool has made a table of."""
    names = {number: reader.names[number].text for number in range(-1, reader.names.count)}
    rows: list[Chain] = []
    result: Figures = {}
    for parent, name, *values in zip(*(column.tolist() for column in tree.rows(100_000, 10_000)), strict=True):
        rows.append((*(rows[parent] if parent >= 0 else ()), names[name]))
        result[rows[-1]] = tuple(values[:4])
    return result


def wild_events(rng: random.Random) -> list[PlainEvent]:
    """Slices of any lengths at any time; others that nest; calls in calls of one name."""
    events = [
        PlainEvent("wild", f"op {rng.randrange(5)}", "", rng.randrange(END - 20_000), rng.choice([0, 3, 40, 300, 9000]))
        for _ in range(20_000)
    ]
    events += [PlainEvent("recursion", "f", "", 100 * k, 400 * 500 - 200 * k) for k in range(500)]
    for k in range(3000):
        events.append(PlainEvent("nested", f"step {k % 3}", "", 200 * k, 190))
        events += [PlainEvent("nested", f"op {j % 3}", "kernel", 200 * k + 40 * j, 30) for j in range(4)]
    return events


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_module, "_PAGES", 1)  # a track is divided between two threads
        example = Example(tmp_path_factory.mktemp("wild"), wild_events(random.Random(5)))
        yield example
        example.store.close()


@pytest.fixture(scope="module")
def tracks(wild: Example) -> dict[str, PlainTrack]:
    names = {event.track for event in wild.events}
    return {name: PlainTrack(event for event in wild.events if event.track == name) for name in sorted(names)}


def expected(tracks: dict[str, PlainTrack], windows: list[Window], *, by_track: bool = False) -> Figures:
    nodes: defaultdict[Chain, PlainNode] = defaultdict(PlainNode)
    for name, track in tracks.items():
        track.add(nodes, windows, (name,) if by_track else ())
    return plain_tree(nodes)


@pytest.mark.parametrize("by", ["name", "track"])
def test_the_whole_run(wild: Example, tracks: dict[str, PlainTrack], by: str) -> None:
    answer = answer_of(wild.reader, by=by)
    assert figures(answer) == expected(tracks, [(0, 1 << 40)], by_track=by == "track")
    facts = {fact.id: fact.value for fact in answer.facts}
    assert facts["nodes"] == len(answer.table("nodes"))
    assert facts["levels"] == max(map(len, chains(answer.table("nodes")))) - (by == "track")
    notes = {fact.id: fact.note for fact in answer.facts}
    assert ("tracks" in notes["nodes"]) == (by == "track")
    assert facts["slices"] == len(wild.events)
    assert facts["busy"] == sum(end - start for track in tracks.values() for start, end, _ in track.owned)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(span=st.tuples(TICKS, TICKS), middle=TICKS)
def test_any_span_is_what_plain_python_says_and_the_sum_of_its_halves(
    wild: Example, tracks: dict[str, PlainTrack], span: tuple[int, int], middle: int
) -> None:
    start, end = sorted(span)
    whole = figures(answer_of(wild.reader, start=start, end=end))
    assert whole == expected(tracks, [(start, end)])
    middle = min(max(middle, start), end)
    halves = [figures(answer_of(wild.reader, start=a, end=b)) for a, b in ((start, middle), (middle, end))]
    none = (0, 0, 0, 0)
    for chain in halves[0].keys() | halves[1].keys() | whole.keys():
        pair = zip(halves[0].get(chain, none), halves[1].get(chain, none), strict=True)
        assert tuple(map(sum, pair)) == whole[chain], chain


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=st.lists(TICKS, min_size=2, max_size=12, unique=True))
def test_any_windows(wild: Example, tracks: dict[str, PlainTrack], edges: list[int]) -> None:
    """As steps are: what runs into a window may lie in slices that ended before it, or in a gap between windows."""
    edges = sorted(edges[: len(edges) // 2 * 2])
    windows = list(zip(edges[::2], edges[1::2], strict=True))
    spans = everywhere(Windows.from_spans(edges[::2], edges[1::2]))
    numbers = sorted(wild.track(name) for name in tracks)
    tree = finish(call_tree(wild.reader, numbers, spans, by_track=False))
    assert tree_figures(tree, wild.reader) == expected(tracks, windows)


def test_a_span_without_slices_has_no_nodes(wild: Example) -> None:
    answer = answer_of(wild.reader, start=END, end=END + 10)
    assert figures(answer) == {}
    assert answer.table("nodes").totals == {"self": 0, "count": 0}


def test_a_track_without_slices_in_a_span_has_no_pieces(wild: Example) -> None:
    assert list(pieces(wild.reader, wild.track("wild"), Windows.single(1 << 60, (1 << 60) + 10), 1)) == []


@pytest.mark.parametrize("most", [1, 2, 5])
def test_pieces_have_each_leaf_once_and_few_pages(wild: Example, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    track, slices = wild.track("wild"), 400
    monkeypatch.setattr(pieces_module, "_SLICES", slices)
    parts = list(pieces(wild.reader, track, Windows.single(0, END), most))
    plan = wild.reader.plan(track, Windows.single(0, END))
    shape = plan.tiles.shape
    assert np.concatenate([part.index for part in parts]).tolist() == shape.index[plan.leaves].tolist()
    assert all(len(part.pages) == len(set(part.pages)) <= most for part in parts)
    assert all(before.stop == part.start == part.first[0] for before, part in pairwise(parts))
    events = [
        sum(shape.events[plan.leaves][plan_first : plan_first + len(part.index)])
        for plan_first, part in zip(np.cumsum([0, *(len(part.index) for part in parts)]), parts, strict=False)
    ]
    of_run = max(sum(shape.events[run.tiles]) for run in plan.leaf_runs)
    assert len(parts) > 1
    assert max(events) < slices + of_run


def test_own_times_are_those_of_the_statistics(wild: Example) -> None:
    rng = random.Random(2)
    for _ in range(5):
        start, end = sorted(rng.sample(range(END), 2))
        by_name: defaultdict[str, int] = defaultdict(int)
        for chain, (_, own, _, _) in figures(answer_of(wild.reader, start=start, end=end)).items():
            by_name[chain[-1]] += own
        stats = tool("stats")
        names = finish(ask(stats, Scope(wild.reader), from_values(stats.question, {"start": start, "end": end})))
        table = names.table("names")
        sums: defaultdict[str, int] = defaultdict(int)
        for name, ticks in zip(values_of(table.column("name")), values_of(table.column("self")), strict=True):
            sums[str(name)] += int(str(ticks))
        assert dict(by_name) == dict(sums)


def test_what_is_listed(wild: Example) -> None:
    """The nodes with the most time, parents first, each beside those that take more; what is left out is told."""
    whole = answer_of(wild.reader)
    everything = figures(whole)
    short = answer_of(wild.reader, limit=50)
    listed = figures(short)
    assert len(listed) == 50
    assert all(everything[chain] == values for chain, values in listed.items())
    least = min(total for total, *_ in listed.values())
    assert all(total <= least for chain, (total, *_) in everything.items() if chain not in listed)
    table = short.table("nodes")
    assert table.totals == whole.table("nodes").totals
    assert table.rest == {
        "self": sum(own for chain, (_, own, _, _) in everything.items() if chain not in listed),
        "count": sum(count for chain, (_, _, count, _) in everything.items() if chain not in listed),
    }
    siblings: defaultdict[int, list[int]] = defaultdict(list)
    for parent, total in zip(*(values_of(table.column(name)) for name in ("parent", "total")), strict=True):
        siblings[int(str(parent))].append(int(str(total)))
    assert all(totals == sorted(totals, reverse=True) for totals in siblings.values())


def test_levels_that_are_not_listed_count_above_and_are_told(wild: Example, tracks: dict[str, PlainTrack]) -> None:
    number = wild.track("recursion")
    answer = answer_of(wild.reader, tracks=[number], depth=7)
    everything = expected({"recursion": tracks["recursion"]}, [(0, 1 << 40)])
    assert figures(answer) == {chain: values for chain, values in everything.items() if len(chain) <= 7}
    assert [note.text for note in answer.notes] == [
        "Chains have up to 500 levels, of which 7 are listed: a greater depth lists more."
    ]
    by_track = answer_of(wild.reader, tracks=[number], depth=7, by="track")
    assert max(map(len, figures(by_track))) == 8
    assert by_track.notes == answer.notes


def test_the_longest_slice_of_a_node_leads_to_it(wild: Example) -> None:
    answer = answer_of(wild.reader, tracks=[wild.track("nested")])
    table = answer.table("nodes")
    nested = [event for event in wild.events if event.track == "nested"]
    in_order = sorted(nested, key=lambda event: (event.start, -event.duration))
    for chain, event, longest in zip(
        chains(table), *(values_of(table.column(name)) for name in ("event", "longest")), strict=True
    ):
        plain = in_order[int(str(event).partition(".")[2])]
        assert (plain.name, plain.duration) == (chain[-1], longest)


def test_rows_of_tracks_lead_to_them(wild: Example) -> None:
    table = answer_of(wild.reader, by="track").table("nodes")
    named = {
        chain[0]: number
        for chain, number in zip(chains(table), values_of(table.column("track")), strict=True)
        if len(chain) == 1
    }
    assert named == {name: wild.track(name) for name in ("nested", "recursion", "wild")}
    assert all(
        (track is None) == (len(chain) > 1)
        for chain, track in zip(chains(table), values_of(table.column("track")), strict=True)
    )


def test_a_damaged_page_is_named(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = QueryReader(wild.store)
    content = QueryReader.page_content
    piece = next(pieces(reader, wild.track("nested"), Windows.single(0, END), 1))
    (key,) = piece.pages

    def damaged(self: QueryReader, page_key: PageKey) -> bytes:
        page = content(self, page_key)
        return page[: len(page) // 2] if page_key == key else page

    monkeypatch.setattr(QueryReader, "page_content", damaged)
    with pytest.raises(DamagedStore) as raised:
        answer_of(reader)
    assert str(raised.value).startswith(key.text())


def test_too_many_nodes_are_refused(wild: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = _native.CallTree()
    last = tree.node(np.arange(_native.MOST_NODES))
    assert last == _native.MOST_NODES - 1
    with pytest.raises(_native.TooManyNodes):
        tree.node(np.array([7]), last)

    def refuse(*_: object) -> None:
        raise _native.TooManyNodes("too many")

    monkeypatch.setattr(TrackPiece, "add_to", refuse)
    with pytest.raises(UsageError, match=r"more than 2,097,152 different .* fewer tracks or a shorter span"):
        answer_of(wild.reader)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        (
            "kineto/h100_gpt_stack.pt.trace.json.gz",
            {"tracks": 9, "busy": 936_748_556, "slices": 22_642, "nodes": 2207, "levels": 20},
        ),
        (
            "xplane/tpu_v6e_4core.xplane.pb",
            {"tracks": 142, "busy": 1_075_659_806_529_042, "slices": 26_723, "nodes": 1113, "levels": 11},
        ),
    ],
)
def test_figures_of_real_runs(tmp_path: Path, name: str, facts: dict[str, int]) -> None:
    """The time and the slices are those of the statistics of the same tracks, name by name."""
    build_store([corpus_path(name)], tmp_path / "s")
    with closing(open_run_store(tmp_path / "s")) as store:
        check_figures(QueryReader(store), facts)


def check_figures(reader: QueryReader, facts: dict[str, int]) -> None:
    answer = answer_of(reader)
    assert {fact.id: fact.value for fact in answer.facts}.items() >= facts.items()
    tracks = [track.id for track in reader.tree.tracks if track.kind == "slice"]
    stats = tool("stats")
    names = finish(ask(stats, Scope(reader), from_values(stats.question, {"tracks": tracks, "limit": 65_536})))
    table = names.table("names")
    expected_sums = {
        (str(text), str(category)): [int(str(own)), int(str(count))]
        for text, category, own, count in zip(
            *(values_of(table.column(column)) for column in ("name", "category", "self", "count")), strict=True
        )
    }
    sums: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    nodes = answer.table("nodes")
    for text, category, own, count in zip(
        *(values_of(nodes.column(column)) for column in ("name", "category", "self", "count")), strict=True
    ):
        sums[str(text), str(category)][0] += int(str(own))
        sums[str(text), str(category)][1] += int(str(count))
    assert dict(sums) == expected_sums


def test_tracks_whose_events_do_not_nest_are_counted(tmp_path: Path) -> None:
    common = {"pid": 1, "tid": 1}
    events: list[dict[str, Any]] = [
        {**common, "ph": "X", "name": "op", "ts": 0, "dur": 9},
        {**common, "ph": "i", "name": "mark", "ts": 3, "s": "t"},
        {**common, "ph": "i", "name": "mark", "ts": 4, "s": "p"},
        {**common, "ph": "b", "name": "request", "cat": "c", "id": "1", "ts": 1},
        {**common, "ph": "e", "name": "request", "cat": "c", "id": "1", "ts": 5},
        {"pid": 1, "ph": "C", "name": "memory", "ts": 2, "args": {"bytes": 3}},
    ]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "s")
    with closing(open_run_store(tmp_path / "s")) as store:
        reader = QueryReader(store)
        by_kind: defaultdict[str, list[int]] = defaultdict(list)
        for track in reader.tree.tracks:
            by_kind[track.kind].append(track.id)
        questions: dict[str, dict[str, Any]] = {
            "all": {},
            "instants": {"tracks": by_kind["instant"]},
            "counter": {"tracks": by_kind["counter"]},
            "slices": {"tracks": by_kind["slice"]},
        }
        answers = {name: answer_of(reader, **values) for name, values in questions.items()}
    assert {kind: len(by_kind[kind]) for kind in ("slice", "async", "instant", "counter")} == {
        "slice": 1,
        "async": 1,
        "instant": 2,
        "counter": 1,
    }
    assert {name: [note.text for note in answer.notes] for name, answer in answers.items()} == {
        "all": [
            "1 track of asynchronous spans and 2 tracks of instants are left out: "
            "events of such tracks do not lie in one another."
        ],
        "instants": ["2 tracks of instants are left out: events of such tracks do not lie in one another."],
        "counter": ["1 counter is left out: events of such tracks do not lie in one another."],
        "slices": [],
    }
    assert {name: len(figures(answer)) for name, answer in answers.items()} == {
        "all": 1,
        "instants": 0,
        "counter": 0,
        "slices": 1,
    }
