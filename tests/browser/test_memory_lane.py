"""Memory in use below the tracks: as the tool says it, pixel by pixel, and what happens around its peaks."""

from __future__ import annotations

import pytest

import tilescope
from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tilescope.tiler.tools.answer import values_of

TPU = "xplane/tpu_v6e_4core.xplane.pb"


@pytest.mark.parametrize("theme", THEMES)
def test_a_peak_leads_to_what_happens_around_it(viewer: Viewer, served: Served, theme: str) -> None:
    page = viewer.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(TPU))
    page.keyboard.press("x")
    lane = page.get_by_role("region", name="Memory in use")
    graph = lane.get_by_role("slider")
    graph.locator(".memory-top").wait_for()
    assert "Derived from allocations" in lane.inner_text()
    run = tilescope.connect(served.url).run(served.run_id(TPU))
    peak = run.ask("memory_profile").fact("peak").value
    (parts,) = run.ask("memory_profile", bins=900).series
    assert max(of for of in values_of(parts.ys[1]) if of is not None) == peak
    # By keys: to the fullest place.
    graph.focus()
    page.keyboard.press("ArrowUp")
    at_peak = str(graph.get_attribute("aria-valuetext"))
    top = graph.locator(".memory-top").inner_text()
    assert top in at_peak
    assert float(top.split()[0]) == pytest.approx(int(str(peak)) / 10**9, rel=0.001)
    page.keyboard.press("ArrowRight")
    assert graph.get_attribute("aria-valuetext") != at_peak
    # By pointer: what is said is the same, and a click selects the time around.
    box = graph.bounding_box()
    assert box is not None
    x = float(str(graph.get_attribute("aria-valuenow")))
    page.mouse.move(box["x"] + x, box["y"] + 20)
    graph.locator(".memory-tip").wait_for()
    assert faults(viewer) == []
    viewer.screenshot(f"memory-lane-{theme}")
    page.mouse.click(box["x"] + x, box["y"] + 20)
    viewer.wait("tilescope.selection?.kind === 'area'")
    page.locator(".drawer").wait_for()
    lane.get_by_role("button", name="Hide memory in use").click()
    lane.wait_for(state="detached")
    pages = ToolPages(viewer)
    pages.go(served.run_id(TPU), "tool=memory_profile")
    pages.answered()
    page.get_by_role("button", name="Draw it below the tracks").click()
    pages.wait_for("timeline")
    lane.wait_for()
