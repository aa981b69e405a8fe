"""Runs that cannot be shown, and the page around the timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import DAMAGED, TRACES, TWO_HOSTS, Served
from tests.browser.driver import Viewer
from tests.standins.written import DEVICES, GAP, TRAINING

KEYS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "keys.md"


def test_a_damaged_run_says_what_is_wrong_while_others_open(viewer: Viewer, served: Served) -> None:
    run = served.run_id(DAMAGED)
    viewer.open(run, expected="failed")
    message = viewer.page.get_by_role("alert").inner_text()
    reported = next(entry["error"] for entry in served.get("/runs")["runs"] if entry["id"] == run)
    assert message == reported
    assert "\n" not in message
    viewer.screenshot("damaged")
    viewer.page.get_by_role("button", name="Show all runs").click()
    viewer.wait("tilescope.state === 'list'")
    viewer.screenshot("runs")
    viewer.page.get_by_role("link", name="devices").click()
    viewer.wait("tilescope.state === 'open'", 60)
    viewer.settle()
    assert viewer.look()["events"] > 0


def test_an_empty_trace_says_that_it_is_empty(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id("empty.json"), expected="empty")
    assert "This trace is empty" in viewer.page.inner_text("main")
    viewer.screenshot("empty")


@pytest.mark.deep
def test_a_saved_page_opens_as_a_page(viewer: Viewer, served: Served) -> None:
    """It has no events, and so no timeline: the page of the tool that shows such figures opens at once."""
    page = viewer.page
    page.goto(f"{viewer.url}/?run={served.run_id('op_profile.json')}")
    page.get_by_role("heading", name="Op profile").wait_for()
    page.get_by_role("row", name="fusion.1").wait_for()
    assert "Figures are as the saved file has them" in page.inner_text("main")
    assert "shares are of the time in which devices work" in page.inner_text("main")
    viewer.screenshot("imported")


def test_a_run_that_is_gone(viewer: Viewer) -> None:
    viewer.open("no-such-run", expected="unknown")
    assert "no such run" in viewer.page.inner_text("main")
    viewer.page.get_by_role("button", name="Show all runs").click()
    viewer.page.locator(".runs-table").wait_for()
    viewer.wait("!location.search.includes('run=')")


@pytest.mark.deep
def test_the_help_lists_every_key(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(DEVICES))
    viewer.page.keyboard.press("?")
    dialog = viewer.page.get_by_role("dialog")
    dialog.wait_for()
    text = dialog.inner_text()
    rows = [line.split(" | ") for line in KEYS_PAGE.read_text().splitlines() if line.startswith("| `")]
    assert len(rows) > 15
    for keys, label in rows:
        assert label.removesuffix(" |").removesuffix(" (hold; shift: faster)") in text
        for key in keys.removeprefix("| ").split():
            assert key.strip("`") in text
    viewer.screenshot("help")
    viewer.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_the_theme_follows_the_system_and_the_key(viewer: Viewer, served: Served) -> None:
    viewer.page.emulate_media(color_scheme="dark")
    viewer.open(served.run_id(TRAINING))
    assert viewer.page.evaluate("document.documentElement.dataset.theme") == "dark"
    viewer.screenshot("dark")
    viewer.page.keyboard.press("t")
    viewer.wait("document.documentElement.dataset.theme === 'light'")
    viewer.page.reload()
    viewer.wait("document.documentElement.dataset.theme === 'light'")


def test_indexing_shows_how_far_it_is(viewer: Viewer, served: Served) -> None:
    listed = served.get("/runs")
    run = next(entry for entry in listed["runs"] if entry["path"].endswith(DEVICES))
    # A real trace of this size is indexed before one could look: the list of runs says what a large one would.
    progress = {"phase": "read", "fraction": 0.41, "events": "1234567", "bytes_read": "1", "bytes_total": "2",
                "tracks": 3, "blocks_done": 0, "blocks": 0, "seconds_left": None, "revision": 0}  # fmt: skip
    states: list[dict[str, Any]] = [
        {"state": "queued"},
        {"state": "indexing", "progress": progress},
    ]

    def answer(route: Route) -> None:
        change = states[0] if len(states) == 1 else states.pop(0)
        shown = {**run, "state": "new", "build": None, **change}
        route.fulfill(content_type="application/json", body=json.dumps({"runs": [shown]}))

    viewer.without_first_answers()
    viewer.page.route("**/api/v1/runs", answer)
    viewer.page.route_web_socket("**/watch", lambda _: None)  # connects, and never says anything
    viewer.open(run["id"], expected="indexing")
    viewer.page.get_by_text("waiting to be indexed").wait_for()
    bar = viewer.page.get_by_role("progressbar")
    viewer.wait("document.querySelector('[role=progressbar]').getAttribute('aria-valuenow') === '41'")
    assert bar.is_visible()
    assert "1,234,567 events so far" in viewer.page.inner_text("main")
    viewer.screenshot("indexing")


@pytest.mark.deep
def test_one_host_of_a_run_can_be_chosen(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TWO_HOSTS))
    hosts = served.get(f"/runs/{served.run_id(TWO_HOSTS)}/manifest")["hosts"]
    assert len(hosts) == 2
    tree = viewer.tree()
    assert [item.name for item in tree if item.level == 1] == ["2 hosts"]
    assert [item.name for item in tree if item.level == 2] == hosts
    viewer.screenshot("two-hosts")
    viewer.page.get_by_role("button", name="Host: All 2 hosts").click()
    viewer.page.get_by_role("menuitemradio", name=hosts[1]).click()
    assert [item.name for item in viewer.tree() if item.level == 1] == [hosts[1]]
    viewer.wait(f"location.hash.includes('host={hosts[1]}')")
    viewer.page.reload()
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    assert [item.name for item in viewer.tree() if item.level == 1] == [hosts[1]]


@pytest.mark.deep
def test_what_cannot_be_loaded_is_said(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    viewer.without_first_answers()
    viewer.page.route("**/shapes/*", lambda route: route.fulfill(body=b"no shape record"))
    viewer.page.reload()
    viewer.wait("document.querySelector('.status-dot.is-bad') !== null")
    assert "could not be loaded" in viewer.page.inner_text(".statusbar")
    assert not viewer.look()["sharp"]


@pytest.mark.deep
def test_a_long_name_leaves_the_page_as_wide_as_the_window(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    base = f"/runs/{run}/builds/{served.get(f'/runs/{run}/manifest')['build']}"
    stream = next(int(item.key[1:]) for item in viewer.tree() if item.name.startswith("stream"))
    events = (served.get(f"{base}/events/{stream}/{ordinal}") for ordinal in range(0, 400, 3))
    longest = max(events, key=lambda event: len(event["name"]))
    assert len(longest["name"]) > 400, "the trace has kernels with long names"
    viewer.page.goto("about:blank")
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&sel={stream}.{longest['ordinal']}")
    viewer.wait("window.tilescope?.state === 'open' && document.querySelector('.drawer-title')")
    assert viewer.drawer().event["Name"] == longest["name"]
    viewer.screenshot("long-name")
    beyond = (
        "[...document.querySelectorAll('.topbar, .topbar *, .drawer')]"
        ".filter(element => element.getBoundingClientRect().right > innerWidth + 1).length"
    )
    assert viewer.page.evaluate(beyond) == 0


@pytest.mark.parametrize(
    ("name", "length", "part"),
    [(GAP, "13 d", "% of its events"), pytest.param(TRACES[3], "d", "% of its events", marks=pytest.mark.deep)],
)
def test_a_run_that_is_mostly_empty_opens_where_its_events_are(
    name: str, length: str, part: str, viewer: Viewer, served: Served
) -> None:
    """These have some events thirteen days before the others."""
    run = served.run_id(name)
    viewer.open(run)
    tick_ps = served.get(f"/runs/{run}/manifest")["tick_ps"]
    start, end = viewer.span()
    assert 10**12 < (end - start) * tick_ps < 20 * 10**12, "some seconds of thirteen days"
    note = viewer.page.locator(".note")
    assert length in note.inner_text()
    assert part in note.inner_text()
    viewer.screenshot("busy-part")
    viewer.page.keyboard.press("0")
    viewer.rest()
    start, end = viewer.span()
    assert (end - start) * tick_ps > 10**18
    expect(note).to_have_count(0)


@pytest.mark.deep
def test_the_category_of_an_event_is_shown_once(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    base = f"/runs/{run}/builds/{served.get(f'/runs/{run}/manifest')['build']}"
    stream = next(int(item.key[1:]) for item in viewer.tree() if item.name.startswith("stream"))
    event = served.get(f"{base}/events/{stream}/5")
    assert event["category"] == "kernel"
    assert all(argument["name"] != "cat" for argument in event["args"])
    viewer.page.goto("about:blank")
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&sel={stream}.5")
    viewer.wait("window.tilescope?.state === 'open'")
    drawer = viewer.drawer()
    assert drawer.event["Category"] == event["category"]
    assert "cat" not in [name for name, _ in drawer.args]


def test_the_only_run_is_opened_at_once(viewer: Viewer, served: Served) -> None:
    run = served.run_id(DEVICES)

    def only() -> list[Any]:
        """The run as it is now: it may have to be indexed first."""
        return [entry for entry in served.get("/runs")["runs"] if entry["id"] == run]

    viewer.page.route("**/api/v1/runs", lambda route: route.fulfill(json={"runs": only()}))
    viewer.page.goto(served.url)
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.wait(f"location.search.includes('run={run}')")
