"""A page of its own, added by one folder and one line in the registry, as docs/recipes.md tells."""

from __future__ import annotations

import mimetypes
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Playwright, Route, expect

from tests.browser.chromium import FLAGS, find_test_chromium
from tests.browser.conftest import ROOT, Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.standins.written import DEVICES

VIEWER = ROOT / "viewer"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The viewer with the toy page."""
    npx = shutil.which("npx")
    if npx is None or not (VIEWER / "node_modules").exists():
        pytest.skip("no Node, or the viewer's packages are not installed: make viewer")
    folder = tmp_path_factory.mktemp("toy-viewer")
    command = [npx, "vite", "build", "-c", "dev/toy/vite.config.ts", "--outDir", str(folder)]
    subprocess.run(command, cwd=VIEWER, check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture
def pages(playwright: Playwright, browser: Browser, served: Served, built: Path) -> Iterator[ToolPages]:
    """The server's API, with the viewer that has the toy page."""

    def fulfil(route: Route) -> None:
        path = urlsplit(route.request.url).path.lstrip("/") or "index.html"
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        route.fulfill(body=(built / path).read_bytes(), content_type=kind)

    # A page that comes from no server must be allowed to talk to one.
    flags = [*FLAGS, "--disable-features=LocalNetworkAccessChecks"]
    own = playwright.chromium.launch(executable_path=find_test_chromium(), headless=True, args=flags)
    with watched_page(own, served.url) as page:
        page.route(lambda url: not urlsplit(url).path.startswith(("/api/", "/healthz")), fulfil)
        yield ToolPages(Viewer(page, served.url))
    own.close()


def test_a_page_of_its_own(pages: ToolPages, served: Served) -> None:
    pages.viewer.open(served.run_id(DEVICES))
    pages.mark()
    pages.choose("busiest")
    names = pages.page.locator("[data-toy=names] li")
    names.first.wait_for()
    expect(names).to_have_count(3)
    assert "of the whole run" in pages.page.locator("[data-toy=answer]").inner_text()
    assert faults(pages.viewer) == []
    pages.page.keyboard.press("m")
    pages.viewer.wait("location.hash.includes('f.count=6')")
    pages.viewer.wait("document.querySelectorAll('[data-toy=names] li').length === 6")
    pages.page.keyboard.press("?")
    assert "Twice as many names" in pages.page.get_by_role("dialog").inner_text()
    pages.page.keyboard.press("Escape")
    pages.page.go_back()
    pages.viewer.wait("document.querySelectorAll('[data-toy=names] li').length === 3")
    pages.page.get_by_role("button", name="Show the first track").click()
    pages.wait_for("timeline")
    pages.viewer.settle()
    pages.page.go_back()
    pages.wait_for("busiest")
    names.first.wait_for()
    assert pages.is_same()


@pytest.mark.deep
def test_its_address(pages: ToolPages, served: Served) -> None:
    pages.go(served.run_id(DEVICES), "tool=busiest&f.count=5")
    pages.page.locator("[data-toy=names] li").first.wait_for()
    expect(pages.page.locator("[data-toy=names] li")).to_have_count(5)
