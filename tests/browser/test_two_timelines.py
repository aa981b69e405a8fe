"""Two timelines in one window: opened, zoomed together, aligned, closed, and in the link; each is a whole timeline."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.key_driving import select
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES, TRAINING


def press(viewer: Viewer, keys: str) -> None:
    viewer.page.keyboard.press(keys)
    viewer.frames()


def split(viewer: Viewer, key: str = "F9") -> None:
    """Opens the second timeline by a key."""
    viewer.page.locator(".timeline").first.focus()
    press(viewer, key)
    settle(viewer)


def settle(viewer: Viewer) -> None:
    """Until both timelines have been drawn, and stand still."""
    before = None
    while before != (before := views(viewer)):
        viewer.frames(8)
        viewer.wait("tilescope.sharp && tilescope.second?.sharp")


def views(viewer: Viewer) -> list[dict[str, Any]]:
    return [dict(view) for view in viewer.page.evaluate("[tilescope.view, tilescope.second?.view ?? {}]")]


def timeline(viewer: Viewer, number: int) -> Locator:
    return viewer.page.locator(".timeline").nth(number)


def choose_run(viewer: Viewer, run: str) -> None:
    viewer.page.get_by_label("Run of the second timeline").select_option(run)
    viewer.wait(f"tilescope.second.run === '{run}' && tilescope.second.state === 'open'", 60)
    settle(viewer)


def select_in(viewer: Viewer, number: int) -> dict[str, Any]:
    """Selects the first slice in view of a timeline by keys."""
    path = "tilescope" if number == 0 else "tilescope.second"
    timeline(viewer, number).focus()
    for _ in range(30):
        press(viewer, "Enter")
        # The first question about a run that has just been indexed may take longer than the page waits.
        for _ in range(40):
            if viewer.page.evaluate(f"{path}.selection.kind") == "event":
                viewer.wait(f"{path}.selection.loaded", 60)
                return dict(viewer.page.evaluate(f"{path}.selection"))
            viewer.frames(6)
    raise AssertionError("no slice was selected")


def test_the_second_shows_what_the_first_does_and_both_are_zoomed_together(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer)
    first, second = views(viewer)
    assert first == second
    assert viewer.page.evaluate("tilescope.second.run") == served.run_id(TRAINING)
    for number in (0, 1):
        timeline(viewer, number).hover()
        timeline(viewer, number).focus()
        viewer.hold("w", 200)
        settle(viewer)
        before, (first, second) = first, views(viewer)
        assert first == second
        assert first["ticksPerPx"] < before["ticksPerPx"]
    assert viewer.page.locator(".pane-distance").inner_text() == "same time"
    press(viewer, "Shift+F8")
    viewer.wait("tilescope.second === null")
    assert "second=" not in viewer.page.url
    viewer.page.go_back()
    viewer.wait("tilescope.second?.state === 'open'")


def test_a_key_that_comes_up_in_the_other_timeline_moves_neither(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(TRAINING))
    split(viewer)
    press(viewer, "y")  # each by itself
    for number in (0, 1):
        timeline(viewer, number).focus()
        viewer.hold("w", 500)  # there is something to move to
    settle(viewer)
    timeline(viewer, 0).focus()
    start = views(viewer)
    page.keyboard.down("d")
    viewer.frames(6)
    press(viewer, "Shift+Y")
    page.keyboard.up("d")
    viewer.frames()
    stopped = views(viewer)
    viewer.frames(8)
    assert views(viewer) == stopped
    assert (stopped[0] != start[0], stopped[1]) == (True, start[1])
    # Nor does it move one that was closed meanwhile, when that is opened again.
    page.keyboard.down("d")
    viewer.frames(4)
    press(viewer, "Shift+F8")
    page.keyboard.up("d")
    viewer.wait("tilescope.second === null")
    split(viewer)
    stopped = views(viewer)
    viewer.frames(8)
    assert views(viewer) == stopped


def test_each_has_a_selection_details_and_tracks_of_its_own(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer, "F8")
    choose_run(viewer, served.run_id(DEVICES))
    left, right = (timeline(viewer, number).bounding_box() for number in (0, 1))
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] - right["y"]) < 1
    chosen = select_in(viewer, 1)
    assert viewer.page.evaluate("tilescope.selection.kind") == "none"
    drawer = viewer.page.locator(".drawer")
    assert drawer.count() == 1
    assert viewer.page.locator(".is-second .drawer").count() == 1
    select_in(viewer, 0)
    assert drawer.count() == 2
    assert viewer.page.evaluate("tilescope.second.selection.ordinal") == chosen["ordinal"]
    # Keys are for the timeline that was used last: hiding takes a track from that alone.
    before = viewer.page.locator(".is-second [role=treeitem]").count()
    timeline(viewer, 0).focus()
    press(viewer, "h")
    settle(viewer)
    assert "hide=" in viewer.page.evaluate("location.hash.replace(/second=[^&]*/, '')") or viewer.wait(
        "location.hash.replace(/second=[^&]*/, '').includes('hide=')"
    )
    assert viewer.page.locator(".is-second [role=treeitem]").count() == before
    # The bars of the page are those of the timeline in use.
    expect(viewer.page.get_by_role("button", name="Run: training.pt.trace.json")).to_be_visible()
    press(viewer, "Shift+Y")
    expect(viewer.page.get_by_role("button", name="Run: devices.xplane.pb")).to_be_visible()


def start_of(served: Served, event: dict[str, Any]) -> int:
    run = served.run_id(TRAINING)
    build = served.get(f"/runs/{run}/manifest")["build"]
    return int(served.get(f"/runs/{run}/builds/{build}/events/{event['track']}/{event['ordinal']}")["start"])


def test_they_are_aligned_by_events_by_steps_and_by_hand(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer)
    select(viewer, "ProfilerStep#103")
    press(viewer, "Shift+Y")
    chosen = select_in(viewer, 1)
    starts = [start_of(served, event) for event in (viewer.look()["selection"], chosen)]
    viewer.page.get_by_label("Aligned").select_option("event")
    viewer.wait("location.hash.includes('align=event.')")
    settle(viewer)
    first, second = views(viewer)
    assert int(second["start"]) - int(first["start"]) == starts[1] - starts[0] != 0
    # Each by itself, then as they stand.
    timeline(viewer, 0).focus()
    press(viewer, "y")
    viewer.hold("d", 150)
    settle(viewer)
    moved, still = views(viewer)
    assert (moved != first, still["start"]) == (True, second["start"])
    press(viewer, "y")
    viewer.wait("location.hash.includes('align=hand.')")
    settle(viewer)
    assert [view["start"] for view in views(viewer)] == [moved["start"], still["start"]]
    # A step of each.
    viewer.page.get_by_label("Aligned").select_option("step")
    viewer.wait("/align=step\\.10\\d-10\\d/.test(location.hash)", 60)
    viewer.page.get_by_label("Step of the first timeline").fill("103")
    viewer.page.get_by_label("Step of the first timeline").press("Enter")
    viewer.page.get_by_label("Step of the second timeline").fill("102")
    viewer.page.get_by_label("Step of the second timeline").press("Enter")
    viewer.wait("location.hash.includes('align=step.103-102')")
    expect(viewer.page.locator(".pane-distance")).to_contain_text("earlier")


def test_a_step_that_the_run_does_not_have_is_said(browser: Browser, served: Served) -> None:
    run = served.run_id(TRAINING)
    with watched_page(browser, served.url, server_may_go=True) as page:
        page.goto(f"{served.url}/?run={run}#v=1&second=run%3D{run}&align=step.101-99999")
        expect(page.locator(".pane-distance")).to_contain_text("Not aligned: there is no step 99999", timeout=60_000)


def test_a_link_has_both(browser: Browser, viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer, "F8")
    choose_run(viewer, served.run_id(DEVICES))
    select_in(viewer, 1)
    viewer.page.get_by_role("separator", name="Width of the first timeline").focus()
    press(viewer, "ArrowLeft")
    press(viewer, "ArrowLeft")
    viewer.wait("/second=[^&]*sel/.test(location.hash) && /split=beside.4\\d/.test(location.hash)")
    settle(viewer)
    viewer.page.wait_for_timeout(700)  # twice the time in which the address follows
    link, shown = viewer.page.url, viewer.page.evaluate("tilescope.second")
    with watched_page(browser, viewer.url) as page:
        fresh = Viewer(page, viewer.url)
        page.goto(link)
        fresh.wait("tilescope.second?.selection.loaded", 60)
        settle(fresh)
        there = page.evaluate("tilescope.second")
        for name in ("run", "selection"):
            assert there[name] == shown[name]
        assert there["view"]["start"] == shown["view"]["start"]
        assert page.locator(".is-second .drawer").count() == 1
        page.wait_for_timeout(700)
        assert page.url == link


def test_a_page_is_of_the_timeline_in_use_says_so_and_the_other_can_be_chosen(
    browser: Browser, viewer: Viewer, served: Served
) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer, "F8")
    choose_run(viewer, served.run_id(DEVICES))
    timeline(viewer, 1).focus()
    page = viewer.page
    page.get_by_role("button", name="Overview", exact=True).click()
    run = page.get_by_role("button", name="Run: devices.xplane.pb")
    run.wait_for()
    chosen = page.locator(".pane-choice input:checked + span")
    expect(chosen).to_have_text("2 devices.xplane.pb", timeout=60_000)
    expect(page).to_have_title("Overview – devices.xplane.pb – Tilescope")
    page.get_by_role("list", name="The answer").wait_for()
    assert faults(viewer) == []
    viewer.wait("location.hash.includes('pane=2')")
    link = page.url
    # A click on the page is no choice of a timeline.
    page.locator(".page-body").click(position={"x": 5, "y": 5})
    expect(chosen).to_have_text("2 devices.xplane.pb")
    page.get_by_role("radio", name="1 training.pt.trace.json").check()
    expect(page.get_by_role("button", name="Run: training.pt.trace.json")).to_be_visible()
    viewer.wait("!location.hash.includes('pane=')")
    page.go_back()
    expect(chosen).to_have_text("2 devices.xplane.pb")
    with watched_page(browser, viewer.url) as fresh:
        fresh.goto(link)
        expect(fresh.locator(".pane-choice input:checked + span")).to_have_text("2 devices.xplane.pb", timeout=60_000)
        expect(fresh).to_have_title("Overview – devices.xplane.pb – Tilescope")
        # Back in the timelines, the second is the one in use.
        fresh.get_by_role("button", name="Timeline", exact=True).click()
        expect(fresh.get_by_role("button", name="Run: devices.xplane.pb")).to_be_visible()
        # A second timeline without a run has no page to choose.
        fresh.goto(f"{viewer.url}/?run={served.run_id(TRAINING)}#v=1&tool=overview&second=list&pane=2")
        expect(fresh).to_have_title("Overview – training.pt.trace.json – Tilescope")
        fresh.get_by_role("list", name="The answer").wait_for()
        expect(fresh.locator(".pane-choice")).to_have_count(0)


def test_two_steps_of_the_second_run_are_shown_with_their_starts_at_one_place(viewer: Viewer, served: Served) -> None:
    devices, training = served.run_id(DEVICES), served.run_id(TRAINING)
    page = "tool=steps&pane=2&f.compare_step=103&f.against_step=102"
    viewer.page.goto(f"{viewer.url}/?run={devices}#v=1&second=run%3D{training}&{page}")
    viewer.page.get_by_role("button", name="Show both in the timeline").click(timeout=60_000)
    # The second is in use: it shows the step that was chosen first, and the run is in both.
    viewer.wait("tilescope.second?.state === 'open' && tilescope.run === tilescope.second.run", 60)
    viewer.wait("location.hash.includes('align=step.102-103')")
    assert viewer.page.evaluate("tilescope.run") == training
    expect(viewer.page.locator(".pane-distance")).to_contain_text("later")
    viewer.page.go_back()
    expect(viewer.page.locator(".pane-choice input:checked + span")).to_have_text(
        "2 training.pt.trace.json", timeout=60_000
    )


def test_hits_of_a_search_are_marked_in_both(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    split(viewer)
    before = [picture(viewer, number) for number in (0, 1)]
    viewer.page.keyboard.press("/")
    viewer.page.keyboard.type("aten")
    viewer.wait("/^[1-9]/.test(document.querySelector('.search-count')?.innerText ?? '')")
    settle(viewer)
    for number in (0, 1):
        for _ in range(60):
            if picture(viewer, number) != before[number]:
                break
            viewer.frames(6)
        assert picture(viewer, number) != before[number], f"timeline {number + 1} is as it was"


def picture(viewer: Viewer, number: int) -> bytes:
    """The canvas of the tracks, without tooltips and the like over it."""
    data = timeline(viewer, number).locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
    return io.BytesIO(base64.b64decode(data.partition(",")[2])).getvalue()


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_fault_in_two_timelines(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(TRAINING))
    for key in ("F9", "F8"):
        split(viewer, key)
        select_in(viewer, 0)
        select_in(viewer, 1)
        viewer.frames(10)
        assert faults(viewer) == []


def test_a_narrow_window_stacks_them(viewer: Viewer, served: Served) -> None:
    viewer.page.set_viewport_size({"width": 800, "height": 900})
    viewer.open(served.run_id(TRAINING))
    split(viewer, "F8")
    upper, lower = (timeline(viewer, number).bounding_box() for number in (0, 1))
    assert upper is not None
    assert lower is not None
    assert upper["y"] + upper["height"] <= lower["y"]
    assert abs(upper["x"] - lower["x"]) < 2
    assert viewer.page.evaluate("document.documentElement.scrollWidth") <= 800
    expect(viewer.page.get_by_role("separator", name="Height of the first timeline")).to_be_visible()


def test_the_legend_of_half_a_window_shows_every_kind(viewer: Viewer, served: Served) -> None:
    viewer.page.set_viewport_size({"width": 1100, "height": 700})
    viewer.open(served.run_id(TRAINING))
    split(viewer, "F8")
    legend = viewer.page.locator(".legend:visible")
    expect(legend).to_have_count(1)
    parts = legend.locator("select, button, .legend-shape").all()
    assert len(parts) > 6
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)
    edges = legend.evaluate(
        """legend => [legend, ...legend.querySelectorAll('select, button, .legend-shape')].map(part => {
            const box = part.getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom];
        })"""
    )
    (left, top, right, bottom), *inner = edges
    assert all(left <= x and top <= y and x2 <= right and y2 <= bottom for x, y, x2, y2 in inner)


def test_a_damaged_second_says_so_and_leaves_the_first(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&second=run%3Dnobody&split=above&align=middle")
    viewer.wait("tilescope.second?.state === 'unknown'", 60)
    viewer.settle()
    expect(viewer.page.locator("[data-status=unread]")).to_contain_text("split=above")
    expect(viewer.page.locator("[data-status=unread]")).to_contain_text("align=middle")
    # Of a second timeline that is not there.
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&tool=overview&pane=2")
    viewer.page.reload()
    expect(viewer.page.locator("[data-status=unread]")).to_contain_text("pane=2")
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&second=run%3Dnobody")
    viewer.page.reload()
    viewer.wait("tilescope.second?.state === 'unknown'", 60)
    viewer.page.get_by_role("button", name="Close the second timeline").click()
    viewer.wait("tilescope.second === null && !location.hash.includes('second')")
