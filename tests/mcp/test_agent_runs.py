"""Runs as agents name them: several of them, such as cannot be opened, and such as are still being indexed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed: pip install 'tilescope[mcp]'")

from mcp import Client, types

from tests.client.test_growing import GrowingSource
from tests.example import Example, PlainEvent
from tilescope.cli.mcp import run_place
from tilescope.client import AsyncClient, Unreachable
from tilescope.mcp.links import view_command
from tilescope.mcp.protocol import protocol_server
from tilescope.mcp.runs import AgentClient, AgentRuns, RunPlace


class Agent:
    """An agent that asks about these places."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, name: str, **arguments: Any) -> types.CallToolResult:
        """The answer of a tool, or the refusal."""
        return await self._client.call_tool(name, arguments)

    async def text(self, name: str, **arguments: Any) -> str:
        """The text of it."""
        content = (await self.call(name, **arguments)).content[0]
        assert isinstance(content, types.TextContent)
        return content.text


@asynccontextmanager
async def agent(*places: RunPlace, allows_sql: bool = False) -> AsyncIterator[Agent]:
    async with AgentRuns(places, allows_sql) as runs, Client(protocol_server(runs)) as client:
        yield Agent(client)


def example(folder: Path, durations: Sequence[int]) -> Path:
    folder.mkdir()
    events = [PlainEvent("thread", f"op {k}", "", 100 * k, length) for k, length in enumerate(durations)]
    trace = Example(folder, events)
    trace.store.close()
    return trace.path


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return example(tmp_path / "before", [10, 20, 30])


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return example(tmp_path / "after", [10, 50, 25])


def cells(structure: dict[str, Any], table: str, *names: str) -> list[tuple[Any, ...]]:
    (rows,) = [entry for entry in structure["tables"] if entry["id"] == table]
    ids = [column["id"] for column in rows["columns"]]
    return [tuple(row[ids.index(name)] for name in names) for row in rows["rows"]]


async def test_runs_are_compared_by_their_names(before: Path, after: Path, tmp_path: Path) -> None:
    third = example(tmp_path / "a, third", [10, 20, 30])
    with ExitStack() as opened:
        async with agent(*(run_place(path, opened) for path in (before, after, third))) as asking:
            structure = (await asking.call("compare", run=str(after), against=str(before))).structured_content
            assert cells(structure, "changes", "name", "delta") == [
                ("op 1", "30000"),
                ("op 2", "-5000"),
                ("op 0", "0"),
            ]
            assert [entry["run"] for entry in structure["others"]] != [structure["run"]]
            assert structure["link"] == f"tilescope view {after} {before}"
            several = await asking.call("compare", run=str(after), against=f'{before},"{third}"')
            assert dict(cells(several.structured_content, "changes", "name", "delta"))["op 1"] == "30000"
            text = await asking.text("compare", run=str(after), against=str(before))
            assert f"against {before.name}" in text.splitlines()[0]


async def test_a_name_that_two_runs_have_is_refused_with_their_ids(before: Path, after: Path) -> None:
    with ExitStack() as opened:
        async with agent(run_place(before, opened), run_place(after, opened)) as asking:
            listed = (await asking.call("runs")).structured_content["runs"]
            assert [entry["name"] for entry in listed] == ["t.store", "t.store"]
            for name in ({}, {"run": "t.store"}):
                refused = await asking.text("ask", tool="stats", **name)
                assert refused.startswith("which run? ")
                assert all(entry["id"] in refused for entry in listed)
            for entry in listed:
                answer = await asking.call("ask", tool="stats", run=entry["id"])
                assert answer.structured_content["run"] == entry["id"]


async def unreachable() -> AgentClient:
    raise Unreachable("nobody answers")


async def test_a_place_that_cannot_be_asked_is_named_and_others_answer(before: Path) -> None:
    lost = RunPlace("http://lost?token=secret", unreachable, lambda _run, _target: "", is_server=True)
    with ExitStack() as opened:
        async with agent(lost, run_place(before, opened)) as asking:
            listed = await asking.text("runs")
            assert "Cannot be asked: http://lost: nobody answers" in listed
            assert "secret" not in listed
            assert not (await asking.call("ask", tool="stats", run="t.store")).is_error
            assert "nobody answers" in await asking.text("ask", tool="stats")
        async with agent(lost) as asking:
            assert await asking.text("runs") == "nobody answers"


async def test_a_question_opens_the_place_that_it_names_and_no_other(before: Path, after: Path) -> None:
    with ExitStack() as opened:
        untouched = RunPlace("other", unreachable, lambda _run, _target: "")
        runs = AgentRuns([run_place(before, opened), untouched])
        async with runs:
            assert (await runs.open(str(before))).run.name == "t.store"
            assert (await runs.listed()).failures == ["other: nobody answers"]


async def test_an_answer_about_a_run_that_grows_says_so_and_grows(tmp_path: Path) -> None:
    path = example(tmp_path / "growing", [10, 20, 30])
    source = GrowingSource(path)

    async def client() -> AgentClient:
        return AsyncClient(source)

    place = RunPlace("growing", client, lambda _run, target: view_command("growing", target))
    async with agent(place) as asking:
        part = await asking.call("ask", tool="stats")
        assert not part.structured_content["complete"]
        assert part.structured_content["range"]["end"] == "6"
        assert "Not complete: the run is still being indexed." in await asking.text("ask", tool="stats")
        source.grows = False
        whole = await asking.call("ask", tool="stats")
        assert whole.structured_content["complete"]
        assert whole.structured_content["range"]["end"] == str(230 + 1)
        assert "Not complete" not in await asking.text("ask", tool="stats")


async def test_rows_of_a_statement_are_exact(before: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'tilescope[sql]'")
    with ExitStack() as opened:
        async with agent(run_place(before, opened), allows_sql=True) as asking:
            statement = "select name, duration, duration / 4 as part, null as nothing from slices order by start"
            structure = (await asking.call("query", sql=statement)).structured_content
            assert structure["columns"] == ["name", "duration", "part", "nothing"]
            assert structure["rows"] == [
                ["op 0", "10", 2.5, None],
                ["op 1", "20", 5.0, None],
                ["op 2", "30", 7.5, None],
            ]
            many = await asking.call("query", sql="select range, repeat('|', 200) as bars from range(9000)")
            assert many.structured_content["all_rows"] == 9000
            listed = len(many.structured_content["rows"])
            assert many.structured_content["cut"] == [f"{9000 - listed:,} rows (add: limit N offset {listed})"]
            for refused in ("create table t (a int)", "select * from 'file.csv'", "select 1; select 2", "selec"):
                assert (await asking.call("query", sql=refused)).is_error
