"""No fault that axe-core finds on pages that say what costs the time, in both themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.pod_run import PodShape, write_pod
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks


def has_findings(page: Page) -> None:
    expect(page.get_by_role("list", name="The answer")).to_contain_text("is longer by")
    expect(page.locator(".dashboard-table").filter(has_text="What costs the time")).to_be_visible()


def has_reasons(page: Page) -> None:
    expect(page.get_by_role("list", name="The answer")).to_contain_text("is longer by")
    expect(page.get_by_role("tab", selected=True)).to_contain_text("Idle time by reason")


def has_icicle(page: Page) -> None:
    page.locator(".tree-picture canvas, .tree-picture svg").first.wait_for()


def has_another_colour(page: Page) -> None:
    """By its switch: how long steps are."""
    page.get_by_label("Colour of the map").select_option("duration")
    page.wait_for_url("**f.colour=duration**")
    expect(page.locator(".pod-legend")).to_contain_text("Step time")


# Each page by its address, and what is there when it has been drawn.
PAGES: dict[str, tuple[str, str, Callable[[Page], None]]] = {
    "overview": ("ranks", "tool=overview", has_findings),
    "gaps": ("ranks", "tool=gaps", has_reasons),
    "call tree": ("ranks", "tool=call_tree", has_icicle),
    "pod": ("pod", "tool=pod", has_another_colour),
}


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A program that draws charts in a step, and a pod with a host that is late."""
    folder = tmp_path_factory.mktemp("findings")
    pod = folder / "pod"
    write_pod(pod, PodShape(steps=5, first_step=40, late_host=1))
    with serving([*write_ranks(run(PLANTED["drawn_charts"]), folder), pod], folder / "cache") as running:
        yield running


def run_of(site: Served, kind: str) -> str:
    runs = site.get("/runs")["runs"]
    return str(next(entry["id"] for entry in runs if Path(entry["path"]).name.endswith(".json") == (kind == "ranks")))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page(browser: Browser, site: Served, name: str, theme: str) -> None:
    kind, fragment, is_drawn = PAGES[name]
    with watched_page(browser, site.url, color_scheme="dark" if theme == "dark" else "light") as page:
        pages = ToolPages(Viewer(page, site.url))
        pages.go(run_of(site, kind), fragment)
        pages.answered()
        is_drawn(page)
        pages.viewer.frames(3)
        pages.viewer.screenshot(f"findings-{name.replace(' ', '-')}-{theme}")
        assert faults(pages.viewer) == []
