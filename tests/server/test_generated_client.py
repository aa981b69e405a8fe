"""A client that `openapi-python-client` makes of the description reads what the server sends."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.json_text import json_body
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

_NOT_MADE = {"POST /api/v1/runs/{run}/builds/{build}/batch"}  # frames of a content type of our own


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package, which can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    description = folder / "openapi.json"
    description.write_bytes(json_body(describe_api("/")))
    config = folder / "config.json"
    config.write_text(json.dumps({"post_hooks": []}))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options = [
        "--path",
        str(description),
        "--config",
        str(config),
        "--output-path",
        str(folder / "generated_tilescope"),
    ]
    made = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    warnings = [line for line in (made.stdout + made.stderr).splitlines() if line.startswith("WARNING")]
    left_out = {line.removeprefix("WARNING parsing ").removesuffix(" within default.") for line in warnings}
    assert left_out == _NOT_MADE, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield "generated_tilescope"
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "generated_tilescope"]:
        del sys.modules[name]


async def test_it_reads_runs_manifests_tracks_and_answers(
    package: str, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    (tmp_path / "logs").mkdir()
    write_synthetic_trace(tmp_path / "logs" / "small.xplane.pb", format="xspace", events=3000, tracks=4, seed=3)
    registry = Registry(
        [tmp_path / "logs"],
        CacheDirectory(tmp_path / "cache"),
        OpenStores(open_run_store),
        discover,
        index_all=True,
        rescan_interval_s=0,
    )
    client = await aiohttp_client(make_app(registry))
    generated = importlib.import_module(package).Client(base_url=str(client.make_url("")).rstrip("/"))

    async def ask(operation: str, *names: str, **values: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Answer as the client reads it, as JSON; and as the server sends it."""
        module = importlib.import_module(f"{package}.api.default.{operation}")
        answer = await module.asyncio(*names, client=generated, **values)
        request = {name: value for name, value in module._get_kwargs(*names, **values).items() if name != "method"}
        parameters = {
            name: json.dumps(value) if isinstance(value, bool) else str(value)
            for name, value in request.get("params", {}).items()
        }
        sent = await client.get(request["url"], params=parameters)
        return answer.to_dict(), await sent.json()

    read, sent = await ask("list_runs")
    while sent["runs"][0]["state"] != "ready":
        read, sent = await ask("list_runs")
    read, sent = await ask("list_runs")
    assert read == sent
    assert [run["name"] for run in read["runs"]] == ["small.xplane.pb"]
    run = read["runs"][0]["id"]
    read, sent = await ask("get_manifest", run)
    assert read == sent
    build = read["build"]
    read, sent = await ask("list_tools", run, build)
    assert read == sent
    assert {"overview", "stats"} <= {tool["id"] for tool in read["tools"]}
    models = importlib.import_module(f"{package}.models")
    for operation, values in (
        ("get_tracks", {}),
        ("list_events", {"limit": 50}),
        ("ask_stats", {"by": models.AskStatsBy("track")}),
        ("ask_stats", {"start": 5, "end": 100_000}),
        ("ask_overview", {}),
        ("ask_find", {"text": "a"}),
    ):
        read, sent = await ask(operation, run, build, **values)
        assert read == sent, operation
