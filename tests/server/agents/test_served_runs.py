"""Runs of a server as agents ask about them: what is not indexed is indexed, and nothing says where it lies."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed: pip install 'tilescope[mcp]'")

from mcp import Client, types

from tests.server.conftest import Site
from tilescope.client import RunInfo
from tilescope.mcp.protocol import protocol_server
from tilescope.mcp.runs import AgentClient, AgentRuns, RunPlace
from tilescope.server.agents.served_runs import ServedRuns
from tilescope.server.errors import message_of
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.services.statements import Statements
from tilescope.tiler.errors import DamagedStore, UsageError


def place(client: AgentClient) -> RunPlace:
    async def opened() -> AgentClient:
        return client

    return RunPlace("this server", opened, lambda _run, _target: "", is_server=True)


async def test_a_run_is_indexed_when_an_agent_asks_about_it(site: Site, registry: Registry) -> None:
    site.add_run("run0")
    async with AgentRuns([place(ServedRuns(registry, Questions(registry), Statements(registry)))]) as runs:
        with pytest.raises(UsageError, match=r"run0 is not indexed yet, and is (queued|indexing): ask again"):
            await runs.open("run0")
        await site.jobs.begun("run0")
        with pytest.raises(UsageError, match="run0 is not indexed yet, and is indexing"):
            await runs.open("run0")
        assert [(info.name, info.state) for _, info in (await runs.listed()).runs] == [("run0", "indexing")]


class Damaged(ServedRuns):
    """Runs of which none can be read."""

    def __init__(self) -> None:
        """Without a registry."""

    async def runs(self) -> list[RunInfo]:
        raise DamagedStore("/srv/profiles/secret/a.store: page 3 is damaged")


async def test_agents_read_names_of_files_without_their_folders() -> None:
    async with AgentRuns([place(Damaged())]) as runs, Client(protocol_server(runs, message_of)) as client:
        refused = await client.call_tool("runs", {})
        assert refused.is_error
        assert isinstance(refused.content[0], types.TextContent)
        assert refused.content[0].text == "a.store: page 3 is damaged"
