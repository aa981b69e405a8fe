"""The preparation of data of a MindSpore run: its stages, and its pipeline, walked by keys, a queue with its curve."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from bench.ascend_run import AscendShape, Training, write_profiler
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    write_profiler(folder / "summary" / "profiler", Training(AscendShape(ranks=2, stages=1, steps=40)))
    with serving([folder / "summary" / "profiler"], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_a_queue_is_opened_by_keys_and_by_mouse(site: Served, pages: ToolPages, theme: str) -> None:
    viewer, page = pages.viewer, pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    (run,) = site.get("/runs")["runs"]
    pages.go(run["id"], "tool=input_pipeline")
    page.locator(".graph-node").first.wait_for()
    stages = page.get_by_role("list", name="Stages of data preparation").get_by_role("listitem")
    assert [text.splitlines()[0] for text in stages.all_inner_texts()] == [
        "Processing on the host",
        "Sending to the device",
        "Reading on the device",
    ]
    assert "in doubt" in page.locator(".data-stage.is-doubted").inner_text()
    card = page.get_by_role("complementary", name="Operation or queue")
    assert card.get_by_role("heading").inner_text() == "Map_2"
    assert "bottleneck" in card.inner_text()
    pipeline = page.get_by_role("region", name="Pipeline of data")
    page.locator(".graph-node.is-focus").focus()
    page.keyboard.press("ArrowDown")
    assert card.get_by_role("heading").inner_text() == "Queue behind Map_2"
    assert "Shuffle_1" in card.inner_text()
    assert "is-invalid" in (page.locator(".graph-node", has_text="Map_2").get_attribute("class") or "")
    pipeline.get_by_role("heading", name="Queue behind Map_2 over samples").wait_for()
    page.locator(".graph-node", has_text="81 % filled").click()
    pipeline.get_by_role("heading", name="Queue behind TFReader_4 over samples").wait_for()
    assert "Map_2" in card.inner_text()
    assert faults(viewer) == []
    viewer.screenshot(f"data-pipeline-{theme}")


def test_another_rank_is_chosen_and_processors_are_a_step_away(site: Served, pages: ToolPages) -> None:
    page = pages.page
    (run,) = site.get("/runs")["runs"]
    pages.go(run["id"], "tool=input_pipeline")
    page.get_by_label("Rank whose data preparation is shown").select_option("1")
    page.wait_for_url("**f.rank=1*")
    page.get_by_text("Queues and pipeline are of rank 1").wait_for()
    page.get_by_role("complementary", name="Operation or queue").get_by_role("button", name="CPU").click()
    page.wait_for_url("**tool=cpu*")
    page.get_by_text("of all processors are busy on average").wait_for()
