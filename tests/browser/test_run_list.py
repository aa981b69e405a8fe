"""The list of all runs, and the quick choice above: many, few, failed, growing; by mouse, by keys alone, and live."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from tests.browser.conftest import serving, watched_page
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import DEMO, DEVICES, TRAINING


def made_up(number: int, **facts: Any) -> dict[str, Any]:
    """A run of one of three log directories."""
    name = f"2026_01_{number % 28 + 1:02}_{number:04}"
    return {
        "id": f"run-{number}",
        "name": name,
        "path": f"logs/experiment-{number % 3}/plugins/profile/{name}",
        "state": "ready",
        "error": None,
        "hosts": [f"host{k}" for k in range(number % 16 + 1)],
        "files": number % 16 + 1,
        "size_bytes": str(1_000_003 * (number + 1)),
        "modified_ns": str((1_769_853_600 - 3600 * number) * 10**9),
        "build": "b",
        "progress": None,
        "notes": [],
        "events": str(12_347 * (number + 1)),
        "duration_ps": str(97_531_000_000 * (number + 1)),
        "growing": False,
        "contents": [],
        "steps": None,
    } | facts


PROGRESS = {"phase": "read", "fraction": 0.41, "events": "1234567", "bytes_read": "1", "bytes_total": "2", "tracks": 3,
            "blocks_done": 0, "blocks": 0, "seconds_left": None, "revision": 2}  # fmt: skip
UNKNOWN = {"build": None, "events": None, "duration_ps": None}
OLDER = "its index is one of another version of Tilescope: it is indexed again when it is opened"


def many() -> list[dict[str, Any]]:
    runs = [made_up(number) for number in range(2000)]
    runs[1] = made_up(1, state="failed", error="damaged.xplane.pb: byte 1,234: a field of an unknown kind", **UNKNOWN)
    runs[2] = made_up(2, **UNKNOWN | {"state": "indexing", "progress": PROGRESS, "build": "b"})
    runs[3] = made_up(3, **UNKNOWN | {"state": "queued"})
    runs[4] = made_up(4, **UNKNOWN | {"state": "new", "notes": [OLDER]})
    runs[5] = made_up(5, **UNKNOWN | {"state": "queued", "growing": True})
    return runs


def told(viewer: Viewer, runs: list[dict[str, Any]]) -> None:
    """The server says that it has these."""

    def fulfil(route: Route) -> None:
        route.fulfill(body=json.dumps({"runs": runs}), content_type="application/json")

    viewer.page.route("**/api/v1/runs", fulfil)
    viewer.page.route("**/api/v1/runs/run-*/**", lambda _route: None)  # there is no more of them than that


@pytest.mark.parametrize("theme", THEMES)
def test_thousands_of_runs(viewer: Viewer, theme: str) -> None:
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    runs = many()
    told(viewer, runs)
    page.goto(viewer.url)
    table = page.get_by_role("table", name="Runs")
    table.wait_for()
    counted = page.get_by_role("status").first.inner_text()
    assert counted == "2,000 runs, 2 being indexed, 1 being written, 1 failed"
    assert faults(viewer) == []
    page.screenshot(path=str(ARTEFACTS / f"runs_many_{theme}.png"))
    assert table.get_attribute("aria-rowcount") == str(2000 + 3 + 1)
    assert 10 < page.locator(".runs-table tr").count() < 80
    folders = page.locator(".runs-folder strong").all_inner_texts()
    assert folders[0] == "logs/experiment-0"
    assert "plugins" not in table.inner_text()
    # To the end, by the keyboard alone, and back.
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.dataset.line === undefined"):
        page.keyboard.press("Tab")
    page.keyboard.press("End")
    viewer.wait("document.activeElement.dataset.line === '2002'")
    assert page.locator(".runs-table tr").count() < 80
    page.keyboard.press("PageUp")
    viewer.wait("Number(document.activeElement.dataset.line) < 1995")
    page.keyboard.press("Home")
    viewer.wait("document.activeElement.dataset.line === '1'")
    page.keyboard.press("ArrowDown")
    viewer.wait("document.activeElement.dataset.line === '2'")
    # Most events first; what is not known stands last.
    page.get_by_role("button", name="Events").click()
    viewer.wait("document.querySelector('[data-line]').textContent.endsWith('_1999')")
    assert page.get_by_role("columnheader", name="Events").get_attribute("aria-sort") == "descending"
    box = page.get_by_role("searchbox", name="Filter runs")
    box.fill("failed experiment-1")
    assert page.get_by_role("status").first.inner_text().startswith("1 of 2,000 runs")
    assert "damaged.xplane.pb: byte 1,234" in table.inner_text()
    page.screenshot(path=str(ARTEFACTS / f"runs_failed_{theme}.png"))
    box.fill("nothing like it")
    assert "No run has all of these words" in page.inner_text("main")
    assert faults(viewer) == []
    page.keyboard.press("Escape")
    box.fill("_0007")
    page.keyboard.press("Enter")
    viewer.wait("tilescope.run === 'run-7'")


def test_the_list_changes_under_ones_eyes(viewer: Viewer) -> None:
    runs = [made_up(0), made_up(1, **UNKNOWN | {"state": "indexing", "progress": PROGRESS, "build": "b"})]
    told(viewer, runs)
    viewer.page.goto(viewer.url)
    tags = viewer.page.locator(".runs-state .tag")
    tags.first.wait_for()
    assert tags.all_inner_texts() == ["growing 41\u202f%"]
    viewer.page.screenshot(path=str(ARTEFACTS / "runs_growing.png"))
    runs[1] = made_up(1)
    tags.first.wait_for(state="detached")
    # Nothing is being indexed now; a run that is recorded meanwhile comes all the same.
    runs.insert(0, made_up(2))
    viewer.wait("document.querySelectorAll('[data-line]').length === 3")
    # Its job still writes it: this is said, and how large it is so far, in the list and where it is opened.
    runs[0] = made_up(2, **UNKNOWN | {"state": "queued", "growing": True})
    tags.first.wait_for()
    assert tags.all_inner_texts() == ["being written"]
    assert "3.0\u202fMB so far" in str(tags.first.get_attribute("title"))
    viewer.page.route_web_socket("**/watch", lambda _socket: None)
    viewer.page.get_by_role("link", name=runs[0]["name"]).click()
    card = viewer.page.get_by_role("status").filter(has_text="3.0\u202fMB so far")
    card.wait_for()
    assert faults(viewer) == []
    viewer.page.screenshot(path=str(ARTEFACTS / "runs_being_written.png"))
    runs[0] = made_up(2, **UNKNOWN | {"state": "queued", "growing": True, "size_bytes": "4500000"})
    viewer.page.get_by_role("status").filter(has_text="4.5\u202fMB so far").wait_for()


@pytest.mark.deep
def test_the_quick_choice(viewer: Viewer) -> None:
    told(viewer, many())
    page = viewer.page
    page.goto(viewer.url)
    page.get_by_role("table", name="Runs").wait_for()
    page.get_by_role("button", name="Run: ").click()
    page.get_by_role("menuitem", name="All 2,000 runs").wait_for()
    assert page.locator(".menu .menu-item").count() < 70
    assert faults(viewer) == []
    page.screenshot(path=str(ARTEFACTS / "runs_quick.png"))
    page.keyboard.type("_1234")
    viewer.wait("document.querySelectorAll('.menu [role=menuitemradio]').length === 1")
    page.keyboard.press("Backspace")
    viewer.wait("document.querySelectorAll('.menu [role=menuitemradio]').length > 1")
    page.keyboard.type("4")
    viewer.wait("document.querySelectorAll('.menu [role=menuitemradio]').length === 1")
    page.keyboard.press("Enter")
    viewer.wait("tilescope.run === 'run-1234'")


@pytest.mark.deep
def test_a_real_list(browser: Browser, trace_file: Callable[[str], Path], tmp_path: Path) -> None:
    """Of a run that is opened, the list then knows how long it is and how many events it has."""
    paths = [trace_file(name) for name in (DEMO, DEVICES, TRAINING)]
    with serving(paths, tmp_path / "cache") as served, watched_page(browser, served.url) as page:
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(DEMO))
        page.get_by_role("button", name="Tilescope").click()
        row = page.get_by_role("row").filter(has_text="jax-on-cpu")
        row.wait_for()
        viewer.wait("document.querySelector('.runs-run .runs-duration:not(:empty)') !== null")
        assert re.search(r"44.16\sms\s5.67\sk", row.inner_text().replace("\u202f", " "))
        page.screenshot(path=str(ARTEFACTS / "runs_few.png"))
        page.set_viewport_size({"width": 480, "height": 800})
        assert faults(viewer) == []
        page.screenshot(path=str(ARTEFACTS / "runs_narrow.png"))
        name = page.get_by_role("link", name="jax-on-cpu").evaluate("link => link.parentElement.clientWidth")
        assert name > 200
        assert page.evaluate("document.documentElement.scrollWidth") == 480
        page.get_by_role("link", name="jax-on-cpu").click()
        viewer.wait("tilescope.state === 'open'")
