"""The page of collectives: the matrix of links by pointer and keys, and ways to rows and timeline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from bench.ascend_run.__main__ import main as write_training
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.logdir import find_run

pytestmark = pytest.mark.usefixtures("small_window")

MADE, PLANES = "made.store", "planes.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("collectives")
    write_training([str(folder / "made")])
    build_store(list(find_run(folder / "made").files), folder / MADE)
    build_store([corpus_path("ascend/msprof_0_2_10.json")], folder / PLANES)
    with serving([folder / MADE, folder / PLANES], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_links_are_walked_by_keys(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(MADE), "tool=collectives")
    pages.answered()
    card = page.get_by_role("region", name="Link", exact=True)
    assert "2 → 3" in card.inner_text()  # the slow link comes first
    assert "69.3 %" in card.inner_text()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"collectives-{theme}")
    page.locator(".link-map").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    assert "1 → 0" in card.inner_text()
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Links", selected=True).wait_for()
    page.get_by_label("Transport", exact=True).select_option("RDMA")
    pages.viewer.wait("document.querySelector('.link-card').innerText.includes('RDMA')")
    assert pages.address()["f.transport"] == "RDMA"


def test_a_link_of_planes_leads_to_its_longest_task(pages: ToolPages, site: Served) -> None:
    pages.go(site.run_id(PLANES), "tool=collectives")
    pages.answered()
    pages.page.get_by_role("button", name="Longest task in the timeline").click()
    pages.viewer.wait("!location.hash.includes('tool=')")
    pages.viewer.wait("document.querySelector('.drawer')?.innerText.includes('Memcpy')")
