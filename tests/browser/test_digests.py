"""The overview of a run of MindSpore: a step, types of operators, stages of data and streams, each with its page."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.logdir import find_run

RUNS = {"run_1.store": "ascend/run_1", "run_2.store": "ascend/run_2"}


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("digests")
    for store, name in RUNS.items():
        shutil.copytree(corpus_path(name), folder / store.removesuffix(".store"))
    shutil.copy(corpus_path("ascend/timeline_display_1.json"), folder / "run_1")
    for store in RUNS:
        build_store(list(find_run(folder / store.removesuffix(".store")).files), folder / store)
    with serving([folder / store for store in RUNS], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_an_overview_leads_to_the_pages_of_its_digests(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id("run_1.store"), "tool=overview")
    pages.answered()
    step = page.get_by_role("region", name="Mean step of all devices: picture")
    assert "Forward and backward: 118.1 ms" in step.inner_text()
    assert page.get_by_role("grid", name="Types of operators").get_by_role("row").count() > 9
    assert re.search(r"6\D359\b", page.get_by_role("grid", name="Streams and their tasks").inner_text())
    assert faults(pages.viewer) == []
    step.scroll_into_view_if_needed()
    pages.viewer.screenshot(f"digests-{theme}")
    page.get_by_role("region", name="Types of operators").scroll_into_view_if_needed()
    pages.viewer.screenshot(f"digests-operators-{theme}")
    page.get_by_role("button", name="Step trace", exact=True).click()
    page.get_by_role("region", name="Mean of 321 steps: picture").wait_for()
    page.go_back()
    page.get_by_role("region", name="Types of operators").get_by_role("button", name="Operators", exact=True).click()
    page.get_by_role("grid", name="By type").wait_for()
    page.go_back()
    page.get_by_role("region", name="Streams and their tasks").get_by_role("button", name="Statistics").click()
    pages.answered()
    assert pages.address()["f.by"] == "track"
    assert re.fullmatch(r"\d[\d,-]*", pages.address()["f.tracks"])
    page.get_by_text("Stream ").first.wait_for()


def test_stages_of_data_stand_there_where_they_are_judged(pages: ToolPages, site: Served) -> None:
    pages.go(site.run_id("run_2.store"), "tool=overview")
    pages.answered()
    assert "warning" in pages.page.get_by_role("grid", name="Stages of data preparation").inner_text()
    pages.go(site.run_id("run_1.store"), "tool=overview")
    pages.answered()
    expect(pages.page.get_by_role("grid", name="Stages of data preparation")).to_have_count(0)
