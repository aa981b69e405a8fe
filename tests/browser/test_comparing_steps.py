"""Two steps are compared on the chart of Steps, by mouse and by keys: what one sees, the address, and the ways on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.tiler.facts.findings.pytorch_causes import FIRST_STEP, PLANTED, STEPS, run
from tests.tiler.facts.findings.pytorch_run import write_ranks

# The step in which the program draws charts, and one in which it does not.
SLOW, USUAL = 35, 33


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("compared")
    with serving(write_ranks(run(PLANTED["drawn_charts"]), folder), folder / "cache") as running:
        yield running


@pytest.fixture
def pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    with watched_page(browser, site.url) as page:
        pages = ToolPages(Viewer(page, site.url))
        pages.go(site.get("/runs")["runs"][0]["id"], "tool=steps")
        drawn(pages)
        yield pages


def drawn(pages: ToolPages) -> None:
    pages.answered()
    pages.page.locator(".chart-plot .u-over").wait_for()
    pages.viewer.frames(3)


def click(pages: ToolPages, step: int) -> None:
    drawn(pages)
    box = pages.page.locator(".chart-plot .u-over").bounding_box()
    assert box is not None
    pages.page.mouse.move(box["x"] + (step - FIRST_STEP + 0.5) * box["width"] / STEPS, box["y"] + box["height"] / 2)
    pages.viewer.frames(2)
    pages.page.mouse.down()
    pages.page.mouse.up()


def has_fields(pages: ToolPages, **fields: int) -> None:
    """Waits for the steps in the address: these and no others."""
    for name in ("compare_step", "against_step"):
        text = f"f.{name}={fields[name]}" if name in fields else f"f.{name}"
        pages.viewer.wait(
            f"location.hash.split('&').some(part => part.startsWith('{text}')) === {str(name in fields).lower()}"
        )
    pages.answered()


def test_the_first_line_says_what_makes_slow_steps_slow(pages: ToolPages) -> None:
    line = pages.page.get_by_role("list", name="The answer")
    expect(line).to_contain_text(f"Step #{SLOW} is longer by")
    expect(line).to_contain_text("seaborn/axisgrid.py(2119): pairplot")
    expect(pages.page.get_by_role("list", name="Findings")).to_contain_text("do it in another thread")


@pytest.mark.parametrize("theme", THEMES)
def test_by_mouse(pages: ToolPages, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    expect(page.locator(".comparison")).to_contain_text("Click a step")
    click(pages, SLOW)
    has_fields(pages, compare_step=SLOW)
    sides = page.get_by_role("region", name="Steps that are compared")
    expect(sides).to_contain_text(f"Step {SLOW}")
    expect(sides).to_contain_text("beside the mean of all others")
    expect(page.get_by_role("tab", selected=True)).to_contain_text(f"What takes longer in step {SLOW}")
    expect(page.get_by_role("grid").locator("tbody tr").first).to_contain_text("pairplot")
    click(pages, USUAL)
    has_fields(pages, compare_step=SLOW, against_step=USUAL)
    assert sides.locator(".comparison-letter").all_inner_texts() == ["A", "B"]
    expect(page.get_by_role("columnheader", name=f"Step {USUAL}")).to_be_visible()
    drawn(pages)
    pages.viewer.screenshot(f"comparing-steps-{theme}")
    assert faults(pages.viewer) == []
    # Each side leads into the timeline, and Back to the comparison.
    for step in (SLOW, USUAL):
        sides.get_by_role("button", name=f"step {step} in the timeline").click()
        pages.wait_for("timeline")
        pages.viewer.wait("tilescope.selection.kind === 'event' && tilescope.selection.loaded")
        assert pages.viewer.drawer().event["Name"] == f"ProfilerStep#{step}"
        page.go_back()
        pages.wait_for("steps")
        has_fields(pages, compare_step=SLOW, against_step=USUAL)
    # Both lead there together.
    sides.get_by_role("button", name="Show both in the timeline").click()
    pages.wait_for("timeline")
    pages.viewer.wait("tilescope.second?.sharp && tilescope.sharp", 60)
    pages.viewer.wait(f"location.hash.includes('align=step.{SLOW}-{USUAL}')")
    expect(page.locator(".pane-distance")).to_contain_text("earlier")
    pages.viewer.screenshot(f"both-steps-{theme}")
    assert faults(pages.viewer) == []
    page.go_back()
    pages.wait_for("steps")
    has_fields(pages, compare_step=SLOW, against_step=USUAL)
    page.get_by_role("button", name="Stop comparing").click()
    has_fields(pages)
    expect(page.get_by_role("tab", selected=True)).to_contain_text("Steps")
    page.go_back()
    has_fields(pages, compare_step=SLOW, against_step=USUAL)


def test_by_keys(pages: ToolPages) -> None:
    page = pages.page
    page.get_by_role("group", name="chart of").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    has_fields(pages, compare_step=FIRST_STEP + 1)
    drawn(pages)
    pages.viewer.wait("document.activeElement?.matches('.chart-plot')")
    page.keyboard.press("ArrowRight")  # one goes on where one was
    expect(page.locator(".chart-hint")).to_contain_text(f"compare with step {FIRST_STEP + 1}")
    page.keyboard.press("Enter")
    has_fields(pages, compare_step=FIRST_STEP + 1, against_step=FIRST_STEP + 2)
    drawn(pages)
    pages.viewer.wait("document.activeElement?.matches('.chart-plot')")
    page.keyboard.press("Escape")
    has_fields(pages)


def test_an_address_with_steps_to_compare(pages: ToolPages, site: Served) -> None:
    pages.go(site.get("/runs")["runs"][0]["id"], f"tool=steps&f.compare_step={USUAL}&f.against_step={SLOW}")
    drawn(pages)
    sides = pages.page.get_by_role("region", name="Steps that are compared")
    expect(sides).to_contain_text(f"Step {USUAL}")
    expect(sides).to_contain_text(f"Step {SLOW}")
