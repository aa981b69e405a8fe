"""Steps are chosen on a chart, by mouse and by keys: the page tells of these, its address, and there is a way back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FloatRect, expect

from bench.pod_run import PodShape, write_pod
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages

# Of five steps, from 40 on; a fifth of the plot each.
STEPS = 5
FIRST = 40


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("steps")
    write_pod(folder / "pod", PodShape(steps=STEPS, first_step=FIRST, late_host=None))
    with serving([folder / "pod"], folder / "cache") as running:
        yield running


@pytest.fixture
def pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    with watched_page(browser, site.url) as page:
        found = ToolPages(Viewer(page, site.url))
        found.go(site.get("/runs")["runs"][0]["id"], "tool=overview")
        drawn(found)
        yield found


def drawn(pages: ToolPages) -> FloatRect:
    """Where the columns of the chart are, once it is drawn."""
    pages.answered()
    pages.page.locator(".chart-plot .u-over").first.wait_for()
    pages.viewer.frames(3)
    box = pages.page.locator(".chart-plot .u-over").first.bounding_box()
    assert box is not None
    return box


def drag(pages: ToolPages, first: float, last: float) -> None:
    """Over the columns from one to another, counted from 0; halves are between two."""
    box, mouse = drawn(pages), pages.page.mouse
    wide = box["width"] / STEPS
    mouse.move(box["x"] + (first + 0.5) * wide, box["y"] + 60)
    mouse.down()
    mouse.move(box["x"] + (last + 0.5) * wide, box["y"] + 80, steps=5)


def has_steps(pages: ToolPages, count: str) -> None:
    """Waits for figures of so many."""
    folded = pages.page.locator(".folded-facts-more[aria-expanded=false]")
    if folded.count() > 0:
        folded.evaluate("button => button.click()")  # where the focus is, stays
    card = pages.page.locator(".fact-card", has=pages.page.get_by_text("Steps", exact=True))
    expect(card.locator(".fact-value")).to_have_text(count)
    pages.answered()


def test_by_mouse(pages: ToolPages) -> None:
    page = pages.page
    has_steps(pages, "5")
    drag(pages, 3, 1)  # from right to left, too
    expect(page.locator(".chart-hint")).to_have_text("Steps 41 to 43")
    pages.viewer.screenshot("choosing-steps")
    page.mouse.up()
    pages.viewer.wait("location.hash.includes('in=steps.41-43')")
    pages.answered()
    has_steps(pages, "3")
    assert "steps 41 to 43" in page.locator(".page-of").inner_text()
    assert page.get_by_label("First step").input_value() == "41"
    assert faults(pages.viewer) == []
    pages.viewer.screenshot("chosen-steps")
    drawn(pages)
    page.locator(".chart-head").get_by_role("button", name="Whole run").click()
    pages.viewer.wait("!location.hash.includes('in=')")
    pages.answered()
    has_steps(pages, "5")
    page.go_back()
    pages.viewer.wait("location.hash.includes('in=steps.41-43')")
    page.go_back()
    pages.viewer.wait("!location.hash.includes('in=')")


@pytest.mark.deep
def test_one_step_and_a_click_that_is_no_drag(pages: ToolPages) -> None:
    page = pages.page
    drag(pages, 1.8, 2.2)  # within one column
    page.mouse.up()
    pages.viewer.wait("location.hash.includes('in=steps.42')")
    pages.answered()
    has_steps(pages, "1")
    page.go_back()
    pages.viewer.wait("!location.hash.includes('in=')")
    has_steps(pages, "5")
    box = drawn(pages)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + 60)  # a hand that is not still
    page.mouse.up()
    pages.wait_for("timeline")
    page.go_back()
    pages.wait_for("overview")


def test_by_keys(pages: ToolPages) -> None:
    page = pages.page
    chart = page.get_by_role("group", name="chart of").first
    chart.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+End")
    status = page.locator(".chart-card [role=status]").first
    expect(status).to_contain_text("Chosen: steps 41 to 44")
    page.keyboard.press("Escape")
    expect(status).not_to_contain_text("Chosen")
    assert "in=" not in page.url
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".chart-hint")).to_have_text("Steps 40 to 41")
    page.keyboard.press("Enter")
    pages.viewer.wait("location.hash.includes('in=steps.40-41')")
    drawn(pages)
    has_steps(pages, "2")
    # One goes on where one was.
    pages.viewer.wait("document.activeElement?.matches('.chart-plot')")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Home")
    expect(page.locator(".chart-hint")).to_have_text("Steps 40 to 41")


@pytest.mark.deep
def test_input_pipeline_has_it_on_both_charts(pages: ToolPages) -> None:
    page = pages.page
    pages.choose("input_pipeline")
    drawn(pages)
    charts = page.get_by_role("group", name="chart of")
    shown = page.locator(".chart-card")
    assert [shown.nth(k).get_attribute("data-series") for k in (0, 1)] == ["steps", "infeed"]
    charts.nth(1).focus()
    page.keyboard.press("End")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    pages.viewer.wait("location.hash.includes('in=steps.43-44')")
