"""Fingers on the timeline, as the browser's protocol puts them there."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.standins.written import TRAINING

Place = tuple[float, float]


class Fingers:
    """Touches the page; each call is one touch event with all fingers that are down."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._session = viewer.page.context.new_cdp_session(viewer.page)

    def put(self, *places: Place) -> None:
        self._send("touchStart", places)

    def move(self, *places: Place) -> None:
        self._send("touchMove", places)

    def lift(self) -> None:
        self._send("touchEnd", ())
        self._viewer.frames()

    def drag(self, *paths: tuple[Place, Place], steps: int = 6) -> None:
        """From place to place with each finger, resting at the end, so that nothing is flung."""
        self.put(*[path[0] for path in paths])
        for step in range(1, steps + 1):
            part = step / steps
            self.move(*[(a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])) for a, b in paths])
        self._viewer.page.wait_for_timeout(120)
        self.lift()

    def tap(self, place: Place) -> None:
        self.put(place)
        self.lift()

    def double_tap(self, place: Place) -> None:
        """Two taps within a quarter of a second by their own clock, the second once the first has been drawn."""
        now_s = time.time()
        for start_s in (now_s, now_s + 0.2):
            self._send("touchStart", (place,), start_s)
            self._send("touchEnd", (), start_s + 0.05)
            self._viewer.page.locator(".drawer-body").wait_for()
            self._viewer.frames()

    def _send(self, kind: str, places: tuple[Place, ...], time_s: float | None = None) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        event = {"type": kind, "touchPoints": points}
        self._session.send("Input.dispatchTouchEvent", event if time_s is None else {**event, "timestamp": time_s})


@pytest.fixture
def tablet(browser: Browser, served: Served) -> Iterator[Viewer]:
    with watched_page(browser, served.url, has_touch=True) as page:
        page.set_viewport_size({"width": 900, "height": 330})
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        page.wait_for_load_state("networkidle")
        yield viewer


def close_drawer(tablet: Viewer) -> None:
    tablet.page.keyboard.press("Escape")
    tablet.page.keyboard.press("Escape")
    tablet.wait("document.querySelector('.drawer') === null")


def test_fingers_pan_pinch_tap_and_select_an_area(tablet: Viewer) -> None:
    fingers = Fingers(tablet)
    page = tablet.page
    box = tablet.timeline_box()
    x, y = box["x"] + 200, box["y"] + 80
    scale = "tilescope.view.ticksPerPx"

    # Two fingers: zooms by as much as they part, at their middle; the page itself does not zoom.
    before = page.evaluate(scale)
    middle = int(tablet.span()[0]) + round(200 * before)
    fingers.drag(((x - 20, y), (x - 80, y)), ((x + 20, y), (x + 80, y)))
    tablet.rest()
    assert page.evaluate(scale) == pytest.approx(before / 4, rel=0.01)
    assert tablet.x_of(middle) == pytest.approx(x, abs=1)
    assert page.evaluate("visualViewport.scale") == 1

    # One finger: what is under it stays under it, in time and from top to bottom.
    under = tablet.span()[0] + round(200 * page.evaluate(scale))
    fingers.drag(((x, y), (x + 100, y + 4)))
    tablet.rest()
    assert tablet.x_of(under) == pytest.approx(x + 100, abs=1)
    top = "document.querySelector('.scroller').scrollTop"
    fingers.drag(((x, y + 60), (x + 3, y)))
    assert page.evaluate(top) == pytest.approx(60, abs=9)
    assert page.evaluate("scrollY") == 0
    assert tablet.look()["selection"]["kind"] == "none"
    expect(page.get_by_role("tooltip")).to_have_count(0)
    tablet.scroll_to(0)

    # A tap selects, two zoom to the slice, also where the drawer that the first one opens moves it away.
    labels = page.evaluate("tilescope.labels")
    step = next(label for label in labels if label["text"].startswith("ProfilerStep"))
    place = (step["x"] + step["width"] / 2, step["y"] + 8)
    fingers.tap(place)
    assert tablet.drawer().event["Name"].startswith("ProfilerStep#")
    duration = tablet.drawer().ticks["Duration"]
    close_drawer(tablet)
    tablet.rest()
    tablet.scroll_to(0)
    fingers.double_tap(place)
    tablet.rest()
    start, end = tablet.span()
    assert duration < end - start < 1.5 * duration

    # The second tap may even fall on the drawer.
    close_drawer(tablet)
    tablet.rest()
    place = (x, box["y"] + box["height"] - 20)
    before = tablet.span()
    fingers.double_tap(place)
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('.drawer') !== null", place)
    tablet.rest()
    start, end = tablet.span()
    assert before[0] < start < end < before[1]
    assert end - start < (before[1] - before[0]) / 2
    # Keys press buttons all the same.
    close = page.locator(".drawer-head").get_by_role("button", name="Close", exact=True)
    close.press("Enter")
    tablet.wait("document.querySelector('.drawer') === null")

    # A long press begins an area, whose edge is dragged afterwards.
    page.evaluate("void (navigator.vibrate = () => { window.hasBuzzed = true })")
    fingers.put((x, y))
    tablet.wait("window.hasBuzzed")
    fingers.move((x + 60, y + 10))
    fingers.move((x + 150, y + 20))
    tablet.frames()
    tablet.screenshot("touch-area")
    fingers.lift()
    area = tablet.look()["selection"]
    assert area["kind"] == "area"
    assert (int(area["end"]) - int(area["start"])) / page.evaluate(scale) == pytest.approx(150, abs=14)
    page.keyboard.press("q")
    tablet.wait("document.querySelector('.drawer') === null")
    edge = tablet.x_of(int(area["end"]))
    view = tablet.span()
    fingers.drag(((edge + 9, y), (edge + 109, y)))
    wider = tablet.look()["selection"]
    assert wider["start"] == area["start"]
    assert int(wider["end"]) > int(area["end"])
    assert tablet.span() == view


@pytest.mark.deep
def test_a_finger_scrolls_the_tree_and_moves_no_track(tablet: Viewer) -> None:
    names = [item.name for item in tablet.tree()]
    box = tablet.page.locator(".tree").bounding_box()
    assert box is not None
    x, y = box["x"] + 80, box["y"] + 150
    Fingers(tablet).drag(((x, y), (x, y - 80)), steps=10)
    tablet.wait("document.querySelector('.scroller').scrollTop > 20")
    assert [item.name for item in tablet.tree()] == names
    assert "order=" not in tablet.page.url
