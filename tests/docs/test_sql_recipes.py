"""docs/sql.md lists the tables as they are, and its recipes run on a real trace and say what tools say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.docs.write_sql_docs import PAGE, render
from tilescope import connect
from tilescope.tiler.indexing import build_store
from tilescope.tiler.sql.request import DEFAULT_LIMITS, request_of
from tilescope.tiler.sql.statement import run_statement

_OF_THE_PAGE: Final = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
_OF_THE_VIEWER: Final = PAGE.parents[1] / "viewer/src/tools/query/recipes.ts"
RECIPES: Final = [
    *_OF_THE_PAGE,
    *map(json.loads, re.findall(r'sql:\s+("(?:[^"\\]|\\.)*")', _OF_THE_VIEWER.read_text(encoding="utf-8"))),
]
DEMO: Final = PAGE.parent / "demo"


def test_the_page_lists_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `make sql-docs`"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("recipes") / "demo.store"
    (trace,) = DEMO.rglob("*.xplane.pb")
    build_store([trace], path)
    return path


def rows_of(store: Path, statement: str) -> list[list[object]]:
    return [list(row) for row in run_statement(request_of(store, statement, DEFAULT_LIMITS)).rows]


@pytest.mark.parametrize("recipe", RECIPES, ids=range(len(RECIPES)))
def test_a_recipe_runs(store: Path, recipe: str) -> None:
    rows = rows_of(store, recipe)
    assert rows or "flows" in recipe or "args" in recipe or "counters" in recipe or "within" in recipe


def test_recipes_say_what_the_tools_say(store: Path) -> None:
    with connect(store) as client:
        run = client.run()
        by_name = {row["name"]: (row["count"], row["busy"]) for row in run.stats(limit=65_536)}
        steps = {row["step"]: row["duration"] for row in run.ask("steps").table("steps")}
    totals: dict[str, tuple[int, int]] = {}
    for name, count, total in rows_of(store, "select name, count(*), sum(duration) from slices group by name"):
        totals[str(name)] = (int(str(count)), int(str(total)))
    assert {name: total for name, total in totals.items() if name} == {
        name: total for name, total in by_name.items() if name in totals
    }
    assert len(by_name) >= len(totals)
    longest = rows_of(store, "select step, max(duration) from steps group by step")
    assert {row[0]: row[1] for row in longest} == steps
