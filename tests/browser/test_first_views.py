"""First views of real runs whose events lie in a part of their time: something is seen, the whole is in the minimap."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.corpus import corpus_path

CLUSTERS = "gpu_v100x8_bert.xplane.pb"  # two clusters of about 20 ms in 2.5 s
TAIL = "resnet50_workers4.pt.trace.json.gz"  # a lone instant far behind all work

# Parts of the columns of a canvas that have a colour or a grey of events somewhere, by tenths of its width.
TENTHS = """selector => {
    const canvas = document.querySelector(selector);
    const { width, height } = canvas;
    const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let x = 0; x < width; x++) {
        for (let y = 0; y < height; y++) {
            const k = 4 * (y * width + x);
            const [red, green, blue] = [pixels[k], pixels[k + 1], pixels[k + 2]];
            if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) {
                tenths[Math.floor(10 * x / width)] += 10 / width;
                break;
            }
        }
    }
    return tenths;
}"""
TRACKS, MINIMAP = ".timeline canvas", ".minimap canvas"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    paths = [corpus_path(f"xplane/{CLUSTERS}"), corpus_path(f"kineto/{TAIL}")]
    with serving(paths, tmp_path_factory.mktemp("cache")) as running:
        yield running


@pytest.fixture
def viewer(browser: Browser, site: Served) -> Iterator[Viewer]:
    with watched_page(browser, site.url) as page:
        yield Viewer(page, site.url)


def test_a_run_of_two_clusters_opens_on_one_and_has_both_in_the_minimap(viewer: Viewer, site: Served) -> None:
    run = site.run_id(CLUSTERS)
    viewer.open(run)
    viewer.settle()
    viewer.screenshot("first-view-clusters")
    manifest = site.get(f"/runs/{run}/manifest")
    start, end = viewer.span()
    assert (end - start) * manifest["tick_ps"] < 60 * 10**9, "milliseconds of seconds"
    assert min(viewer.page.evaluate(TENTHS, TRACKS)) > 0.2, "no tenth of the view is blank"
    # The minimap is of the whole run: what is not shown is seen there, far from what is.
    minimap = viewer.page.evaluate(TENTHS, MINIMAP)
    busy = [tenth for tenth, part in enumerate(minimap) if part > 0]
    assert busy[-1] - busy[0] >= 5, minimap
    assert "of its events" in viewer.page.locator(".note").inner_text()


def test_lone_instants_leave_no_blank_at_the_end(viewer: Viewer, site: Served) -> None:
    run = site.run_id(TAIL)
    viewer.open(run)
    viewer.settle()
    viewer.screenshot("first-view-tail")
    start, end = viewer.span()
    assert end - start < int(site.get(f"/runs/{run}/manifest")["end"])
    tenths = viewer.page.evaluate(TENTHS, TRACKS)
    assert tenths[0] > 0.2
    assert tenths[-1] > 0.2
