"""A server that dies, stalls, is updated, or has another run where this one was: the page says so, and comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute

from tests.browser.conftest import watched_page
from tests.browser.driver import Viewer
from tests.browser.real_server import RealServer, real_server
from tests.browser.test_accessibility import faults
from tests.server.nginx import STRIPPED, needs_nginx, nginx_before
from tilescope.tiler.synth import write_synthetic_trace

TOKEN = "correct-horse-battery-staple"
NOTICE = "document.querySelector('[role=alert][data-notice={}]')"
LOADED = "performance.getEntriesByType('resource').some(entry => entry.name.includes('/drawer-') && entry.responseEnd)"
MUST_SAY_S = 2.0
# A machine on which other tests run as well is late with everything.
LOAD_S = 2.0


@contextmanager
def opened(browser: Browser, server: RealServer, url: str | None = None) -> Iterator[Viewer]:
    """A page of the only run of a server."""
    origin = url or server.served.url
    with watched_page(browser, origin, server_may_go=True) as page:
        viewer = Viewer(page, origin)
        page.goto(origin)
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.settle()
        viewer.wait(LOADED)
        yield viewer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RealServer]:
    write(tmp_path / "logs" / "run.xplane.pb", seed=1)
    with real_server([tmp_path / "logs"], tmp_path / "cache") as running:
        yield running


def write(path: Path, *, seed: int, events: int = 20_000) -> None:
    path.parent.mkdir(exist_ok=True)
    write_synthetic_trace(path, format="xspace", events=events, tracks=12, seed=seed)


def told(viewer: Viewer, notice: str, timeout_s: float = 30) -> str:
    """What the page says of its server, when it does."""
    viewer.wait(f"{NOTICE.format(notice)} !== null", timeout_s)
    return viewer.page.get_by_role("alert").inner_text()


def look_in_both_themes(viewer: Viewer, name: str) -> None:
    """A picture for people, and what axe-core finds fault with: nothing."""
    for theme in ("dark", "light"):
        viewer.page.emulate_media(color_scheme=theme)
        viewer.wait(f"document.documentElement.dataset.theme === '{theme}'")
        viewer.frames()
        viewer.screenshot(f"{name}-{theme}")
        assert faults(viewer) == []


def dot(page: Page) -> str:
    return str(page.evaluate("document.querySelector('.status-dot').className"))


def click_a_slice(viewer: Viewer) -> None:
    """Selects an event whose label is on the screen."""
    label = next(label for label in viewer.page.evaluate("tilescope.labels") if label["width"] > 40)
    viewer.click(label["x"] + label["width"] / 2, label["y"] + label["height"] / 2)
    viewer.wait("tilescope.selection.kind === 'event'")


def look_at_the_list(viewer: Viewer, is_there: Callable[[list[Any]], bool], server: RealServer) -> None:
    """Opens the menu of runs when the server knows what has become of them: it looks at the disk twice a second."""
    while not is_there(server.served.get("/runs")["runs"]):
        time.sleep(0.05)
    viewer.page.get_by_role("button", name="Run: ", exact=False).first.click()


def test_a_server_that_dies_is_missed_at_once_and_found_again(browser: Browser, server: RealServer) -> None:
    with opened(browser, server) as viewer:
        viewer.expand_all()
        box = viewer.timeline_box()
        viewer.page.mouse.move(box["x"] + 700, box["y"] + 300)
        viewer.hold("Shift+w", 900)
        viewer.rest()
        assert dot(viewer.page) == "status-dot"
        server.kill()
        died = time.monotonic()
        text = told(viewer, "disconnected", MUST_SAY_S + LOAD_S)
        assert time.monotonic() - died < MUST_SAY_S + LOAD_S
        assert text.startswith("Disconnected.")
        assert "Trying again" in text
        assert dot(viewer.page) == "status-dot is-bad"
        assert viewer.page.inner_text(".statusbar").startswith("Disconnected")
        # What is here can be worked with.
        before = viewer.span()
        viewer.hold("d", 300)
        viewer.frames(4)
        assert viewer.span() != before
        click_a_slice(viewer)
        viewer.wait(
            "document.querySelector('.drawer')?.innerText.includes('Cannot be fetched: the server does not answer')"
        )
        look_in_both_themes(viewer, "disconnected")
        counts = {viewer.page.get_by_role("alert").inner_text()}
        while len(counts) < 3:
            counts.add(viewer.page.get_by_role("alert").inner_text())
            viewer.page.wait_for_timeout(100)
        viewer.page.get_by_role("button", name="Try now").click()
        viewer.wait(f"{NOTICE.format('disconnected')}.innerText.includes('Trying again in')")
        server.start()
        viewer.wait(f"{NOTICE.format('disconnected')} === null", 30)
        assert viewer.drawer().event["Name"]
        viewer.rest()
        assert dot(viewer.page) == "status-dot"
        assert viewer.page.get_by_role("alert").count() == 0
        viewer.page.keyboard.press("0")
        viewer.rest()


@pytest.mark.deep
@pytest.mark.parametrize("has_stream", [True, False], ids=["with a stream", "without"])
def test_a_server_that_stalls_is_slow_within_two_seconds_and_well_when_it_answers(
    browser: Browser, server: RealServer, has_stream: bool
) -> None:
    def hang_up(socket: WebSocketRoute) -> None:
        socket.close()

    with watched_page(browser, server.served.url, server_may_go=True) as page:
        if not has_stream:
            page.route_web_socket("**/stream", hang_up)
        viewer = Viewer(page, server.served.url)
        page.goto(server.served.url)
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.settle()
        if not has_stream:
            viewer.wait("document.querySelector('.statusbar').innerText.includes('without WebSocket')")
        viewer.page.wait_for_timeout(3000)  # of peace, in which nothing must be said
        assert viewer.page.get_by_role("alert").count() == 0
        server.pause()
        stalled = time.monotonic()
        told(viewer, "slow", MUST_SAY_S + LOAD_S)
        assert time.monotonic() - stalled < MUST_SAY_S + LOAD_S
        if has_stream:
            look_in_both_themes(viewer, "slow-server")
        viewer.page.wait_for_timeout(7000 - 1000 * (time.monotonic() - stalled))  # as long as a busy server has taken
        assert "slow to answer" in viewer.page.inner_text(".statusbar")
        server.resume()
        viewer.wait("document.querySelector('[role=alert]') === null", MUST_SAY_S + LOAD_S)
        viewer.page.keyboard.press("0")
        viewer.rest()


@pytest.mark.deep
@needs_nginx
def test_a_proxy_whose_server_dies_is_no_server(browser: Browser, server: RealServer, tmp_path: Path) -> None:
    with (
        nginx_before(server.port, tmp_path / "nginx", takes_prefix_off=True) as proxy,
        opened(browser, server, proxy + STRIPPED) as viewer,
    ):
        server.kill()
        told(viewer, "disconnected", MUST_SAY_S + LOAD_S)
        server.start()
        viewer.wait(f"{NOTICE.format('disconnected')} === null", 30)
        viewer.page.keyboard.press("0")
        viewer.rest()


def test_a_run_that_is_replaced_and_one_that_vanishes(browser: Browser, server: RealServer, tmp_path: Path) -> None:
    trace = tmp_path / "logs" / "run.xplane.pb"
    builds: list[str] = []
    with opened(browser, server) as viewer:
        page = viewer.page
        page.on("request", lambda request: builds.extend(request.url.split("/builds/")[1:]))
        first = server.served.get("/runs")["runs"][0]["build"]
        events = viewer.look()["events"]
        write(trace, seed=2, events=30_000)
        look_at_the_list(viewer, lambda runs: runs[0]["state"] != "ready", server)
        assert "reload to see the new one" in told(viewer, "replaced")
        page.keyboard.press("Escape")
        look_in_both_themes(viewer, "replaced")
        viewer.expand_all()
        viewer.frames(10)
        assert all(path.startswith(first) for path in builds)
        builds.clear()
        page.get_by_role("button", name="Reload").click()
        viewer.wait("window.tilescope?.state === 'open' && !tilescope.indexing", 60)
        viewer.settle()
        second = server.served.get("/runs")["runs"][0]["build"]
        assert second != first
        assert builds != []
        assert all(path.startswith(second) for path in builds)
        assert viewer.look()["events"] > events
        assert page.get_by_role("alert").count() == 0
        trace.unlink()
        look_at_the_list(viewer, lambda runs: runs == [], server)
        told(viewer, "vanished")
        page.keyboard.press("Escape")
        look_in_both_themes(viewer, "vanished")
        before = viewer.span()
        viewer.hold("w", 300)
        viewer.frames(4)
        assert viewer.span() != before
        page.get_by_role("button", name="Show all runs").click()
        viewer.wait("tilescope.state === 'list'")
        assert page.get_by_role("alert").count() == 0


@pytest.mark.deep
def test_a_server_of_another_version_and_one_that_asks_for_its_token(browser: Browser, server: RealServer) -> None:
    with opened(browser, server) as viewer:
        server.kill()
        server.start(version="99.0")
        assert "Tilescope was updated" in told(viewer, "updated")
        look_in_both_themes(viewer, "updated")
        server.kill()
        server.start(version="99.0", environment={"TILESCOPE_TOKEN": TOKEN})
        assert "asks for its token" in told(viewer, "login")
        look_in_both_themes(viewer, "login")
        viewer.until_address_follows()
        place = viewer.page.url
        viewer.page.get_by_role("button", name="Log in").click()
        viewer.page.get_by_label("Token").fill(TOKEN)
        viewer.page.get_by_role("button").click()
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.settle()
        assert viewer.page.url == place
