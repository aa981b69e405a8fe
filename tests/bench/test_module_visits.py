"""The count of visits to modules that the code of an answer makes a reader do."""

from __future__ import annotations

from pathlib import Path

from bench.module_visits import Visits, module_visits, within
from tests.run_kinds import RUN_KINDS
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

# There were 76 when each step of a table of operations had a module of its own.
MOST_VISITS = 42


def test_returns_are_visits_to_modules_that_were_visited_before() -> None:
    visits = Visits(["a/b.py", "c.py", "a/d.py", "a/b.py", "c.py"])
    assert (visits.distinct, visits.returns) == (3, 2)
    assert within(visits, "a/").modules == ["a/b.py", "a/d.py", "a/b.py"]
    assert within(visits, "c").modules == ["c.py"]


def test_the_operations_of_an_answer_are_followed_in_few_visits(tmp_path: Path) -> None:
    build_store([RUN_KINDS["devices"](tmp_path)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    visits = within(module_visits(QueryReader(store), "op_profile"), "facts/operations")
    store.close()
    assert "facts/operations/tpu_source.py" in visits.modules
    assert "facts/operations/gpu_source.py" not in visits.modules
    assert 10 < len(visits.modules) <= MOST_VISITS
