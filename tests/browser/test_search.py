"""Search in the timeline: what is found, marked and gone to is what the server says; and the palette."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES

# Of the canvas of the tracks: pixels in the colour of hits, as rows of the screen with the columns where they are.
MARKED = """() => {
    const canvas = document.querySelector('.timeline canvas');
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const hex = getComputedStyle(canvas).getPropertyValue('--hit').trim().slice(1);
    const [r, g, b] = [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16));
    const rows = {};
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const k = 4 * (y * width + x);
            if (data[k] === r && data[k + 1] === g && data[k + 2] === b) (rows[y] ??= []).push(x);
        }
    }
    return rows;
}"""

LANES = """() => [...document.querySelectorAll('[role=treeitem].is-track:not(.is-empty)')].map(item => ({
    track: Number(item.dataset.key.slice(1)), top: parseFloat(item.style.top), height: parseFloat(item.style.height),
}))"""

IN_PALETTE = "document.activeElement === document.querySelector('dialog.finder input')"
ROW_PX = 18


def ask(served: Served, run: str, tool: str, **question: Any) -> Any:
    build = served.get(f"/runs/{run}/manifest")["build"]
    return served.get(f"/runs/{run}/builds/{build}/tools/{tool}?{urlencode(question)}")


def fact(answer: Any, name: str) -> int:
    return int(next(fact["value"] for fact in answer["facts"] if fact["id"] == name))


def rows_of(answer: Any, table: str) -> list[dict[str, Any]]:
    columns = next(one["columns"] for one in answer["tables"] if one["id"] == table)
    ids = [column["id"] for column in columns]
    return [dict(zip(ids, row, strict=True)) for row in zip(*(column["values"] for column in columns), strict=True)]


def search(viewer: Viewer, text: str) -> None:
    viewer.page.keyboard.press("/")
    viewer.page.keyboard.type(text)
    viewer.wait("document.querySelector('[data-search=found]') !== null")


def marked(viewer: Viewer) -> dict[int, list[int]]:
    """Until the marks stand still: they follow when the view has come to rest."""
    before = None
    while before != (now := viewer.page.evaluate(MARKED)) or not now:
        before = now
        viewer.page.wait_for_timeout(300)
    return {int(y): columns for y, columns in now.items()}


def wait_for_count(viewer: Viewer, text: str) -> None:
    viewer.wait(f"document.querySelector('.search-count')?.textContent.replaceAll(',', '') === '{text}'")


def wait_for_pages(viewer: Viewer) -> None:
    """Until the palette lists pages. A server's first question starts a process: 18 s at a load of 20, 91 s at 26."""
    is_listed = "document.querySelector('dialog.finder [role=option][data-key=\"page hit_bins\"]') !== null"
    try:
        viewer.wait(is_listed, 180)
    except AssertionError:
        pytest.fail(f"no pages are listed: {viewer.page.inner_text('dialog.finder')[:400]}")


def test_what_is_found_and_gone_to_is_what_the_server_says(viewer: Viewer, served: Served) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    viewer.open(run)  # its groups are closed
    search(viewer, "fusion dur>1us")
    told = ask(served, run, "search", query="fusion dur>1us")
    hits = rows_of(told, "events")
    total = fact(told, "count")
    assert total > 3
    wait_for_count(viewer, f"{total} hits")
    names = [row["name"] for row in rows_of(told, "names")]
    assert page.locator(".search-name span").all_inner_texts() == names
    assert faults(viewer) == []
    for step in range(3):
        page.keyboard.press("Enter")
        wait_for_count(viewer, f"{step + 1} of {total}")
        track, ordinal = map(int, hits[step]["event"].split("."))
        viewer.wait("tilescope.selection.loaded")
        chosen = viewer.look()["selection"]
        assert (chosen["track"], chosen["ordinal"]) == (track, ordinal)
    assert page.locator(f"[data-key=t{hits[2]['track']}]").is_visible()  # its group has been opened
    page.keyboard.press("Shift+Enter")
    wait_for_count(viewer, f"2 of {total}")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")  # on from the last
    wait_for_count(viewer, f"{total} of {total}")
    # From a slice that was selected by itself, its number is asked for.
    middle = hits[len(hits) // 2]
    page.goto(f"{viewer.url}/?run={run}#v=1&sel={middle['event']}&q={quote('fusion dur>1us')}")
    page.reload()
    viewer.wait("tilescope.selection.loaded")
    wait_for_count(viewer, f"{total} hits")
    page.keyboard.press("Control+f")
    page.keyboard.press("Enter")
    wait_for_count(viewer, f"{len(hits) // 2 + 2} of {total}")
    page.keyboard.press("Escape")
    viewer.wait("!location.hash.includes('q=')")
    assert page.input_value(".search-box input") == ""
    page.go_back()
    viewer.wait("document.querySelector('.search-box input').value === 'fusion dur>1us'")


@pytest.mark.parametrize("theme", THEMES)
def test_marks_are_where_the_server_has_hits_and_nowhere_else(viewer: Viewer, served: Served, theme: str) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(run)
    viewer.expand_all()
    query = "copy"
    search(viewer, query)
    page.keyboard.press("Enter")
    page.locator(".timeline").focus()
    viewer.wait("tilescope.selection.loaded")
    page.keyboard.press("q")
    page.keyboard.press("Escape")  # no outline of a selection over the marks
    page.keyboard.press("0")
    viewer.rest()
    box = viewer.timeline_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    for level in range(4):
        seen = marked(viewer)
        viewer.settle()
        view = page.evaluate("tilescope.view")
        hits = rows_of(ask(served, run, "search", query=query, limit=100_000), "events")
        scroll = page.evaluate("document.querySelector('.scroller').scrollTop")
        start, scale = int(view["start"]), view["ticksPerPx"]
        looked = 0
        for lane in page.evaluate(LANES):
            top = lane["top"] - scroll + 1
            if top < 0 or top + lane["height"] > box["height"]:
                continue
            inside = {x for y, columns in seen.items() if top <= y < top + lane["height"] for x in columns}
            spans = [
                ((int(hit["start"]) - start) / scale, (int(hit["start"]) + int(hit["duration"]) - start) / scale)
                for hit in hits
                if hit["track"] == lane["track"]
            ]
            for x0, x1 in spans:
                if x0 >= 3 and x1 <= box["width"] - 3:
                    looked += 1
                    assert any(x0 - 3 <= x <= x1 + 3 for x in inside), f"a hit at {x0} has no mark on {lane}"
            for x in inside:
                assert any(x0 - 3 <= x <= x1 + 3 for x0, x1 in spans), f"a mark at {x} is of no hit on {lane}"
        assert looked > 0 or level > 0
        if level in (0, 2):
            viewer.screenshot(f"search-marks-{level}-{theme}")
        viewer.hold("w", 300)
        viewer.rest()
    assert faults(viewer) == []


@pytest.mark.deep
def test_every_state_is_said(browser: Browser, served: Served) -> None:
    run = served.run_id(DEVICES)
    with watched_page(browser, served.url, server_may_go=True, color_scheme="dark") as page:
        viewer = Viewer(page, served.url)
        viewer.open(run)
        page.keyboard.press("Control+f")
        page.locator(".search-help").wait_for()
        assert faults(viewer) == []
        viewer.screenshot("search-help")
        page.keyboard.type('dur>1ms "all-')
        viewer.wait("document.querySelector('.search-fault') !== null")
        assert "character 9: this quotation mark is not closed" in page.inner_text(".search-fault")
        assert page.inner_text(".search-fault mark") == '"'
        assert faults(viewer) == []
        viewer.screenshot("search-error")
        page.locator(".search-box input").fill("no such name")
        viewer.wait("document.querySelector('[data-search=found]') !== null")
        assert "No event is found" in page.inner_text(".search-panel")
        assert page.get_by_role("button", name="Next hit").is_disabled()
        assert faults(viewer) == []
        held: list[Route] = []
        page.route("**/tools/search*", lambda route: held.append(route))
        page.locator(".search-box input").fill("fusion")
        viewer.wait("document.querySelector('[data-search=stale]') !== null")  # what was found before, dimmed
        assert faults(viewer) == []
        page.locator(".search-box input").fill("fusio")
        viewer.wait("location.hash.includes('q=fusio')")
        assert unquote(held[0].request.url).endswith("query=fusion&limit=0&names=100")
        page.unroute("**/tools/search*")
        page.locator(".search-box input").fill("fusion")
        viewer.wait("document.querySelector('[data-search=found]') !== null")
        page.keyboard.press("ArrowDown")
        viewer.wait("document.activeElement.classList.contains('search-name')")
        name = page.evaluate("document.activeElement.innerText.split('\\n')[0]")
        page.keyboard.press("Enter")
        viewer.wait(f"document.querySelector('.search-box input').value === {json.dumps(json.dumps(name))}")
        page.keyboard.press("Escape")
        page.context.set_offline(True)
        page.keyboard.press("/")
        page.keyboard.type("copy")
        viewer.wait("document.querySelector('.search-panel')?.innerText.includes('Disconnected')")
        assert faults(viewer) == []
        page.context.set_offline(False)
        viewer.wait("document.querySelector('[data-search=found]') !== null")


def test_the_palette_says_why_it_lists_no_pages_and_asks_again(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url, server_may_go=True) as page:
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(DEVICES))
        page.route("**/tools", lambda route: route.abort())
        page.keyboard.press("F1")
        page.get_by_text("Pages are missing").wait_for()
        expect(page.locator("[data-key='page hit_bins']")).to_have_count(0)
        viewer.screenshot("palette-without-pages")
        page.unroute("**/tools")
        wait_for_pages(viewer)  # it asks again by itself
        expect(page.get_by_text("Pages are missing")).to_have_count(0)


def test_the_palette_does_what_keys_do_and_says_what_cannot_be_done(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(DEVICES))
    page.keyboard.press("F1")
    page.get_by_role("dialog", name="Commands").wait_for()
    page.keyboard.press("F1")
    viewer.wait("document.querySelector('dialog.finder') === null")
    page.keyboard.press("Control+Shift+P")
    wait_for_pages(viewer)
    table = page.evaluate("[...document.querySelectorAll('.finder-item')].map(item => item.dataset.key)")
    assert {"zoom-in", "search", "show-help", "page timeline", "page hit_bins"} <= {*table}
    assert page.locator("[data-key=fit-run] kbd").all_inner_texts() == ["0"]
    assert "Search for something first" in page.inner_text("[data-key=next-hit]")
    assert faults(viewer) == []
    viewer.screenshot("palette")
    page.keyboard.type("parent sl")
    page.keyboard.press("Enter")  # it cannot be done: nothing is selected
    assert page.locator("[data-key=parent-slice][aria-disabled=true]").is_visible()
    page.locator("dialog.finder input").fill("whole trace")
    page.mouse.move(5, 300)
    before = viewer.span()
    page.keyboard.press("Escape")
    viewer.wait("document.querySelector('dialog.finder') === null")
    page.keyboard.press("+")
    viewer.wait(f"tilescope.view.start !== '{before[0]}'")
    viewer.rest()
    page.keyboard.press("/")
    page.keyboard.press("Control+Shift+P")  # also while text is typed
    viewer.wait(IN_PALETTE)
    page.keyboard.type("whole trace")
    page.keyboard.press("Enter")
    viewer.wait(f"tilescope.view.start === '{before[0]}' && tilescope.view.end === '{before[1]}'")
    page.keyboard.press("F1")
    viewer.wait(IN_PALETTE)
    page.keyboard.type("search the events")
    page.keyboard.press("Enter")
    viewer.wait("document.activeElement === document.querySelector('.search-box input')")
    page.keyboard.press("F1")
    viewer.wait(IN_PALETTE)
    page.keyboard.type("statistics")
    page.keyboard.press("Enter")
    viewer.wait("tilescope.page === 'stats'")
    page.keyboard.press("F1")
    viewer.wait(IN_PALETTE)
    assert "Only in the timeline" in page.inner_text("[data-key=zoom-in]")
    page.keyboard.press("Escape")
    viewer.wait("document.querySelector('dialog.finder') === null")


@pytest.mark.deep
def test_a_name_is_found_from_its_details_and_a_track_is_searched_from_its_menu(viewer: Viewer, served: Served) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    viewer.open(run)
    viewer.expand_all()
    hit = rows_of(ask(served, run, "search", query="fusion"), "events")[0]
    page.goto(f"{viewer.url}/?run={run}#v=1&sel={hit['event']}")
    page.reload()
    viewer.wait("window.tilescope?.selection.loaded")
    page.get_by_role("button", name="Find all with this name").click()
    query = json.dumps(hit["name"])
    wait_for_count(viewer, f"{fact(ask(served, run, 'search', query=query), 'count')} hits")
    assert page.input_value(".search-box input") == query
    assert faults(viewer) == []
    page.go_back()
    viewer.wait("document.querySelector('.search-box input').value === ''")
    viewer.expand_all()
    viewer.scroll_to(0)
    page.locator("[role=treeitem][data-key=t2]").click(button="right")
    page.get_by_role("menuitem", name="Search in it").click()
    page.keyboard.type("fusion")
    query = 'track:"XLA Ops" process:"/device:TPU:0" fusion'
    assert page.input_value(".search-box input") == query.replace("  ", " ")
    told = ask(served, run, "search", query=query)
    assert {row["track"] for row in rows_of(told, "events")} == {2}
    wait_for_count(viewer, f"{fact(told, 'count')} hits")
    box = viewer.timeline_box()
    viewer.click(box["x"] + 4, box["y"] + box["height"] - 4)  # a press elsewhere closes the list, and takes the keys
    viewer.wait("document.querySelector('.search-panel') === null")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    viewer.wait("document.querySelector('.search-box input').value === ''")
