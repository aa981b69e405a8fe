"""Files and folders that are dropped on the page or chosen, against real servers: sent, resumed, cancelled, refused."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import serving, watched_page
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.real_server import real_server
from tests.browser.test_accessibility import faults
from tests.browser.test_growing import held_indexing
from tests.demo import DEMO_LOGDIR, DEMO_TRACE
from tilescope.tiler.synth import write_synthetic_trace

TOKEN = "a-token-of-some-length"
OPEN = ("--no-grpc", "--allow-open", "--token", TOKEN)
SIZES = ({"width": 1440, "height": 900}, {"width": 1100, "height": 700})


@contextmanager
def viewing(folder: Path, *options: str) -> Iterator[str]:
    """`tilescope view` of an empty folder; its printed address."""
    (folder / "logs").mkdir()
    command = [sys.executable, "-m", "tilescope", "view", "--no-browser", "--port", "0", *options]
    command += ["--cache-dir", str(folder / "cache"), str(folder / "logs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            match = re.search(r"http://\S+", server.stdout.readline())
            assert match is not None, "the server did not say where it serves"
            yield match[0]
        finally:
            server.terminate()


@pytest.fixture
def drop(browser: Browser) -> Callable[[Page, Path], None]:
    """Drops a file or a folder on the middle of a page, as a file manager does."""

    def drop_path(page: Page, path: Path) -> None:
        session = page.context.new_cdp_session(page)
        for kind in ("dragEnter", "dragOver", "drop"):
            if kind == "drop":
                page.get_by_text("Drop to open").wait_for()
            data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
            session.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 300, "data": data})

    return drop_path


def dialog_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Open a file")


def ready(page: Page, address: str) -> Viewer:
    """A page that takes drops."""
    viewer = Viewer(page, address)
    with page.expect_response(re.compile("late-commands")):
        page.goto(address)
    return viewer


def confirm(viewer: Viewer) -> None:
    """By keys alone."""
    viewer.wait("document.activeElement.textContent === 'Open'")
    viewer.page.keyboard.press("Enter")


def judged(viewer: Viewer, name: str) -> None:
    """Pictures for people in both themes and sizes, and what axe-core finds fault with: nothing."""
    ARTEFACTS.mkdir(exist_ok=True)
    for theme, size in zip(("light", "dark"), SIZES, strict=True):
        viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        viewer.page.set_viewport_size(size)  # type: ignore[arg-type]
        viewer.wait(f"document.documentElement.dataset.theme === '{theme}'")
        viewer.frames()
        viewer.page.screenshot(path=str(ARTEFACTS / f"opening_{name}_{theme}.png"))
        assert faults(viewer) == [], (name, theme)


def name_of_run(page: Page) -> str:
    return page.locator(".topbar h1").inner_text()


def kept(cache: Path) -> list[str]:
    """Files of uploads on the disk of the server."""
    return sorted(path.name for path in (cache / "uploads").rglob("*") if path.is_file())


def test_a_file_is_dropped_and_opened(browser: Browser, tmp_path: Path, drop: Callable[[Page, Path], None]) -> None:
    with viewing(tmp_path) as address, watched_page(browser, address) as page:
        viewer = ready(page, address)
        assert "start=" in address
        viewer.wait("!location.search.includes('start')")
        judged(viewer, "nothing")
        drop(page, DEMO_TRACE)
        dialog = dialog_of(page)
        expect(dialog).to_contain_text("demo.xplane.pb")
        expect(dialog).to_contain_text("Everybody who can log in to the machine of this server can see it.")
        expect(dialog).to_contain_text("7 days")
        expect(page.get_by_text("Drop to open")).to_have_count(0)
        judged(viewer, "dropped")
        confirm(viewer)
        dialog.wait_for(state="detached")
        viewer.wait("tilescope.state === 'open'", 60)
        assert name_of_run(page) == "demo.xplane.pb"
        page.get_by_role("button", name="All runs").click()
        expect(page.locator(".runs-file")).to_contain_text("removed after 20")
        judged(viewer, "list")


def test_a_folder_is_dropped_or_chosen(browser: Browser, tmp_path: Path, drop: Callable[[Page, Path], None]) -> None:
    with viewing(tmp_path) as address, watched_page(browser, address) as page:
        viewer = ready(page, address)
        drop(page, DEMO_LOGDIR)
        expect(dialog_of(page)).to_contain_text("demo (")
        confirm(viewer)
        viewer.wait("tilescope.state === 'open'", 60)
        assert name_of_run(page) == DEMO_TRACE.parent.name
        page.keyboard.press("o")
        dialog_of(page).get_by_role("button", name="Choose a folder …").wait_for()
        judged(viewer, "choice")
        dialog_of(page).locator("input").nth(1).set_input_files(DEMO_LOGDIR / "plugins" / "profile")
        dialog_of(page).wait_for(state="detached")
        viewer.wait("tilescope.state === 'open'", 60)
        page.get_by_role("button", name="All runs").click()
        assert page.locator(".runs-name a").all_inner_texts() == [DEMO_TRACE.parent.name] * 2


def test_others_are_told_how(browser: Browser, tmp_path: Path, drop: Callable[[Page, Path], None]) -> None:
    """Other accounts of the machine reach the page, and not the upload."""
    with viewing(tmp_path) as address:
        bare = address.partition("?")[0]
        with watched_page(browser, bare) as page:
            viewer = ready(page, bare)
            drop(page, DEMO_TRACE)
            expect(dialog_of(page)).to_contain_text("Only the browser that was opened by tilescope view")
            judged(viewer, "refused")
            page.keyboard.press("Escape")
            dialog_of(page).wait_for(state="detached")
        assert kept(tmp_path / "cache") == []


def test_what_is_no_trace_is_told_and_nothing_is_kept(
    browser: Browser, tmp_path: Path, drop: Callable[[Page, Path], None]
) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"\xff\xd8\xff" * 1000)
    with viewing(tmp_path) as address, watched_page(browser, address, server_may_go=True) as page:
        viewer = ready(page, address)
        drop(page, photo)
        dialog_of(page).get_by_role("button", name="Open", exact=True).click()
        expect(dialog_of(page).get_by_role("alert")).to_contain_text("photo.jpg: byte 0: is text, but neither")
        judged(viewer, "no_trace")
        dialog_of(page).get_by_role("button", name="Choose others").click()
        dialog_of(page).get_by_role("button", name="Choose files …").wait_for()
        assert kept(tmp_path / "cache") == []


@pytest.fixture(scope="module")
def large_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that is sent in several pieces."""
    path = tmp_path_factory.mktemp("large") / "large.trace.json"
    write_synthetic_trace(path, format="chrome", events=60_000, tracks=4, seed=1)
    assert path.stat().st_size > 4 << 20
    return path


def test_it_goes_on_when_the_server_is_started_again(
    browser: Browser, tmp_path: Path, large_trace: Path, drop: Callable[[Page, Path], None]
) -> None:
    (tmp_path / "logs").mkdir()
    with real_server([tmp_path / "logs"], tmp_path / "cache", *OPEN) as server:
        address = f"{server.served.url}/?token={TOKEN}"
        with watched_page(browser, server.served.url, server_may_go=True) as page:
            viewer = ready(page, address)
            starts: list[str] = []

            def count(route: Route) -> None:
                starts.append(route.request.url.rpartition("/")[2])
                if len(starts) == 2:
                    server.kill()
                route.continue_()

            page.route("**/files/**", count)
            drop(page, large_trace)
            expect(dialog_of(page)).to_contain_text("Everybody who has the token of this server can see it.")
            confirm(viewer)
            expect(dialog_of(page).get_by_role("status")).to_contain_text("Trying again", timeout=20_000)
            judged(viewer, "waiting")
            server.start()
            dialog_of(page).wait_for(state="detached", timeout=60_000)
            viewer.wait("tilescope.state === 'open'", 60)
            assert name_of_run(page) == large_trace.name
            assert starts.count("0") == 1, "what had come was not sent again"


def test_it_is_cancelled(
    browser: Browser, tmp_path: Path, large_trace: Path, drop: Callable[[Page, Path], None]
) -> None:
    with viewing(tmp_path) as address, watched_page(browser, address) as page:
        viewer = ready(page, address)
        held: list[Route] = []

        def hold(route: Route) -> None:
            if route.request.url.endswith("/0"):
                route.continue_()
            else:
                held.append(route)

        page.route("**/files/**", hold)
        drop(page, large_trace)
        confirm(viewer)
        bar = dialog_of(page).get_by_role("progressbar")
        expect(bar).not_to_have_attribute("aria-valuenow", "0")
        judged(viewer, "sending")
        # It goes on without its dialog.
        page.keyboard.press("Escape")
        dialog_of(page).wait_for(state="detached")
        page.keyboard.press("o")
        expect(bar).not_to_have_attribute("aria-valuenow", "0")
        assert kept(tmp_path / "cache") == ["0", "plan.json"]
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            dialog_of(page).get_by_role("button", name="Cancel").click()
        dialog_of(page).get_by_role("button", name="Choose files …").wait_for()
        assert kept(tmp_path / "cache") == []


def test_it_is_open_while_it_is_indexed(browser: Browser, tmp_path: Path, drop: Callable[[Page, Path], None]) -> None:
    """A dropped file is seen roughly as soon as its blocks are known, and sharp at the end, without another word."""
    trace = tmp_path / "long.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=1_000_000, tracks=160, seed=1)
    (tmp_path / "logs").mkdir()
    with serving([tmp_path / "logs"], tmp_path / "cache", *OPEN) as server, watched_page(browser, server.url) as page:
        viewer = ready(page, f"{server.url}/?token={TOKEN}")
        drop(page, trace)
        confirm(viewer)
        with held_indexing(lambda: progress_of(page)) as indexing:
            indexing.work_until(lambda progress: progress["blocks"] > 0)
            dialog_of(page).wait_for(state="detached", timeout=60_000)
            viewer.wait("tilescope.state === 'open' && tilescope.indexing && tilescope.provisional > 0", 60)
            assert name_of_run(page) == trace.name
            expect(page.locator(".growth-text")).to_contain_text("%")
            viewer.screenshot("opening_while_indexed")
        viewer.wait("tilescope.state === 'open' && !tilescope.indexing", 120)
        viewer.settle()
        assert page.evaluate("tilescope.provisional") == 0
        expect(page.locator(".growth")).to_have_count(0)


def progress_of(page: Page) -> Any:
    """State of the indexing of the only run, as the server tells the page; None: it is not listed."""
    runs = page.evaluate("fetch('api/v1/runs').then(answer => answer.json())")["runs"]
    return runs[0]["progress"] if runs else None
