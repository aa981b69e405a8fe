"""Questions that rows stand for: what a row says is what the tool answers that it opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.client.answers import AnswerTable
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Column, RowQuestion, Table, from_text, tool, tools
from tilescope.tiler.tools.answer_json import decode, encode
from tilescope.tiler.tools.checking import check
from tilescope.tiler.tools.question import MAX_EVENT_NAME
from tilescope.tiler.tools.row_query import EVENT_NAME, event_name_column, opens


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    folder = tmp_path_factory.mktemp("opens")
    write_job(folder / "traces", KinetoShape(ranks=2, hosts=1, cycles=1))
    with ExitStack() as stack:
        build_store(sorted((folder / "traces").iterdir()), folder / "store")
        yield QueryReader(stack.enter_context(closing(open_run_store(folder / "store"))))


def opened(reader: QueryReader, table: Table, row: int, question: RowQuestion, **span: int) -> Answer:
    """The answer that a row opens, asked as text, as over HTTP, in the range of the answer that it is in."""
    fields = table.row_question(question.tool, row, question.label)
    assert fields is not None
    values = from_text(tool(question.tool).question, fields)
    return answer(reader, question.tool, **span, **{name: getattr(values, name) for name in fields})


def test_every_row_that_opens_a_tool_opens_one_that_answers(job: QueryReader) -> None:
    """Each question of the first rows of each table can be asked: its tool is there, and has its fields."""
    count = 0
    for name in tools():
        if tool(name).availability(scope_of(job)) or any(field.is_required for field in fields_of(name)):
            continue
        for table in answer(job, name).tables:
            for question in table.opens:
                for row in range(min(len(table), 5)):
                    if table.row_question(question.tool, row, question.label) is not None:
                        opened(job, table, row, question)
                        count += 1
    assert count >= 20


def scope_of(reader: QueryReader) -> Any:
    from tilescope.tiler.tools import Scope

    return Scope(reader)


def fields_of(name: str) -> Any:
    from tilescope.tiler.tools import parameters

    return parameters(tool(name).question)


def check_operators(reader: QueryReader, **span: int) -> int:
    """Kernels and stacks of each operator have the count and time that its row says; how many rows lead to them."""
    table = answer(reader, "framework_ops", limit=10_000, **span).table("host")
    calls, kernels = table.opens
    assert [each.tool for each in table.opens] == ["call_tree", "kernels"]
    count = 0
    for row, entry in enumerate(rows(answer(reader, "framework_ops", limit=10_000, **span), "host")):
        if entry["count"] is None:
            assert all(table.row_question(each.tool, row, each.label) is None for each in table.opens)
            continue
        count += 1
        if entry["kernels"]:
            stacks = rows(answer(reader, "call_tree", weight="device", name=entry["event_name"], **span), "nodes")
            assert sum(node["total"] for node in stacks if node["parent"] < 0) == entry["device_total"]
            launched = opened(reader, table, row, kernels, **span)
            listed = sum(each["total"] for each in rows(launched, "kernels"))
            copies = sum(node["self"] for node in stacks if node["category"] != "kernel")
            assert listed + copies == entry["device_total"], entry["name"]
            own = [each for each in rows(launched, "kernels") if each["operation"] == entry["name"]]
            assert sum(each["total"] for each in own) <= entry["device_self"]
        nodes = rows(opened(reader, table, row, calls, **span), "nodes")
        assert sum(node["count"] for node in nodes if node["name"] == entry["event_name"]) == entry["count"]
    return count


def test_operators_open_their_kernels_and_stacks(job: QueryReader) -> None:
    assert check_operators(job) > 10
    middle = job.end // 2
    check_operators(job, start=0, end=middle)


def test_operators_of_a_real_run(tmp_path: Path) -> None:
    build_store([corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        assert check_operators(reader) == 91
        norm = answer(reader, "kernels", operation="aten::native_layer_norm_backward")
        assert {fact.id: fact.value for fact in norm.facts}.items() >= {"launches": 96, "time": 1_057_009}.items()
        # Its kernels are those of aten::copy_ in it.
        to_copy = rows(answer(reader, "kernels", operation="aten::_to_copy"), "kernels")
        assert {row["operation"] for row in to_copy} == {"aten::copy_"}


def test_kinds_of_a_critical_path_open_their_pieces(job: QueryReader) -> None:
    whole = answer(job, "critical_path", limit=10_000)
    kinds = whole.table("kinds")
    for row, kind in enumerate(rows(whole, "kinds")):
        part = opened(job, kinds, row, kinds.opens[0])
        pieces = rows(part, "path")
        assert {piece["kind"] for piece in pieces} == {kind["kind"]}
        totals = part.table("path").totals
        assert totals is not None
        assert totals["duration"] == kind["time"]
        assert rows(part, "kinds") == rows(whole, "kinds")


def test_collectives_open_their_calls(job: QueryReader) -> None:
    whole = answer(job, "collectives", limit=10_000)
    groups = whole.table("groups")
    by_query: dict[str, int] = {}
    for row in rows(whole, "groups"):
        if row["query"] is not None:
            by_query[row["query"]] = by_query.get(row["query"], 0) + row["count"] * row["recorded"]
    assert by_query
    for number, row in enumerate(rows(whole, "groups")):
        if row["query"] is not None:
            calls = opened(job, groups, number, groups.opens[0]).table("events")
            assert len(calls) == by_query[row["query"]]
        else:
            assert row["name"] == "send and recv"


def test_what_rows_open_survives_json_and_the_client(job: QueryReader) -> None:
    whole = answer(job, "framework_ops", tracks=job.tree.leaves(None))
    table = whole.table("host")
    again = decode(encode(whole)).table("host")
    assert again.opens == table.opens
    client = AnswerTable(again)
    row = [entry["name"] for entry in rows(whole, "host")].index("aten::mm")
    fields = client.row_question("kernels", row)
    assert fields == table.row_question("kernels", row)
    assert fields is not None
    assert fields["tracks"]
    with pytest.raises(UsageError, match="do not open 'stats': they open call_tree, kernels"):
        client.row_question("stats", 0)


def test_names_too_long_for_a_question_open_nothing() -> None:
    names = event_name_column(["k" * (MAX_EVENT_NAME + 1), "k", None])
    table = Table("t", "T", [names], opens=[opens("call_tree", "Stacks", "name", None)])
    assert [table.row_question("call_tree", row) for row in range(3)] == [None, {"name": "k"}, None]
    with pytest.raises(UsageError, match="do not open 'call_tree' \\('Calls'\\): they open call_tree \\('Stacks'\\)"):
        table.row_question("call_tree", 1, "Calls")


def test_columns_for_questions_are_in_tables_that_open_some(job: QueryReader) -> None:
    """Viewers hide them by the questions that they fill."""
    for name in ("framework_ops", "kernels", "hlo_stats"):
        if not tool(name).availability(scope_of(job)):
            for table in answer(job, name).tables:
                has_column = EVENT_NAME in [column.id for column in table.columns]
                assert has_column == any(EVENT_NAME in question.columns.values() for question in table.opens)


def test_what_is_wrong_is_refused() -> None:
    column = Column("name", "Name", "name", ["a", None, ""])
    with pytest.raises(ValueError, match="columns that are not there: \\['other'\\]"):
        Table("t", "T", [column], opens=[RowQuestion("stats", "Stats", {"name": "other"})])
    with pytest.raises(ValueError, match="fills \\['start'\\]"):
        RowQuestion("stats", "Stats", {"start": "name"})
    with pytest.raises(ValueError, match="fills \\['name'\\]"):
        RowQuestion("stats", "Stats", {"name": "name"}, {"name": "a"})
    table = Table("t", "T", [column], opens=[RowQuestion("events", "Events", {"name": "name"}, {"limit": "1"})])
    assert [table.row_question("events", row) for row in range(3)] == [{"name": "a", "limit": "1"}, None, None]
    bad = Table("t", "T", [column], opens=[RowQuestion("events", 1, {"name": "name"})])  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        check(Answer(tables=[bad]))
