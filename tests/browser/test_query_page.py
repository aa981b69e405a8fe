"""The page *Query* in the browser that `tilescope view` has opened: keys, completion, a chart, and ways to slices."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.browser.conftest import watched_page
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.demo import DEMO_TRACE
from tilescope.client import connect

pytest.importorskip("duckdb")

STATEMENT_MS = 30_000  # a process is started, and the machine may be busy
SIZES: tuple[ViewportSize, ...] = ({"width": 1440, "height": 900}, {"width": 1100, "height": 700})


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address that `tilescope view` prints."""
    cache = tmp_path_factory.mktemp("query") / "cache"
    command = [sys.executable, "-m", "tilescope", "view", "--no-browser", "--port", "0"]
    command += ["--cache-dir", str(cache), str(DEMO_TRACE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            match = re.search(r"http://\S+", server.stdout.readline())
            assert match is not None, "the server did not say where it serves"
            yield match[0]
        finally:
            server.terminate()


@pytest.fixture
def page(browser: Browser, printed: str) -> Iterator[Page]:
    with watched_page(browser, printed) as page:
        yield page


def opened(page: Page, address: str) -> Viewer:
    """The page *Query*, in the run that is open."""
    page.goto(address)
    viewer = Viewer(page, address)
    viewer.wait("window.tilescope?.state === 'open'", 60)
    page.evaluate("location.hash = '#v=1&tool=query'")
    page.get_by_role("textbox", name="SQL").wait_for()
    return viewer


def rows(page: Page) -> Locator:
    return page.locator(".answer-slot:not([inert]) table tbody tr")


def pictured(viewer: Viewer, name: str, theme: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    for size in SIZES:
        viewer.page.set_viewport_size(size)
        viewer.page.screenshot(path=str(ARTEFACTS / f"{name}-{theme}-{size['width']}.png"))


@pytest.mark.parametrize("theme", THEMES)
def test_a_statement_is_written_and_run_by_keys(page: Page, printed: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer = opened(page, printed)
    field = page.get_by_role("textbox", name="SQL")
    field.focus()
    page.keyboard.type("select name, count(*) as calls, sum(dur")
    page.keyboard.press("Escape")
    page.keyboard.type("ation) as duration from sli")
    offers = page.get_by_role("listbox", name="Completions")
    expect(offers.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(offers).to_have_count(0)
    page.keyboard.type(" group by name order by dura")
    expect(offers.get_by_role("option", selected=True)).to_contain_text("duration")
    assert faults(viewer) == []
    pictured(viewer, "query-words", theme)
    page.keyboard.press("Enter")
    page.keyboard.type(" desc, name limit 12")
    selected = "select name, count(*) as calls, sum(duration) as duration from slices"
    statement = f"{selected} group by name order by duration desc, name limit 12"
    expect(field).to_have_value(statement)
    page.keyboard.press("Control+Enter")
    expect(rows(page)).to_have_count(12, timeout=STATEMENT_MS)
    with connect(printed.partition("?")[0]) as client:
        stats = sorted((-row["busy"], row["name"]) for row in client.run().stats(limit=1000))
    assert rows(page).first.locator("td").first.inner_text().strip() == stats[0][1]
    assert "f.sql=select" in page.url
    page.get_by_label("Chart: heights").select_option("duration")
    page.locator(".chart canvas, .answer canvas").first.wait_for()
    assert "f.y=duration" in page.url
    assert faults(viewer) == []
    pictured(viewer, "query-rows", theme)
    page.reload()  # the address has the statement and the chart
    expect(rows(page)).to_have_count(12, timeout=STATEMENT_MS)
    expect(page.get_by_label("Chart: heights")).to_have_value("duration")


def test_rows_lead_to_their_slices_and_back(page: Page, printed: str) -> None:
    viewer = opened(page, printed)
    page.get_by_label("Recipes").select_option("Longest slices")
    expect(rows(page).first).to_be_visible(timeout=STATEMENT_MS)
    rows(page).first.dblclick()
    viewer.wait("tilescope.page === null || tilescope.page === 'timeline'")
    with connect(printed.partition("?")[0]) as client:
        longest = max(client.run().events(), key=lambda event: event["duration"])
    expect(page.get_by_role("status").filter(has_text=f"{longest['name']}, ")).to_have_count(1)
    page.go_back()
    expect(rows(page).first).to_be_visible(timeout=STATEMENT_MS)


def test_what_cannot_be_run_is_said(browser: Browser, printed: str, tmp_path: Path) -> None:
    page = browser.new_page()
    viewer = opened(page, printed)
    page.get_by_role("textbox", name="SQL").fill("drop table slices")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("only statements that select are run", timeout=STATEMENT_MS)
    assert faults(viewer) == []
    pictured(viewer, "query-refused", "light")
    page.get_by_role("textbox", name="SQL").fill("select * from slices where false")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name="No rows")).to_be_visible(timeout=STATEMENT_MS)
    page.close()


def test_others_are_told_who_may(browser: Browser, printed: str) -> None:
    page = browser.new_page()
    viewer = Viewer(page, printed)
    run = re.search(r"run=([^&]+)", printed)
    assert run is not None
    page.goto(f"{printed.partition('?')[0]}?run={run[1]}#v=1&tool=query")
    expect(page.get_by_role("heading", name="No SQL is run here")).to_be_visible()
    expect(page.locator(".state-card")).to_contain_text("the browser that was opened by tilescope view")
    assert faults(viewer) == []
    page.close()
