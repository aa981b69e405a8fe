"""The first line of Overview leads to what it names: the slice is selected, its drawer open, its row high up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tilescope.tiler.indexing import build_store

REAL = "kineto/h100_gpt_stack.pt.trace.json.gz"
ROW_PX = 18


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evidence")


@pytest.fixture(scope="module")
def site(browser: Browser, folder: Path) -> Iterator[Served]:
    """Ranks that wait for the input of the second of them: its row is in the upper third when it is scrolled to."""
    ranks = run(replace(PLANTED["input_of_a_rank"], world=8))
    build_store(write_ranks(ranks, folder), folder / "ranks.store")
    with serving([folder / "ranks.store"], folder / "cache") as running:
        yield running


@pytest.fixture(scope="module")
def real_site(browser: Browser, folder: Path) -> Iterator[Served]:
    with serving([corpus_path(REAL)], folder / "cache") as running:
        yield running


def follow(browser: Browser, site: Served, theme: str) -> None:
    """Goes from the first line of Overview into the timeline, and looks whether it arrives."""
    with watched_page(browser, site.url, color_scheme=theme) as page:
        pages = ToolPages(Viewer(page, site.url))
        pages.go(site.get("/runs")["runs"][0]["id"], "tool=overview")
        pages.answered()
        line = page.get_by_role("list", name="The answer").get_by_role("listitem")
        words = line.locator(".note-text").inner_text().removesuffix(".")
        line.get_by_role("button", name="Show in the timeline").click()
        pages.wait_for("timeline")
        drawer = pages.viewer.drawer()
        pages.viewer.rest()
        pages.viewer.screenshot(f"evidence-{theme}")
        name = drawer.event["Name"]
        assert words.split(" · ")[-1].split(";")[0] == name
        # It is in the view, but perhaps for an end of it, and the row is in the upper third.
        start, end = drawer.ticks["Start"], drawer.ticks["Start"] + drawer.ticks["Duration"]
        first, last = pages.viewer.span()
        assert max(first, start) < min(last, end)
        box = pages.viewer.timeline_box()
        depth = int(drawer.event["Depth"])
        selection = pages.viewer.look()["selection"]
        item = page.locator(f"[role=treeitem][data-key=t{selection['track']}]").bounding_box()
        assert item is not None
        middle = item["y"] + (depth + 0.5) * ROW_PX - box["y"]
        assert 0 < middle < box["height"] / 3, (name, middle, box["height"])
        assert pages.address()["sel"] == f"{selection['track']}.{selection['ordinal']}"
        page.go_back()
        pages.wait_for("overview")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.deep)])
def test_of_a_planted_cause(browser: Browser, site: Served, theme: str) -> None:
    follow(browser, site, theme)


def test_of_a_real_trace(browser: Browser, real_site: Served) -> None:
    follow(browser, real_site, "light")
