"""The page of Overview at 1280 × 720: all that is asked first is in sight, and what is drawn hides no digit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

STORE = "pod.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("overview")
    build_store(sorted(corpus_path("pod").rglob("*.xplane.pb")), folder / STORE)
    with serving([folder / STORE], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_sentence_facts_chart_and_ten_rows_are_in_sight(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(STORE), "tool=overview")
    pages.answered()
    page.locator(".chart-plot canvas").wait_for()
    bottom = page.locator("footer").bounding_box()
    assert bottom is not None
    rows = page.locator(".dashboard-pair tbody tr[data-row]")
    expect(rows).to_have_count(10)
    for part in (page.locator(".is-headline"), page.locator(".chart-plot"), rows.nth(9)):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= bottom["y"]
    # What is in sight of the table: shares and rates, beside their names.
    scroller = page.locator(".dashboard-pair .table-scroll").bounding_box()
    head = page.locator(".dashboard-pair th", has_text="FLOP rate").bounding_box()
    assert scroller is not None
    assert head is not None
    assert head["x"] + head["width"] <= scroller["x"] + scroller["width"]
    cards = page.locator(".fact-card")
    assert [card.split("\n")[0] for card in cards.all_inner_texts()] == [
        "Mean step",
        "Waits for input",
        "Device idle",
        "FLOPS of peak",
        "Devices",
        "Device",
    ]
    assert [" ".join(value.split()) for value in page.locator(".fact-value").all_inner_texts()][:4] == [
        "125.0ms",
        "27.7%",
        "3.4%",
        "25.9%",
    ]
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"overview-{theme}")
    page.get_by_role("button", name="13 more").click()
    expect(cards).to_have_count(19)
    # What was not recorded is one line, with the reasons below it.
    missing = page.locator(".missing-facts")
    assert "Batch size" in missing.locator("summary").inner_text()
    missing.locator("summary").click()
    assert "Batch size: Keras" in missing.locator("ul").inner_text()
    deviation = page.locator(".fact-card", has_text="Deviation").locator(".fact-value").inner_text()
    assert " ".join(deviation.split()) == "2.4ms"
    page.get_by_role("button", name="Fewer").click()
    expect(cards).to_have_count(6)
    # There is no room for the number of rows, but whoever does not see the filter's work hears of it.
    table = page.locator(".dashboard-pair .dashboard-table")
    table.get_by_role("searchbox").fill("fusion")
    expect(table.get_by_role("status")).to_contain_text(" of 10 rows")


def test_bars_end_where_digits_begin(pages: ToolPages, site: Served) -> None:
    for tool in ("overview", "op_profile", "hlo_stats"):
        pages.go(site.run_id(STORE), f"tool={tool}")
        pages.answered()
        pages.page.locator("td.has-share").first.wait_for()
        cells = pages.page.evaluate(_BARS_AND_DIGITS)
        assert len(cells) > 10
        assert [cell for cell in cells if cell["bar"] > cell["digits"]] == []
        assert any(cell["bar"] > 8 for cell in cells)


# Of each cell with a bar: where the bar ends, and where the text begins, from the cell's left.
_BARS_AND_DIGITS = """() => [...document.querySelectorAll('td.has-share')].map(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const left = cell.getBoundingClientRect().left;
    const probe = document.createElement('div');
    const size = getComputedStyle(cell).backgroundSize.replace(/ [^ ]+$/, '');
    cell.style.position = 'relative';
    probe.style.cssText = `position: absolute; left: 0; height: 1px; width: ${size}`;
    const digits = range.getBoundingClientRect().left - left;
    cell.append(probe);
    const bar = probe.getBoundingClientRect().width;
    probe.remove();
    return { text: cell.textContent, bar, digits };
})"""


def test_the_op_profile_begins_with_categories_and_its_card_follows_the_pointer(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=op_profile")
    pages.answered()
    rows = page.locator("tbody tr[data-row]")
    names = page.locator("tbody .tree-text").all_inner_texts()
    assert names[:3] == [
        "all-reduce",
        "convolution fusion",
        "output fusion",
    ]
    assert "fusion.3" not in page.locator("tbody").inner_text()  # all are closed
    scroller = page.locator(".table-scroll").bounding_box()
    head = page.locator("th", has_text="FLOPS").first.bounding_box()
    assert scroller is not None
    assert head is not None
    assert head["x"] + head["width"] <= scroller["x"] + scroller["width"]
    card = page.locator(".row-card h3")
    rows.nth(2).hover()
    assert card.inner_text() == "output fusion"
    rows.nth(1).click()
    page.mouse.move(640, 60)
    assert card.inner_text() == "convolution fusion"  # that of a click stays
    rows.nth(1).get_by_role("button", name="Open").click()
    assert "fusion.3" in page.locator("tbody").inner_text()
