"""The pages of memories and of the memory of programs: pickers, lifelines by keys, and ways to the timeline."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.hlo_protos import hlo_plane, small_program, write_space
from tests.memory_trace import random_plane
from tilescope.tiler.indexing import build_store

STORE = "memory.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("memory")
    programs = hlo_plane({"jit_f(7)": small_program(), "jit_g(8)": small_program()})
    trace = write_space(folder / "memory.xplane.pb", random_plane(random.Random(7), 400), programs)
    build_store([trace], folder / STORE)
    with serving([folder / STORE], folder / "cache") as running:
        yield running


@pytest.fixture
def pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    with watched_page(browser, site.url) as page:
        yield ToolPages(Viewer(page, site.url))


@pytest.mark.parametrize("theme", THEMES)
def test_how_full_memories_are(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(STORE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_profile")
    pages.answered()
    assert all(word in pages.text() for word in ("Peak of the process", "In it at the peak", "is fullest here"))
    page.locator(".chart-plot .u-over").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-profile-{theme}")
    page.get_by_role("combobox", name="Which memory").select_option("gpu_host_bfc")
    pages.answered()
    page.get_by_text("Memory gpu_host_bfc over time").wait_for()
    assert pages.address()["f.memory"] == "gpu_host_bfc"
    # By keys: to the end of the curve, and from there into the timeline.
    page.locator(".chart-plot").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    pages.wait_for("timeline")
    pages.go(run, "tool=memory_profile&f.memory=gpu_host_bfc")
    pages.answered()
    assert page.get_by_role("combobox", name="Which memory").input_value() == "gpu_host_bfc"
    page.get_by_role("button", name="Show in the timeline").first.click()
    pages.wait_for("timeline")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_what_memory_a_program_uses(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(STORE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_viewer&f.buffers=all&f.order=program")
    pages.answered()
    lines = page.locator(".lifeline")
    assert lines.count() == 3
    card = page.locator(".lifeline-card")
    lines.nth(0).focus()
    assert "x" in card.locator("h3").inner_text()
    page.keyboard.press("ArrowDown")
    assert "y" in card.locator("h3").inner_text()
    assert "16" in card.inner_text()  # 4,096 of 252 bytes
    page.keyboard.press("End")
    assert card.locator("h3").inner_text().strip() == "z"
    lines.nth(1).hover()
    assert card.locator("h3").inner_text().strip() == "y"
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-viewer-{theme}")
    page.get_by_role("combobox", name="Which program").select_option("jit_g(8)")
    pages.answered()
    assert pages.address()["f.program"] == "jit_g(8)"
    page.get_by_role("combobox", name="Which memory space").select_option("3")
    pages.answered()
    page.get_by_text("uses no memory of space 3").wait_for()
    assert faults(pages.viewer) == []
