"""The first line of the page: the name of the run and what is searched for have room, however wide the window is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.tpu_trace import Instruction, Run, plane, write_trace

WIDTHS = (1000, 1100, 1200, 1280, 1366, 1440, 1536, 1920, 2560)
SHORT = "Run7"  # its button is called "Run: Run7" all the same
LONG = "llama3-405b-fsdp-tp8-pp16-seq8192-bf16-nightly-2026-11-29-after-rebase"
EVENTS = 12_000
# Of a long name so much is seen at least, in CSS pixels; a short one is seen whole.
NAME_PX, QUERY_PX = 80, 180


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Runs of two hosts with long names, and of so many events that the count of hits is long."""
    folder = tmp_path_factory.mktemp("logs")
    kernels = {"Stream #7(Compute)": [Run(0, 4000 * k, 3000) for k in range(EVENTS)]}
    device = plane("/device:GPU:0", [Instruction("fusion")], kernels)
    for name in (SHORT, LONG):
        session = folder / "plugins" / "profile" / name
        session.mkdir(parents=True)
        for host in range(2):
            write_trace(session / f"worker-{host}.training-cluster-7.eu-west.example.org.xplane.pb", [device])
    with serving([folder], tmp_path_factory.mktemp("cache")) as running:
        yield running


def _run(site: Served, name: str) -> str:
    return str(next(run["id"] for run in site.get("/runs")["runs"] if run["name"] == name))


@pytest.mark.parametrize("name", [SHORT, LONG])
def test_name_and_query_have_room_at_every_width(browser: Browser, site: Served, name: str) -> None:
    with watched_page(browser, site.url) as page:
        viewer = Viewer(page, site.url)
        viewer.open(_run(site, name))
        viewer.wait("document.querySelector('.strip-room > *') !== null")
        # The longest that may stand beside the query: which hit, of how many.
        page.get_by_label("Search events").fill("fusion")
        viewer.wait(f"document.querySelector('.search-count')?.textContent.includes('{2 * EVENTS // 1000}')")
        page.keyboard.press("Shift+Enter")
        viewer.wait("document.querySelector('.search-count').textContent.includes('of')")
        # One of the hosts, whose name is long.
        page.locator(".topbar .menu-button", has_text="All 2 hosts").click()
        page.locator(".menu [role^=menuitem]", has_text="worker-1").click()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            viewer.frames(3)
            seen = page.evaluate(_MEASURE)
            assert seen["lines"] == 1, width
            assert seen["name"] >= min(seen["wholeName"], NAME_PX), (width, seen)
            assert seen["query"] >= QUERY_PX, (width, seen)
            assert seen["cut"] == [], width
            if name == LONG:
                viewer.screenshot(f"header-{width}")


def test_what_has_no_room_is_behind_more(browser: Browser, site: Served) -> None:
    with watched_page(browser, site.url) as page:
        viewer = Viewer(page, site.url)
        viewer.open(_run(site, LONG))
        viewer.wait("document.querySelector('.strip-room > *') !== null")
        page.set_viewport_size({"width": 2560, "height": 700})
        viewer.frames(3)
        everything = page.evaluate(_CONTROLS)
        more = page.get_by_role("button", name="More", exact=True)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            viewer.frames(3)
            shown = set(page.evaluate(_CONTROLS)) - {"More"}
            assert more.is_visible() == (shown != set(everything)), width
            if more.is_visible():
                more.click()
                viewer.frames(2)
                assert set(page.evaluate(_CONTROLS)) - {"More"} == set(everything), width
                assert page.evaluate(_MEASURE)["cut"] == [], width
                more.click()


def test_name_has_room_on_every_page(browser: Browser, site: Served) -> None:
    run = _run(site, LONG)
    with browser.new_context() as context:  # its log may have refusals: some pages ask first for what they need
        page = context.new_page()
        viewer = Viewer(page, site.url)
        viewer.open(run)
        build = site.get(f"/runs/{run}/manifest")["build"]
        for tool in site.get(f"/runs/{run}/builds/{build}/tools")["tools"]:
            page.goto(f"{site.url}/?run={run}#v=1&tool={tool['id']}")
            viewer.wait(f"tilescope.page === '{tool['id']}' && document.querySelector('.page-title') !== null")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 700})
                viewer.frames(1)
                seen = page.evaluate(_MEASURE)
                assert (seen["lines"], seen["cut"]) == (1, []), (width, tool["id"])
                assert seen["name"] >= NAME_PX, (width, tool["id"], seen)


def test_overview_and_timeline_are_one_click_from_each_other(browser: Browser, site: Served) -> None:
    with watched_page(browser, site.url) as page:
        viewer = Viewer(page, site.url)
        viewer.open(_run(site, SHORT))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            page.get_by_role("button", name="Overview", exact=True).click()
            viewer.wait("tilescope.page === 'overview'")
            page.get_by_role("button", name="Timeline", exact=True).click()
            viewer.wait("tilescope.page === 'timeline'")


# The name may be cut, the query scrolls in its box; no other control of the first line is cut or covered.
_MEASURE = """() => {
    const bar = document.querySelector('.topbar');
    const name = bar.querySelector('.menu-button > span:nth-of-type(2)');
    const query = bar.querySelector('.search-box input');
    const whole = document.createRange();
    whole.selectNodeContents(name);
    const controls = [...bar.querySelectorAll('button, input')].filter(
        control => control.checkVisibility() && control.getBoundingClientRect().width > 4,
    );
    const isCut = control => {
        const box = control.getBoundingClientRect();
        const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return box.right > innerWidth || !control.contains(there);
    };
    const lines = new Set(controls.map(control => Math.round(
        (control.getBoundingClientRect().top + control.getBoundingClientRect().bottom) / 20
    )));
    return {
        name: Math.round(name.getBoundingClientRect().width),
        wholeName: Math.floor(whole.getBoundingClientRect().width),
        query: query === null ? 0 : Math.round(query.getBoundingClientRect().width),
        lines: lines.size,
        cut: controls.filter(isCut).map(control => control.getAttribute('aria-label') ?? control.textContent),
    };
}"""

_CONTROLS = """() => [...document.querySelectorAll('.topbar button, .topbar input')]
    .filter(control => control.checkVisibility() && control.getBoundingClientRect().width > 4)
    .map(control => control.getAttribute('aria-label') ?? control.textContent)"""
