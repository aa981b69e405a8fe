"""A browser and a server for the whole session, a fresh page for each test."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.browser.answers_page import answers_page
from tests.browser.chromium import FLAGS, find_test_chromium
from tests.browser.driver import Viewer
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path, corpus_root
from tests.run_kinds import RUN_KINDS
from tests.standins.written import DEMO, DEVICES, MANGLED, write_standins

ROOT = Path(__file__).resolve().parents[2]

# Of the corpus. Where it is absent, tests of them are skipped; all others are about stand-ins.
TRACES = (
    "xplane/tpu_v6e_4core.xplane.pb",
    "xplane/gpu_v100x8_bert.xplane.pb",
    "kineto/ns_resolution.pt.trace.json.gz",
    "chrome/fuchsia_trace.json.gz",
)
TWO_HOSTS = "2026_01_31_10_00_00"
DAMAGED = MANGLED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright keeps an event loop running, beside which no asynchronous test can run."""
    items.sort(key=lambda item: item.path.is_relative_to(Path(__file__).parent))


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1{path}", timeout=30) as answer:
            body = answer.read()
            return json.loads(gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body)

    def tree(self, run: str) -> Any:
        """The groups and tracks of a run."""
        return self.get(f"/runs/{run}/builds/{self.get(f'/runs/{run}/manifest')['build']}/tracks")

    def run_id(self, file_name: str) -> str:
        """The run of a trace; skips the test when it is one of the corpus, and that is absent."""
        if file_name in TRACES:
            corpus_path(file_name)
        name = file_name.split("/")[-1]
        return str(next(run["id"] for run in self.get("/runs")["runs"] if run["path"].split("/")[-1] == name))


@contextmanager
def serving(paths: list[Path], cache: Path, *options: str) -> Iterator[Served]:
    """`tilescope serve` on a free port."""
    command = [sys.executable, "-m", "tilescope", "serve", "--port", "0", "--cache-dir", str(cache), *map(str, paths)]
    command += options
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        assert server.stdout is not None
        match = re.search(r"http://\S+", server.stdout.readline())
        assert match is not None, "the server did not say where it serves"
        yield Served(match[0].rstrip("/"))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)
        if server.stdout is not None:
            server.stdout.close()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def built_viewer() -> None:
    if not (ROOT / "server" / "static" / "index.html").exists():
        pytest.skip("the viewer is not built: make viewer")


@pytest.fixture(scope="session")
def browser(playwright: Playwright, built_viewer: None) -> Iterator[Browser]:
    path = find_test_chromium()
    if path is None:
        pytest.skip("no Chromium on PATH: make browser")
    launched = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def trace_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """From the name of a stand-in, or of a trace of the corpus, to its file; skips where that is absent."""
    folder = tmp_path_factory.mktemp("standins")
    standins = {path.name: path for path in write_standins(folder)}
    return lambda name: standins[name] if name in standins else corpus_path(name)


@pytest.fixture(scope="session")
def served(
    built_viewer: None, trace_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """All stand-ins, an empty trace, a run of two hosts, and what there is of the corpus, in one server."""
    folder = tmp_path_factory.mktemp("served")
    empty = folder / "empty.json"
    empty.write_text("[]")
    hosts = folder / "logs" / "plugins" / "profile" / TWO_HOSTS
    hosts.mkdir(parents=True)
    for number, name in enumerate((DEMO, DEVICES)):
        shutil.copyfile(trace_file(name), hosts / f"host{number}.xplane.pb")
    real = [path for name in TRACES if (path := corpus_root() / name).exists()]
    made = [empty, RUN_KINDS["page"](folder), RUN_KINDS["model"](folder), folder / "logs"]
    with serving([trace_file(DEMO).parent, *real, *made], folder / "cache") as running:
        yield running


# What the browser itself logs of a server that does not answer, or refuses.
_AWAY = ("WebSocket connection to ", "Failed to load resource: ")


@contextmanager
def watched_page(browser: Browser, origin: str, *, server_may_go: bool = False, **options: Any) -> Iterator[Page]:
    """A page of a fresh profile. Fails when it asks anybody but its own server for anything, or logs an error."""
    context = browser.new_context(viewport={"width": 1600, "height": 900}, **options)
    page = context.new_page()
    strangers: list[str] = []
    errors: list[str] = []
    own = urlsplit(origin).netloc
    page.on("request", lambda request: strangers.append(request.url) if urlsplit(request.url).netloc != own else None)
    page.on("websocket", lambda socket: strangers.append(socket.url) if urlsplit(socket.url).netloc != own else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert strangers == [], "the page talks to others than its server"
    assert [error for error in errors if not (server_may_go and error.startswith(_AWAY))] == []


@pytest.fixture
def viewer(browser: Browser, served: Served) -> Iterator[Viewer]:
    with watched_page(browser, served.url) as page:
        yield Viewer(page, served.url)


@pytest.fixture
def pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    """The pages of a test's module, which serves a `site` of its own."""
    with watched_page(browser, site.url) as page:
        yield ToolPages(Viewer(page, site.url))


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the page of made-up answers, built once for a module."""
    with answers_page(tmp_path_factory.mktemp("answers") / "page") as url:
        yield url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A window for the page of made-up answers, which may copy."""
    with watched_page(browser, address) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield opened


@pytest.fixture
def small_window(pages: ToolPages) -> None:
    """Makes the window of `pages` as small as the screen of a notebook."""
    pages.page.set_viewport_size({"width": 1280, "height": 720})
