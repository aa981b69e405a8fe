"""Rows and points that lead to an answer about their value alone: a type to its operators, a step to its shapes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

KERNELS, SHAPES = "kernels.store", "shapes.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("narrower")
    build_store([corpus_path("ascend/msprof_analyze/kernel_details.csv")], folder / KERNELS)
    build_store([corpus_path("ascend/profiler/dynamic_shape_info_0.json")], folder / SHAPES)
    with serving([folder / KERNELS, folder / SHAPES], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_a_type_opens_its_operators(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(KERNELS), "tool=operators")
    pages.answered()
    row = page.get_by_role("row").filter(has_text="ZerosLike").first
    pages.viewer.screenshot(f"operator-types-{theme}")
    row.get_by_role("button", name="Only this type").click()
    page.get_by_role("tab", name="By operator", selected=True).wait_for()
    assert pages.address()["f.type"] == "ZerosLike"
    page.get_by_text("of those chosen here").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"operators-of-a-type-{theme}")
    page.go_back()
    page.get_by_role("tab", name="By type", selected=True).wait_for()


@pytest.mark.parametrize("theme", THEMES)
def test_a_point_opens_the_shapes_of_its_step(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(SHAPES), "tool=dynamic_shape")
    pages.answered()
    page.locator(".chart-plot canvas").first.wait_for()
    page.locator(".chart-plot").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.get_by_text("only this step").wait_for()
    pages.viewer.screenshot(f"dynamic-shape-point-{theme}")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Runs", selected=True).wait_for()
    assert pages.address()["f.step"] == "2"
    assert "[32, 1]" in page.get_by_role("grid", name="Runs").inner_text()
    pages.viewer.screenshot(f"dynamic-shape-of-a-step-{theme}")


def test_keys_open_a_type(pages: ToolPages, site: Served) -> None:
    pages.go(site.run_id(KERNELS), "tool=operators")
    pages.answered()
    pages.page.get_by_role("grid", name="By type").focus()
    pages.page.keyboard.press("Enter")
    pages.page.get_by_role("tab", name="By operator", selected=True).wait_for()
    assert "f.type" in pages.address()
