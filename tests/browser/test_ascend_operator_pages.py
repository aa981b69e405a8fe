"""Pages of operators and FLOPs of Ascend devices: types as a ring, one that opens its operators, scopes drawn."""

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


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table of kernels, and the FLOPs of one step by scope."""
    folder = tmp_path_factory.mktemp("operators")
    build_store([corpus_path("ascend/msprof_analyze/kernel_details.csv")], folder / "kernels.store")
    names = ("flops_summary_0.json", "flops_scope_0.json")
    build_store([corpus_path(f"ascend/profiler/{name}") for name in names], folder / "flops.store")
    with serving([folder / "kernels.store", folder / "flops.store"], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_types_are_a_ring_and_a_type_opens_its_operators(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id("kernels.store"), "tool=operators")
    pages.answered()
    types = page.get_by_role("grid", name="By type")
    assert types.get_by_role("row").nth(1).inner_text().split()[0] == "hcom_broadcast_"
    page.get_by_role("tab", name="By core").click()
    cores = page.get_by_role("grid", name="By core").inner_text()
    for figure in ("346.399", "33.092", "14.253"):  # ms of HCCL, AI_VECTOR_CORE and AI_CORE
        assert figure in cores
    page.get_by_role("tab", name="By type").click()
    page.locator(".share-ring").wait_for()  # the page begins with it
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"ascend-operators-{theme}")
    types.get_by_role("row").nth(1).get_by_role("button").first.click()
    pages.viewer.wait("location.hash.includes('f.type=hcom_broadcast_')")
    pages.answered()
    expect(page.get_by_role("tab", name="By operator")).to_have_attribute("aria-selected", "true")
    operators = page.get_by_role("grid", name="By operator")
    kinds = {row.split()[1] for row in operators.get_by_role("row").all_inner_texts()[1:]}
    assert kinds == {"hcom_broadcast_"}
    # Not in, and contains.
    pages.go(site.run_id("kernels.store"), "tool=operators&f.without=hcom_broadcast_&f.contains=hcom")
    pages.answered()
    assert "hcom_broadcast_" not in page.get_by_role("grid", name="By type").inner_text()


@pytest.mark.parametrize("theme", THEMES)
def test_scopes_are_a_picture_to_the_depth_that_is_chosen(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id("flops.store"), "tool=flops")
    pages.answered()
    facts = [card.splitlines() for card in page.locator(".fact-card").all_inner_texts()]
    assert {name: figure for name, figure, *_ in facts} == {
        "Files": "1",
        "FLOPs": "8.168GFLOP",
        "FLOP rate, FLOP/s": "9.869T",
        "Utilization": "3.77%",
    }
    page.get_by_text("of cubes with the padding to blocks of 16").wait_for()
    page.get_by_text("utilization depends on how the run is divided into steps").wait_for()
    page.get_by_role("tab", name="By scope").click()
    page.get_by_role("button", name="Picture", exact=True).click()
    page.locator(".tree-picture canvas").wait_for()
    assert page.get_by_text("35 rows").count() == 1
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"ascend-flops-{theme}")
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Depth").fill("2")
    page.get_by_role("button", name="Show", exact=True).click()
    pages.viewer.wait("location.hash.includes('f.depth=2')")
    pages.answered()
    page.get_by_text("3 rows").wait_for()
