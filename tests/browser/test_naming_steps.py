"""Steps of a trace that marks none are named: proposed once, taken by one click, and kept from page to page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store

PROGRAM = "jit_f(12190760917235803885)"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("naming")
    build_store([corpus_path("xplane/tpu_v6e_4core.xplane.pb")], folder / "run.store")
    with serving([folder / "run.store"], folder / "cache") as running:
        yield running


def test_the_proposed_name_travels_from_page_to_page(pages: ToolPages, site: Served) -> None:
    page = pages.page
    name = page.get_by_role("combobox", name="Steps are called")
    pages.go(site.run_id("run.store"), "tool=pod")
    pages.state("empty")  # there are no figures of cores without steps
    assert faults(pages.viewer) == []
    proposal = page.get_by_role("button", name=f"Take {PROGRAM} as the steps")
    proposal.click()
    page.locator(".pod-core").nth(3).wait_for()
    expect(name).to_have_value(PROGRAM)
    expect(proposal).to_have_count(0)
    pages.choose("input_pipeline")
    pages.answered()
    expect(name).to_have_value(PROGRAM)
    name.fill("")
    name.press("Enter")
    expect(proposal).to_have_count(1)
    pages.answered()
    notes = page.locator(".answer").inner_text()
    assert "no work on input was recorded" in notes
    assert notes.count(PROGRAM) == 1  # on the button
    pages.choose("overview")
    pages.answered()
    expect(page.get_by_text("The steps may be", exact=False)).to_have_count(0)
    assert faults(pages.viewer) == []
