"""Search: other places than names that have the words; and places that are typed: times, steps, events."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.test_search import IN_PALETTE, ask, fact, rows_of, search, wait_for_count
from tests.browser.themes import THEMES
from tests.corpus import corpus_path
from tests.standins.written import DEVICES, TRAINING

KINDS = """() => [...document.querySelectorAll('[data-kinds=found] tbody tr')].map(row =>
    [row.querySelector('button').title.slice('Search for '.length), row.cells[1].innerText.replaceAll(',', '')])"""


def type_anew(page: Page, text: str) -> None:
    page.locator(".search-box input").click()
    page.locator(".search-box input").fill(text)


@pytest.mark.parametrize("theme", THEMES)
def test_each_other_place_is_counted_and_one_click_away(viewer: Viewer, served: Served, theme: str) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(run)
    search(viewer, "XLA")
    viewer.wait("document.querySelector('[data-kinds=found]') !== null")
    rows = rows_of(ask(served, run, "search", query="XLA", limit=0, kinds="true"), "kinds")
    assert rows
    assert page.evaluate(KINDS) == [[row["query"], str(row["events"])] for row in rows]
    assert faults(viewer) == []
    viewer.screenshot(f"search-kinds-{theme}")
    page.keyboard.press("ArrowDown")
    page.locator("[data-kinds=found] button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".search-box input").input_value() == rows[0]["query"]
    count = fact(ask(served, run, "search", query=rows[0]["query"], limit=0), "count")
    assert count == int(rows[0]["events"])
    wait_for_count(viewer, f"{count} hits")


STACKS = "kineto/resnet50_workers4.pt.trace.json.gz"


def test_a_source_file_of_stacks_is_found(browser: Browser, tmp_path: Path) -> None:
    with serving([corpus_path(STACKS)], tmp_path / "cache") as site, watched_page(browser, site.url) as page:
        viewer = Viewer(page, site.url)
        viewer.open(site.run_id(Path(STACKS).name))
        type_anew(page, "resnet.py")
        viewer.wait("document.querySelector('[data-kinds=found]') !== null")
        ((query, events),) = page.evaluate(KINDS)
        assert "Call stack" in query
        assert events == "6786"  # by the file itself: texts of the argument that have the word
        wait_for_count(viewer, "0 hits")
        expect(page.locator(".search-panel")).to_contain_text("No name matches.")
        expect(page.get_by_role("table", name="Names")).to_have_count(0)
        page.locator("[data-kinds=found] button").click()
        wait_for_count(viewer, "6786 hits")
        page.keyboard.press("Enter")
        viewer.wait("tilescope.selection.loaded")
        expect(page.locator(".drawer")).to_contain_text("resnet.py")


def test_typed_places_are_gone_to_from_the_search_and_the_palette(viewer: Viewer, served: Served) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    viewer.open(run)
    manifest = served.get(f"/runs/{run}/manifest")
    start, end = (int(tick) for tick in viewer.span())
    middle_ns = (start + end) * manifest["tick_ps"] // 2000
    type_anew(page, f"{middle_ns} ns")
    page.locator(".search-place").wait_for()
    assert page.locator(".search-panel button").first.inner_text().startswith("Go to ")
    viewer.wait("location.hash.includes('q=')")
    assert page.locator("[data-search]").count() == 0, "no search without hits beside the place"
    assert page.locator(".search-count").count() == 0
    page.keyboard.press("Enter")
    viewer.wait(f"tilescope.view.end - tilescope.view.start < {(end - start) // 2}")
    viewer.rest()
    first, last = (int(tick) for tick in viewer.span())
    assert first < (start + end) // 2 < last
    assert page.locator(".search-box input").input_value() == ""
    hit = rows_of(ask(served, run, "search", query="/./", limit=1, totals="false"), "events")[0]
    page.keyboard.press("Control+Shift+P")
    viewer.wait(IN_PALETTE)
    page.keyboard.type(f"#{hit['event']}")
    assert page.locator(".finder-item").first.get_attribute("data-key") == "place"
    page.keyboard.press("Enter")
    viewer.wait(f"location.hash.includes('sel={hit['event']}')")
    # A step and a time of day, as they are typed.
    training = served.run_id(TRAINING)
    page.goto(f"{viewer.url}/?run={training}")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    steps = rows_of(ask(served, training, "steps"), "steps")
    step = next(row for row in steps if str(row["step"]) == "103")
    type_anew(page, "step 103")
    page.locator(".search-place").wait_for()
    page.keyboard.press("Enter")
    viewer.wait(f"tilescope.view.end - tilescope.view.start < {3 * (int(step['end']) - int(step['start']))}")
    viewer.rest()
    first, last = (int(tick) for tick in viewer.span())
    assert first <= int(step["start"]) < int(step["end"]) <= last
    type_anew(page, "999999999 h")
    assert page.locator(".search-place").is_disabled()
    assert "Outside of the run" in page.inner_text(".search-place")


# Presses Enter right after a text was typed, before anything is painted: whether the place was there.
ENTER_AT_ONCE = """async text => {
    const field = document.querySelector('.search-box input');
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    for (let turn = 0; turn < 20; turn++) {
        await null;
    }
    const isThere = document.querySelector('.search-place:enabled') !== null;
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }));
    return isThere;
}"""


def test_enter_goes_to_a_place_before_the_list_is_painted(viewer: Viewer, served: Served) -> None:
    page, run = viewer.page, served.run_id(TRAINING)
    viewer.open(run)
    type_anew(page, "step")
    page.locator(".search-panel").wait_for()
    step = next(row for row in rows_of(ask(served, run, "steps"), "steps") if str(row["step"]) == "103")
    assert page.evaluate(ENTER_AT_ONCE, "step 103")
    viewer.wait(f"tilescope.view.end - tilescope.view.start < {3 * (int(step['end']) - int(step['start']))}")
    assert page.locator(".search-box input").input_value() == ""


def test_names_are_whole_in_the_palette(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(DEVICES))
    page.set_viewport_size({"width": 1100, "height": 700})
    page.keyboard.press("Control+Shift+P")
    viewer.wait("document.querySelector('dialog.finder [role=option][data-key=\"page hit_bins\"]') !== null")
    cut = """[...document.querySelectorAll('[data-key^="page "] .finder-name')]
        .filter(name => name.scrollWidth > name.clientWidth).map(name => name.innerText)"""
    assert page.evaluate(cut) == []
    page.keyboard.type("go to time")
    assert "450 ms" in page.inner_text("[data-key=go-to-time]")
    page.keyboard.press("Enter")
    viewer.wait("document.activeElement === document.querySelector('.search-box input')")
