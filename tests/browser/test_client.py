"""The TypeScript client in a page that is not ours: plain HTML of another origin."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ROOT, serving
from tests.browser.driver import ARTEFACTS
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


@pytest.fixture
def page_server() -> Iterator[str]:
    """A server of plain files, as anybody has one."""
    if not (CLIENT / "dist" / "tilescope-client.js").exists():
        pytest.skip("the client is not built: make viewer")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(CLIENT))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


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


def test_the_example_says_what_is_wrong(browser: Browser, page_server: str) -> None:
    page = browser.new_page()
    page.goto(f"{page_server}/example.html?server=http://127.0.0.1:1")
    page.get_by_text("the server does not answer").wait_for()
    page.close()


def test_the_example_is_short() -> None:
    assert len((CLIENT / "example.html").read_text().splitlines()) <= 60
