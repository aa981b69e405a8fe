"""The page of a step trace: the mean as a picture with shares and the points that bound it, one step, and advice."""

from __future__ import annotations

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

TIMELINE = "timeline_display_1.json"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A run of MindSpore's first profiler with its timeline, and the step traces of two devices."""
    folder = tmp_path_factory.mktemp("step-trace")
    shutil.copytree(corpus_path("ascend/run_1"), folder / "profiler")
    shutil.copy(corpus_path(f"ascend/{TIMELINE}"), folder / "profiler")
    for source, name in ((folder / "profiler", "first"), (corpus_path("ascend/two_ranks"), "ranks")):
        build_store(list(find_run(source).files), folder / f"{name}.store")
    with serving([folder / "first.store", folder / "ranks.store"], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_the_mean_and_one_step(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id("first.store"), "tool=step_trace")
    pages.answered()
    picture = page.get_by_role("region", name="Mean of 321 steps: picture")
    bars = picture.get_by_role("listitem").all_inner_texts()
    assert bars[:3] == [
        "Interval: 203.8 µs, 0.099 %",
        "Forward and backward: 118.1 ms, 57.5 %",
        "Tail: 87.12 ms, 42.4 %",
    ]
    assert len(picture.locator(".step-picture-row").all()) == 13, "the step, its tail, and eleven streams"
    assert picture.locator(".step-picture-row").last.inner_text().splitlines() == [
        "stream_540",
        "stream_540_parallel_0: 49.28 ms, 24.0 %",
        "49.28 ms, 24.0 %",
    ]
    assert picture.locator(".step-picture-point").all_inner_texts() == [
        "Forward starts with Default/Cast-op6",
        "Backward ends with Default/TransData-op7",
    ]
    page.get_by_text("What steps are made of").first.wait_for()
    page.get_by_text("More than half of a step is forward and backward").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"step-trace-{theme}")
    pages.range("Steps")
    for end in ("Last step", "First step"):
        page.get_by_label(end).fill("4")
        page.get_by_label(end).press("Enter")
    page.wait_for_url("**in=steps.4")
    pages.answered()
    step = page.get_by_role("region", name="One step: picture")
    expect(step.get_by_role("listitem").first).to_contain_text("Interval: 206.8 µs")
    pages.viewer.screenshot(f"step-trace-one-{theme}")
    assert faults(pages.viewer) == []


def test_the_operator_with_which_forward_starts_is_named_on_the_page(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id("first.store"), "tool=step_trace")
    pages.answered()
    field = page.get_by_label("Forward starts with")
    field.fill("GatherV2-op55")
    field.press("Enter")
    page.wait_for_url("**forward_start*")
    pages.answered()
    expect(page.locator(".step-picture-point").first).to_have_text("Forward starts with GatherV2-op55 (as asked)")


def test_a_long_wait_leads_to_data_preparation(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id("ranks.store"), "tool=step_trace")
    pages.answered()
    page.get_by_text("Between steps the devices wait for data, more than 0.5 ms each").wait_for()
    page.locator(".notes, .answer").get_by_role("button", name="Input pipeline").or_(
        page.get_by_role("link", name="Input pipeline")
    ).first.click()
    pages.wait_for("input_pipeline")
