"""Agents' tools, by the SDK's own client: in this process, on standard input of a real one, and over HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed: pip install 'tilescope[mcp]'")

from mcp import Client, StdioServerParameters, types

from bench.server_process import serving
from tests.device_trace import DeviceTrace
from tilescope.cli import main
from tilescope.cli.mcp import run_place
from tilescope.mcp.agent_tools import AGENT_TOOLS, agent_tools
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.protocol import protocol_server, tool_list
from tilescope.mcp.runs import AgentRuns
from tilescope.mcp.short_text import MOST_BYTES
from tilescope.tiler.tools import parameters, tools

Call = Callable[..., types.CallToolResult]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agents")
    DeviceTrace(folder, random.Random(7)).store.close()
    (path,) = folder.glob("*.store")
    return path


@pytest.fixture(scope="module")
def call(store: Path) -> Call:
    """Calls one tool of a server in this process."""

    def called(name: str, **arguments: Any) -> types.CallToolResult:
        async def answer() -> types.CallToolResult:
            with ExitStack() as opened:
                async with AgentRuns([run_place(store, opened)]) as runs, Client(protocol_server(runs)) as client:
                    return await client.call_tool(name, arguments)

        return asyncio.run(answer())

    return called


def text_of(result: types.CallToolResult) -> str:
    (content,) = [part for part in result.content if isinstance(part, types.TextContent)]
    return content.text


@pytest.mark.parametrize("allows_sql", [False, True])
def test_the_list_of_tools_is_short_and_valid(*, allows_sql: bool) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    runs = AgentRuns([], allows_sql)
    listed = types.ListToolsResult(tools=tool_list(runs))
    assert ("query" in {tool.name for tool in listed.tools}) is allows_sql
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) <= 8000
    for tool in agent_tools(runs):
        jsonschema.Draft202012Validator.check_schema(tool.schema)


def test_every_tool_of_the_registry_is_listed_and_can_be_asked(call: Call) -> None:
    listed = call("tools")
    assert not listed.is_error
    assert len(text_of(listed).encode()) <= MOST_BYTES
    entries = {entry["id"]: entry for entry in listed.structured_content["tools"]}
    assert entries.keys() == tools().keys()
    for name, entry in entries.items():
        fields = call("tools", tool=name)
        assert [field["name"] for field in fields.structured_content["fields"]] == [
            parameter.name for parameter in parameters(tools()[name].question)
        ]
        assert len(text_of(fields).encode()) <= MOST_BYTES
        required = any(field["required"] for field in fields.structured_content["fields"])
        if entry["available"] and not required:
            answer = call("ask", tool=name)
            assert not answer.is_error, (name, text_of(answer))
            assert len(text_of(answer).encode()) <= MOST_BYTES
            assert "Link: tilescope view " in text_of(answer)
        elif not entry["available"] and not required:
            assert entry["reason"][:40] in text_of(call("ask", tool=name))


def test_figures_are_those_of_the_client(call: Call, store: Path) -> None:
    import tilescope

    with tilescope.connect(store) as client:
        run = client.run()
        start, end = run.start, (run.start + run.end) // 2
        whole, half = run.stats(limit=3), run.stats(start, end, limit=3)
    for answer, mine in (
        (call("ask", tool="stats", question={"limit": 3}), whole),
        (call("ask", tool="stats", question={"limit": 3, "start": start, "end": str(end)}), half),
    ):
        (table,) = answer.structured_content["tables"]
        place = [column["id"] for column in table["columns"]].index("busy")
        assert [int(row[place]) for row in table["rows"]] == mine.table["busy"].tolist()
    assert half.total.count != whole.total.count


def test_a_time_with_a_unit_is_the_same_as_its_ticks(call: Call) -> None:
    by_unit = call("ask", tool="stats", question={"start": "1us", "end": "1.5 us"})
    by_ticks = call("ask", tool="stats", question={"start": 1000, "end": 1500})
    assert by_unit.structured_content == by_ticks.structured_content
    assert by_unit.structured_content["range"] == {"start": "1000", "end": "1500", "steps": None}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("nope", {}, "there is no tool 'nope'"),
        ("ask", {}, "ask needs tool"),
        ("ask", {"tool": "statz"}, "did you mean stats?"),
        ("ask", {"tool": "stats", "question": {"limits": 3}}, "did you mean limit?"),
        ("ask", {"tool": "stats", "question": {"start": 0.5}}, "0.5 is a float"),
        ("ask", {"tool": "stats", "question": {"tracks": [[1]]}}, "tracks: text"),
        ("ask", {"tool": "stats", "question": "limit=3"}, "object is wanted"),
        ("ask", {"tool": "stats", "table": "nope"}, "there is no table 'nope'"),
        ("overview", {"start": 1.5}, "1.5 is a float"),
        ("ask", {"tool": "stats", "question": {"start": "\u00b2"}}, "start: "),
        ("ask", {"tool": "stats", "question": {"start": "9" * 5000}}, "is beyond 64 bits"),
        ("ask", {"tool": "compare", "question": {"against": "a,,b"}}, "names of runs are wanted"),
        ("ask", {"tool": "compare", "question": {"against": ",".join(map(str, range(40)))}}, "1 to 32"),
        ("compare", {"against": "nobody"}, "there is no run nobody"),
        ("query", {"sql": "select 1"}, "there is no tool 'query'"),
        ("overview", {"begin": 1}, "there are run, start, end, steps"),
        ("overview", {"start": True}, "string or integer is wanted, not bool"),
        ("overview", {"run": "nobody"}, "there is no run nobody"),
        ("link", {"start": 1}, "needs start and end"),
        ("link", {"start": 1, "end": "--5"}, "end: "),
        ("link", {"event": "3.x"}, "TRACK.ORDINAL is wanted"),
        ("picture", {"start": 5, "end": 5}, "needs a span"),
        ("picture", {"tracks": "5000"}, "there is no track of slices 5000"),
        ("find", {"query": "dur>"}, "a duration is a number with a unit"),
        ("find", {"query": "x\n\x1b[2J" + "y" * 9000}, ""),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(call: Call, name: str, arguments: dict[str, Any], words: str) -> None:
    result = call(name, **arguments)
    assert result.is_error
    assert words in text_of(result)
    assert len(text_of(result)) <= MOST_BYTES
    assert text_of(result).isprintable()


def test_null_is_as_if_it_were_not_there(call: Call) -> None:
    nulls = call("ask", run=None, tool="stats", question={"start": None, "limit": 2}, table=None, skip=None)
    assert nulls.structured_content == call("ask", tool="stats", question={"limit": 2}).structured_content
    assert text_of(call("link", start=None, end=None, event=None)).endswith("--at v=1")


def test_a_list_of_one_table_keeps_its_notes(call: Call) -> None:
    answer = call("events", limit=3)
    assert "notes" in answer.structured_content
    assert [len(table["rows"]) for table in answer.structured_content["tables"]] == [3]


def test_links_open_just_what_was_asked(call: Call, store: Path) -> None:
    assert text_of(call("link", start=1, end=9)) == f"tilescope view {store} --at 'v=1&t=1-9'"
    assert text_of(call("link", event="3.7")).endswith("'v=1&sel=3.7'")
    hits = call("find", query="dur>1ns", start=0, end=5000)
    assert hits.structured_content["link"].endswith("'v=1&t=0-5000&q=dur%3E1ns'")
    part = call("ask", tool="stats", question={"start": 0, "end": 5000, "by": "track"})
    assert part.structured_content["link"].endswith("'v=1&t=0-5000&tool=stats&area=0-5000&in=selection&f.by=track'")
    steps = LinkTarget(tool="stats", steps="5-9", fields={"step_name": "train"})
    assert steps.fragment == "v=1&tool=stats&in=steps.5-9&f.step_name=train"


def test_a_picture_is_a_small_png_of_what_there_is(call: Call) -> None:
    image = pytest.importorskip("PIL.Image")
    result = call("picture")
    (content,) = [part for part in result.content if isinstance(part, types.ImageContent)]
    png = base64.b64decode(content.data)
    assert len(png) <= 200_000
    drawn = image.open(BytesIO(png)).convert("RGB")
    assert drawn.width == 1200
    assert len(drawn.getcolors(1 << 20)) > 8  # more than paper and ink
    assert result.structured_content["rows"]


@pytest.mark.slow
def test_a_process_on_standard_input_answers_and_ends(store: Path) -> None:
    trace = next(path for path in store.parent.iterdir() if path.suffix in (".json", ".pb"))

    async def ask(run: Path) -> tuple[list[str], types.CallToolResult]:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "tilescope", "mcp", str(run)])
        async with Client(parameters) as client:
            listed = await client.list_tools()
            return [tool.name for tool in listed.tools], await client.call_tool("ask", {"tool": "stats"})

    names, answer = asyncio.run(ask(store))
    assert names == [tool.name for tool in AGENT_TOOLS]
    _, of_trace = asyncio.run(ask(trace))
    assert of_trace.structured_content["tables"] == answer.structured_content["tables"]


@pytest.fixture(scope="module")
def served(store: Path) -> Iterator[str]:
    with serving(store, options=("--mcp", "--allow-sql", "--token", "t" * 20)) as server:
        yield server.url


@pytest.mark.slow
def test_a_server_answers_whoever_has_its_token(served: str, call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def ask(name: str, **arguments: Any) -> types.CallToolResult:
        headers = {"Authorization": "Bearer " + "t" * 20}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{served}mcp", http_client=http)) as client,
        ):
            return await client.call_tool(name, arguments)

    mine, theirs = call("ask", tool="stats"), asyncio.run(ask("ask", tool="stats"))
    assert theirs.structured_content["tables"] == mine.structured_content["tables"]
    assert theirs.structured_content["link"].startswith(f"{served}?run=")
    assert asyncio.run(ask("picture")).content[1].type == "image"
    assert asyncio.run(ask("ask", tool="statz")).is_error
    statement = "select name, count(*) as count from slices group by name order by name limit 3"
    rows = asyncio.run(ask("query", sql=statement))
    capsys.readouterr()
    assert main(["query", f"{served}?token={'t' * 20}", statement, "--format", "json"]) == 0  # of the same server
    assert rows.structured_content["rows"] == json.loads(capsys.readouterr().out)["rows"] != []
    assert asyncio.run(ask("query", sql="drop table slices")).is_error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer " + "x" * 20}, 401),
        ({"Authorization": "Bearer " + "t" * 20, "Host": "evil.example"}, 403),
        ({"Authorization": "Bearer " + "t" * 20, "Origin": "http://evil.example"}, 403),
    ],
)
def test_the_rules_of_the_server_hold_for_agents(served: str, headers: dict[str, str], status: int) -> None:
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    with closing(HTTPConnection(urlsplit(served).netloc)) as connection:
        connection.request("POST", "/mcp", body, {"Content-Type": "application/json", **headers})
        assert connection.getresponse().status == status
