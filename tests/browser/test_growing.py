"""A trace that is looked at while it is indexed: rough, then sharp block by block, and nothing moves under the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tilescope.cli import main

EVENTS = 8_000_000
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
        viewer.wait("tilescope.provisional < 10", 60)
        during = page.evaluate(LOOK)
        assert during["indexing"], "blocks are sharp before all is done"
        viewer.screenshot("growing-partly-sharp")
        place = viewer.span()
        top = page.evaluate("(document.querySelector('.scroller').scrollTop = 150)")
        viewer.wait("tilescope.state === 'open' && !tilescope.indexing", 120)
        viewer.settle()
        assert viewer.span() == place
        assert page.evaluate("document.querySelector('.scroller').scrollTop") == top
        assert page.locator(".growth").count() == 0
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


def test_what_is_shown_while_indexing_is_asked_for_without_errors(browser: Browser, server: Served) -> None:
    """A page that is opened late, and reloaded early, sees the same; `watched_page` fails on any error."""
    run = server.run_id("large.xplane.pb")
    with watched_page(browser, server.url) as page:
        viewer = Viewer(page, server.url)
        page.goto(f"{server.url}/?run={run}")
        viewer.wait("window.tilescope?.provisional > 0", 60)
        page.reload()
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.wait("tilescope.provisional < 10", 60)
        # Bins of the blocks that are done say what they hold.
        box = viewer.timeline_box()
        said = next(said for y in range(10, int(box["height"]), 20) for said in viewer.aggregates(box["y"] + y, 8))
        assert "%" in said["Busy"]
        assert said["Longest"] != "unknown"
        viewer.wait("!tilescope.indexing", 120)
        viewer.settle()
        assert page.evaluate("tilescope.events") > 0
