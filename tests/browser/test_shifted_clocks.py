"""Shifted clocks of hosts: hits follow one another as they are drawn, and timelines are aligned so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from bench.pod_run import PodShape, write_pod
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_search import ask, rows_of, wait_for_count
from tests.browser.test_two_timelines import settle, views
from tilescope.tiler.indexing import build_store

RUN = "pod.store"
QUERY = '"fusion.0"'
STEP = 41


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("clocks")
    made = write_pod(folder / "made", PodShape(hosts=3, chips=1, steps=3, late_host=None))
    build_store(made.files, folder / RUN)
    with serving([folder / RUN], folder / "cache") as running:
        yield running


@pytest.fixture
def viewer(browser: Browser, site: Served) -> Iterator[Viewer]:
    with watched_page(browser, site.url) as page:
        yield Viewer(page, site.url)


def shifts_by_track(site: Served, run: str, shifts: dict[str, int]) -> tuple[str, dict[int, int]]:
    """Shifts of hosts as an address tries them, and what each track is drawn later by."""
    tree = site.tree(run)
    groups = {group["id"]: group for group in tree["groups"]}

    def host(group: int | None) -> str:
        while group is not None and groups[group]["kind"] != "host":
            group = groups[group]["parent"]
        return "" if group is None else str(groups[group]["name"])

    by_name = {group["name"]: group["id"] for group in groups.values() if group["kind"] == "host"}
    text = ",".join(f"g{by_name[name]}:{ticks}" for name, ticks in shifts.items())
    return text, {track["id"]: shifts.get(host(track["group"]), 0) for track in tree["tracks"]}


def place(row: dict[str, Any]) -> tuple[int, int]:
    track, ordinal = map(int, row["event"].split("."))
    return track, ordinal


def test_hits_follow_one_another_as_they_are_drawn(viewer: Viewer, site: Served) -> None:
    page, run = viewer.page, site.run_id(RUN)
    recorded = rows_of(ask(site, run, "search", query=QUERY, limit=100), "events")
    half = (int(recorded[-1]["start"]) - int(recorded[0]["start"])) // 2
    text, later = shifts_by_track(site, run, {"pod-worker-0": half, "pod-worker-2": half // 5})
    drawn = sorted(recorded, key=lambda row: (int(row["start"]) + later[place(row)[0]], place(row)))
    assert [place(row) for row in drawn] != [place(row) for row in recorded]
    page.goto(f"{site.url}/?run={run}#v=1&shift={text}&q={quote(QUERY)}")
    viewer.wait("window.tilescope?.state === 'open' && tilescope.sharp", 60)
    page.keyboard.press("Control+f")

    def step(keys: str, number: int) -> None:
        page.keyboard.press(keys)
        wait_for_count(viewer, f"{number + 1} of {len(drawn)}")
        viewer.wait("tilescope.selection.loaded")
        chosen = viewer.look()["selection"]
        assert (chosen["track"], chosen["ordinal"]) == place(drawn[number])

    for number in range(len(drawn)):
        step("Enter", number)
    step("Enter", 0)  # on from the first
    step("Shift+Enter", len(drawn) - 1)
    for number in reversed(range(len(drawn) - 1)):
        step("Shift+Enter", number)
    # Without the shift the hit has another number.
    step("Enter", 1)
    viewer.wait(f"location.hash.includes('sel={drawn[1]['event']}&') && location.hash.includes('hit=1')")
    page.evaluate("location.hash = location.hash.replace(/&shift=[^&]*/, '')")
    number = [place(row) for row in recorded].index(place(drawn[1]))
    wait_for_count(viewer, f"{number + 1} of {len(recorded)}")
    assert number != 1


def test_timelines_are_aligned_by_what_is_drawn(viewer: Viewer, site: Served) -> None:
    page, run = viewer.page, site.run_id(RUN)
    devices = rows_of(ask(site, run, "steps", steps=STEP), "devices")
    first = min(devices, key=lambda row: int(row["start"]))
    shift = 2 * int(first["duration"])
    text, later = shifts_by_track(site, run, {first["host"]: shift})
    recorded = min(int(row["start"]) for row in devices)
    drawn = min(int(row["start"]) + later[place(row)[0]] for row in devices)
    assert drawn - recorded not in (0, shift), "another host begins the step"
    link = f"{site.url}/?run={run}#v=1&shift={text}&second=run%3D{run}"
    event = f"event.{first['event']}-{first['event']}"
    for alignment, distance in ((f"step.{STEP}-{STEP}", drawn - recorded), (event, shift)):
        page.goto("about:blank")
        page.goto(f"{link}&align={alignment}")
        viewer.wait("tilescope.second?.state === 'open'", 60)
        expect(page.locator(".pane-distance")).to_contain_text("earlier", timeout=60_000)
        settle(viewer)
        left, right = views(viewer)
        assert int(left["start"]) - int(right["start"]) == distance
