"""The tree of a large program, of which not all operations become nodes, is that of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.pod_run import PodShape, write_pod
from tilescope.tiler.facts.operations.operation_table import OpRows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, answer_json, ask, from_values, tool
from tilescope.tiler.tools.op_profile.listable import Listable


def test_operations_that_are_not_listed_are_in_the_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_store([Path(path) for path in write_pod(tmp_path / "pod", PodShape(layers=9)).files], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    end = QueryReader(store).end
    tables: list[OpRows] = []
    begin = OpRows.__init__

    def noted(self: OpRows, *of: Any) -> None:
        begin(self, *of)
        tables.append(self)

    monkeypatch.setattr(OpRows, "__init__", noted)

    def answered(few: int, **asked: object) -> tuple[bytes, int]:
        """The answer, and of how many operations it has looked at rows."""
        monkeypatch.setattr(f"{Listable.__module__}._FEW", few)
        of = tool("op_profile")
        found = answer_json.encode(finish(ask(of, Scope(QueryReader(store)), from_values(of.question, asked))))
        return found, tables[-1].made

    for by in ("program", "category", "provenance"):
        for limit, cover in ((1, 100), (2, 60), (5, 100), (1000, 100)):
            for span in ({}, {"start": end // 3, "end": end // 2}):
                asked = {"by": by, "limit": limit, "cover": cover, **span}
                (short, made), (full, every) = answered(0, **asked), answered(10**9, **asked)
                assert short == full, asked
                assert made < every if limit == 1 and by != "provenance" else made <= every
