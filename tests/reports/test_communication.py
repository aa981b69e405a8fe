"""Which kernels communicate, whichever library launches them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.reports.traces import Open, answer
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.work_rules import WorkRule, WorkRules


def test_communication_without_nccl(open_by_name: Open) -> None:
    found = answer(open_by_name("communication_without_nccl.json"), "overlap")
    facts = figures(found)
    us = 1000  # ticks
    assert (facts["computation"], facts["busy"]) == (600 * us, 1100 * us)
    assert facts["exposed_communication"] == 500 * us
    assert facts["overlap"] == 0.5
    (communication,) = [column for column in found.table("devices").columns if column.id == "communication"]
    assert communication.values == [1000 * us]


def test_rules_of_a_user_are_applied_when_asked(open_by_name: Open) -> None:
    reader = open_by_name("communication_without_nccl.json")
    rules = WorkRules((WorkRule("computation", "userbuffers"), WorkRule("communication", "^moe_")), "mine.toml")
    asked = QueryReader(reader.store, rules)
    for _ in range(2):  # what was kept of one is not taken for the other
        by_table, by_rules = answer(reader, "overlap"), answer(asked, "overlap")
        assert figures(by_table)["computation"] == 600_000
        assert figures(by_rules)["computation"] == 630_000
    overview = answer(asked, "overview")
    assert figures(overview)["work_rules"] == "2 rules of mine.toml, then the built-in table"


def test_what_no_rule_names_is_said(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "name": name, "cat": "kernel", "ts": at, "dur": 10, "pid": 0, "tid": 7, "args": {"stream": 7}}
        for at, name in zip(range(0, 80, 20), ["my_kernel", "my_kernel", "other_kernel", "sgemm"], strict=True)
    ]
    (tmp_path / "trace.json").write_text(json.dumps({"traceEvents": events}))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        facts = {fact.id: fact for fact in answer(QueryReader(store), "overview").facts}
        assert facts["work_rules"].value == "built-in table"
        assert facts["unnamed_work"].value == 30_000
        assert "75.0 % of the work, in 2 names, my_kernel first" in facts["unnamed_work"].note
        notes = [note.text for note in answer(QueryReader(store), "overlap").notes]
        assert any("my_kernel first" in note and "--work-rules" in note for note in notes)
        rules = WorkRules((WorkRule("copy", "my_kernel"), WorkRule("computation", "other_kernel")), "mine.toml")
        facts = {fact.id: fact for fact in answer(QueryReader(store, rules), "overview").facts}
        assert "unnamed_work" not in facts


def figures(found: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in found.facts}
