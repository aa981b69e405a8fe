"""A page on paper: all of it, dark on white, and names as wide as on the screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.standins.written import TRAINING

# A page prints what its root is high; what a part of it scrolls over would be cut.
_CUT = """[...document.querySelectorAll("html, html *")]
    .filter(part => part.clientHeight > 100 && getComputedStyle(part).overflowY !== "visible")
    .filter(part => part.scrollHeight > part.clientHeight + 1).map(part => part.className)"""
_COLORS = """(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return [backgroundColor, color].map(text => text.match(/\\d+/g).slice(0, 3).map(Number));
})()"""


@pytest.mark.parametrize("theme", THEMES)
def test_a_page_is_printed_whole(viewer: Viewer, served: Served, theme: Any) -> None:
    pages = ToolPages(viewer)
    page = viewer.page
    page.emulate_media(color_scheme=theme)
    pages.go(served.run_id(TRAINING), "tool=stats")
    pages.answered()
    heads = page.locator("[data-table] thead th, .data-table thead th").filter(has_text="Name").first
    on_screen = heads.bounding_box()
    page.emulate_media(color_scheme=theme, media="print")
    assert page.evaluate(_CUT) == []
    ground, text = page.evaluate(_COLORS)
    assert min(ground) > 240
    assert max(text) < 80
    expect(page.locator("footer")).to_be_hidden()
    printed = heads.bounding_box()
    assert on_screen is not None
    assert printed is not None
    assert printed["width"] > on_screen["width"] * 0.8
