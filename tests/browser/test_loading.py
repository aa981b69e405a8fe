"""What one sees while pages are on their way: the nearest level that is there, never nothing, and that it is so."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, WebSocketRoute

from bench.slow_link import slow_link
from bench.traces import TraceSpec
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_search import MARKED
from tests.browser.test_timing_tool import AXIS_TEXTS
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES, TRAINING

# Pixels of the tracks' canvas that are neither ground nor line nor panel: those are nearly grey.
COLOURED_PART = """() => {
    const canvas = document.querySelector('.timeline canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let coloured = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        const [red, green, blue] = [pixels[k], pixels[k + 1], pixels[k + 2]];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 30) coloured += 1;
    }
    return 4 * coloured / pixels.length;
}"""


class Gate:
    """Lets the server's messages through, or holds them back."""

    def __init__(self) -> None:
        self.is_open = True
        self._held: list[str | bytes] = []
        self._page_side: WebSocketRoute | None = None

    def connect(self, page_side: WebSocketRoute) -> None:
        self._page_side = page_side
        page_side.connect_to_server().on_message(self._pass)

    def open(self) -> None:
        self.is_open = True
        for message in self._held:
            self._pass(message)
        self._held.clear()

    def _pass(self, message: str | bytes) -> None:
        if self.is_open and self._page_side is not None:
            self._page_side.send(message)
        else:
            self._held.append(message)


def test_the_nearest_level_is_drawn_until_the_sharp_one_has_come(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url) as page:
        gate = Gate()
        page.route_web_socket("**/stream", gate.connect)
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        box = viewer.timeline_box()
        gate.is_open = False
        page.mouse.move(viewer.x_of(270_000_000), box["y"] + 250)
        viewer.hold("Shift+w", 900)
        viewer.wait("document.querySelector('.statusbar').innerText.includes('Loading')")
        viewer.wait("document.querySelector('[data-status=events]').innerText.includes('events start on the screen')")
        assert not viewer.look()["sharp"]
        assert page.evaluate(COLOURED_PART) > 0.02, "the timeline is blank"
        viewer.screenshot("loading")
        gate.open()
        viewer.settle()
        assert page.inner_text(".statusbar").startswith("Exact")
        assert page.evaluate(COLOURED_PART) > 0.02
        viewer.screenshot("loaded")


ROUND_TRIP_S, BITS_PER_S = 0.150, 10e6
# Where what is seen at once must be seen before anything comes, on a machine with other things to do.
LONG_TRIP_S = 0.6

# Scrolls down by a screen and more, and says of every track with events that is on the screen what its lane shows.
SCROLL_AND_LOOK = """async step => {
    const scroller = document.querySelector('.scroller');
    const canvas = document.querySelector('.timeline canvas');
    scroller.scrollTop += step;
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const stripe = getComputedStyle(canvas).getPropertyValue('--line').trim();
    const of = k => [data[k], data[k + 1], data[k + 2]];
    const isStripe = k => '#' + of(k).map(value => value.toString(16).padStart(2, '0')).join('') === stripe;
    const isColour = k => Math.max(...of(k)) - Math.min(...of(k)) > 30;
    // Steps and programs are grey: so wide is nothing else that is neither the ground nor a stripe.
    const ground = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
    const isGrey = k => !isStripe(k) && Math.abs(of(k)[0] - ground[0]) > 24
        && [4, 8, 16, 32, 64].every(j => of(k).every((value, c) => value === data[k + j + c]));
    const seen = { blank: [], loading: 0, data: 0 };
    for (const item of document.querySelectorAll('[role=treeitem].is-track:not(.is-empty)')) {
        const top = Math.max(26, parseFloat(item.style.top) - scroller.scrollTop);
        const bottom = Math.min(canvas.height, top + parseFloat(item.style.height)) - 3;
        if (bottom - top < 8) continue;
        let kind = 'blank';
        for (let y = Math.ceil(top); y < bottom && kind !== 'data'; y++) {
            for (let x = 0; x < canvas.width && kind !== 'data'; x++) {
                const k = 4 * (y * canvas.width + x);
                if (isColour(k) || isGrey(k)) kind = 'data';
                else if (isStripe(k)) kind = 'loading';
            }
        }
        if (kind === 'blank') seen.blank.push(item.dataset.key); else seen[kind] += 1;
    }
    return seen;
}"""


# Of every 16 pixels of every track on the screen: whether there are data (2, or 3 if plenty), stripes (1), nothing (0).
LOOK_CLOSELY = """() => {
    const scroller = document.querySelector('.scroller');
    const canvas = document.querySelector('.timeline canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const stripe = getComputedStyle(canvas).getPropertyValue('--line').trim();
    const of = k => [data[k], data[k + 1], data[k + 2]];
    const isStripe = k => '#' + of(k).map(value => value.toString(16).padStart(2, '0')).join('') === stripe;
    const isColour = k => Math.max(...of(k)) - Math.min(...of(k)) > 30;
    const lanes = {};
    for (const item of document.querySelectorAll('[role=treeitem].is-track:not(.is-empty)')) {
        const top = Math.max(26, parseFloat(item.style.top) - scroller.scrollTop);
        const bottom = Math.min(canvas.height, top + parseFloat(item.style.height)) - 3;
        if (bottom - top < 8) continue;
        const codes = [];
        for (let left = 0; left + 16 <= canvas.width; left += 16) {
            let [colour, stripes] = [0, 0];
            for (let x = left; x < left + 16; x++) {
                let [isColoured, isStriped] = [false, false];
                for (let y = Math.ceil(top); y < bottom && !isColoured; y++) {
                    const k = 4 * (y * canvas.width + x);
                    isColoured ||= isColour(k);
                    isStriped ||= isStripe(k);
                }
                colour += isColoured;
                stripes += isStriped;
            }
            codes.push(colour >= 8 ? 3 : colour > 0 ? 2 : stripes >= 6 ? 1 : 0);
        }
        lanes[item.dataset.key] = codes;
    }
    return { view: JSON.stringify(tilescope.view), isSharp: tilescope.sharp, lanes };
}"""


@pytest.mark.deep
def test_no_place_is_blank_after_a_jump_over_a_slow_network(browser: Browser, tmp_path: Path) -> None:
    """What shows data when all has come showed data or stripes two frames after the jump, or the pan, or the zoom."""
    trace = TraceSpec("xspace", 800_000, tracks=16).write(tmp_path / "trace")
    spots = random.Random(3)
    with (
        serving([trace.path], tmp_path / "cache") as served,
        slow_link(int(served.url.rpartition(":")[2]), LONG_TRIP_S, BITS_PER_S) as port,
        watched_page(browser, f"http://127.0.0.1:{port}") as page,
    ):
        viewer = Viewer(page, f"http://127.0.0.1:{port}")
        viewer.open(served.run_id(trace.path.name))
        viewer.expand_all()
        viewer.settle()
        box, strip = viewer.timeline_box(), page.locator(".minimap").bounding_box()
        assert strip is not None
        page.mouse.move(box["x"] + 700, box["y"] + 300)
        viewer.hold("Shift+w", 900)
        viewer.rest()
        waited = 0
        for step in range(8):
            page.mouse.move(box["x"] + spots.uniform(0.2, 0.8) * box["width"], box["y"] + 300)
            if step % 4 == 3:
                viewer.hold(spots.choice(["Shift+d", "Shift+a", "Shift+w"]), 200)
            else:
                page.mouse.click(strip["x"] + spots.uniform(0.05, 0.95) * strip["width"], strip["y"] + 10)
            viewer.frames()
            early = page.evaluate(LOOK_CLOSELY)
            waited += not early["isSharp"]
            viewer.settle()
            late = page.evaluate(LOOK_CLOSELY)
            if early["view"] != late["view"]:
                continue  # it still moved
            for key in early["lanes"].keys() & late["lanes"].keys():
                pairs = list(zip(early["lanes"][key], late["lanes"][key], strict=True))
                assert (0, 3) not in pairs, f"blank where there are data: {key}, step {step}, {early['view']}"
        assert waited > 1, "everything was there at once: the network is not slow enough"


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_no_lane_is_blank_while_one_scrolls_over_a_slow_network(browser: Browser, tmp_path: Path, theme: str) -> None:
    trace = TraceSpec("xspace", 60_000, tracks=1024).write(tmp_path / "trace")
    with (
        serving([trace.path], tmp_path / "cache") as served,
        slow_link(int(served.url.rpartition(":")[2]), ROUND_TRIP_S, BITS_PER_S) as port,
        watched_page(browser, f"http://127.0.0.1:{port}", color_scheme=theme) as page,
    ):
        viewer = Viewer(page, f"http://127.0.0.1:{port}")
        viewer.open(served.run_id(trace.path.name))
        viewer.expand_all()
        viewer.settle()
        loading = 0
        for step in range(40):
            seen = page.evaluate(SCROLL_AND_LOOK, 1100)
            assert seen["blank"] == [], f"after {step} steps {seen}"
            if seen["loading"] > loading:
                loading = seen["loading"]
                viewer.screenshot(f"scrolling-{theme}")
        assert loading > 0, "everything was there at once: the network is not slow enough"
        viewer.settle()
        seen = page.evaluate(SCROLL_AND_LOOK, 0)
        assert seen["blank"] == []
        assert (seen["loading"], seen["data"] > 0) == (0, True)


# Texts at the axis in the first picture that is said to be sharp.
_FIRST_SHARP = """() => new Promise(resolve => {
    const look = () => tilescope.sharp ? resolve(axisTexts) : requestAnimationFrame(look);
    look();
})"""


_MARKED_WHEN_SHARP = f"""() => new Promise(resolve => {{
    const marked = {MARKED};
    const look = () => tilescope.sharp ? resolve(Object.keys(marked()).length) : requestAnimationFrame(look);
    look();
}})"""


def test_a_picture_is_sharp_when_the_hits_of_its_search_are_drawn(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    held: list[Route] = []
    is_held = [True]
    page.route("**/tools/hit_bins?**", lambda route: held.append(route) if is_held[0] else route.continue_())
    page.goto(f"{viewer.url}/?run={served.run_id(DEVICES)}#v=1&q=fusion")
    viewer.wait("window.tilescope?.state === 'open' && tilescope.events !== null", 60)
    viewer.wait("/hits$/.test(document.querySelector('.search-count')?.textContent)", 60)
    while not held:
        viewer.frames()
    viewer.frames(10)
    assert page.evaluate("tilescope.sharp") is False
    is_held[0] = False
    for route in held:
        route.continue_()
    assert page.evaluate(_MARKED_WHEN_SHARP) > 0


def test_a_picture_is_sharp_when_its_marks_are_drawn(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    held: list[Route] = []
    page.route("**/marks", lambda route: held.append(route))
    page.add_init_script(AXIS_TEXTS)
    page.goto(f"{viewer.url}/?run={served.run_id(TRAINING)}#v=1&marks=abc,r1000-900000000,2,,a%20name")
    viewer.wait("window.tilescope?.state === 'open' && tilescope.events !== null", 60)
    viewer.wait("document.querySelector('.status-dot:not(.is-busy)') !== null")
    while not held:
        viewer.frames()
    viewer.frames(10)
    assert page.evaluate("tilescope.sharp") is False
    held.pop().continue_()
    assert any(text.startswith("a name") for text in page.evaluate(_FIRST_SHARP))
