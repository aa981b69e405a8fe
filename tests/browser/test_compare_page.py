"""The page of *Compare*: the other run is chosen by the keyboard, and its figures are those of *Statistics*."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.standins.training import write_training
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

OLD, NEW = "monday.store", "tuesday.store"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("compare")
    for name in (OLD, NEW):
        trace = folder / f"{name}.pt.trace.json"
        write_training(trace)
        if name == NEW:
            trace.write_text(trace.read_text().replace("volta_sgemm_128x64_nn", "volta_sgemm_128x64_tn"))
        build_store([trace], folder / name)
    with serving([folder / OLD, folder / NEW], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_the_other_run_is_chosen_by_keys(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(NEW), "tool=compare")
    pages.answered()
    pages.viewer.screenshot(f"compare-itself-{theme}")
    page.get_by_role("button", name="Options", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Against", exact=True).focus()
    page.keyboard.type("mon")
    pages.viewer.screenshot(f"compare-form-{theme}")
    page.get_by_label("Against, number 2").wait_for()
    assert faults(pages.viewer) == []
    page.get_by_role("button", name="Show", exact=True).focus()
    page.keyboard.press("Enter")
    pages.answered()
    assert pages.address()["f.against"].startswith(f"{site.run_id(OLD)}/")
    pages.viewer.screenshot(f"compare-{theme}")
    text = pages.text()
    assert "Per step, self time is 212.095 ms as before; the greatest change is in" in text
    assert "2 of 12 differ" in text
    assert "volta_sgemm_128x64_nn\tkernel\tdeleted\t-30.883" in text
    assert "volta_sgemm_128x64_tn\tkernel\tadded\t30.883" in text
    assert faults(pages.viewer) == []
    # The row leads into both timelines, and Back to the page.
    page.get_by_role("row", name="cudaLaunchKernel").get_by_title("Show in both timelines").click()
    pages.viewer.wait("tilescope.second?.state === 'open' && tilescope.second.sharp && tilescope.sharp", 60)
    assert page.evaluate("[tilescope.run, tilescope.second.run]") == [site.run_id(NEW), site.run_id(OLD)]
    assert pages.address()["q"] == '"cudaLaunchKernel" cat:"cuda_runtime"'
    pages.viewer.screenshot(f"compare-both-{theme}")
    assert faults(pages.viewer) == []
    page.go_back()
    pages.wait_for("compare")


def test_figures_are_those_of_statistics(pages: ToolPages, site: Served) -> None:
    old = next(run for run in site.get("/runs")["runs"] if run["id"] == site.run_id(OLD))
    against = f"{old['id']}/{old['build']}"
    run = site.run_id(NEW)
    pages.go(run, f"tool=compare&f.per=total&f.against={against}")
    pages.answered()
    compared = _figures(pages)
    pages.go(run, "tool=stats")
    pages.answered()
    shown = _figures(pages)
    assert shown == {name: row for name, row in compared.items() if row[1] != "0"}
    assert len(compared) == 17  # an instant among them, before the steps


def _figures(pages: ToolPages) -> dict[str, tuple[str, ...]]:
    """Self time, with its unit, and count of each name in the table."""
    heads = [text.split("\n") for text in pages.page.get_by_role("columnheader").all_inner_texts()]
    rows = [row.get_by_role("gridcell").all_inner_texts() for row in pages.page.get_by_role("row").all()[1:]]
    wanted = [[head[0] for head in heads].index(name) for name in ("Name", "Self", "Count")]
    assert heads[wanted[1]] == ["Self", "ms"]
    return {row[wanted[0]]: (row[wanted[1]], row[wanted[2]]) for row in rows if row[wanted[0]] not in ("", "Total")}
