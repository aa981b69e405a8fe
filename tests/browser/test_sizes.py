"""Small windows, and what people have asked their system for: nothing is cut or covered, all of it can be used."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.standins.written import TRAINING

# Width and height in CSS pixels: a phone, 800 x 600 at 200 %, a small notebook.
SIZES = (
    pytest.param(480, 800, 1, id="480"),
    pytest.param(400, 300, 2, id="200 percent", marks=pytest.mark.deep),
    pytest.param(1280, 720, 1, id="1280x720", marks=pytest.mark.deep),
)


def troubles(viewer: Viewer) -> list[Any]:
    """Controls that are outside of the window, covered, or too small for a finger."""
    return list(viewer.page.evaluate(_TROUBLES))


@pytest.mark.parametrize(("width", "height", "ratio"), SIZES)
def test_no_control_is_cut_covered_or_too_small(
    browser: Browser, served: Served, width: int, height: int, ratio: int
) -> None:
    with watched_page(browser, served.url, device_scale_factor=ratio) as page:
        page.set_viewport_size({"width": width, "height": height})
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        viewer.wait("document.querySelector('.strip-room > *') !== null")
        assert troubles(viewer) == []
        assert page.evaluate("[document.body.scrollWidth, document.documentElement.scrollWidth]") == [width, width]
        page.keyboard.press("Enter")
        viewer.drawer()
        assert troubles(viewer) == []
        viewer.screenshot(f"size-{width}x{height}")
        drawer, timeline = (page.locator(name).bounding_box() for name in (".drawer", ".timeline"))
        assert drawer is not None
        assert timeline is not None
        assert drawer["y"] >= timeline["y"] + timeline["height"]
        assert timeline["height"] >= 80
        more = page.get_by_role("button", name="More", exact=True)
        assert more.is_visible() == (width < 1680)
        if width < 1000:
            more.click()
            viewer.frames(3)
            viewer.screenshot(f"more-{width}x{height}")
            assert page.get_by_role("button", name="Details drawer").is_visible()
            assert faults(viewer) == []
            page.get_by_role("button", name="Tools", exact=True).click()
            page.locator(".menu [role^=menuitem]", has_text="Statistics").first.click()
            page.locator(".data-table tr[data-row]").first.wait_for()
            viewer.screenshot(f"page-{width}x{height}")
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_no_width_of_the_window_makes_controls_cover_one_another(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url) as page:
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        viewer.wait("document.querySelector('.strip-room > *') !== null")
        for width in range(1101, 1700, 37):
            page.set_viewport_size({"width": width, "height": 600})
            viewer.frames(2)
            assert page.evaluate(_OVERLAPS) == [], width


@pytest.mark.deep
def test_colours_and_motion_that_a_person_has_asked_for(browser: Browser, served: Served) -> None:
    options: dict[str, Any] = {"forced_colors": "active", "reduced_motion": "reduce", "color_scheme": "dark"}
    with watched_page(browser, served.url, **options) as page:
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        # No glide: the next frame is where it ends.
        before = viewer.span()
        page.keyboard.press("+")
        after = viewer.span()
        assert after != before
        viewer.frames(4)
        assert viewer.span() == after
        page.locator(".timeline").focus()
        page.keyboard.press("Enter")
        viewer.drawer()
        page.keyboard.press("ArrowRight")
        viewer.drawer()
        viewer.screenshot("forced-colours")
        # The canvases follow: their ground is that of the page.
        assert page.evaluate(_GROUND) == page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert faults(viewer) == []


_GROUND = """() => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim();
    canvas.fillRect(0, 0, 1, 1);
    return `rgb(${[...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(', ')})`;
}"""

_TROUBLES = """() => {
    const seen = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const controls = [...document.querySelectorAll('button, input, select, summary, [role=treeitem]')];
    const trouble = [];
    for (const control of controls.filter(seen)) {
        const box = control.getBoundingClientRect();
        const name = (control.getAttribute('aria-label') ?? control.textContent).trim().slice(0, 30);
        if (box.width <= 2 || control.matches('[tabindex="-1"], .link') || control.closest('[inert]')) {
            continue; // for screen readers alone, or part of a table that has the keys, or in a line of text
        }
        // What is scrolled away is reached by scrolling.
        let [scrolls, scrollsBeside] = [false, false];
        for (let around = control.parentElement; around !== null; around = around.parentElement) {
            const {overflowX, overflowY} = getComputedStyle(around);
            scrolls ||= ['auto', 'scroll'].includes(overflowY);
            scrollsBeside ||= ['auto', 'scroll'].includes(overflowX) && around.scrollWidth > around.clientWidth;
        }
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const isBeside = !scrollsBeside && (box.left < -1 || box.right > innerWidth + 1);
        const isOutside = isBeside || (!scrolls && (box.top < -1 || box.bottom > innerHeight + 1));
        const hit = document.elementFromPoint(x, y);
        const isIt = hit === null || control.contains(hit) || hit.contains(control) || hit.closest('label') !== null;
        const isCovered = !scrolls && !scrollsBeside && !isIt;
        const isSmall = (box.width < 24 || box.height < 24) && !control.matches('[role=treeitem], .tree-action');
        if (isOutside || isCovered || isSmall) {
            trouble.push({name, isOutside, isCovered: isCovered && hit.className, size: [box.width, box.height]});
        }
    }
    return trouble;
}"""

_OVERLAPS = """() => {
    const controls = [...document.querySelectorAll('.topbar button, .topbar input')];
    const boxes = controls.map(one => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()]);
    const isOver = (a, b) => Math.min(a.right, b.right) > Math.max(a.left, b.left) + 0.5;
    const shown = boxes.filter(([, box]) => box.width > 4);
    const others = (box, k) => shown.slice(k + 1).filter(([, b]) => isOver(box, b));
    return shown.flatMap(([name, box], k) => others(box, k).map(([n]) => [name, n]));
}"""
