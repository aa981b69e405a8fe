"""Pages about where the time of devices goes, with real traces: what one sees, keys, both ways into the timeline."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path

RUNS = {
    "pod": "pod",
    "tpu": "xplane/tpu_v6e_4core.xplane.pb",
    "gpu": "xplane/gpu_v100x8_bert.xplane.pb",
    "cpu": "xplane/jax_cpu_10steps.xplane.pb",
}
# Those of these that the server has: each is looked at with each run.
TOOLS = ("overview", "input_pipeline", "op_profile", "hlo_stats", "framework_ops", "kernels", "roofline")
LOOKS = (("light", 1280, 720), ("dark", 1600, 900))

# What no figure may be.
NO_FIGURE = re.compile(r"\b(nan|infinity|undefined|null)\b", re.IGNORECASE)

# Parts of the page that reach over its sides, or texts that lie on one another.
WIDER = "document.querySelector('.page-body').scrollWidth > document.querySelector('.page-body').clientWidth + 1"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """All four runs, indexed once."""
    paths = [corpus_path(name) for name in RUNS.values()]
    with serving(paths, tmp_path_factory.mktemp("time") / "cache") as running:
        yield running


@pytest.fixture(scope="module")
def ids(site: Served) -> dict[str, str]:
    """The runs by the names of this module."""
    runs = site.get("/runs")["runs"]
    files = {name: path.split("/")[-1] for name, path in RUNS.items() if name != "pod"}
    found = {name: next(run["id"] for run in runs if run["path"].endswith(file)) for name, file in files.items()}
    return {**found, "pod": next(run["id"] for run in runs if run["id"] not in found.values())}


def tools_of(site: Served, run: str) -> dict[str, bool]:
    """The tools of this module that the server has, and whether each has an answer for a run."""
    build = site.get(f"/runs/{run}/manifest")["build"]
    known = {tool["id"]: tool["available"] for tool in site.get(f"/runs/{run}/builds/{build}/tools")["tools"]}
    return {tool: known[tool] for tool in TOOLS if tool in known}


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "tpu" else pytest.mark.deep) for name in RUNS])
def test_each_page_is_seen(pages: ToolPages, site: Served, ids: dict[str, str], name: str) -> None:
    page = pages.page
    pages.viewer.open(ids[name])
    for tool, is_available in tools_of(site, ids[name]).items():
        pages.go(ids[name], f"tool={tool}")
        if not is_available:
            assert len(pages.state("unavailable")) > 60  # why, and what to record
            continue
        if pages.is_empty():
            assert len(pages.state("empty")) > 100  # what to record
            continue
        for theme, width, height in LOOKS:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            if page.locator(".chart-plot").count() > 0:
                page.locator(".chart-plot canvas").first.wait_for()
            pages.viewer.frames(3)
            pages.viewer.screenshot(f"time-{tool}-{name}-{theme}")
            assert not page.evaluate(WIDER), tool
            assert faults(pages.viewer) == [], (tool, theme)
        said = pages.text()
        assert NO_FIGURE.search(said) is None, (tool, NO_FIGURE.search(said))
        # All of it is reached by keys: from the range switch to the table, and from there into the timeline.
        grids = page.locator("table[role=grid], table[role=treegrid]")
        if grids.count() == 0:
            continue
        page.locator(".range-switch input:checked").first.focus()
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('[role=grid], [role=treegrid]')"):
                break
        expect(page.locator("[role=grid]:focus, [role=treegrid]:focus")).to_have_count(1)


def test_the_op_profile_by_keys_and_both_ways(pages: ToolPages, ids: dict[str, str]) -> None:
    pages.viewer.open(ids["pod"])
    pages.choose("op_profile")
    pages.answered()
    page = pages.page
    assert (
        "all-reduce.1 takes more time than any other, 19.3 %"
        in page.get_by_role("list", name="The answer").inner_text()
    )
    tree = page.get_by_role("treegrid")
    tree.focus()
    page.keyboard.press("ArrowRight")  # its categories are closed at first
    page.keyboard.press("ArrowDown")
    card = page.locator(".row-card")
    expect(card.locator("h3")).to_have_text("all-reduce.1")
    expect(card).to_contain_text("replica_groups")  # of the expression, to its end
    # Into the timeline, where its events are lit, and back.
    page.keyboard.press("Enter")
    pages.wait_for("timeline")
    pages.viewer.wait("document.querySelector('.topbar').innerText.includes('96')")
    assert pages.address()["q"] == '"all-reduce.1"'
    page.go_back()
    pages.wait_for("op_profile")
    # The choices are fields of the address.
    page.get_by_role("radio", name="Program").check()
    pages.viewer.wait("location.hash.includes('f.by=program')")
    page.get_by_role("radio", name="Category").check()
    page.get_by_label("Idle time").uncheck()
    page.get_by_label("Rows to list").select_option("cover=90")
    page.get_by_label("Hosts and devices").select_option(label="tpu-pod-w-1")
    pages.viewer.wait("location.hash.includes('f.tracks=')")
    pages.answered()
    expect(page.locator(".fact-card", has_text=re.compile("^(Cores|Devices)")).locator(".fact-value")).to_have_text("4")
    expect(tree).not_to_contain_text("idle")
    expect(tree).to_contain_text(" more")
    # What is selected in the timeline is what the page tells of.
    page.get_by_role("button", name="Timeline", exact=True).click()
    pages.wait_for("timeline")
    pages.viewer.settle()
    select_an_area(pages)
    pages.choose("op_profile")
    pages.range("Selection")
    pages.answered()
    assert "selected in the timeline" in page.locator(".page-of").inner_text()
    assert pages.address()["in"] == "selection"


def select_an_area(pages: ToolPages) -> None:
    box, mouse = pages.viewer.timeline_box(), pages.page.mouse
    mouse.move(box["x"] + 300, box["y"] + 40)
    mouse.down()
    mouse.move(box["x"] + 600, box["y"] + 160, steps=4)
    mouse.up()
    pages.viewer.wait("tilescope.selection.kind === 'area'")


@pytest.mark.deep
def test_every_tool_leads_into_the_timeline_and_answers_for_what_is_selected_there(
    pages: ToolPages, site: Served, ids: dict[str, str]
) -> None:
    page = pages.page
    pages.viewer.open(ids["pod"])
    select_an_area(pages)
    tools = [tool for tool, is_available in tools_of(site, ids["pod"]).items() if is_available]
    assert len(tools) >= 6
    for tool in tools:
        pages.choose(tool)
        pages.range("Selection")
        pages.answered()
        assert "selected in the timeline" in page.locator(".page-of").inner_text(), tool
        pages.range("Whole run")
        pages.answered()
        ways = page.locator("td .go")
        for tab in page.get_by_role("tab").all():  # not every table of a page has places in the timeline
            if ways.count() == 0:
                tab.click()
                pages.viewer.frames(3)
        ways.first.click()
        pages.wait_for("timeline")
        page.go_back()
        pages.wait_for(tool)


@pytest.mark.deep
def test_advice_leads_to_the_tool_that_it_names(pages: ToolPages, ids: dict[str, str]) -> None:
    pages.viewer.open(ids["pod"])
    pages.choose("overview")
    pages.answered()
    link = pages.page.locator(".note-text").get_by_role("button", name="Input pipeline").first
    pages.viewer.screenshot("advice")
    link.click()
    pages.wait_for("input_pipeline")
    pages.answered()
