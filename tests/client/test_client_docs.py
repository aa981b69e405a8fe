"""docs/client.md names the columns and the members of all answers, as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import tilescope
from tests.example import Example
from tests.run_kinds import build_run_kinds, first_with_answer
from tilescope import Event, FindAnswer, Progress, Run, RunInfo, RunView, StatsAnswer, Sums, Table, TrackList
from tilescope.client.tables import Tabular
from tilescope.tiler.tools import tools

DOCS = Path(__file__).resolve().parents[2] / "docs" / "client.md"


@pytest.fixture(scope="module")
def text() -> str:
    return DOCS.read_text()


def table_rows(text: str, head: str) -> Mapping[str, str]:
    """The rows of the table under a line, by their first cell."""
    _, _, rest = text.partition(f"\n{head}\n")
    lines = rest.partition("\n\n")[0].splitlines()[1:]
    return dict(line.strip("| ").split(" | ", 1) for line in lines)


def words_of(cell: str) -> list[str]:
    return re.findall(r"`([a-z0-9_]+)`", cell)


def test_columns_of_tables(text: str, example: Example) -> None:
    with tilescope.connect(example.path) as client:
        run = client.run()
        view = run.view()
        tables: dict[str, Tabular | TrackList] = {
            "`events()`, `event_batches()`": run.events(limit=1),
            "`stats()`": run.stats(),
            "`find()`, `search()`, `hit_batches()`": run.find("op"),
            "`search().by_name`": run.search("op").by_name,
            "`tracks()`": run.tracks(),
            "`view().slices`": view.slices,
            "`view().bins`": view.bins,
            "`view().counter_bins`": view.counter_bins,
            "`view().samples`": view.samples,
        }
        assert next(run.event_batches()).columns == run.events(limit=1).columns
        hits = [run.search("op").table, next(run.hit_batches("op"))]
        assert [found.columns for found in hits] == [run.find("op").columns] * 2
        told = table_rows(text, "| table | columns |")
        assert {name: words_of(cell) for name, cell in told.items()} == {name: t.columns for name, t in tables.items()}


def test_columns_of_tools(text: str, example: Example, tmp_path: Path) -> None:
    """All that there are: a new tool writes its columns down, and is given what it has to be asked here."""
    needed: dict[str, list[dict[str, Any]]] = {
        "search": [{"query": "op"}],
        "hit_bins": [{"query": "op", "by": by} for by in ("track", "lane")],
        "find": [{"text": "op"}],
        "steps": [{"step_name": "everything", "per_track": True}],
        "flows": [{"event": "0.0"}, {}],
        "bins": [{"track": 0}],
        "pod": [{"collectives": True, "channels": True}],
        "lane_bins": [{"lane": "overlap.1"}, {"lane": "queues.0"}],
        "lane_events": [{"lane": "overlap.1", "tick": 0}],
        "nesting": [{"track": example.track("thread 0"), "ordinal": 0}],
        "stats": [{"then": "track"}],
        "rank": [{"track": example.track("thread 0"), "ordinal": 0}],
    }
    stores = (example.path, *build_run_kinds(tmp_path).values())
    answers = []
    for name in tools():
        with tilescope.connect(first_with_answer(name, stores)) as client:
            answers += [(name, client.run().ask(name, **asked)) for asked in needed.get(name, [{}])]
    told = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.*) \|$", text, re.MULTILINE)
    assert [(name, table, words_of(cell)) for name, table, cell in told] == [
        (name, table.id, table.columns) for name, answer in answers for table in answer.tables
    ]


def test_members_of_answers(text: str, example: Example) -> None:
    told = {name.strip("`"): words_of(cell) for name, cell in table_rows(text, "| | has |").items()}
    for kind in (Event, RunInfo, Progress):
        assert told[kind.__name__] == [field.name for field in fields(kind)]
    sums = [field.name for field in fields(Sums)]
    for answer, rest in ((StatsAnswer, sums), (FindAnswer, []), (RunView, [])):
        names = [field.name for field in fields(answer) if field.type not in ("Table", Table)]
        assert told[answer.__name__] == names + rest
    with tilescope.connect(example.path) as client:
        run = client.run()
        members = {name for name in vars(run) if not name.startswith("_")}
        assert members == set(told[Run.__name__])


def test_errors(text: str) -> None:
    names = re.findall(r"`([A-Z][A-Za-z]+)`", " ".join(table_rows(text, "| error | |")))
    assert {"UsageError", "Refused", "Unreachable", "NoStore"} <= set(names)
    for name in names:
        assert issubclass(getattr(tilescope, name), tilescope.TilescopeError)


def test_every_name_in_the_examples_is_there(text: str) -> None:
    for name in re.findall(r"tilescope\.([a-z_]+)\(", text):
        assert name in tilescope.__all__, name
    for name in re.findall(r"\brun\.([a-z_]+)\(", text):
        assert callable(getattr(Run, name)), name
