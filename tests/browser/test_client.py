"""The TypeScript client in a page that is not ours: plain HTML of another origin."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ROOT, serving
from tests.browser.driver import ARTEFACTS
from tests.demo import DEMO_TRACE
from tests.standins.written import TRAINING

CLIENT = ROOT / "viewer" / "client"

# Pixels of the track that are painted, and whether they differ from one another.
PAINTED = """() => {
    const canvas = document.querySelector('#track');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    let painted = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        if (pixels[k + 3] > 0) painted += 1;
        colours.add(pixels[k] * 65536 + pixels[k + 1] * 256 + pixels[k + 2]);
    }
    return { part: 4 * painted / pixels.length, colours: colours.size };
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def plain_files(folder: Path) -> Iterator[str]:
    """A server of plain files, as anybody has one."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def page_server() -> Iterator[str]:
    if not (CLIENT / "dist" / "tilescope-client.js").exists():
        pytest.skip("the client is not built: make viewer")
    with plain_files(CLIENT) as address:
        yield address


def test_the_example_has_a_run_indexed_draws_a_track_and_zooms(
    browser: Browser, page_server: str, tmp_path: Path, trace_file: Callable[[str], Path]
) -> None:
    trace = trace_file(TRAINING)
    with serving([trace], tmp_path / "cache", "--allow-origin", page_server) as served:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(f"{page_server}/example.html?server={served.url}")
        page.get_by_text("sharp").wait_for()
        title = page.inner_text("#title")
        assert title.startswith(f"{trace.name}: ")
        assert int(title.split(", ")[-1].removesuffix(" events")) > 1000
        whole = page.evaluate(PAINTED)
        assert whole["part"] > 0.05
        assert whole["colours"] > 5
        box = page.locator("#track").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 500, box["y"] + 20)
        for _ in range(4):
            page.mouse.wheel(0, -500)
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.get_by_text("sharp").wait_for()
        assert page.evaluate(PAINTED) != whole
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=str(ARTEFACTS / "client-example.png"))
        page.close()
        assert errors == []


def _example(browser: Browser, page_server: str, server: str, title: str, state: str = "") -> None:
    """Opens the example, and waits until it says this; no word of JavaScript is left before it."""
    page = browser.new_page()
    page.goto(f"{page_server}/example.html?server={server}")
    page.wait_for_function(
        "([title, state]) => document.querySelector('#title').textContent.includes(title)"
        " && document.querySelector('#state').textContent.includes(state)",
        arg=[title, state],
    )
    assert "Uncaught" not in page.inner_text("body")
    page.close()


def test_the_example_says_what_to_do_where_no_server_answers(browser: Browser, page_server: str) -> None:
    hint = f"Is http://127.0.0.1:1 running, and was it started with --allow-origin {page_server}?"
    _example(browser, page_server, "http://127.0.0.1:1", "Opening …", hint)  # while it is asked again
    _example(browser, page_server, "http://127.0.0.1:1", "the server does not answer", hint)


@pytest.mark.deep
def test_the_example_says_what_to_do_where_its_origin_is_not_allowed(
    browser: Browser, page_server: str, tmp_path: Path
) -> None:
    with serving([DEMO_TRACE], tmp_path / "cache") as served:
        _example(browser, page_server, served.url, "Opening …", f"started with --allow-origin {page_server}?")


@pytest.mark.deep
def test_the_example_says_what_is_wrong_with_a_trace(browser: Browser, page_server: str, tmp_path: Path) -> None:
    (tmp_path / "cut.xplane.pb").write_bytes(DEMO_TRACE.read_bytes()[:300] + b"\xff" * 100)
    with serving([tmp_path / "cut.xplane.pb"], tmp_path / "cache", "--allow-origin", page_server) as served:
        _example(browser, page_server, served.url, "cut.xplane.pb: byte 3")


@pytest.mark.deep
def test_the_example_says_that_a_trace_has_no_slices(browser: Browser, page_server: str, tmp_path: Path) -> None:
    trace = tmp_path / "counter.json"
    trace.write_text('[{"ph": "C", "name": "a", "pid": 1, "ts": 1, "args": {"b": 2}}]')
    with serving([trace], tmp_path / "cache", "--allow-origin", page_server) as served:
        _example(browser, page_server, served.url, "counter.json has no slices to draw.")


def test_the_example_says_how_the_client_is_built(browser: Browser, tmp_path: Path) -> None:
    shutil.copy(CLIENT / "example.html", tmp_path)
    with plain_files(tmp_path) as page_server:
        _example(browser, page_server, "", "The client is not built: (cd viewer && npm ci && npm run build)")


def test_the_example_is_short() -> None:
    assert len((CLIENT / "example.html").read_text().splitlines()) <= 70
