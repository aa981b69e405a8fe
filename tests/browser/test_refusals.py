"""A server that refuses now and then, or whose connections are cut: all is asked again, and that is said meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Route

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_area import RANGE, Panel, site
from tests.browser.test_search import MARKED

__all__ = ["site"]

BUSY = json.dumps({"error": {"code": "busy", "message": "busy"}})
REFUSED = json.dumps({"error": {"code": "bad_request", "message": "refused"}})
# As often as the page asks before it gives up.
TRIES = 6

Look = Callable[[Panel], object]


@pytest.fixture
def panel(browser: Browser, site: Served) -> Iterator[Panel]:
    with watched_page(browser, site.url, server_may_go=True) as page:
        panel = Panel(Viewer(page, site.url), site)
        panel.viewer.without_first_answers()
        yield panel


def _hits(panel: Panel) -> None:
    panel.page.goto(f"{panel.viewer.url}/?run={panel.run}#v=1&q=enqueue")


def _tiles(panel: Panel) -> None:
    # Over HTTP, as where no WebSocket gets through.
    panel.page.route_web_socket("**/stream", lambda socket: socket.close())
    panel.page.goto(f"{panel.viewer.url}/?run={panel.run}")


def _memory(panel: Panel) -> None:
    panel.page.goto(f"{panel.viewer.url}/?run={panel.run}")
    panel.viewer.wait("window.tilescope?.state === 'open'", 60)
    panel.page.keyboard.press("x")


def _groups(panel: Panel) -> None:
    panel.page.goto(f"{panel.viewer.url}/?run={panel.run}#v=1&area={RANGE[0]}-{RANGE[1]}&tracks=0-3")


def _number(panel: Panel) -> None:
    _hits(panel)
    panel.viewer.wait("/hit/.test(document.querySelector('.search-count')?.textContent)", 60)
    panel.page.keyboard.press("Control+f")
    panel.page.keyboard.press("Enter")


def _are_hits_marked(panel: Panel) -> object:
    return panel.page.evaluate("window.tilescope?.sharp") and panel.page.evaluate(MARKED)


def _are_tiles_sharp(panel: Panel) -> object:
    return panel.page.evaluate("window.tilescope?.sharp") and "could not" not in panel.page.inner_text(".statusbar")


def _is_memory_answered(panel: Panel) -> object:
    # Of this trace the tool says that there is none.
    return panel.page.evaluate("/alloc|memory/i.test(document.querySelector('.memory-none')?.textContent)")


def _are_groups_offered(panel: Panel) -> object:
    return panel.page.evaluate("document.querySelectorAll('.group-choice option').length > 3")


def _is_number_told(panel: Panel) -> object:
    return panel.page.evaluate("/^\\d+\\s*of\\s/.test(document.querySelector('.search-count')?.textContent)")


PARTS = {
    "hits": ("**/tools/hit_bins?**", _hits, _are_hits_marked),
    "tiles": ("**/pages/**", _tiles, _are_tiles_sharp),
    "memory": ("**/tools/memory_profile?**", _memory, _is_memory_answered),
    "number": ("**/tools/search?*names=0*", _number, _is_number_told),
    "groups": ("**/openapi.json", _groups, _are_groups_offered),
}


def _parts(quick: str | None = None) -> pytest.MarkDecorator:
    """All of them; but for one, where one is named, they are for deep tests."""
    cases = [pytest.param(*PARTS[id], marks=() if id == quick else pytest.mark.deep, id=id) for id in PARTS]
    return pytest.mark.parametrize(("asked", "look", "is_there"), cases)


def _failures_of_parts(quick: Mapping[str, str]) -> pytest.MarkDecorator:
    """All of them, refused and cut off; those that are not named here are for deep tests."""
    cases = [
        pytest.param(
            *PARTS[id], failure, marks=() if quick.get(id) == failure else pytest.mark.deep, id=f"{failure}-{id}"
        )
        for id in PARTS
        for failure in ("refused", "cut")
    ]
    return pytest.mark.parametrize(("asked", "look", "is_there", "failure"), cases)


def _until(panel: Panel, holds: Look) -> None:
    for _ in range(400):
        if holds(panel):
            return
        panel.page.wait_for_timeout(25)
    raise AssertionError(f"still not: {holds}; {panel.page.inner_text('.statusbar')}")


@_failures_of_parts({"hits": "refused"})
def test_what_is_refused_once_is_asked_again(
    panel: Panel, asked: str, look: Look, is_there: Look, failure: str
) -> None:
    refusal = _FirstRefusal(panel, asked, failure)
    look(panel)
    panel.viewer.wait(_IS_BUSY_SAID, 10)
    refusal.let_go()
    _until(panel, is_there)
    panel.viewer.wait(f"!({_IS_BUSY_SAID})")


@pytest.mark.parametrize(
    ("asked", "address", "failure"),
    [
        pytest.param("**/api/v1/runs", "/", "refused", id="list-refused", marks=pytest.mark.deep),
        pytest.param("**/api/v1/runs", "/", "cut", id="list-cut", marks=pytest.mark.deep),
        pytest.param("**/manifest", "/?run={run}", "refused", id="opening-refused", marks=pytest.mark.deep),
        pytest.param("**/manifest", "/?run={run}", "cut", id="opening-cut"),
    ],
)
def test_what_is_asked_again_is_said_before_a_run_is_open(panel: Panel, asked: str, address: str, failure: str) -> None:
    refusal = _FirstRefusal(panel, asked, failure)
    panel.page.goto(panel.viewer.url + address.format(run=panel.run))
    panel.viewer.wait(_IS_BUSY_SAID, 10)
    assert panel.page.evaluate("window.tilescope?.state") != "open"
    refusal.let_go()
    panel.viewer.wait("window.tilescope?.state === 'open'", 60)
    panel.viewer.wait(f"!({_IS_BUSY_SAID})")


_IS_BUSY_SAID = "document.querySelector('.statusbar')?.innerText.includes('The server is busy') === true"


class _FirstRefusal:
    """Fails each question the first time, and keeps the second one waiting until it is let go."""

    def __init__(self, panel: Panel, asked: str, failure: str) -> None:
        self._failure = failure
        self._failed: set[str] = set()
        self._waiting: list[Route] = []
        self._is_over = False
        panel.page.route(asked, self._answer)

    def let_go(self) -> None:
        self._is_over = True
        for route in self._waiting:
            route.continue_()

    def _answer(self, route: Route) -> None:
        url = route.request.url
        if self._is_over:
            route.continue_()
        elif url in self._failed:
            self._waiting.append(route)
        else:
            self._failed.add(url)
            if self._failure == "cut":
                route.abort("connectionreset")
            else:
                route.fulfill(status=503, content_type="application/json", body=BUSY)


@_parts("groups")
def test_what_stays_refused_is_asked_anew_when_the_page_is_looked_at_again(
    panel: Panel, asked: str, look: Look, is_there: Look
) -> None:
    times: dict[str, int] = {}

    def refuse(route: Route) -> None:
        times[route.request.url] = times.get(route.request.url, 0) + 1
        route.fulfill(status=503, content_type="application/json", headers={"Retry-After": "0"}, body=BUSY)

    panel.page.route(asked, refuse)
    look(panel)
    _until(panel, lambda _: times and min(times.values()) >= TRIES)
    panel.viewer.frames(4)
    assert not is_there(panel)
    assert max(times.values()) <= 2 * TRIES, "who is refused does not ask on and on"
    panel.page.unroute(asked, refuse)
    panel.page.evaluate(_TURN_AWAY_AND_BACK)
    _until(panel, is_there)


@_parts()
def test_what_is_refused_for_good_is_not_asked_again_when_the_page_is_looked_at_again(
    panel: Panel, asked: str, look: Look, is_there: Look
) -> None:
    times: dict[str, int] = {}

    def refuse(route: Route) -> None:
        times[route.request.url] = times.get(route.request.url, 0) + 1
        route.fulfill(status=422, content_type="application/json", body=REFUSED)

    panel.page.route(asked, refuse)
    look(panel)
    _until(panel, lambda _: times)
    for _ in range(3):
        # What has failed is looked at together with the list of runs.
        with panel.page.expect_response("**/api/v1/runs"):
            panel.page.evaluate(_TURN_AWAY_AND_BACK)
        panel.viewer.frames(4)
    assert not is_there(panel)
    # Timeline and minimap ask for tiles each by themselves.
    assert max(times.values()) <= (2 if look is _tiles else 1)


_TURN_AWAY_AND_BACK = """() => {
    for (const state of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }
}"""
