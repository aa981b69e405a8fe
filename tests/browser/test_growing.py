"""A trace that is looked at while it is indexed: rough, then sharp block by block, and nothing moves under the user."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tilescope.cli import main

EVENTS = 2_000_000
TRACKS = 320


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that takes some seconds to index, in several blocks."""
    path = tmp_path_factory.mktemp("large") / "large.xplane.pb"
    assert main(["synth", "--events", str(EVENTS), "--tracks", str(TRACKS), "-o", str(path)]) == 0
    return path


@pytest.fixture
def server(browser: Browser, large: Path, tmp_path: Path) -> Iterator[Served]:
    with serving([large], tmp_path / "cache") as running:
        yield running


STEP_S = 0.05


@dataclass
class Indexing:
    """The process that indexes a run, which works only while the test lets it."""

    worker: psutil.Process
    progress: Callable[[], Any]

    def work_until(self, is_enough: Callable[[Any], bool]) -> None:
        """Lets it work, and stops it again soon after its progress is enough."""
        while (progress := self.progress()) is None or not is_enough(progress):
            self.worker.resume()
            time.sleep(STEP_S)
            self.worker.suspend()


@contextmanager
def held_indexing(progress: Callable[[], Any]) -> Iterator[Indexing]:
    """The process that indexes the only run, stopped; it goes on at the end. `progress` says how far it is."""
    while (worker := _worker()) is None:
        time.sleep(0.01)
    worker.suspend()

    try:
        yield Indexing(worker, progress)
    finally:
        worker.resume()


def progress_in(server: Served, run: str) -> Callable[[], Any]:
    """State of the indexing of a run, as the server says when asked."""
    return lambda: next(each["progress"] for each in server.get("/runs")["runs"] if each["id"] == run)


def _worker() -> psutil.Process | None:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if "tilescope.server.runs.worker" in process.cmdline():
                return process
    return None


LOOK = """() => ({
    state: tilescope.state, indexing: tilescope.indexing, provisional: tilescope.provisional, sharp: tilescope.sharp,
    strip: document.querySelector('.growth-text')?.textContent ?? '',
    note: document.querySelector('.growth-note')?.textContent ?? '',
})"""


def test_a_trace_is_seen_rough_then_sharp_while_it_is_indexed(browser: Browser, server: Served) -> None:
    run = server.run_id("large.xplane.pb")
    with watched_page(browser, server.url) as page:
        viewer = Viewer(page, server.url)
        page.goto(f"{server.url}/?run={run}")
        with held_indexing(progress_in(server, run)) as indexing:
            indexing.work_until(lambda progress: progress["blocks"] > 0)
            viewer.wait("window.tilescope?.state === 'open'", 60)
            assert page.evaluate("tilescope.indexing")
            viewer.wait("tilescope.provisional > 0", 20)
            viewer.screenshot("growing-rough")
            rough: dict[str, Any] = page.evaluate(LOOK)
            assert rough["indexing"]
            assert not rough["sharp"]
            assert "%" in rough["strip"]
            assert "events" in rough["strip"]
            assert "roughly how busy" in rough["note"]
            # What is found grows with the run, without another word.
            page.keyboard.press("/")
            page.keyboard.type("fusion")
            viewer.wait("/hits?$/.test(document.querySelector('.search-count')?.textContent)", 60)
            page.locator(".timeline").focus()
            box = viewer.timeline_box()
            # Go somewhere: the place is kept until the end.
            page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 200)
            viewer.hold("w", 300)
            indexing.work_until(lambda progress: progress["blocks_done"] >= progress["blocks"] - 2)
            viewer.wait("tilescope.provisional < 10", 60)
            assert page.evaluate(LOOK)["indexing"], "blocks are sharp before all is done"
            viewer.screenshot("growing-partly-sharp")
            place = viewer.span()
            top = page.evaluate("(document.querySelector('.scroller').scrollTop = 150)")
        viewer.wait("tilescope.state === 'open' && !tilescope.indexing", 120)
        viewer.settle()
        assert viewer.span() == place
        assert page.evaluate("document.querySelector('.scroller').scrollTop") == top
        expect(page.locator(".growth")).to_have_count(0)
        assert page.evaluate("tilescope.provisional") == 0
        viewer.screenshot("growing-done")
        page.keyboard.press("0")
        viewer.rest()
        manifest = server.get(f"/runs/{run}/manifest")
        assert (manifest["state"], manifest["events"]["total"]) == ("ready", str(EVENTS))
        hits = server.get(f"/runs/{run}/builds/{manifest['build']}/tools/search?query=fusion&limit=0")["facts"][1][
            "value"
        ]
        count = "document.querySelector('.search-count').textContent.replace(/[^0-9]/g, '')"
        viewer.wait(f"{count} === '{hits}'")


@pytest.mark.deep
def test_what_is_shown_while_indexing_is_asked_for_without_errors(browser: Browser, server: Served) -> None:
    """A page that is opened late, and reloaded early, sees the same; `watched_page` fails on any error."""
    run = server.run_id("large.xplane.pb")
    with watched_page(browser, server.url) as page:
        viewer = Viewer(page, server.url)
        page.goto(f"{server.url}/?run={run}")
        with held_indexing(progress_in(server, run)) as indexing:
            indexing.work_until(lambda progress: progress["blocks"] > 0)
            viewer.wait("window.tilescope?.provisional > 0", 60)
            page.reload()
            viewer.wait("window.tilescope?.state === 'open'", 60)
            indexing.work_until(lambda progress: progress["blocks_done"] >= progress["blocks"] - 2)
            viewer.wait("tilescope.provisional < 10", 60)
            # Bins of the blocks that are done say what they hold.
            box = viewer.timeline_box()
            said = next(said for y in range(10, int(box["height"]), 20) for said in viewer.aggregates(box["y"] + y, 8))
            assert "%" in said["Busy"]
            assert said["Longest"] != "unknown"
        viewer.wait("!tilescope.indexing", 120)
        viewer.settle()
        assert page.evaluate("tilescope.events") > 0


_WATCH_DISTANCE = """() => {
    const bar = document.querySelector('.pane.is-second .pane-head');
    const text = () => bar.querySelector('.pane-distance')?.textContent ?? '';
    window.distances = [text()];
    new MutationObserver(() => distances.push(text())).observe(
        bar, { childList: true, characterData: true, subtree: true },
    );
}"""


@pytest.mark.deep
def test_two_timelines_stay_together_while_their_run_grows(browser: Browser, server: Served) -> None:
    run = server.run_id("large.xplane.pb")
    with watched_page(browser, server.url) as page:
        viewer = Viewer(page, server.url)
        page.goto(f"{server.url}/?run={run}")
        with held_indexing(progress_in(server, run)) as indexing:
            indexing.work_until(lambda progress: progress["blocks"] > 0)
            viewer.wait("window.tilescope?.state === 'open' && tilescope.indexing", 60)
            indexing.work_until(lambda progress: progress["blocks_done"] >= progress["blocks"] - 2)
            viewer.wait("tilescope.provisional < 10", 60)
            page.evaluate("run => { location.hash = `v=1&second=run%3D${run}&align=event.0.0-0.0` }", run)
            page.locator(".pane-distance", has_text="same time").wait_for()
            page.evaluate(_WATCH_DISTANCE)
        viewer.wait("!tilescope.indexing && tilescope.second.sharp", 120)
        assert set(page.evaluate("distances")) == {"same time"}
        assert page.evaluate("tilescope.second.view.start === tilescope.view.start")
