"""The timeline of an Ascend device: rows of name scopes to a depth, free time with them, found by name, and shared."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.corpus import corpus_path
from tilescope.tiler.export.derived_lanes import CATEGORY
from tilescope.tiler.indexing import build_store

SCOPES = "overlap.scopes-1"
STREAM = "[role=treeitem][data-key=t0] .tree-name"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("timeline")
    build_store([corpus_path("ascend/timeline_display_1.json")], folder / "run.store")
    with serving([folder / "run.store"], folder / "cache") as running:
        yield running


@pytest.fixture
def timeline(browser: Browser, site: Served) -> Iterator[Viewer]:
    with watched_page(browser, site.url) as page:
        viewer = Viewer(page, site.url)
        viewer.open(site.run_id("run.store"))
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.expand_all()
        yield viewer


def drawn(viewer: Viewer) -> None:
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")


def draw_two_levels_and_free_time(viewer: Viewer) -> None:
    page = viewer.page
    page.locator(STREAM).first.click(button="right")
    levels = page.get_by_role("group", name="Levels of Name scopes")
    levels.wait_for()
    assert levels.get_by_role("menuitemradio").all_inner_texts() == [*map(str, range(1, 8)), "all 8"]
    levels.get_by_role("menuitemradio", name="2", exact=True).click()
    page.get_by_role("slider", name="Name scopes").wait_for()
    page.locator(STREAM).first.click(button="right")
    page.get_by_role("menuitem", name="Draw: Free time", exact=True).click()
    page.get_by_role("slider", name="Free time").wait_for()
    drawn(viewer)
    viewer.wait(f"location.hash.includes('{SCOPES}:2') && location.hash.includes('overlap.free-1')")


@pytest.mark.parametrize("theme", THEMES)
def test_scopes_of_two_levels_and_free_time(timeline: Viewer, theme: str) -> None:
    page = timeline.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    draw_two_levels_and_free_time(timeline)
    assert faults(timeline) == []
    timeline.screenshot(f"ascend-timeline-{theme}")
    page.keyboard.press("/")
    page.keyboard.type("Gradients")
    table = page.get_by_role("table", name="Names in derived lanes")
    table.wait_for()
    assert "Gradients" in table.inner_text()


@pytest.mark.parametrize("theme", THEMES)
def test_the_details_of_a_task_are_those_of_the_file(timeline: Viewer, site: Served, theme: str) -> None:
    """Its name, type, scope and the shapes of what goes in and comes out; those of tables are in test_table_rows.py."""
    page = timeline.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    event = json.loads(corpus_path("ascend/timeline_display_1.json").read_bytes())[1]
    page.goto(f"{site.url}/?run={site.run_id('run.store')}#v=1&sel=0.1")
    page.reload()
    timeline.wait("window.tilescope?.state === 'open'", 60)
    drawer = timeline.drawer()
    assert drawer.event["Name"] == event["name"]
    shown = dict(drawer.args)
    assert {name: shown[name] for name in ("type", "fullname")} == {
        name: event["args"][name] for name in ("type", "fullname")
    }
    for side in ("input_0", "input_1", "output_0"):
        assert json.loads(shown[side]) == event["args"][side]
    assert faults(timeline) == []
    timeline.screenshot(f"ascend-task-{theme}")


def test_what_is_shown_is_shared_with_scopes_and_free_time(timeline: Viewer) -> None:
    page = timeline.page
    draw_two_levels_and_free_time(timeline)
    page.get_by_role("button", name="Share").first.click()
    page.get_by_role("menuitem", name="Export events").click()
    page.get_by_role("checkbox", name="With the 2 derived lanes").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    events = json.loads(download.value.path().read_bytes())["traceEvents"]
    derived = [event for event in events if event.get("cat") == CATEGORY]
    lanes = {event["tid"]: event["args"]["lane"] for event in derived if event["ph"] == "M" and "tid" in event}
    assert lanes == {1: f"{SCOPES}:2", 2: "overlap.free-1"}
    rows = {lane: [event["name"] for event in derived if event["ph"] == "X" and event["tid"] == lane] for lane in lanes}
    assert (len(rows[2]), set(rows[2])) == (4_494, {"Free"})
    # The outermost scopes of the file, and what lies in them; nothing of a third level.
    paths = [
        event["args"]["fullname"].split("/")[:-1]
        for event in json.loads(corpus_path("ascend/timeline_display_1.json").read_bytes())
        if event["pid"] == 1 and event["ph"] == "X" and "/" in event["args"]["fullname"]
    ]
    assert set(rows[1]) == {name for path in paths for name in path[:2]}
