"""The rows of tables about a slice of an Ascend device, in the drawer, light and dark."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bench.ascend_run import AscendShape, Training, write_ascend
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The capture of a single rank."""
    shape = AscendShape(ranks=1, stages=1, steps=2)
    return write_ascend(tmp_path_factory.mktemp("training"), Training(shape), "pt")[0]


@pytest.fixture(scope="module")
def served(browser: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving([folder], tmp_path_factory.mktemp("cache")) as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_a_row_stands_under_the_name_of_its_file(browser: Browser, served: Served, folder: Path, theme: str) -> None:
    with (folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["Stream ID"] == "2")
    (run,) = served.get("/runs")["runs"]
    with watched_page(browser, served.url) as page:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        viewer = Viewer(page, served.url)
        viewer.open(run["id"])
        build = served.get(f"/runs/{run['id']}/manifest")["build"]
        tracks = served.get(f"/runs/{run['id']}/builds/{build}/tracks")["tracks"]
        stream = next(track["id"] for track in tracks if track["name"] == "Stream 2")
        page.goto(f"{served.url}/?run={run['id']}#v=1&sel={stream}.0")
        page.reload()
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.drawer()
        page.get_by_role("heading", name="kernel_details.csv").wait_for()
        shown = {name: value for name, value, _ in viewer.table("table-row")}
        assert shown == {name: cell.strip() for name, cell in row.items() if cell and cell != "N/A"}
        assert faults(viewer) == []
        viewer.screenshot(f"table-rows-{theme}")
