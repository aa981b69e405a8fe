"""The pages of memories of Ascend devices, and of what their graphs are planned to need, by keys and by pointer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from bench.ascend_run import AscendShape, Training, truth, write_ascend, write_profiler
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.logdir import find_run

TRAINING = Training(AscendShape(ranks=1, stages=1, steps=2))


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A training as MindSpore's first profiler writes it, and one of torch_npu."""
    folder = tmp_path_factory.mktemp("ascend")
    write_profiler(folder / "summary", TRAINING)
    write_ascend(folder / "pt", TRAINING, "pt")
    for name in ("summary", "pt"):
        build_store(list(find_run(folder / name).files), folder / f"{name}.store")
    with serving([folder / "summary.store", folder / "pt.store"], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_the_memory_that_a_graph_is_planned_to_need(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id("summary.store")
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_viewer")
    pages.answered()
    page.locator(".memory-curve .u-over").wait_for()
    operators = TRAINING.program(0).operators
    peak = operators[truth(TRAINING)["ranks"][0]["memory"]["peak_at"]]
    assert peak.name in page.locator(".fact-card", has_text="Peak").first.inner_text()
    # By keys: the first operator, then what lives while the third one runs.
    page.locator(".memory-curve .chart-plot").focus()
    page.keyboard.press("Home")
    operator = page.locator(".plan-operator")
    assert operator.inner_text().startswith(f"1: {operators[0].full_name} · its outputs ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    words = operator.inner_text()
    assert words.startswith(f"3: {operators[2].full_name}")
    assert "in use 2.1" in words
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Point 3: back to the peak").wait_for()
    pages.answered()
    assert pages.address()["f.point"] == "3"
    page.get_by_text("Tensors at point 3").first.wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-plan-point-{theme}")
    page.get_by_role("button", name="Point 3: back to the peak").click()
    pages.answered()
    # The bar below the curve, by keys: points from 11 on.
    page.get_by_role("slider").first.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('f.first_point=11')")
    pages.answered()
    assert page.locator(".plan-bar output").first.inner_text() == "11"
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-plan-zoom-{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_memories_of_ascend_devices(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id("pt.store")
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_profile")
    pages.answered()
    assert page.get_by_role("combobox", name="Which memory").input_value().endswith("NPU:0 PTA")
    page.get_by_role("tab", name="Allocated in the range, by operation").click()
    page.locator(".data-table tbody tr", has_text="aten::empty_strided").first.wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-ascend-{theme}")
    page.get_by_role("tab", name="Allocated in the range, one by one").click()
    page.get_by_role("button", name="Show in the timeline").first.click()
    pages.wait_for("timeline")
    pages.go(run, "tool=memory_profile")
    pages.answered()
    page.get_by_role("button", name="Draw it in the timeline").click()
    pages.wait_for("timeline")
