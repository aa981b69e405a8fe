"""A counter behind its last sample: fainter, said to be unknown, and never beyond the end of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.reports.traces import FOLDER

# The greatest distance from grey of each column of pixels between two heights: 0 of the ground and the grid.
_COLOURED = """([top, bottom]) => {
    const canvas = document.querySelector('.timeline canvas');
    const ratio = window.devicePixelRatio;
    const height = Math.round((bottom - top) * ratio);
    const { data, width } = canvas.getContext('2d').getImageData(0, Math.round(top * ratio), canvas.width, height);
    const columns = new Array(width).fill(0);
    for (let k = 0; k < data.length; k += 4) {
        const of = Math.max(data[k], data[k + 1], data[k + 2]) - Math.min(data[k], data[k + 1], data[k + 2]);
        const column = (k / 4) % width;
        columns[column] = Math.max(columns[column], of);
    }
    return columns;
}"""
_GREY = 25


@pytest.fixture(scope="module")
def counters(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The trace of a report, and one whose samples are drawn in bins."""
    folder = tmp_path_factory.mktemp("counters")
    job = {"ph": "X", "name": "job", "ts": 0, "dur": 1000, "pid": 1, "tid": 1}
    samples = [
        {"ph": "C", "name": "load", "pid": 1, "ts": 10 + k / 1000, "args": {"value": k * 7919 % 100}}
        for k in range(20_000)
    ]
    (folder / "dense.json").write_text(json.dumps([job, *samples]))
    with serving([FOLDER / "counter_stops.json", folder / "dense.json"], folder / "cache") as running:
        yield running


@pytest.mark.parametrize(
    ("name", "zoom"),
    [
        ("counter_stops.json", 1),
        ("dense.json", 8),
        pytest.param("counter_stops.json", 8, marks=pytest.mark.deep),
        pytest.param("dense.json", 1, marks=pytest.mark.deep),
    ],
)
def test_behind_the_last_sample(browser: Browser, counters: Served, name: str, zoom: int) -> None:
    with watched_page(browser, counters.url) as page:
        viewer = Viewer(page, counters.url)
        viewer.open(counters.run_id(name))
        viewer.rest()
        box = viewer.timeline_box()
        track = page.get_by_role("treeitem", name="load").bounding_box()
        assert track is not None
        if zoom > 1:  # to the end of the run
            page.mouse.move(viewer.x_of(1_000_000), track["y"] + 20)
            page.keyboard.down("Control")
            for _ in range(6):
                page.mouse.wheel(0, -120)
                viewer.rest()
            page.keyboard.up("Control")
        viewer.settle()
        top = track["y"] - box["y"]
        coloured = page.evaluate(_COLOURED, [top, top + track["height"] - 2])

        def columns(start: int, stop: int) -> list[int]:
            first, last = (round(viewer.x_of(tick) - box["x"]) for tick in (start, stop))
            found: list[int] = coloured[max(first, 0) : max(last, 0)]
            return found

        known, unknown = columns(12_000, 29_500), columns(32_000, 998_000)
        assert max(columns(-1_000_000, 9_000), default=0) < _GREY  # before the first sample
        assert max(columns(1_002_000, 2_000_000), default=0) < _GREY  # behind the run
        assert len(unknown) > 500
        drawn = [of for of in unknown if of >= _GREY]
        assert 0.3 < len(drawn) / len(unknown) < 0.8  # dashes
        if zoom == 1:
            assert min(known) > max(drawn)
        viewer.screenshot(f"counter-ends-{name.removesuffix('.json')}-{zoom}")

        page.mouse.move(viewer.x_of(999_970), track["y"] + 20)
        page.get_by_role("tooltip").wait_for()
        said = page.get_by_role("tooltip").inner_text().replace("\u202f", " ").replace("\xa0", " ")
        assert "Last sample 9" in said
        assert "earlier: the value here is unknown" in said
        page.mouse.move(viewer.x_of(1_008_000), track["y"] + 20)
        page.get_by_role("tooltip").wait_for(state="detached")
