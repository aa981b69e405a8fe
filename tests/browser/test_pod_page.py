"""The page of a pod: the map of its cores by pointer and keys, one step, stragglers, and ways to rows and timeline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from bench.pod_run import PodShape, write_pod
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

STORE, MADE, SAVED = "pod.store", "made.store", "saved.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("pod")
    build_store(sorted(corpus_path("pod").rglob("*.xplane.pb")), folder / STORE)
    made = write_pod(folder / "made", PodShape(hosts=4, chips=4, steps=4, late_host=None))
    build_store(made.files, folder / MADE)
    build_store([corpus_path("imports/pod_viewer.json")], folder / SAVED)
    with serving([folder / STORE, folder / MADE, folder / SAVED], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_a_pod_is_walked_core_by_core_and_step_by_step(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(STORE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=pod")
    pages.answered()
    cells, card = page.locator(".pod-core"), page.get_by_role("region", name="Core", exact=True)
    expect(cells).to_have_count(16)
    assert page.locator(".pod-host-name").all_inner_texts() == [f"tpu-pod-w-{host}" for host in range(4)]
    expect(page.locator(".pod-straggler")).to_have_count(5)
    legend = page.locator(".pod-legend")
    assert ("Darker" if theme == "light" else "Brighter") in legend.inner_text()
    assert "tpu-pod-w-2" in card.inner_text()  # what stands out comes first
    stragglers = page.get_by_role("region", name="Cores that keep others waiting")
    expect(stragglers.locator("tbody tr")).to_have_count(5)
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"pod-{theme}")
    # By keys, as the chips lie.
    cells.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    text = card.inner_text()
    assert "tpu-pod-w-1 · Chip 1" in text
    assert "X 1, Y 1" in text
    cells.nth(15).hover()
    assert "tpu-pod-w-3 · Chip 3" in card.inner_text()
    stragglers.get_by_role("button", name="tpu-pod-w-1 · Chip 2").click()
    assert "tpu-pod-w-1 · Chip 2" in card.inner_text()
    # Another breakdown, and one step of it: what host 2 waits for its input.
    page.get_by_role("combobox", name="Colour of the map").select_option("tpu_infeed")
    page.locator(".pod-legend", has_text="Infeed").wait_for()
    page.get_by_role("radio", name="One step").check()
    page.get_by_role("slider", name="Step").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Figures are of step 101.").wait_for()
    pages.answered()
    assert pages.address()["f.step"] == "101"
    assert (
        float(cells.nth(8).locator(".pod-figure").inner_text())
        > 20
        > float(cells.nth(0).locator(".pod-figure").inner_text())
    )
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"pod-step-{theme}")
    page.get_by_role("tab", name="All-reduces", exact=False).click()
    assert "tpu-pod-w-2" in page.locator("tr[data-row='0']").inner_text()  # comes last to the first of them
    cells.nth(8).click()
    card.get_by_role("button", name="Its row").click()
    page.get_by_role("tab", name="Cores", exact=False, selected=True).wait_for()
    assert "tpu-pod-w-2 · Chip 0" in page.locator("tr.is-current").inner_text()
    cells.nth(8).focus()
    page.keyboard.press("Enter")
    pages.wait_for("timeline")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_channels_are_drawn_on_the_map(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(MADE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=pod&f.colour=tpu_recv")
    pages.answered()
    page.get_by_role("radio", name="32 channels").check()
    arrow, card = page.locator(".pod-arrow-line"), page.get_by_role("region", name="Channel", exact=True)
    first = arrow.get_attribute("d")
    rows = page.locator(".pod-channel")
    expect(rows).to_have_count(32)
    rows.nth(5).hover()
    hovered = arrow.get_attribute("d")
    assert hovered != first
    of_hovered = card.inner_text()
    page.keyboard.press("Tab")
    rows.nth(4).focus()
    page.keyboard.press("ArrowDown")  # as by pointer
    assert card.inner_text() == of_hovered
    page.keyboard.press("ArrowDown")
    assert card.inner_text() != of_hovered
    assert arrow.get_attribute("d") != hovered
    page.get_by_role("combobox", name="Channel").select_option("6")
    expect(rows).to_have_count(16)
    text = card.inner_text()
    assert "0.4292 MiB" in text
    assert "GiB/s" in text
    assert "Send delay" in text
    assert "recv-done.2" in text
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"pod-channels-{theme}")
    card.get_by_role("button", name="Op profile of recv-done.2").click()
    pages.wait_for("op_profile")
    pages.answered()
    page.locator("tr.is-current", has_text="recv-done.2").wait_for()
    page.go_back()
    pages.wait_for("pod")
    pages.answered()
    page.get_by_role("radio", name="32 channels").check()
    card.get_by_role("button", name="Show the slowest in the timeline").click()
    pages.wait_for("timeline")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_a_saved_pod_has_the_same_page(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(SAVED)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=pod&f.colour=tpu_send")
    pages.answered()
    expect(page.locator(".pod-core")).to_have_count(32)
    expect(page.get_by_role("button", name="Show in the timeline")).to_have_count(0)  # there is none
    page.get_by_role("radio", name="channels", exact=False).check()
    page.locator(".pod-arrow-line").wait_for()
    card = page.get_by_role("region", name="Channel", exact=True)
    expect(card.get_by_role("button", name="Show the slowest in the timeline")).to_have_count(0)  # there is none
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"pod-saved-{theme}")


def test_bars_of_cores_and_their_map_light_each_other(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=pod")
    pages.answered()
    chart = page.locator("[data-series=breakdown]")
    chart.locator("canvas").wait_for()
    assert chart.locator(".legend-item").all_inner_texts() == [
        "High-FLOPS compute",
        "Low-FLOPS compute",
        "Infeed",
        "Outfeed",
        "All-reduce compute",
        "All-reduce wait",
        "Send",
        "Receive",
        "Idle",
    ]
    card = page.get_by_role("region", name="Core", exact=True)
    plot = chart.locator(".chart-plot")
    plot.focus()
    page.keyboard.press("Home")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert "tpu-pod-w-2 · Chip 1" in card.inner_text()
    tooltip = chart.locator(".chart-tooltip").inner_text()
    assert "Infeed" in tooltip
    assert "tpu-pod-w-2 · Chip 1" in tooltip
    assert page.locator(".pod-core[aria-current=true]").get_attribute("data-row") == "9"
    before = plot.screenshot()
    page.locator(".pod-core").nth(2).hover()
    pages.viewer.frames()
    assert "tpu-pod-w-0 · Chip 2" in card.inner_text()
    assert plot.screenshot() != before
    assert faults(pages.viewer) == []
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    pages.wait_for("timeline")
