"""The generic pages of gaps, overlap and flows, of a run of devices: every row leads to the timeline."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.device_trace import DeviceTrace

STORE = "devices.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("devices")
    DeviceTrace(folder, random.Random(4)).store.close()
    with serving([folder / STORE], folder / "cache") as running:
        run = running.run_id(STORE)
        build = running.get(f"/runs/{run}/manifest")["build"]
        running.get(f"/runs/{run}/builds/{build}/tools/stats")  # then a process that answers is there
        yield running


@pytest.fixture
def pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    with watched_page(browser, site.url) as page:
        yield ToolPages(Viewer(page, site.url))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_page_shows_its_answer_and_its_rows_lead_to_the_timeline(
    pages: ToolPages, site: Served, theme: str
) -> None:
    run = site.run_id(STORE)
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for tool, words in (
        ("gaps", ("Idle share", "Meanwhile on the host", "All gaps by length")),
        ("overlap", ("Comm. hidden", "What steps are made of", "Computation hides")),
        ("flows", ("Flows from track to track", "Mean delay")),
    ):
        pages.go(run, f"tool={tool}")
        pages.answered()
        text = pages.text()
        assert all(word in text for word in words), text
        assert faults(pages.viewer) == []
        pages.viewer.screenshot(f"{tool}-{theme}")
        lead = pages.page.get_by_role("button", name="Show in the timeline").first
        lead.click()
        pages.wait_for("timeline")
        if tool == "gaps":
            start, end = pages.viewer.span()
            assert end - start < 20_000  # the longest gap and what stands around it, of 574 µs
    pages.go(run, "tool=flows&f.event=0.0")
    pages.answered()
    assert "of the chain, itself included" in pages.text()
    pages.viewer.screenshot(f"flows-chain-{theme}")
    assert faults(pages.viewer) == []
