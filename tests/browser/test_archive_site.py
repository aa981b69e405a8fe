"""The viewer on a host of files, without any server of ours: nginx, Caddy, and one with the faults of hosts."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response

from tests.absence import find_program
from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.static_host import StaticHost, static_host
from tests.server.nginx import free_port, needs_nginx, static_nginx
from tests.standins.written import DEMO, DEVICES
from tilescope.cli import main
from tilescope.tiler.indexing import build_store

ARCHIVE = "run.tsarc"


@pytest.fixture(scope="module")
def store(trace_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "run.store"
    build_store([trace_file(DEVICES)], path)
    return path


@pytest.fixture(scope="module")
def built_site(built_viewer: None, store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    assert main(["archive", str(store), "--site", str(folder), "--answers", "overview,op_profile"]) == 0
    return folder


@pytest.fixture
def site(built_site: Path, tmp_path: Path) -> Path:
    """A copy of its own."""
    return shutil.copytree(built_site, tmp_path / "site")


@pytest.fixture
def host(site: Path) -> Iterator[StaticHost]:
    with static_host(site) as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


@contextmanager
def caddy(site: Path, folder: Path) -> Iterator[str]:
    """The URL of a Caddy with the configuration of a site."""
    program = find_program("caddy")
    if program is None:
        pytest.skip("caddy is not installed: apt-get install caddy")
    port = free_port()
    text = (site / "Caddyfile").read_text()
    file = folder / "Caddyfile"
    file.write_text(f"{{\n    admin off\n    auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n{text}}}\n")
    server = subprocess.Popen([program, "run", "--adapter", "caddyfile", "--config", str(file)], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None
                assert time.monotonic() < deadline, "Caddy did not start"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(timeout=20)
        if server.stderr is not None:
            server.stderr.close()


def open_site(page: Page, url: str, address: str = "") -> Viewer:
    viewer = Viewer(page, url)
    page.goto(f"{url.rstrip('/')}/{address}")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    return viewer


def text_soon(page: Page, selector: str, words: str) -> None:
    page.locator(selector, has_text=words).first.wait_for(timeout=15_000)


def check_walk(page: Page, url: str) -> str:
    """Walk of a person without a server; returns the link to what is shown in the end."""
    ranges: list[Response] = []
    page.on("response", lambda response: ranges.append(response) if ARCHIVE in response.url else None)
    viewer = open_site(page, url)
    page.wait_for_timeout(1000)  # what comes behind the first picture counts, too
    assert len(ranges) <= 10
    assert sum(int(response.headers["content-length"]) for response in ranges) <= 1_000_000
    assert all(response.status == 206 for response in ranges)
    ranges.clear()
    label = viewer.wait("tilescope.labels[0]")
    page.mouse.click(label["x"] + label["width"] / 2, label["y"] + label["height"] / 2)
    viewer.wait("tilescope.selection.kind === 'event' && tilescope.selection.loaded")
    assert len(ranges) <= 3
    text_soon(page, ".drawer", "Duration")
    page.keyboard.press("Shift+M")  # a mark, which only the address keeps
    viewer.wait("location.hash.includes('marks=')")
    page.get_by_role("searchbox").or_(page.get_by_placeholder("Search events")).first.fill("fusion")
    text_soon(page, ".search-panel, [role=dialog], .topbar", "events")
    return str(page.evaluate("location.href"))


@needs_nginx
def test_an_archive_on_nginx_needs_no_server(context: BrowserContext, site: Path, tmp_path: Path) -> None:
    with static_nginx(tmp_path, (site / "nginx.conf").read_text()) as url:
        page = context.new_page()
        check_walk(page, url)
        viewer = Viewer(page, url)
        page.emulate_media(color_scheme="dark")
        viewer.frames()
        viewer.screenshot("archive-nginx-dark")
        page.emulate_media(color_scheme="light")
        viewer.frames()
        viewer.screenshot("archive-nginx-light")


@pytest.mark.deep
def test_an_archive_on_caddy_needs_no_server(context: BrowserContext, site: Path, tmp_path: Path) -> None:
    with caddy(site, tmp_path) as url:
        check_walk(context.new_page(), url)


def test_a_link_opens_in_another_browser(context: BrowserContext, browser: Browser, host: StaticHost) -> None:
    link = check_walk(context.new_page(), host.url)
    assert f"?archive={ARCHIVE}#" in link
    other = browser.new_context()
    try:
        page = other.new_page()
        viewer = open_site(page, host.url, link.removeprefix(f"{host.url}/"))
        viewer.wait("tilescope.selection.kind === 'event' && tilescope.selection.loaded")
        viewer.wait("location.hash.includes('marks=')")
    finally:
        other.close()


def test_kept_answers_are_shown_and_others_named_with_the_command(context: BrowserContext, host: StaticHost) -> None:
    page = context.new_page()
    open_site(page, host.url)
    page.goto(f"{host.url}/?archive={ARCHIVE}#v=1&tool=overview")
    page.reload()
    text_soon(page, "main", "Device")
    page.goto(f"{host.url}/?archive={ARCHIVE}#v=1&tool=op_profile")
    page.reload()
    text_soon(page, "main", "By operation")
    page.goto(f"{host.url}/?archive={ARCHIVE}#v=1&tool=call_tree")
    page.reload()
    text_soon(page, "main", f"tilescope view {host.url}/{ARCHIVE}")


def test_a_selected_range_has_its_statistics(context: BrowserContext, host: StaticHost) -> None:
    page = context.new_page()
    end = int(open_site(page, host.url).look()["view"]["end"])
    page.goto(f"{host.url}/?archive={ARCHIVE}#v=1&t=0-{end}&area={end // 4}-{end // 2}&tracks=0-5")
    page.reload()
    text_soon(page, ".dock, main", "Self")
    text_soon(page, ".dock, main", "Total")


def test_a_host_without_ranges_is_told_of_in_one_line(context: BrowserContext, host: StaticHost) -> None:
    host.has_ranges = False
    page = context.new_page()
    page.goto(host.url)
    text_soon(page, "main", "sends whole files alone")


def test_an_archive_that_is_not_there_is_named(context: BrowserContext, host: StaticHost) -> None:
    page = context.new_page()
    page.goto(f"{host.url}/?archive=other.tsarc")
    text_soon(page, "main", f"There is no archive at {host.url}/other.tsarc")


def test_answers_that_break_off_are_asked_for_again(context: BrowserContext, host: StaticHost) -> None:
    host.cut = 1
    host.delay_s = 0.05
    open_site(context.new_page(), host.url)
    assert host.cut == 0


def test_a_replaced_archive_begins_anew(
    context: BrowserContext, host: StaticHost, trace_file: Callable[[str], Path], tmp_path: Path
) -> None:
    page = context.new_page()
    viewer = open_site(page, host.url)
    build_store([trace_file(DEMO)], tmp_path / "other.store")
    assert main(["archive", str(tmp_path / "other.store"), "-o", str(host.folder / ARCHIVE)]) == 0
    host.etag = "2"
    label = viewer.wait("tilescope.labels[0]")
    page.mouse.click(label["x"] + label["width"] / 2, label["y"] + label["height"] / 2)
    page.get_by_role("button", name="Reload").first.click(timeout=15_000)
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    page.goto(host.url)
    viewer.settle()


def test_pages_of_a_server_ignore_the_address_of_an_archive(context: BrowserContext, served: Served) -> None:
    page = context.new_page()
    page.goto(f"{served.url}/?archive=run.tsarc")
    Viewer(page, served.url).wait("window.tilescope?.state === 'list'")
