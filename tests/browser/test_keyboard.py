"""Without a mouse: into the timeline, from slice to slice, from track to track; and what a screen reader is told."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.standins.written import DEVICES, TRAINING

FOCUS = "document.activeElement.closest('.drawer, .timeline, [role=treeitem]')?.className"


def focus(viewer: Viewer, key: str, on: str, presses: int = 30) -> None:
    """Presses a key until something of a class has the focus."""
    for _ in range(presses):
        viewer.page.keyboard.press(key)
        if on in (viewer.page.evaluate(FOCUS) or ""):
            return
    raise AssertionError(f"{key} does not lead to {on}")


def said(viewer: Viewer, pattern: str) -> re.Match[str]:
    """Waits until the polite region says something."""
    told = "document.querySelector('[role=status][aria-live=polite]').textContent"
    viewer.wait(f"/{pattern}/.test({told}.replace(/(?<=[0-9])[,\\u202f](?=[0-9])/g, ''))")
    match = re.search(pattern, re.sub("(?<=[0-9])[,\u202f](?=[0-9])", "", viewer.page.evaluate(told)))
    assert match is not None
    return match


def test_keys_alone_lead_to_a_slice_on_from_there_and_to_other_tracks(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    tracks = {track["name"]: track for track in served.tree(run)["tracks"]}
    page = viewer.page
    # What is told to those who point is told here, too.
    for _ in range(3):
        page.keyboard.press("Tab")
    page.locator(".focus-tip", has_text=f"Run: {TRAINING}").wait_for()
    page.keyboard.press("Shift+Tab")
    page.locator(".focus-tip", has_text="All runs").wait_for()
    page.keyboard.press("Shift+Tab")
    page.locator(".focus-tip").wait_for(state="hidden")

    # Past the buttons of the top bar.
    page.keyboard.press("Enter")
    viewer.wait(f"{FOCUS} === 'timeline'")
    page.keyboard.press("Enter")
    first = viewer.drawer()
    of = tracks["stream 7"]["events"]
    told = said(viewer, rf"^(.*), ([^,]*), depth 0, at ([^,]*), 1 of {of} events on stream 7$")
    assert told[1] == first.event["Name"]
    viewer.screenshot("keyboard-focus")

    # While a key is held, nothing is said of what one passes by.
    page.evaluate(_LISTEN)
    ordinal = 8
    for reached in range(1, ordinal + 1):
        page.keyboard.down("ArrowRight")
        viewer.wait(f"tilescope.selection.ordinal === {reached} && tilescope.selection.loaded")
    page.keyboard.up("ArrowRight")
    said(viewer, rf"\b{ordinal + 1} of {of} events")
    assert page.evaluate("window.told.filter(text => text !== '').length") == 1

    # Into the details and back.
    page.keyboard.press("Enter")
    viewer.wait(f"{FOCUS} === 'drawer'")
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUS) == "timeline"
    assert viewer.look()["selection"]["kind"] == "event"

    # From the tree to a track, and along it.
    focus(viewer, "Shift+Tab", "tree-item")
    assert "stream 7" in page.evaluate("document.activeElement.textContent")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
        viewer.frames()
    page.keyboard.press("Enter")
    said(viewer, r"^ProfilerStep#101, .* depth 0, .* 1 of \d+ events on pt_main_thread$")
    assert page.evaluate(FOCUS) == "timeline"
    page.keyboard.press("ArrowDown")
    said(viewer, r"depth 1, .* 2 of \d+ events on pt_main_thread$")
    page.keyboard.press("ArrowUp")
    said(viewer, r"^ProfilerStep#101, ")
    page.keyboard.press("ArrowUp")
    said(viewer, "^There is no slice above.$")


@pytest.mark.deep
def test_the_track_tree_is_reached_wherever_it_is_scrolled_to(viewer: Viewer, served: Served) -> None:
    viewer.page.set_viewport_size({"width": 900, "height": 320})
    viewer.open(served.run_id(DEVICES))
    viewer.expand_all()
    for top_px in (0, 400):
        viewer.scroll_to(top_px)
        viewer.page.locator(".tree-filter input").focus()
        focus(viewer, "Tab", "tree-item")
        box = viewer.page.evaluate("document.activeElement.getBoundingClientRect().top")
        assert 0 < box < 320


def test_the_table_of_what_is_in_view_leads_to_its_slices(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    page = viewer.page
    head = page.locator(".slice-table-head [role=status]")
    count = "document.querySelector('.slice-table .data-table').ariaRowCount"
    page.keyboard.press("b")
    events = sum(int(track["events"]) for track in served.tree(run)["tracks"] if track["kind"] != "rollup")
    head.get_by_text(f"{events:,} slices in view; the first 2,000 by start are listed.").wait_for()
    page.get_by_role("button", name="Show the rows that follow").click()
    viewer.wait(f"{count} === '4001'")
    viewer.screenshot("table-view")

    # What one zooms to is listed anew: those that start there, and those that reach in.
    page.locator(".slice-table .data-table").focus()
    for _ in range(17):
        page.keyboard.press("+")
    viewer.rest()
    start, end = viewer.span()
    inside = served.get(
        f"/runs/{run}/builds/{served.get(f'/runs/{run}/manifest')['build']}/events?start={start}&end={end}"
    )
    starts = [int(ticks) for ticks in inside["columns"]["start"]]
    assert 0 < sum(ticks < start for ticks in starts) < len(starts) < 2000
    viewer.wait(f"{count} === '{len(starts) + 1}'")
    reach_in = sum(ticks < start for ticks in starts)
    assert f"{len(starts) - reach_in:,} of them start there, {reach_in:,} reach in" in head.inner_text()
    viewer.wait("document.querySelector('.slice-table-rows').ariaBusy === 'false'")
    assert page.evaluate("document.activeElement.className") == "data-table"

    # Rows by start; Enter leads to the slice, and the key back to the table.
    page.keyboard.press("ArrowDown")
    viewer.wait("document.querySelector('.slice-table tr.is-current').ariaRowIndex === '3'")
    page.locator(".slice-table .data-table").press("Enter")
    viewer.wait("tilescope.selection.kind === 'event'", 10)
    second = sorted(starts)[1]
    viewer.wait(f"{FOCUS} === 'timeline'")
    assert viewer.drawer().ticks["Start"] == second
    expect(page.locator(".slice-table")).to_have_count(0)
    page.keyboard.press("b")
    viewer.wait("document.activeElement.closest('.slice-table') !== null")
    page.keyboard.press("Escape")
    viewer.wait(f"{FOCUS} === 'timeline'")


_LISTEN = """() => {
    window.told = [];
    const region = document.querySelector('[role=status][aria-live=polite]');
    const hear = new MutationObserver(() => window.told.push(region.textContent));
    hear.observe(region, {childList: true, characterData: true, subtree: true});
}"""


@pytest.mark.deep
def test_keys_lead_to_bins_and_their_figures(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    page = viewer.page

    def chosen_by(key: str) -> dict[str, Any]:
        before = page.evaluate("JSON.stringify(tilescope.selection)")
        page.keyboard.press(key)
        viewer.wait(f"![{json.dumps(before)}, 'null'].includes(JSON.stringify(tilescope.selection))")
        chosen: dict[str, Any] = viewer.look()["selection"]
        return {name: chosen[name] for name in ("kind", "track", "row", "start", "count")}

    page.locator(".timeline").focus()
    walked = [chosen_by("Shift+Enter"), *(chosen_by("ArrowRight") for _ in range(6))]
    assert {(at["kind"], at["track"], at["row"]) for at in walked} == {("bin", walked[0]["track"], 0)}
    starts = [int(at["start"]) for at in walked]
    assert starts == sorted(set(starts))
    told = said(viewer, r"^Bin of (.*) at (.*): events that start in it: (\d+), on row 0 of (.*)$")
    assert int(told[3]) == walked[-1]["count"]
    page.locator(".drawer", has_text=f"{walked[-1]['count']} event").wait_for()
    assert [chosen_by("ArrowLeft") for _ in range(6)] == walked[-2::-1]
    page.keyboard.press("ArrowLeft")
    said(viewer, "^There is no bin or slice before it on this row in view.$")
    page.keyboard.press("ArrowUp")
    said(viewer, "^There is no bin or slice above it in view.$")
    viewer.screenshot("keyboard-bin")


REGION = """() => document.activeElement.closest(
    '.topbar, .page-head, .tool-bar, .share-ring, .table-card, .tree-picture, .chart-card, .timeline, .drawer, .runs'
)?.className.split(' ')[0] ?? null"""


def walk(viewer: Viewer, key: str, count: int) -> list[str]:
    """Regions that a key leads to, one after the other."""
    led: list[str] = []
    for _ in range(count):
        before = viewer.page.evaluate(REGION)
        viewer.page.keyboard.press(key)
        viewer.wait(f"({REGION})() !== {json.dumps(before)}")
        led.append(viewer.page.evaluate(REGION))
    return led


def test_a_key_leads_from_region_to_region(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    run = served.run_id(DEVICES)
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=stats")
    page.locator(".share-ring canvas").wait_for()
    page.locator(".share-ring-parts").focus()
    assert walk(viewer, "F6", 5) == ["table-card", "topbar", "page-head", "tool-bar", "share-ring"]
    assert walk(viewer, "Shift+F6", 3) == ["tool-bar", "page-head", "topbar"]
    assert walk(viewer, "F6", 4) == ["page-head", "tool-bar", "share-ring", "table-card"]
    # There the rows are walked at once; and out of a field, in which keys are typed.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("tr.is-current").first).to_have_attribute("aria-selected", "true")
    page.locator(".table-filter").focus()
    assert walk(viewer, "F6", 1) == ["topbar"]
    page.locator(".table-filter").focus()
    assert walk(viewer, "Shift+F6", 1) == ["share-ring"]
    # A page with a chart of its own, and the list of runs.
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=roofline")
    page.locator(".chart-plot canvas").wait_for()
    page.locator(".tool-bar button").first.focus()
    assert walk(viewer, "F6", 2) == ["chart-card", "table-card"]
    page.goto(viewer.url)
    page.locator(".runs-table").wait_for()
    assert walk(viewer, "F6", 2) == ["topbar", "runs"]
