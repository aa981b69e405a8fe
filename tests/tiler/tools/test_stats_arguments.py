"""Statistics by the values of an argument, and sums of arguments, against the events one after the other."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import ArgumentReader, QueryReader, Reading, finish
from tilescope.tiler.query.events import EVERYTHING
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, Table, ask, from_values, tool, values_of
from tilescope.tiler.tools.stats import value_groups

pytestmark = pytest.mark.slow

VALUES = [1, -7, 2**62, 2**63 - 1, 2**64 - 1, 2**70, 0.5, 0.1, 1e300, -1e300, 3.25, "text", None, True, "7"]
FIGURES = ["count", "busy", "self", "mean", "shortest", "p50", "p99", "longest"]

Row = dict[str, Any]


def stats(reader: QueryReader, **values: Any) -> Answer:
    asked = tool("stats")
    return finish(ask(asked, Scope(reader), from_values(asked.question, values)))


def rows_of(table: Table) -> list[Row]:
    columns = {column.id: values_of(column) for column in table.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """Two threads with an argument `v` of all kinds, an `n` that is whole, and many values of `k`."""
    folder = tmp_path_factory.mktemp("sums")
    rng = random.Random(3)
    events = [
        {
            "ph": "X",
            "name": f"op {rng.randrange(4)}",
            "pid": 1,
            "tid": k % 2,
            "ts": 10 * (k // 2),
            "dur": rng.choice([3, 8, 25]),
            "args": {"v": rng.choice(VALUES), "k": k % 300, "f": rng.random(), **whole},
        }
        for k in range(3000)
        for whole in ({"n": rng.choice(VALUES[:6])} if k % 3 else {},)
    ]
    (folder / "t.json").write_text(json.dumps({"traceEvents": events}))
    build_store([folder / "t.json"], folder / "store")
    store = open_run_store(folder / "store")
    yield QueryReader(store)
    store.close()


def plain_events(reader: QueryReader) -> Iterator[tuple[int, int, str, dict[str, object]]]:
    """Start, duration, name and arguments of all slices."""
    for track in reader.tree.leaves(None):
        if reader.tree.tracks[track].events == 0:
            continue
        plan = reader.plan(track, EVERYTHING)
        for part in Reading(reader).events(plan, plan.leaf_runs):
            decoded = ArgumentReader(reader.store).decoded(track, part.ordinal.tolist())
            columns = (part.start.tolist(), part.duration.tolist(), part.name.tolist())
            for start, duration, name, arguments in zip(*columns, decoded, strict=True):
                yield start, duration, reader.names[name].text, dict(reversed(arguments))


def expected_sum(values: list[object]) -> int | float | None:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool) and v - v == 0]
    if not numbers:
        return None
    exact = sum(map(Fraction, numbers))
    return int(exact) if all(isinstance(v, int) for v in numbers) else float(exact)


def figures_by_pair(pivot: Table) -> dict[tuple[str, str], list[object]]:
    """Figures of each row by its group, and by that above it."""
    rows = rows_of(pivot)
    above = [str(rows[int(str(row["parent"]))]["name"]) if row["parent"] != -1 else "" for row in rows]
    return {(name, str(row["name"])): [row[f] for f in FIGURES] for name, row in zip(above, rows, strict=True)}


def assert_sums(reader: QueryReader, names: list[str], start: int, end: int) -> None:
    inside = [event for event in plain_events(reader) if start <= event[0] < end]
    by_name: dict[str, list[dict[str, object]]] = defaultdict(list)
    for _, _, name, arguments in inside:
        by_name[name].append(arguments)
    table = stats(reader, start=start, end=end, sum=",".join(names), limit=65_536).table("names")
    rows = rows_of(table)
    for name in names:
        for row in rows:
            wanted = expected_sum([of.get(name) for of in by_name[row["name"]]])
            found = None if row[f"sum.{name}"] != row[f"sum.{name}"] else row[f"sum.{name}"]
            assert found == wanted
            assert isinstance(found, float) or isinstance(wanted, int | None)
        assert (table.totals or {})[f"sum.{name}"] == expected_sum([of[3].get(name) for of in inside])


def test_sums_of_arguments(reader: QueryReader) -> None:
    end = reader.end + 1
    assert_sums(reader, ["n", "k"], 0, end)
    rng = random.Random(5)
    for _ in range(4):
        assert_sums(reader, ["n", "f"], *sorted(rng.sample(range(end), 2)))
    answer = stats(reader, sum="v")
    assert [note.severity for note in answer.notes] == ["warning"]
    assert "are not numbers" in answer.notes[0].text
    assert "'none'" in stats(reader, sum="none").notes[0].text


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.integers(0, 16_000_000), min_size=3, max_size=3), st.sampled_from(["name", "track", "argument"]))
def test_halves_add_up(reader: QueryReader, times: list[int], by: str) -> None:
    first, middle, last = sorted(times)
    argument = "k" if by == "argument" else None
    key = {"name": "name", "track": "track", "argument": "args.k"}[by]

    def asked(start: int, end: int) -> dict[object, Row]:
        table = stats(reader, start=start, end=end, by=by, argument=argument, sum="n").table("names")
        return {row[key]: row for row in rows_of(table)}

    whole, halves = asked(first, last), (asked(first, middle), asked(middle, last))
    for name in whole.keys() | halves[0].keys() | halves[1].keys():
        for figure in ("count", "busy", "self", "sum.n"):
            parts = [half[name][figure] or 0 for half in halves if name in half]
            assert (whole[name][figure] or 0) == sum(parts), figure


@pytest.mark.parametrize("limit", [1, 1000])
def test_an_argument_groups_as_categories_do(limit: int, tmp_path: Path) -> None:
    """Of events that share names, each says its category as an argument, too."""
    rng = random.Random(1)
    events = [
        {"ph": "X", "name": f"op {k % 4}", "cat": of, "pid": 1, "ts": 10 * k, "dur": 15, "args": {"c": of}}
        for k in range(3000)
        for of in (rng.choice("abc"),)
    ]
    (tmp_path / "trace.json").write_text(json.dumps(events))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    end = reader.end
    for first, last in [(0, end + 1), *(sorted(rng.sample(range(end), 2)) for _ in range(5))]:
        span = {"start": first, "end": last, "limit": limit}
        wanted = stats(reader, by="category", **span).table("names")
        found = stats(reader, by="argument", argument="c", **span).table("names")
        assert (found.totals, found.rest) == (wanted.totals, wanted.rest)
        by_key = {row["args.c"] or "": [row[figure] for figure in FIGURES] for row in rows_of(found)}
        assert by_key == {row["category"]: [row[figure] for figure in FIGURES] for row in rows_of(wanted)}
        for other in ("name", "track"):
            for sides in (("category", other), (other, "category")):
                renamed = ["argument" if side == "category" else side for side in sides]
                by_category = stats(reader, by=sides[0], then=sides[1], **span).table("pivot")
                by_argument = stats(reader, by=renamed[0], then=renamed[1], argument="c", **span).table("pivot")
                assert by_argument.totals == by_category.totals
                if limit > 1:  # else it goes by their numbers which of equals are left out
                    assert figures_by_pair(by_argument) == figures_by_pair(by_category)
    store.close()


def test_questions_that_make_no_sense(reader: QueryReader, monkeypatch: pytest.MonkeyPatch) -> None:
    for values in ({"by": "argument"}, {"argument": "k"}, {"sum": '"a'}, {"sum": "a,a"}):
        with pytest.raises(UsageError, match=r"argument|sum"):
            stats(reader, **values)
    monkeypatch.setattr(value_groups, "MAX_VALUES", 200)
    with pytest.raises(UsageError, match="more than 200 values"):
        stats(reader, by="argument", argument="k")


@pytest.mark.parametrize(
    ("file", "names", "argument"),
    [
        ("kineto/nccl_data.json.gz", ["Device", "In msg nelems", "Out msg nelems"], "Collective name"),
        ("xplane/jax_cpu_pytracer_400steps.xplane.pb", ["device_ordinal", "run_id"], "hlo_op"),
    ],
)
def test_real_traces(tmp_path: Path, file: str, names: list[str], argument: str) -> None:
    build_store([corpus_path(file)], tmp_path / "s")
    store = open_run_store(tmp_path / "s")
    reader = QueryReader(store)
    assert_sums(reader, names, 0, reader.end + 1)
    assert_sums(reader, names, reader.end // 3, reader.end // 2)
    counts: dict[object, int] = defaultdict(int)
    for _, _, _, arguments in plain_events(reader):
        counts[arguments.get(argument)] += 1
    table = stats(reader, by="argument", argument=argument, limit=65_536).table("names")
    assert {row[f"args.{argument}"]: row["count"] for row in rows_of(table)} == counts
    assert len(counts) > 2
    store.close()
