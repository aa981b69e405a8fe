"""What is odd about an event, in the drawer and beside the pointer, in plain words."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.flagged_traces import write_json, write_xspace


@pytest.fixture(scope="module")
def flagged(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("flagged")
    paths = [write_json(folder / "flags.json"), write_xspace(folder / "flags.xplane.pb")]
    with serving(paths, folder / "cache") as running:
        with watched_page(browser, running.url) as page:
            for path in paths:  # has them indexed
                Viewer(page, running.url).open(running.run_id(path.name))
        yield running


LONG = ("never ended", "many")  # so long that the pointer finds them in the whole run

CASES = [
    ("flags.json", "never ended", "Open: the trace ended before it did"),
    ("flags.json", "renamed", "Renamed: begin and end have different names"),
    ("flags.json", "below zero", "Clamped: its duration is negative in the file, and 0 here"),
    ("flags.json", "no dur", "No duration in the file: 0 here"),
    ("flags.xplane.pb", "many", "Aggregated: stands for many occurrences"),
    (
        "flags.xplane.pb",
        "many below zero",
        "Aggregated: stands for many occurrences; clamped: its duration is negative in the file, and 0 here",
    ),
    ("flags.json", "plain", None),
]


@pytest.mark.parametrize(
    ("file", "name", "text"),
    [
        pytest.param(*case, marks=() if case[1] in ("never ended", "many below zero") else pytest.mark.deep)
        for case in CASES
    ],
)
def test_flags_are_told_in_words(browser: Browser, flagged: Served, file: str, name: str, text: str | None) -> None:
    with watched_page(browser, flagged.url) as page:
        viewer = Viewer(page, flagged.url)
        run = flagged.run_id(file)
        build = flagged.get(f"/runs/{run}/manifest")["build"]
        address = f"{flagged.url}/api/v1/runs/{run}/builds/{build}/tools/find?text={quote(name)}&match=exact"
        with urllib.request.urlopen(address, timeout=30) as answer:
            events, _ = json.load(answer)["tables"]
        row = {column["id"]: column["values"][0] for column in events["columns"]}
        event = row["event"]
        page.goto("about:blank")
        page.goto(f"{viewer.url}/?run={run}#v=1&sel={event}")
        viewer.wait("window.tilescope?.state === 'open'", 60)
        viewer.settle()
        drawer = viewer.drawer()
        assert drawer.event["Name"] == name
        assert drawer.event.get("Flags") == text
        if text is not None:
            viewer.screenshot(f"flags-{name.replace(' ', '-')}")
        if name in LONG:
            viewer.expand_all()
            top = next(item.top_px for item in viewer.tree() if item.key == f"t{row['track']}")
            page.mouse.move(
                viewer.x_of(int(row["start"]) + int(row["duration"]) // 2), viewer.timeline_box()["y"] + top + 10
            )
            viewer.wait("document.querySelector('.tooltip-note') !== null", 5)
            assert page.inner_text(".tooltip-note") == text
