"""Without a mouse: into the timeline, from slice to slice, from track to track; and what a screen reader is told."""

from __future__ import annotations

import re

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
    viewer.wait(f"/{pattern}/.test({told}.replaceAll('\\u202f', ''))")
    match = re.search(pattern, viewer.page.evaluate(told).replace("\u202f", ""))
    assert match is not None
    return match


def test_keys_alone_lead_to_a_slice_on_from_there_and_to_other_tracks(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    tracks = {track["name"]: track for track in served.tree(run)["tracks"]}
    page = viewer.page
    focus(viewer, "Tab", "timeline")
    page.keyboard.press("Enter")
    first = viewer.drawer()
    of = tracks["stream 7"]["events"]
    told = said(viewer, rf"^(.*), ([^,]*), depth 0, at ([^,]*), 1 of {of} events on stream 7$")
    assert told[1] == first.event["Name"]
    viewer.screenshot("keyboard-focus")

    # While a key is held, nothing is said of what one passes by.
    page.evaluate(_LISTEN)
    for _ in range(12):
        page.keyboard.down("ArrowRight")
        viewer.wait("tilescope.selection.loaded")
    page.keyboard.up("ArrowRight")
    ordinal = viewer.look()["selection"]["ordinal"]
    assert ordinal > 6
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


_LISTEN = """() => {
    window.told = [];
    const region = document.querySelector('[role=status][aria-live=polite]');
    const hear = new MutationObserver(() => window.told.push(region.textContent));
    hear.observe(region, {childList: true, characterData: true, subtree: true});
}"""
