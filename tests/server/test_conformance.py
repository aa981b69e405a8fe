"""The server against its own description, with requests that schemathesis makes up: sensible and senseless ones."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis.core
import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.vendor.pretty import RepresentationPrinter

from tests.demo import DEMO_TRACE
from tests.examples import examples
from tilescope.server import serving
from tilescope.server.app import make_app
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import tools

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: make deep-tools")
checks = import_module("schemathesis.specs.openapi.checks")

pytestmark = pytest.mark.deep

EXAMPLES = examples(100)  # of each operation and kind
FEW_EXAMPLES = {"export": examples(16)}  # of those whose answers are files of megabytes

# These refuse, with 400, more than a schema can say: spans that end before they start, and what is no WebSocket. So may
# any tool. Nowhere to save captures here, which is 422.
BEYOND_SCHEMAS = {"captures", "events", "export", "stream", "watch", "{host}", *tools()}


@pytest.fixture(autouse=True)
def _printer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The printer of failing examples. Schemathesis replaces it, for all tests, by a printer of nothing."""
    monkeypatch.setattr(hypothesis.core, "RepresentationPrinter", RepresentationPrinter)


class BackgroundServer:
    """A server with the demo run, in a thread of its own: requests are made the ordinary way."""

    def __init__(self, store: Path, cache: Path) -> None:
        self._store, self._cache = store, cache
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self.url = ""

    def __enter__(self) -> BackgroundServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        self._stopped = asyncio.Event()
        registry = Registry([self._store], CacheDirectory(self._cache), OpenStores(open_run_store), discover)
        runner = web.AppRunner(make_app(registry), access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        listening = serving.bind("127.0.0.1", 0)
        server = await serving.listen(runner, listening)
        self.url = serving.url_of(listening)
        ((status),) = await registry.list_runs()
        self.run, self.build = status.run.id, str(status.build)
        self._ready.set()
        await self._stopped.wait()
        server.close()
        await runner.cleanup()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackgroundServer]:
    folder = tmp_path_factory.mktemp("conformance")
    build_store([DEMO_TRACE], folder / "demo.store")
    with BackgroundServer(folder / "demo.store", folder / "cache") as running:
        yield running


@pytest.fixture(scope="module")
def described(server: BackgroundServer) -> Any:
    """The description as it is: nearly every run and build that fits it does not exist."""
    schema = schemathesis.openapi.from_dict(describe_api())
    schema.config.update(base_url=server.url.rstrip("/"))
    return schema


@pytest.fixture(scope="module")
def of_the_run(server: BackgroundServer) -> Any:
    """The same for the run that exists."""
    return narrowed_to(server)


@pytest.fixture(scope="module")
def of_what_exists(server: BackgroundServer) -> Any:
    """The same with numbers of the size that exist in the run."""
    return narrowed_to(server, maximum=31)


def narrowed_to(server: BackgroundServer, **bounds: int) -> Any:
    document = copy.deepcopy(describe_api())
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] in ("run", "build"):
                    parameter["schema"] = {"enum": [getattr(server, parameter["name"])]}
                elif parameter["schema"].get("type") == "integer":
                    parameter["schema"] = parameter["schema"] | bounds
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=server.url.rstrip("/"))
    return schema


def operations() -> list[tuple[str, str]]:
    return [(path, method) for path, item in describe_api()["paths"].items() for method in item]


def ask(schema: Any, path: str, method: str, mode: Any) -> None:
    """Asks as the description allows, or as it does not, and holds the answers against it."""
    most = FEW_EXAMPLES.get(path.rpartition("/")[2], EXAMPLES)

    @settings(max_examples=most, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        # HEAD and OPTIONS are answered everywhere without being described for each.
        excluded = [checks.unsupported_method]
        if path.rpartition("/")[2] in BEYOND_SCHEMAS:
            excluded.append(checks.positive_data_acceptance)
        case.call_and_validate(excluded_checks=excluded, timeout=60)

    check()


def test_every_tool_is_asked() -> None:
    asked = {path.rpartition("/tools/")[2] for path, _ in operations() if "/tools/" in path}
    assert asked == set(tools())


@pytest.mark.parametrize(("path", "method"), operations())
def test_sensible_requests_about_the_run_are_answered_as_described(of_what_exists: Any, path: str, method: str) -> None:
    ask(of_what_exists, path, method, schemathesis.GenerationMode.POSITIVE)


@pytest.mark.parametrize(("path", "method"), operations())
def test_requests_about_other_runs_are_answered_as_described(described: Any, path: str, method: str) -> None:
    ask(described, path, method, schemathesis.GenerationMode.POSITIVE)


@pytest.mark.parametrize(("path", "method"), operations())
def test_senseless_requests_are_refused_as_described(of_the_run: Any, path: str, method: str) -> None:
    with suppress(Unsatisfiable):  # nothing about this request can be senseless
        ask(of_the_run, path, method, schemathesis.GenerationMode.NEGATIVE)


def test_a_property_that_fails_prints_its_example_all_the_same() -> None:
    @given(number=st.integers(0, 9))
    @settings(database=None)
    def is_small(number: int) -> None:
        assert number < 5

    with pytest.raises(AssertionError) as failure:
        is_small()
    assert "number=5" in "".join(failure.value.__notes__)
