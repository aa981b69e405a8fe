"""The pages of memories and of the memory of programs: pickers, lifelines, and ways to the timeline."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.hlo_protos import hlo_plane, small_program, write_space
from tests.memory_trace import random_plane
from tilescope.tiler.indexing import build_store

STORE = "memory.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("memory")
    programs = hlo_plane({"jit_f(7)": small_program(), "jit_g(8)": small_program()})
    trace = write_space(folder / "memory.xplane.pb", random_plane(random.Random(7), 400), programs)
    build_store([trace], folder / STORE)
    with serving([folder / STORE], folder / "cache") as running:
        yield running


def legend_colours(page: Page) -> dict[str, str]:
    """The colour of each series, by its title."""
    page.locator(".legend-item").first.wait_for()
    return dict(
        page.locator(".legend-item").evaluate_all(
            "items => items.map(item => [item.innerText, "
            "(item.querySelector('rect, path').getAttribute('stroke') ?? '').toString()])"
        )
    )


def lifeline_pixels(page: Page) -> list[int]:
    """Colours of the curve's canvas just above its axis, at its points 0.25, 0.75 and so on up to 2.75."""
    return list(
        page.evaluate(
            """() => {
                const over = document.querySelector(".memory-curve .u-over");
                const canvas = document.querySelector(".memory-curve canvas");
                const { left, top } = canvas.getBoundingClientRect();
                const box = over.getBoundingClientRect();
                const context = canvas.getContext("2d");
                const y = (box.bottom - top - 8) * devicePixelRatio;
                return [1, 3, 5, 7, 9, 11].flatMap((k) => {
                    const x = (box.left - left + (k * box.width) / 12) * devicePixelRatio;
                    return [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data];
                });
            }"""
        )
    )


@pytest.mark.parametrize("theme", THEMES)
def test_how_full_memories_are(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(STORE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_profile")
    pages.answered()
    pages.unfold_facts()
    assert all(word in pages.text() for word in ("Peak of the process", "In memory at the peak", "at its peak"))
    page.locator(".chart-plot .u-over").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-profile-{theme}")
    labels = page.locator(".fact-label").all_inner_texts()
    assert labels[-4:] == ["Allocations", "Allocated", "Frees", "Freed"]
    # Fragmentation is a line over the parts, on an axis at the right; parts look alike for every memory.
    colours = legend_colours(page)
    assert {"Heap", "Stack", "Fragmentation"} <= set(colours)
    expect(page.locator(".chart-card .u-axis")).to_have_count(3)
    page.get_by_role("combobox", name="Which memory").select_option("gpu_host_bfc")
    pages.answered()
    page.get_by_text("Memory gpu_host_bfc over time").wait_for()
    assert pages.address()["f.memory"] == "gpu_host_bfc"
    other = legend_colours(page)
    assert {name: other[name] for name in other if name in colours} == {n: colours[n] for n in other if n in colours}
    assert "Heap" in other
    # By keys: to the end of the curve, and from there into the timeline.
    page.locator(".chart-plot").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    pages.wait_for("timeline")
    pages.go(run, "tool=memory_profile&f.memory=gpu_host_bfc")
    pages.answered()
    assert page.get_by_role("combobox", name="Which memory").input_value() == "gpu_host_bfc"
    page.get_by_role("button", name="Show in the timeline").first.click()
    pages.wait_for("timeline")


def test_where_the_system_forces_its_colours_buffers_have_those(pages: ToolPages, site: Served) -> None:
    page = pages.page
    page.emulate_media(forced_colors="active", color_scheme="dark")
    pages.go(site.run_id(STORE), "tool=memory_viewer")
    pages.answered()
    page.locator(".memory-curve .u-over").wait_for()
    forced = lifeline_pixels(page)
    assert all(forced[k] == forced[k + 1] == forced[k + 2] for k in range(0, len(forced), 4)), "there is no hue"
    page.emulate_media(forced_colors="none")
    page.wait_for_function("() => document.querySelector('.memory-curve .u-over') !== null")
    pages.viewer.frames()
    assert lifeline_pixels(page) != forced


@pytest.mark.parametrize("theme", THEMES)
def test_what_memory_a_program_uses(pages: ToolPages, site: Served, theme: str) -> None:
    page, run = pages.page, site.run_id(STORE)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=memory_viewer")
    pages.answered()
    by_size, by_program = (page.get_by_role("group", name=name) for name in ("By size", "By program order"))
    curve = page.locator(".memory-curve .u-over")
    curve.wait_for()
    card = page.locator(".buffer-card")
    # Of three buffers of 4,096 bytes each, at first the one that is made first.
    assert "x" in card.locator("h3").inner_text()
    assert "16.25 times" in card.inner_text()  # 4,096 of 252 bytes
    assert "parameter" in card.inner_text()
    assert "756" in page.locator(".fact-card", has_text="Without padding").inner_text()
    # By keys, and by the pointer in either chart.
    by_program.focus()
    page.keyboard.press("ArrowRight")
    assert "y" in card.locator("h3").inner_text()
    assert "non-fusion elementwise" in card.inner_text()
    # Both charts point at y, and the one with the focus alone says so.
    announced = page.locator(".buffer-strip [role=status]").all_inner_texts()
    assert [text.split(",")[0].strip() for text in announced if text.strip()] == ["y"]
    middle = lifeline_pixels(page)
    page.keyboard.press("End")
    assert card.locator("h3").inner_text().strip() == "z"
    # Points 1 to 2, and 2 to 3: the span of z lies further to the right, in another colour.
    assert lifeline_pixels(page) != middle
    box = by_size.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 10)
    assert card.locator("h3").inner_text().strip() == "y"
    assert lifeline_pixels(page) == middle
    # From rows of the table, by pointer and by keys.
    page.locator(".data-table tbody tr", has_text="z").first.hover()
    assert card.locator("h3").inner_text().strip() == "z"
    page.locator(".data-table").focus()
    page.keyboard.press("Home")
    assert "x" in card.locator("h3").inner_text()
    by_size.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator(".data-table tr.is-current", has_text="z").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"memory-viewer-{theme}")
    page.get_by_role("combobox", name="Which program").select_option("jit_g(8)")
    pages.answered()
    assert pages.address()["f.program"] == "jit_g(8)"
    page.get_by_role("combobox", name="Memory space").select_option("3")
    pages.answered()
    page.get_by_text("uses no memory of space 3").wait_for()
    assert faults(pages.viewer) == []
