"""A run of shards with a missing host and one whose clock is shifted: shown, tried, in the link, in details."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.static_host import static_host
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.pods import threads, write_pod
from tilescope.cli import main
from tilescope.tiler.mount import keep_merge, save_shifts
from tilescope.tiler.shards.build import build_shards

pytestmark = pytest.mark.usefixtures("small_window")

RUN = "pod.run"
LATE_TICKS = 5_000_000
FACTS = ("Name", "Start", "Recorded", "Shift of clock", "End", "Wall clock")  # that take no server


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("shards")
    files = write_pod(folder / "pod", 3, events=400, tracks=4)
    files[2].write_bytes(b"no trace")
    shards = build_shards(files, folder / RUN, threads, progress=lambda _: None)
    keep_merge(folder / RUN, shards)
    save_shifts(folder / RUN, {"synthetic (2)": LATE_TICKS}, origin="measured")
    return folder / RUN


@pytest.fixture(scope="module")
def site(browser: Browser, run: Path) -> Iterator[Served]:
    with serving([run], run.parent / "cache") as running:
        yield running


def open_menu(viewer: Viewer, host: str) -> None:
    row = viewer.page.get_by_role("treeitem").filter(has_text=host).first
    row.hover()
    viewer.page.get_by_role("button", name=f"More for {host}", exact=True).click()


@pytest.mark.parametrize("theme", THEMES)
def test_a_shift_is_shown_tried_and_taken_back(site: Served, theme: str, browser: Browser) -> None:
    scheme = "dark" if theme == "dark" else "light"
    with watched_page(browser, site.url, color_scheme=scheme) as page:
        link = _try_and_take_back(Viewer(page, site.url), site, theme)
    with watched_page(browser, site.url) as other:  # draws what the link says
        other.goto(link)
        expect(other.locator("table[data-table=event]")).to_contain_text("tried here", timeout=60_000)


def _try_and_take_back(viewer: Viewer, site: Served, theme: str) -> str:
    """The link of the page while a shift is tried."""
    page = viewer.page
    page.goto(f"{site.url}/?run={site.run_id(RUN)}")
    viewer.wait("window.tilescope?.state === 'open' && tilescope.sharp", 60)
    viewer.screenshot(f"shifted-shards-{theme}")
    open_menu(viewer, "synthetic (2)")
    field = page.get_by_label("Shift of clock, measured")
    expect(field).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    assert faults(viewer) == []
    viewer.screenshot(f"shift-field-{theme}")
    field.fill("soon")
    field.press("Enter")
    expect(page.locator("#shift-refused")).to_contain_text("A number and a unit")
    field.fill("-20us")
    field.press("Enter")
    viewer.wait("new URLSearchParams(location.hash.slice(1)).get('shift')?.endsWith(':-20000000')")
    # The first event of the host, with both times.
    open_menu(viewer, "synthetic (2)")
    page.get_by_role("menuitem", name="Go to the first event").click()
    facts = page.locator("table[data-table=event]")
    expect(facts).to_contain_text("Recorded", timeout=60_000)
    expect(facts).to_contain_text("tried here")
    viewer.screenshot(f"shift-tried-{theme}")
    link = page.url
    open_menu(viewer, "synthetic (2)")
    page.get_by_role("button", name="Take the shift back").click()
    expect(facts).to_contain_text("measured")
    viewer.wait("!new URLSearchParams(location.hash.slice(1)).has('shift')")
    return link


@pytest.mark.parametrize("theme", THEMES)
def test_an_archive_is_drawn_with_the_shifts_of_its_run(
    site: Served, run: Path, theme: str, browser: Browser, tmp_path: Path
) -> None:
    assert main(["archive", str(run), "--site", str(tmp_path / "site")]) == 0
    scheme = "dark" if theme == "dark" else "light"
    shown = []
    with static_host(tmp_path / "site") as host:
        for url, address in ((site.url, f"?run={site.run_id(RUN)}"), (host.url, "")):
            with watched_page(browser, url, color_scheme=scheme) as page:
                viewer = Viewer(page, url)
                page.goto(f"{url}/{address}")
                viewer.wait("window.tilescope?.state === 'open' && tilescope.sharp", 60)
                if url == host.url:
                    viewer.screenshot(f"archive-shifted-{theme}")
                open_menu(viewer, "synthetic (2)")
                expect(page.get_by_label("Shift of clock, measured")).to_be_visible()
                page.get_by_role("menuitem", name="Go to the first event").click()
                facts = page.locator("table[data-table=event]")
                expect(facts).to_contain_text("Recorded", timeout=60_000)
                expect(facts).to_contain_text("measured")
                event = viewer.drawer().event
                shown.append((viewer.span(), {fact: event[fact] for fact in FACTS}))
    assert shown[0] == shown[1]
