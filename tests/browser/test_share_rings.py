"""Rings of shares: what a column's values are of a whole, above the rows of any flat table."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import Served
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.browser.test_tree_pictures import boxes
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES


@pytest.fixture
def ring(viewer: Viewer, served: Served) -> Locator:
    return opened(viewer, served)


def opened(viewer: Viewer, served: Served) -> Locator:
    viewer.page.goto(f"{viewer.url}/?run={served.run_id(DEVICES)}#v=1&tool=stats")
    ring = viewer.page.locator(".share-ring").first
    ring.locator("canvas").wait_for()
    return ring


def lit(ring: Locator) -> list[str]:
    parts: list[str] = ring.locator(".share-ring-part[aria-current=true] .share-ring-name").all_inner_texts()
    return parts


def test_parts_are_the_rows_by_size_and_make_up_the_whole(ring: Locator) -> None:
    head, *lines = boxes(ring)
    assert head[:2] + head[3:] == ["name", "rows", "share"]
    sizes = [float(line[2]) for line in lines if line[1] == "1"]
    assert len(sizes) > 1
    assert sizes == sorted(sizes, reverse=True)
    assert sum(float(line[3]) for line in lines) == pytest.approx(100, abs=1e-7)
    assert ring.locator(".share-ring-name").all_inner_texts() == [line[0] for line in lines]


def test_keys_walk_the_parts_and_the_table_goes_with_them(ring: Locator) -> None:
    names = ring.locator(".share-ring-name").all_inner_texts()
    ring.locator(".share-ring-parts").focus()
    walked = []
    for _ in range(2):
        ring.page.keyboard.press("ArrowRight")
        walked += lit(ring)
    assert walked == names[:2]
    status = ring.get_by_role("status").last.inner_text()
    assert status.startswith(f"{names[1]}: ")
    focused = ring.page.locator(".table-scroll tr.is-current").first
    assert names[1] in focused.inner_text()
    ring.page.keyboard.press("End")
    assert lit(ring) == names[-1:]


def test_a_click_is_on_the_part_below_it(ring: Locator) -> None:
    area: Any = ring.locator("canvas").bounding_box()
    # The largest part begins at the top and goes clockwise.
    ring.page.mouse.click(area["x"] + area["width"] / 2 + 4, area["y"] + 0.1 * area["height"])
    assert lit(ring) == ring.locator(".share-ring-name").all_inner_texts()[:1]


def test_a_filter_leaves_the_others_to_what_is_not_shown(ring: Locator) -> None:
    name = ring.locator(".share-ring-name").first.inner_text()
    ring.page.locator(".table-filter").first.fill(name)
    ring.get_by_text("Not shown", exact=True).wait_for()
    _, *lines = boxes(ring)
    assert lines[0][0] == name
    assert sum(float(line[3]) for line in lines) == pytest.approx(100, abs=1e-7)


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_fault_with_a_ring(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    ring = opened(viewer, served)
    ring.locator(".share-ring-parts").focus()
    viewer.page.keyboard.press("ArrowRight")
    assert faults(viewer) == []
    viewer.page.screenshot(path=ARTEFACTS / f"share-ring-{theme}.png")
