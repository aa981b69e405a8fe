"""What axe-core finds fault with, in every state of the page and both themes: nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import DAMAGED, Served
from tests.browser.driver import Viewer
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES

AXE = Path(__file__).resolve().parents[2] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"


def faults(viewer: Viewer) -> list[str]:
    """Each rule that is broken, with the elements that break it."""
    viewer.page.evaluate(AXE.read_text())
    found = viewer.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{fault['id']}: {[node['html'] for node in fault['nodes']]}" for fault in found["violations"]]


@pytest.mark.parametrize("theme", THEMES)
def test_a_run_that_is_open(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(DEVICES))
    assert viewer.page.evaluate("document.documentElement.dataset.theme") == theme
    assert faults(viewer) == []
    viewer.expand_all()
    box = viewer.timeline_box()
    for row in range(8, int(box["height"]), 12):  # down to something that can be selected
        viewer.click(box["x"] + box["width"] / 2, box["y"] + row)
        if viewer.look()["selection"]["kind"] != "none":
            break
    assert viewer.look()["selection"]["kind"] in ("event", "bin")
    assert faults(viewer) == []
    page = viewer.page
    page.get_by_role("button", name="Run: ", exact=False).first.click()
    assert faults(viewer) == []
    page.keyboard.press("Escape")
    for name in ("Tools", "Share"):
        page.get_by_role("button", name=name).click()
        page.locator(".topbar .menu [role^=menuitem]").first.wait_for()
        assert faults(viewer) == [], name
        page.keyboard.press("Escape")
    for key, shown in (
        ("?", "dialog[open]"),
        ("Control+p", "dialog[open]"),
        ("Control+Shift+p", "dialog[open]"),
        ("b", ".data-table tbody td"),
    ):
        page.locator(".timeline").focus()
        page.keyboard.press(key)
        page.locator(shown).first.wait_for()
        assert faults(viewer) == [], key
        page.keyboard.press("Escape")
        page.locator(shown).first.wait_for(state="hidden")
    # An area, a menu of a track, and the skip button that has the focus.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.mouse.move(box["x"] + 200, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 160, steps=3)
    page.mouse.up()
    viewer.wait("document.querySelector('.drawer .data-table') !== null")
    assert faults(viewer) == []
    page.locator("[role=treeitem]").nth(1).click(button="right")
    page.locator(".track-menu").wait_for()
    assert faults(viewer) == []
    page.keyboard.press("Escape")
    page.locator(".skip").focus()
    assert faults(viewer) == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_run_that_has_failed_and_the_list_of_runs(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(DAMAGED), expected="failed")
    assert faults(viewer) == []
    viewer.page.get_by_role("button", name="Show all runs").click()
    viewer.wait("tilescope.state === 'list'")
    assert faults(viewer) == []
