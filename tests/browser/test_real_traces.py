"""Traces from the file to the drawer, real ones and stand-ins: what one sees is what the file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import TRACES, Served
from tests.browser.driver import Drawer, TreeItem, Viewer, parse_duration_ps
from tests.browser.oracle import Lane, Slice, read_lanes
from tests.standins.written import GAP, STANDINS


def shown_text(value: Any) -> Any:
    """A file's argument value in the form in which it can be compared with the drawer's text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or value is None:
        return "null" if value is None else str(value)
    return Decimal(value) if isinstance(value, float) else value


def same_value(shown: str, value: Any) -> bool:
    expected = shown_text(value)
    if isinstance(expected, Decimal):
        return float(shown) == float(expected)
    if isinstance(expected, dict | list):
        return all(str(part) in shown for part in (expected if isinstance(expected, list) else expected.values()))
    return bool(shown == expected)


def same_args(shown: list[tuple[str, str]], event: Slice) -> bool:
    return len(shown) == len(event.args) and all(
        name == expected and same_value(text, value)
        for (name, text), (expected, value) in zip(sorted(shown), sorted(event.args, key=_as_shown), strict=True)
    )


def _as_shown(arg: tuple[str, Any]) -> tuple[str, str]:
    name, value = arg
    return name, str(shown_text(value))


def utc_ps(text: str) -> int:
    """`2026-01-31 10:00:00.123 456 789 UTC` → picoseconds since the epoch."""
    clock, _, fraction = text.removesuffix(" UTC").replace("\u202f", "").partition(".")
    seconds = int(datetime.fromisoformat(clock).replace(tzinfo=UTC).timestamp())
    return seconds * 10**12 + int(fraction.ljust(12, "0"))


def targets(lanes: list[Lane], run_ps: int) -> list[tuple[Lane, Slice]]:
    """One short slice in the middle of each of the two fullest lanes whose names are unique."""
    names = Counter((lane.process, lane.name) for lane in lanes)
    candidates = sorted(lanes, key=lambda lane: -len(lane.slices))
    found = []
    for lane in candidates:
        short = [entry for entry in lane.slices if 0 < entry.duration_ps < run_ps // 2000]
        if names[lane.process, lane.name] == 1 and short:
            found.append((lane, short[len(short) // 2]))
    return found[:2]


def item_of(tree: list[TreeItem], lane: Lane) -> TreeItem:
    return next(item for item in tree if (item.parent, item.name) == (lane.process, lane.name))


def check_drawer(drawer: Drawer, lane: Lane, target: Slice, tick_ps: int, origin_ns: int) -> None:
    same_place = [
        entry
        for entry in lane.slices
        if (entry.name, entry.start_ps, entry.duration_ps) == (target.name, target.start_ps, target.duration_ps)
    ]
    assert drawer.event["Name"] == target.name
    assert drawer.event.get("Category", "") == target.category
    assert drawer.event["Track"].endswith(f"{lane.process} › {lane.name}")
    assert drawer.ticks["Start"] * tick_ps + origin_ns * 1000 == target.start_ps
    assert drawer.ticks["Duration"] * tick_ps == target.duration_ps
    assert parse_duration_ps(drawer.event["Duration"]) == target.duration_ps
    if origin_ns > 10**18:  # otherwise the file counts from the start of a machine, and the drawer shows no date
        assert utc_ps(drawer.event["Wall clock"]) == target.start_ps
    assert any(same_args(drawer.args, entry) for entry in same_place), (drawer.args, same_place)


@pytest.mark.parametrize(
    "name",
    [name if name == GAP else pytest.param(name, marks=pytest.mark.deep) for name in (*STANDINS, *TRACES)],
)
def test_from_the_whole_trace_to_one_event(
    name: str, viewer: Viewer, served: Served, trace_file: Callable[[str], Path]
) -> None:
    lanes = read_lanes(trace_file(name))
    short_name = name.split("/")[-1].split(".")[0]
    run = served.run_id(name)
    viewer.open(run)
    viewer.screenshot(f"{short_name}-whole")
    manifest = served.get(f"/runs/{run}/manifest")
    tick_ps, origin_ns = manifest["tick_ps"], int(manifest["origin_ns"])

    viewer.page.keyboard.press("e")  # empty tracks, too
    viewer.expand_all()
    tree = viewer.tree()
    shown = Counter((item.parent, item.name) for item in tree)
    in_file = Counter((lane.process, lane.name) for lane in lanes)
    assert {key: shown[key] for key in in_file} == dict(in_file), "tracks are not named as in the file"

    chosen = targets(lanes, int(manifest["end"]) * tick_ps)
    assert chosen, "no slice of the file is worth zooming to"
    for number, (lane, target) in enumerate(chosen):
        viewer.page.keyboard.press("Escape")
        viewer.page.keyboard.press("Escape")
        viewer.page.keyboard.press("0")
        viewer.rest()
        item = item_of(tree, lane)
        viewer.scroll_to(item.top_px - 60)
        middle_ticks = (target.start_ps + target.duration_ps // 2 - origin_ns * 1000) // tick_ps
        y = viewer.timeline_box()["y"] + 70
        duration_ticks = target.duration_ps // tick_ps
        label = viewer.zoom_to_label(int(item.key[1:]), middle_ticks, duration_ticks, target.name, y)
        viewer.click(label["x"] + label["width"] / 2, label["y"] + label["height"] / 2)
        drawer = viewer.drawer()
        viewer.screenshot(f"{short_name}-event-{number}")
        check_drawer(drawer, lane, target, tick_ps, origin_ns)


# Which part of the columns is coloured somewhere in the lane below `top`: bars are as high as bins are busy.
COLOURED_COLUMNS = """top => {
    const canvas = document.querySelector('.timeline canvas');
    const pixels = canvas.getContext('2d').getImageData(0, top + 1, canvas.width, 24).data;
    const coloured = new Set();
    for (let k = 0; k < pixels.length; k += 4) {
        const [red, green, blue] = [pixels[k], pixels[k + 1], pixels[k + 2]];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 12) coloured.add((k / 4) % canvas.width);
    }
    return coloured.size / canvas.width;
}"""


@pytest.mark.parametrize("name", [GAP, pytest.param(TRACES[3], marks=pytest.mark.deep)])
def test_a_header_is_as_sharp_as_its_tracks(name: str, viewer: Viewer, served: Served) -> None:
    """Two minutes around the two seconds in which anything happens, in a trace of thirteen days."""
    run = served.run_id(name)
    viewer.open(run)
    manifest = served.get(f"/runs/{run}/manifest")
    end = int(manifest["end"])
    # The first thread that has many slices, and the header of its process.
    busy = next(t for t in served.tree(run)["tracks"] if t["kind"] == "slice" and int(t["events"]) > 1000)
    tree = viewer.tree()
    item = next(item for item in tree if item.key == f"t{busy['id']}")
    places = next(top.top_px for top in tree if top.name == item.parent), item.top_px
    for seconds, part in ((120, 0.03), (12, 0.2)):
        start = end - seconds * 10**12 // manifest["tick_ps"]
        viewer.page.goto("about:blank")
        viewer.page.goto(f"{viewer.url}/?run={run}#v=1&color=name&t={start}-{end}")
        viewer.wait("window.tilescope?.state === 'open'")
        viewer.settle()
        header, thread = (viewer.page.evaluate(COLOURED_COLUMNS, int(y)) for y in places)
        assert 0 < thread <= header + 0.002 < part
    viewer.screenshot(f"header-{name.split('/')[-1].split('.')[0]}")
