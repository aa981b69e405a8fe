"""Answers on screens of several sizes: what comes first is seen at once, and long names leave figures in sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answers_page import show


@pytest.mark.parametrize("width", [1440, 1000])
def test_names_of_a_thousand_letters_leave_every_figure_in_sight(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    show(page, address, "longNames")
    names = page.locator(".data-table tbody tr:not(.table-spacer) td:first-child").all_text_contents()
    assert min(map(len, names)) > 1000, "all of a name is in the page"
    outside = page.evaluate("""() => {
        const rows = [...document.querySelectorAll('.data-table tr:not(.table-spacer)')];
        const figures = rows.flatMap(row => [...row.children].slice(1));
        return figures.filter(figure => {
            const box = figure.getBoundingClientRect();
            return box.width === 0 || box.left < 0 || box.right > innerWidth || figure.scrollWidth > figure.clientWidth;
        }).map(figure => figure.textContent);
    }""")
    assert outside == []
    assert len(names) == 12


@pytest.mark.deep
@pytest.mark.parametrize(("width", "height", "rows"), [(1280, 720, 7), (1440, 900, 8)])
def test_sentence_facts_chart_and_the_first_rows_fit_on_a_screen(
    page: Page, address: str, width: int, height: int, rows: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    show(page, address, "steps")
    page.locator(".chart-plot canvas").wait_for()
    assert page.locator("h1").bounding_box()["height"] >= 110  # type: ignore[index]
    last = page.locator("tbody tr").nth(rows - 1)
    for part in (page.locator(".note-item").first, page.locator(".fact-cards"), page.locator(".chart-plot"), last):
        expect(part).to_be_in_viewport(ratio=1)
    assert last.bounding_box()["height"] == 28  # type: ignore[index]
