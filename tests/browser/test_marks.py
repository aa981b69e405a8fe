"""Marks and notes: beside the run where the server may write, else in the address; two people; a server that goes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.key_checks import pick
from tests.browser.key_driving import drag, marks, press, select, selected
from tests.browser.real_server import RealServer, real_server
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import TRAINING

SHOWN = "[...document.querySelectorAll('.mark')].map(row => [row.querySelector('textarea').value, row.dataset.home])"


@contextmanager
def opened(browser: Browser, url: str, address: str = "", **options: Any) -> Iterator[Viewer]:
    with watched_page(browser, url, server_may_go=True, **options) as page:
        viewer = Viewer(page, url)
        page.goto(address or url)
        ready(viewer)
        yield viewer


def ready(viewer: Viewer) -> None:
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.settle()
    viewer.wait("document.querySelector('.strip') !== null")


def listed(viewer: Viewer) -> list[tuple[str, str]]:
    """Name and home of each mark in the list."""
    return [(name, home) for name, home in viewer.page.evaluate(SHOWN)]


def until_listed(viewer: Viewer, *expected: tuple[str, str]) -> None:
    wanted = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
    viewer.wait(f"JSON.stringify({SHOWN}) === {json.dumps(wanted)}")


def rename(viewer: Viewer, index: int, *lines: str) -> None:
    field = viewer.page.locator(".mark-name").nth(index)
    field.fill("\n".join(lines))
    field.press("Enter")


def note(viewer: Viewer) -> str:
    return viewer.page.locator(".marks-note").first.inner_text()


@pytest.fixture
def notes(tmp_path: Path, trace_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[RealServer]:
    """A server that keeps marks."""
    with real_server([trace_file(TRAINING)], tmp_path / "cache", "--allow-notes") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_marks_are_in_the_address_where_the_server_keeps_none(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(TRAINING))
    ready(viewer)
    press(viewer, "n")
    viewer.page.get_by_text("No marks yet.").wait_for()
    assert faults(viewer) == []
    select(viewer)
    press(viewer, "Shift+M")
    press(viewer, "Escape")
    drag(viewer, (900, 40, 1100, 240))
    press(viewer, "m")
    press(viewer, "n")
    rename(viewer, 0, "Warm-up; compiles, 100 %", "a second line")
    until_listed(viewer, ("Warm-up; compiles, 100 %\na second line", "address"), ("", "moment"))
    assert "keeps no marks" in note(viewer)
    assert "--allow-notes" in note(viewer)
    viewer.page.get_by_role("button", name="Colour: Blue").first.click()
    assert faults(viewer) == []
    viewer.screenshot(f"marks-{theme}")
    viewer.page.get_by_role("menuitemradio", name="Purple", exact=True).click()
    press(viewer, "Escape")
    viewer.wait("location.hash.includes('marks=')")
    viewer.page.reload()
    ready(viewer)
    # The list and the mark for the moment are in the address as well.
    until_listed(viewer, ("Warm-up; compiles, 100 %\na second line", "address"), ("", "moment"))
    expect(viewer.page.get_by_role("button", name="Colour: Purple")).to_have_count(1)
    # The lane below the axis leads to the mark, and to the list.
    press(viewer, "n")
    axis = viewer.page.locator(".axis").bounding_box()
    assert axis is not None
    middle = viewer.x_of(295_000_000)
    viewer.page.mouse.move(middle, axis["y"] + axis["height"] - 8)
    assert "109.9 ms" in (viewer.page.locator(".axis").get_attribute("title") or "")
    viewer.page.mouse.dblclick(middle, axis["y"] + axis["height"] - 8)
    viewer.rest()
    start, end = viewer.span()
    assert 109_929_999 < end - start < 2 * 109_929_999
    viewer.page.locator(".mark.is-current").wait_for()
    viewer.page.get_by_role("button", name="Remove", exact=False).first.click()
    viewer.page.get_by_role("button", name="Bring back").click()
    until_listed(viewer, ("Warm-up; compiles, 100 %\na second line", "address"), ("", "moment"))


def test_marks_are_kept_beside_the_run_for_two_people(browser: Browser, notes: RealServer) -> None:
    with opened(browser, notes.served.url) as one, opened(browser, notes.served.url) as two:
        select(one)
        press(one, "Shift+M")
        press(one, "n")
        until_listed(one, ("", "server"))
        one.page.get_by_text("kept beside the run").wait_for()
        assert "marks=" not in one.page.url
        press(two, "n")
        until_listed(two, ("", "server"))
        # Both change the same mark: both versions stay, and it is said.
        rename(one, 0, "first")
        one.page.get_by_text("kept beside the run").wait_for()
        rename(two, 0, "second")
        two.page.get_by_text("changed by somebody else at the same time").wait_for()
        assert sorted(listed(two)) == [("first", "server"), ("second", "server")]
        two.screenshot("marks-conflict")
        assert faults(two) == []
        press(one, "n")
        press(one, "n")
        one.wait("document.querySelectorAll('.mark').length === 2")
        assert sorted(listed(one)) == [("first", "server"), ("second", "server")]


@pytest.mark.deep
def test_a_server_that_goes_loses_no_mark(browser: Browser, notes: RealServer) -> None:
    with opened(browser, notes.served.url) as viewer:
        select(viewer)
        press(viewer, "Shift+M")
        press(viewer, "n")
        until_listed(viewer, ("", "server"))
        viewer.page.get_by_text("kept beside the run").wait_for()
        notes.kill()
        rename(viewer, 0, "while it was away")
        viewer.page.get_by_text("is in the address of this page until it is back").wait_for()
        viewer.wait("location.hash.includes('while%20it%20was%20away')")
        viewer.screenshot("marks-away")
        assert faults(viewer) == []
        notes.start()
        viewer.page.get_by_text("kept beside the run").wait_for(timeout=60_000)
        viewer.wait("!location.hash.includes('marks=')")
        until_listed(viewer, ("while it was away", "server"))
    with opened(browser, notes.served.url) as later:
        press(later, "n")
        until_listed(later, ("while it was away", "server"))


@pytest.mark.deep
def test_a_link_writes_nothing_by_itself(browser: Browser, notes: RealServer) -> None:
    run = notes.served.get("/runs")["runs"][0]["id"]
    link = f"{notes.served.url}/?run={run}#v=1&marks=abc,r1000-900000000,2,,from%20a%20link;<x>,m1;abc,m5"
    with opened(browser, notes.served.url, link) as viewer:
        press(viewer, "n")
        until_listed(viewer, ("from a link", "address"))
        build = notes.served.get(f"/runs/{run}/manifest")["build"]
        assert notes.served.get(f"/runs/{run}/builds/{build}/marks")["marks"] == []
        viewer.page.get_by_role("button", name="Keep it beside the run").click()
        until_listed(viewer, ("from a link", "server"))
        viewer.page.get_by_text("kept beside the run").wait_for()
        kept = notes.served.get(f"/runs/{run}/builds/{build}/marks")["marks"]
        assert [(mark["id"], mark["name"], mark["colour"]) for mark in kept] == [("abc", "from a link", 2)]


@pytest.mark.deep
def test_what_the_address_has_no_room_for_is_said(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    ready(viewer)
    box = viewer.timeline_box()
    press(viewer, "n")
    for k in range(4):
        viewer.page.mouse.move(box["x"] + 200 + 200 * k, box["y"] + 20)
        press(viewer, "Shift+M")
        rename(viewer, k, "ü" * 310)
    viewer.page.get_by_text("has no room for 1 mark").wait_for()
    assert [home for _, home in listed(viewer)].count("page") == 1
    assert len(viewer.page.url) < 8000


@pytest.mark.deep
def test_back_steps_through_what_one_did_and_reload_brings_all_of_it_back(viewer: Viewer, served: Served) -> None:
    run = served.run_id(TRAINING)
    viewer.open(run)
    ready(viewer)
    viewer.until_address_follows()
    entries = viewer.page.evaluate("history.length")
    select(viewer)
    viewer.wait("location.hash.includes('sel=')")
    for _ in range(2):  # the second leads nowhere, and is no step
        press(viewer, "f")
        viewer.rest()
        viewer.until_address_follows()
    near = viewer.span()
    press(viewer, "Escape")
    viewer.wait("!location.hash.includes('sel=')")
    drag(viewer, (300, 40, 700, 240))
    viewer.wait("location.hash.includes('area=')")
    area = selected(viewer)
    assert viewer.page.evaluate("history.length") == entries + 4, "selected, zoomed, cleared, selected"
    for _ in range(3):  # moving is no step
        viewer.hold("d", 150)
        viewer.rest()
        viewer.until_address_follows()
    assert viewer.page.evaluate("history.length") == entries + 4
    viewer.page.go_back()
    viewer.wait("tilescope.selection.kind === 'none'")
    viewer.page.go_back()
    viewer.wait("tilescope.selection.kind === 'event'")
    viewer.settle()
    assert viewer.span() == near
    viewer.page.go_back()
    viewer.wait(f"tilescope.view.end - tilescope.view.start > {2 * (near[1] - near[0])}")
    viewer.page.go_forward()
    viewer.page.go_forward()
    viewer.page.go_forward()
    viewer.wait("tilescope.selection.kind === 'area'")
    assert selected(viewer) == area
    # Everything at once, after a reload.
    press(viewer, "Escape")
    press(viewer, "0")
    viewer.rest()
    pick(viewer)
    press(viewer, "u")
    press(viewer, "4")
    viewer.wait("location.hash.includes('mode=timing') && location.hash.includes('time=ticks')")
    viewer.page.reload()
    ready(viewer)
    assert [event["track"] for event in selected(viewer)["events"]] == [1, 1]
    assert viewer.page.locator(".timeline").get_attribute("data-tool") == "timing"
    viewer.wait("document.querySelector('[data-table=several]')?.textContent.includes('ticks')")
    viewer.screenshot("picked")
    assert faults(viewer) == []


@pytest.mark.parametrize(
    "hash_",
    [
        "v=1&t=9-9&sel=1.99999999999,7.7&area=5-1&tracks=x&marks=;;,,%ff&mode=fly&time=x",
        pytest.param("v=1&sel=%F0%9F&t=-", marks=pytest.mark.deep),
    ],
)
def test_a_hostile_address_opens_the_run(browser: Browser, served: Served, hash_: str) -> None:
    run = served.run_id(TRAINING)
    with opened(browser, served.url, f"{served.url}/?run={run}#{hash_}") as viewer:
        assert marks(viewer) == 0
        viewer.page.locator(".timeline").focus()
        press(viewer, "0")
        viewer.rest()
