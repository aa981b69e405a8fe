"""Runs that are not indexed yet: the client has them indexed, by a real worker process."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.client.conftest import GRPC_PORT, ServerFactory, serve
from tests.demo import DEMO_TRACE
from tilescope.client import Refused, connect_async


@pytest.mark.parametrize("transport", ["http", "grpc"])
async def test_a_run_is_indexed_when_somebody_waits_for_it(
    tmp_path: Path, aiohttp_server: ServerFactory, transport: str
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(DEMO_TRACE, logs / "good.xplane.pb")
    (logs / "bad.xplane.pb").write_bytes(DEMO_TRACE.read_bytes()[:50_000])
    server = await serve(logs, tmp_path, aiohttp_server)
    port = server.port if transport == "http" else server.app[GRPC_PORT]
    async with connect_async(f"{transport}://127.0.0.1:{port}") as client:
        assert {run["state"] for run in await client.runs()} == {"new"}
        with pytest.raises(Refused, match="not indexed yet") as refused:
            await client.run("good.xplane.pb")
        assert refused.value.code == "not_indexed"
        run = await client.run("good.xplane.pb", wait=True)
        assert run.manifest["state"] == "ready"
        assert (await run.stats()).total.count > 0
        assert (await client.index("good.xplane.pb"))["state"] == "ready"
        with pytest.raises(Refused, match=r"bad\.xplane\.pb") as failed:
            await client.run("bad.xplane.pb", wait=True)
        assert failed.value.code == "bad_trace"
