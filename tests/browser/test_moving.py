"""Moving about: keys, wheel, drags, the address, the minimap; and rest when nothing moves."""

from __future__ import annotations

import pytest

from tests.browser.conftest import TRACES, Served
from tests.browser.driver import Viewer

KINETO = TRACES[2]


@pytest.fixture
def kineto(viewer: Viewer, served: Served) -> Viewer:
    viewer.open(served.run_id(KINETO))
    return viewer


def test_no_frame_is_painted_while_nothing_changes(kineto: Viewer) -> None:
    kineto.rest()
    kineto.page.wait_for_timeout(300)
    before = kineto.look()["frames"]
    kineto.page.wait_for_timeout(1000)
    assert kineto.look()["frames"] == before


def test_keys_zoom_pan_and_show_the_whole_trace(kineto: Viewer) -> None:
    whole = kineto.span()
    for key, smaller in (("w", True), ("s", False)):
        before = kineto.span()
        kineto.hold(key, 500)
        kineto.rest()
        after = kineto.span()
        assert (after[1] - after[0] < before[1] - before[0]) == smaller
    kineto.page.keyboard.press("+")
    kineto.rest()
    before = kineto.span()
    kineto.page.keyboard.press("ArrowRight")
    kineto.rest()
    assert kineto.span()[0] > before[0]
    kineto.page.keyboard.press("0")
    kineto.rest()
    assert kineto.span() == whole


def test_keys_are_left_alone_while_text_has_the_focus(kineto: Viewer) -> None:
    kineto.page.evaluate("document.body.append(document.createElement('textarea'))")
    before = kineto.span()
    kineto.page.locator("textarea").focus()
    kineto.page.keyboard.press("w")
    kineto.page.wait_for_timeout(300)
    assert kineto.span() == before


def test_ctrl_wheel_zooms_at_the_pointer(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    x, y = box["x"] + 400, box["y"] + 200
    view = kineto.page.evaluate("tilescope.view")
    under = int(view["start"]) + round(400 * view["ticksPerPx"])
    kineto.page.mouse.move(x, y)
    kineto.page.keyboard.down("Control")
    kineto.page.mouse.wheel(0, -400)
    kineto.page.keyboard.up("Control")
    kineto.rest()
    assert kineto.page.evaluate("tilescope.view.ticksPerPx") < view["ticksPerPx"]
    assert kineto.x_of(under) == pytest.approx(x, abs=1)


def test_a_drag_selects_an_area_and_the_address_brings_it_back(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    kineto.page.mouse.move(box["x"] + 300, box["y"] + 150)
    kineto.page.mouse.down()
    kineto.page.mouse.move(box["x"] + 303, box["y"] + 150)
    assert kineto.look()["selection"]["kind"] == "none", "less than 5 px is no drag"
    kineto.page.mouse.move(box["x"] + 700, box["y"] + 250, steps=4)
    kineto.page.mouse.up()
    selected = kineto.look()["selection"]
    assert selected["kind"] == "area"
    view = kineto.page.evaluate("tilescope.view")
    width = int(selected["end"]) - int(selected["start"])
    assert width == pytest.approx(400 * view["ticksPerPx"], rel=0.01)
    kineto.screenshot("area")
    kineto.page.wait_for_timeout(500)
    before = kineto.span()
    kineto.page.goto("about:blank")
    kineto.page.go_back()
    kineto.wait("window.tilescope?.state === 'open'")
    kineto.settle()
    assert kineto.look()["selection"] == selected
    after = kineto.span()
    assert abs(after[0] - before[0]) <= view["ticksPerPx"]
    assert abs(after[1] - before[1]) <= view["ticksPerPx"]


def test_neighbours_by_arrow_keys(kineto: Viewer) -> None:
    labels = kineto.page.evaluate("tilescope.labels")
    step = next(label for label in labels if label["text"] == "ProfilerStep#103")
    kineto.click(step["x"] + 40, step["y"] + 8)
    assert kineto.drawer().event["Name"] == "ProfilerStep#103"
    for key, name in (
        ("ArrowRight", "ProfilerStep#104"),
        ("ArrowLeft", "ProfilerStep#103"),
    ):
        kineto.page.keyboard.press(key)
        kineto.wait(f"document.querySelector('.drawer-title')?.textContent === '{name}'")
    parent = kineto.drawer()
    kineto.page.keyboard.press("ArrowDown")
    kineto.wait("document.querySelector('table[data-table=event]')?.textContent.includes('Row1')")
    child = kineto.drawer()
    assert parent.ticks["Start"] <= child.ticks["Start"] < parent.ticks["End"]
    kineto.page.keyboard.press("ArrowUp")
    kineto.wait("document.querySelector('.drawer-title')?.textContent === 'ProfilerStep#103'")
    kineto.page.keyboard.press("f")
    kineto.rest()
    kineto.page.keyboard.press("f")
    kineto.rest()
    start, end = kineto.span()
    duration = kineto.drawer().ticks["Duration"]
    assert duration < end - start < 2 * duration


def test_a_group_is_closed_by_keys_in_the_tree(kineto: Viewer) -> None:
    count = len(kineto.tree())
    first = kineto.page.locator("[role=treeitem][aria-expanded=true]").first
    first.focus()
    kineto.page.keyboard.press("ArrowLeft")
    kineto.wait("document.activeElement.getAttribute('aria-expanded') === 'false'")
    assert len(kineto.tree()) < count
    kineto.page.keyboard.press("Enter")
    kineto.wait("document.activeElement.getAttribute('aria-expanded') === 'true'")
    assert len(kineto.tree()) == count


def test_a_bin_says_that_it_is_an_aggregate(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    # The rollup in the header of a process is made of bins.
    header = next(
        item for item in kineto.tree() if item.level == 1 and item.name.startswith("penv") and item.note != "empty"
    )
    kineto.page.mouse.move(box["x"] + 500, box["y"] + header.top_px + 12)
    tooltip = kineto.page.get_by_role("tooltip")
    tooltip.wait_for()
    assert "Aggregate of" in tooltip.inner_text()
    kineto.screenshot("tooltip")
    kineto.page.mouse.down()
    kineto.page.mouse.up()
    kineto.wait("tilescope.selection.kind === 'bin'")
    before = kineto.span()
    kineto.page.get_by_role("button", name="Zoom in", exact=True).last.click()
    kineto.rest()
    after = kineto.span()
    assert after[1] - after[0] < before[1] - before[0]
