"""Moving about: keys, wheel, drags, the address, the minimap; and rest when nothing moves."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.standins.training import PROCESS
from tests.standins.written import DEVICES, GAP, TRAINING


@pytest.fixture
def kineto(viewer: Viewer, served: Served) -> Viewer:
    viewer.open(served.run_id(TRAINING))
    return viewer


def test_no_frame_is_painted_while_nothing_changes(kineto: Viewer) -> None:
    kineto.until_late_code()
    kineto.rest()
    kineto.until_address_follows()  # nothing that was to follow is left
    before = kineto.look()["frames"]
    kineto.page.wait_for_timeout(1000)  # of which no frame may be painted
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


@pytest.mark.deep
def test_keys_are_left_alone_while_text_has_the_focus(kineto: Viewer) -> None:
    kineto.page.evaluate("document.body.append(document.createElement('textarea'))")
    before = kineto.span()
    kineto.page.locator("textarea").focus()
    kineto.page.keyboard.press("w")
    kineto.frames(6)
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
    assert width == pytest.approx(400 * view["ticksPerPx"], abs=2 * SNAP_PX * view["ticksPerPx"])
    kineto.screenshot("area")
    kineto.wait(f"location.hash.includes('area={selected['start']}-{selected['end']}')")
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
    kineto.wait("document.querySelector('table[data-table=event]')?.textContent.includes('Depth1')")
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


@pytest.mark.deep
def test_a_neighbour_that_cannot_be_looked_up_is_no_missing_one(kineto: Viewer) -> None:
    labels = kineto.page.evaluate("tilescope.labels")
    step = next(label for label in labels if label["text"] == "ProfilerStep#103")
    kineto.click(step["x"] + 40, step["y"] + 8)
    selected = kineto.drawer().event["Name"]

    def nonsense(route: Route) -> None:
        route.fulfill(status=200, body=b"no page")

    kineto.page.route("**/pages/**", nonsense)
    kineto.page.keyboard.press("ArrowDown")
    status = kineto.page.locator(".statusbar")
    status.get_by_text("The slice below could not be looked up").wait_for()
    assert kineto.drawer().event["Name"] == selected
    kineto.screenshot("neighbour-unknown")
    kineto.page.unroute("**/pages/**", nonsense)
    asked: list[str] = []
    kineto.page.on("request", lambda request: asked.append(request.url))
    kineto.page.keyboard.press("ArrowDown")
    kineto.wait("document.querySelector('table[data-table=event]')?.textContent.includes('Depth1')")
    expect(status.get_by_text("could not be looked up")).to_have_count(0)
    assert len(asked) < 20
    kineto.page.keyboard.press("ArrowUp")
    kineto.wait(f"document.querySelector('.drawer-title')?.textContent === '{selected}'")
    kineto.page.keyboard.press("ArrowUp")
    kineto.page.locator("[role=status][aria-live]").get_by_text("There is no slice above.").wait_for(state="attached")


@pytest.mark.deep
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


@pytest.mark.deep
def test_a_bin_says_that_it_is_an_aggregate(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    # The rollup in the header of a process is made of bins.
    header = next(
        item for item in kineto.tree() if item.level == 1 and item.name.startswith(PROCESS) and item.note != "empty"
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


SNAP_PX = 6


def drag(viewer: Viewer, from_x: float, to_x: float, y: float, button: Literal["left", "middle"] = "left") -> None:
    viewer.page.mouse.move(from_x, y)
    viewer.page.mouse.down(button=button)
    viewer.page.mouse.move(to_x, y + 3, steps=4)
    viewer.page.mouse.up(button=button)
    viewer.rest()


def test_drags_pan_and_zoom(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    y = box["y"] + 200
    left, right = kineto.x_of(200_000_000), kineto.x_of(300_000_000)
    drag(kineto, left, right, y, "middle")
    start, end = kineto.span()
    assert start < 200_000_000 < 300_000_000 < end < 400_000_000
    for key in ("Shift", "Space"):
        before = kineto.span()
        kineto.page.keyboard.down(key)
        drag(kineto, box["x"] + 700, box["x"] + 500, y)
        kineto.page.keyboard.up(key)
        after = kineto.span()
        ticks_per_px = kineto.page.evaluate("tilescope.view.ticksPerPx")
        assert after[0] - before[0] == pytest.approx(200 * ticks_per_px, rel=0.01)
        assert kineto.look()["selection"]["kind"] == "none"


@pytest.mark.deep
def test_an_edge_of_an_area_can_be_moved(kineto: Viewer) -> None:
    box = kineto.timeline_box()
    drag(kineto, box["x"] + 300, box["x"] + 600, box["y"] + 200)
    before = kineto.look()["selection"]
    drag(kineto, box["x"] + 600, box["x"] + 800, box["y"] + 200)
    after = kineto.look()["selection"]
    assert after["start"] == before["start"]
    assert kineto.x_of(int(after["end"])) == pytest.approx(box["x"] + 800, abs=SNAP_PX)
    drag(kineto, kineto.x_of(int(after["start"])), kineto.x_of(int(after["end"])) + 60, box["y"] + 200)
    turned = kineto.look()["selection"]
    assert turned["start"] == after["end"], "an edge may be drawn past the other"
    kineto.page.mouse.move(kineto.x_of(int(turned["end"])), box["y"] + 200)
    kineto.frames()
    assert kineto.page.evaluate("getComputedStyle(document.querySelector('.timeline')).cursor") == "ew-resize"


@pytest.mark.deep
def test_a_double_click_zooms_to_a_slice(kineto: Viewer) -> None:
    label = next(label for label in kineto.page.evaluate("tilescope.labels") if label["text"] == "ProfilerStep#103")
    kineto.page.mouse.dblclick(label["x"] + 40, label["y"] + 8)
    kineto.rest()
    details = kineto.drawer()
    start, end = kineto.span()
    assert start < details.ticks["Start"] < details.ticks["End"] < end
    assert end - start < 2 * details.ticks["Duration"]


def test_the_minimap_goes_where_it_is_pressed(kineto: Viewer, served: Served) -> None:
    label = next(label for label in kineto.page.evaluate("tilescope.labels") if label["text"] == "ProfilerStep#103")
    kineto.page.mouse.dblclick(label["x"] + 40, label["y"] + 8)
    kineto.rest()
    width = kineto.span()[1] - kineto.span()[0]
    box = kineto.page.locator(".minimap").bounding_box()
    assert box is not None
    kineto.click(box["x"] + box["width"] * 0.75, box["y"] + 10)
    kineto.rest()
    start, end = kineto.span()
    run_end = int(served.get(f"/runs/{kineto.look()['run']}/manifest")["end"])
    assert end - start == pytest.approx(width, rel=0.001)
    assert (start + end) / 2 == pytest.approx((0.75 - 0.02) / 0.96 * run_end, rel=0.01)


@pytest.mark.deep
def test_back_goes_to_the_run_before(kineto: Viewer, served: Served) -> None:
    kineto.hold("w", 400)
    kineto.rest()
    kineto.until_address_follows()
    first, span = kineto.look()["run"], kineto.span()
    kineto.page.get_by_role("button", name="Run:").click()
    kineto.page.get_by_role("menuitemradio", name=DEVICES).click()
    kineto.wait(f"tilescope.state === 'open' && tilescope.run === '{served.run_id(DEVICES)}'")
    kineto.settle()
    kineto.page.go_back()
    kineto.wait(f"tilescope.state === 'open' && tilescope.run === '{first}'")
    kineto.settle()
    ticks_per_px = kineto.page.evaluate("tilescope.view.ticksPerPx")
    assert kineto.span()[0] == pytest.approx(span[0], abs=2 * ticks_per_px)
    assert kineto.span()[1] == pytest.approx(span[1], abs=2 * ticks_per_px)


@pytest.mark.deep
def test_the_status_line_leads_to_the_warnings(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(DEVICES))
    viewer.page.get_by_role("button", name="1 warning").click()
    manifest = served.get(f"/runs/{served.run_id(DEVICES)}/manifest")
    text = viewer.page.locator("table[data-table=run]").inner_text()
    assert all(warning in text for warning in manifest["warnings"])


OVERLAY_PIXELS = """() => {
    const canvas = document.querySelectorAll('.timeline canvas')[1];
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let painted = 0;
    for (let k = 3; k < pixels.length; k += 4) painted += pixels[k] > 0 ? 1 : 0;
    return painted;
}"""


def test_flows_are_drawn_listed_and_followed(kineto: Viewer, served: Served) -> None:
    run = kineto.look()["run"]
    base = f"/runs/{run}/builds/{served.get(f'/runs/{run}/manifest')['build']}"
    stream = next(int(item.key[1:]) for item in kineto.tree() if item.name.startswith("stream"))
    kernels = (served.get(f"{base}/events/{stream}/{ordinal}") for ordinal in range(200))
    kernel = next(event for event in kernels if event["flows"]["in"])
    launch = kernel["flows"]["in"][0]
    page = kineto.page
    page.goto("about:blank")
    page.goto(f"{kineto.url}/?run={run}#v=1&sel={stream}.{kernel['ordinal']}")
    kineto.wait("window.tilescope?.state === 'open'")
    kineto.settle()
    assert kineto.drawer().event["Name"] == kernel["name"]
    assert page.locator("[data-table=flows-in] button").first.inner_text() == launch["name"]
    with_arrow = page.evaluate(OVERLAY_PIXELS)
    page.keyboard.press("[")
    kineto.wait(f"tilescope.selection.track === {launch['track']} && tilescope.selection.loaded")
    kineto.rest()
    assert kineto.drawer().event["Name"] == launch["name"]
    kineto.screenshot("flow")
    page.locator("[data-table=flows-out] button").first.click()
    kineto.wait(f"tilescope.selection.track === {stream} && tilescope.selection.loaded")
    assert kineto.page.evaluate("tilescope.selection.ordinal") == int(kernel["ordinal"])
    page.keyboard.press("]")  # leads nowhere from a kernel
    kineto.frames(6)
    assert kineto.page.evaluate("tilescope.selection.track") == stream
    page.keyboard.press("Escape")
    kineto.rest()
    assert page.evaluate(OVERLAY_PIXELS) < with_arrow


def click_a_step(viewer: Viewer, name: str) -> None:
    label = next(label for label in viewer.page.evaluate("tilescope.labels") if label["text"] == name)
    viewer.click(label["x"] + 40, label["y"] + 8)


@pytest.mark.deep
def test_the_tooltip_goes_with_a_click_and_comes_with_the_next_move(kineto: Viewer) -> None:
    label = next(label for label in kineto.page.evaluate("tilescope.labels") if label["text"] == "ProfilerStep#103")
    tooltip = kineto.page.get_by_role("tooltip")
    kineto.page.mouse.move(label["x"] + 40, label["y"] + 8)
    tooltip.wait_for()
    kineto.click(label["x"] + 40, label["y"] + 8)
    kineto.rest()
    assert kineto.look()["selection"]["kind"] == "event"
    expect(tooltip).to_have_count(0)
    kineto.page.mouse.move(label["x"] + 50, label["y"] + 8)
    tooltip.wait_for()


@pytest.mark.deep
def test_f_zooms_at_once_to_what_cannot_be_centred(kineto: Viewer) -> None:
    held: list[Route] = []
    kineto.page.route(
        "**/events/*/*", lambda route: held.append(route)
    )  # F goes to what is drawn before its details are there
    click_a_step(kineto, "ProfilerStep#103")
    kineto.wait("tilescope.selection.kind === 'event'")
    kineto.page.keyboard.press("f")
    kineto.rest()
    start, end = kineto.span()
    assert held != []
    for route in held:
        route.continue_()
    duration = kineto.drawer().ticks["Duration"]
    assert duration < end - start < 2 * duration


@pytest.mark.deep
def test_the_minimap_lines_up_with_the_timeline(kineto: Viewer) -> None:
    """Where nothing is in the minimap, nothing is in the timeline either: the first coloured pixel is the same."""
    kineto.page.get_by_label("Colour by").select_option("name")  # what nobody knows the kind of is grey
    strip, timeline = (kineto.page.locator(name).bounding_box() for name in (".minimap", ".timeline"))
    assert strip is not None
    assert timeline is not None
    assert strip["x"] == timeline["x"]
    kineto.wait(f"({COLOURED_COLUMNS})('.minimap canvas') !== null")  # it is painted after the tracks
    first, last = (kineto.page.evaluate(COLOURED_COLUMNS, name) for name in (".minimap canvas", ".timeline canvas"))
    assert first == pytest.approx(last, abs=2)
    assert first[0] == pytest.approx(0.02 * strip["width"], abs=3)


@pytest.mark.deep
def test_an_edge_of_the_minimap_window_can_be_dragged(kineto: Viewer, served: Served) -> None:
    box = kineto.page.locator(".minimap").bounding_box()
    assert box is not None
    y = box["y"] + 18
    kineto.page.mouse.move(box["x"] + box["width"] / 2, kineto.timeline_box()["y"] + 200)
    kineto.hold("w", 500)
    kineto.rest()
    edge = kineto.page.locator(".minimap-window").bounding_box()
    assert edge is not None
    before = kineto.span()
    drag(kineto, edge["x"] + edge["width"] - 1, box["x"] + box["width"] * 0.9, y)
    after = kineto.span()
    run_end = int(served.get(f"/runs/{kineto.look()['run']}/manifest")["end"])
    ticks_per_px = run_end / (0.96 * box["width"])
    assert after[0] == pytest.approx(before[0], abs=2 * ticks_per_px)
    assert after[1] == pytest.approx((0.9 - 0.02) * box["width"] * ticks_per_px, abs=3 * ticks_per_px)
    drag(kineto, left_edge(kineto), box["x"] + box["width"] * 0.1, y)
    assert kineto.span()[0] == pytest.approx((0.1 - 0.02) * box["width"] * ticks_per_px, abs=3 * ticks_per_px)
    kineto.screenshot("minimap-brush")


def left_edge(viewer: Viewer) -> float:
    """The left edge of the minimap's window."""
    box = viewer.page.locator(".minimap-window").bounding_box()
    assert box is not None
    return box["x"] + 1


@pytest.mark.deep
def test_the_minimap_of_a_run_that_is_mostly_empty_shows_its_busy_part(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(GAP))
    viewer.page.get_by_label("Colour by").select_option("name")
    viewer.wait(f"({COLOURED_COLUMNS})('.minimap canvas') !== null")
    first, last = viewer.page.evaluate(COLOURED_COLUMNS, ".minimap canvas")
    assert last - first > 0.5 * viewer.timeline_box()["width"]
    viewer.page.keyboard.press("0")
    viewer.rest()
    first, last = viewer.page.evaluate(COLOURED_COLUMNS, ".minimap canvas")
    assert first == pytest.approx(0.02 * viewer.timeline_box()["width"], abs=3), "the far-off event is in it"


def marked(viewer: Viewer) -> list[str]:
    """Names of the tracks and groups that are marked as being in the selected area."""
    return [
        str(name) for name in viewer.page.locator("[role=treeitem][aria-selected=true] .tree-name").all_inner_texts()
    ]


@pytest.mark.deep
def test_an_area_holds_the_tracks_that_are_touched_and_no_others(kineto: Viewer) -> None:
    kineto.expand_all()
    kineto.rest()
    box = kineto.timeline_box()
    tree = kineto.tree()
    tracks = [item for item in tree if item.key.startswith("t") and item.note != "empty"]
    first, second = tracks[:2]
    kineto.page.mouse.move(box["x"] + 300, box["y"] + first.top_px + 8)
    kineto.page.mouse.down()
    kineto.page.mouse.move(box["x"] + 500, box["y"] + second.top_px + 8, steps=4)
    kineto.page.mouse.up()
    kineto.rest()
    assert marked(kineto) == [first.name, second.name]
    kineto.screenshot("area-tracks")
    shaded = kineto.page.evaluate(SHADED_ROWS, 330)
    for item in tracks:
        middle = round(item.top_px) + 8
        if middle < box["height"]:
            assert (middle in shaded) == (item in (first, second)), item.name
    kineto.page.get_by_role("tab", name="Tracks", exact=True).click()
    rows = kineto.table("area")
    assert ("Tracks", "2", "") in rows


@pytest.mark.deep
def test_an_area_ends_with_the_run(kineto: Viewer, served: Served) -> None:
    box = kineto.timeline_box()
    run_end = int(served.get(f"/runs/{kineto.look()['run']}/manifest")["end"])
    drag(kineto, box["x"] + 700, box["x"] + box["width"] - 2, box["y"] + 200)
    assert int(kineto.look()["selection"]["end"]) == run_end
    drag(kineto, box["x"] + 600, box["x"] + 2, box["y"] + 200)
    assert int(kineto.look()["selection"]["start"]) == 0


@pytest.mark.deep
def test_a_drag_snaps_to_the_edges_of_slices(kineto: Viewer) -> None:
    label = next(label for label in kineto.page.evaluate("tilescope.labels") if label["text"] == "ProfilerStep#103")
    click_a_step(kineto, "ProfilerStep#103")
    event = kineto.drawer()
    kineto.page.keyboard.press("Escape")
    drag(kineto, label["x"] + 4, label["x"] + label["width"] - 4, label["y"] + 8)
    chosen = kineto.look()["selection"]
    assert (int(chosen["start"]), int(chosen["end"])) == (event.ticks["Start"], event.ticks["End"])


# Heights at which the overlay has a colour that is not opaque, in a column: the shading of an area.
SHADED_ROWS = """x => {
    const canvas = document.querySelectorAll('.timeline canvas')[1];
    const pixels = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height).data;
    return [...Array(canvas.height).keys()].filter(y => pixels[4 * y + 3] > 0);
}"""

# The first and the last column of a canvas that have a pixel that is not nearly grey, or null.
COLOURED_COLUMNS = """name => {
    const canvas = document.querySelector(name);
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let first = null, last = null;
    for (let k = 0; k < pixels.length; k += 4) {
        const [red, green, blue] = [pixels[k], pixels[k + 1], pixels[k + 2]];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) <= 40) continue;
        const x = (k / 4) % canvas.width;
        first = first === null ? x : Math.min(first, x);
        last = last === null ? x : Math.max(last, x);
    }
    return first === null ? null : [first, last];
}"""
