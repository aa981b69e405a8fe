"""Bins, from the file to the tooltip: they are drawn rounded, and what is said about them is exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route

from tests.browser.conftest import TRACES, Served
from tests.browser.driver import Viewer, parse_duration_ps
from tests.browser.oracle import BinSums, Slice, bin_sums, read_lanes, rows_of
from tests.standins.written import DEVICES, TRAINING

THREAD = "pt_autograd_0"
ROW_PX = 18
RESIDUALS = "**/residuals/**"


@pytest.fixture
def asked(viewer: Viewer) -> list[str]:
    """Addresses of the residuals that the page has asked for."""
    found: list[str] = []
    viewer.page.on("request", lambda request: found.append(request.url) if "/residuals/" in request.url else None)
    return found


def show(viewer: Viewer, served: Served, trace: str, name: str) -> float:
    """Opens a trace with all groups expanded, and scrolls to a track or group; returns the height of its first row."""
    viewer.open(served.run_id(trace))
    viewer.expand_all()
    viewer.rest()
    item = next(item for item in viewer.tree() if item.name == name)
    viewer.scroll_to(item.top_px - 60)
    scrolled = viewer.page.evaluate("document.querySelector('.scroller').scrollTop")
    return float(viewer.timeline_box()["y"] + item.top_px - scrolled + ROW_PX / 2 + 2)


def check_bin(viewer: Viewer, said: dict[str, str], slices: list[Slice], served: Served, is_rollup: bool) -> None:
    """What is said of the bin under the pointer, and in the drawer once it is selected, is what the file says."""
    viewer.page.mouse.down()
    viewer.page.mouse.up()
    viewer.wait("tilescope.selection.kind === 'bin' && tilescope.selection.busy !== null", 5)
    viewer.frames()
    chosen = viewer.look()["selection"]
    manifest = served.get(f"/runs/{viewer.look()['run']}/manifest")
    tick_ps = manifest["tick_ps"]
    start_ps = int(chosen["start"]) * tick_ps + int(manifest["origin_ns"]) * 1000
    width_ps = int(chosen["width"]) * tick_ps
    # Slices of at least two bins are drawn as themselves; a rollup has nothing but bins.
    summed = [entry for entry in slices if is_rollup or entry.duration_ps < 2 * width_ps]
    expected = bin_sums(summed, start_ps, width_ps)
    assert BinSums(chosen["count"], int(chosen["busy"]) * tick_ps, int(chosen["longest"]) * tick_ps) == expected

    rows = {name: parse_duration_ps(text) for name, text, _ in viewer.table("bin") if name in ("Busy", "Longest event")}
    assert rows == {"Busy": expected.busy_ps, "Longest event": expected.longest_ps}

    # The tooltip rounds to four digits.
    busy, percent = said["Busy"].split(" · ")
    assert parse_duration_ps(busy) == pytest.approx(expected.busy_ps, rel=0.001)
    assert parse_duration_ps(said["Longest"]) == pytest.approx(expected.longest_ps, rel=0.001)
    lanes = int(match[1]) if (match := re.search(r"of (\d+) rows", percent)) else 1
    part = 100 * expected.busy_ps / (width_ps * lanes)
    assert percent.startswith("<") or float(percent.split("\u202f")[0]) == pytest.approx(part, abs=0.51, rel=0.05)


@pytest.mark.parametrize(
    ("name", "thread"), [(TRAINING, THREAD), pytest.param(TRACES[2], THREAD, marks=pytest.mark.deep)]
)
def test_bins_of_a_track_are_exact(
    name: str, thread: str, viewer: Viewer, served: Served, asked: list[str], trace_file: Callable[[str], Path]
) -> None:
    rows = rows_of(next(lane for lane in read_lanes(trace_file(name)) if lane.name == thread))
    y = show(viewer, served, name, thread)
    assert asked == [], "nobody has pointed at anything"
    checked = 0
    for row in range(4):
        for said in viewer.aggregates(y + row * ROW_PX, 40):
            check_bin(viewer, said, rows[row], served, is_rollup=False)
            checked += 1
    assert checked > 16
    viewer.screenshot("bin")
    assert 0 < len(asked) < checked / 4
    assert len(asked) == len(set(asked)), "each page is asked for once"


@pytest.mark.parametrize(
    ("name", "device"),
    [(DEVICES, "/device:TPU:0"), pytest.param(TRACES[0], "Chip 0: TPU Core 0", marks=pytest.mark.deep)],
)
def test_bins_of_a_header_are_exact(
    name: str, device: str, viewer: Viewer, served: Served, trace_file: Callable[[str], Path]
) -> None:
    lanes = [lane for lane in read_lanes(trace_file(name)) if lane.process == device]
    y = show(viewer, served, name, device)
    checked = 0
    for said in viewer.aggregates(y, 24):
        check_bin(viewer, said, [entry for lane in lanes for entry in lane.slices], served, is_rollup=True)
        checked += 1
    assert checked > 4
    viewer.screenshot("bin-of-header")


def test_sums_that_cannot_be_had_are_unknown_until_they_can(viewer: Viewer, served: Served) -> None:
    y = show(viewer, served, TRAINING, THREAD)

    def nonsense(route: Route) -> None:
        route.fulfill(status=200, body=b"no residual")

    viewer.page.route(RESIDUALS, nonsense)
    places = viewer.aggregates(y, 40)
    said = next(places)
    assert (said["Busy"], said["Longest"]) == ("unknown", "unknown")
    assert "could not be fetched" in viewer.page.get_by_role("tooltip").inner_text()
    viewer.page.mouse.down()
    viewer.page.mouse.up()
    viewer.page.get_by_text("its exact sums could not be fetched").wait_for()
    chosen = viewer.look()["selection"]
    assert (chosen["busy"], chosen["longest"]) == (None, None)
    viewer.screenshot("bin-unknown")

    viewer.page.unroute(RESIDUALS, nonsense)
    next(places)
    # What makes no sense would be the same again: it is asked for again by who selects a bin.
    viewer.page.mouse.down()
    viewer.page.mouse.up()
    viewer.wait("tilescope.selection.busy !== null", 5)
    assert "%" in next(places)["Busy"]
