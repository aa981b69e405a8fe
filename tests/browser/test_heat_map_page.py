"""The heat map in the browser: colours, zooming by keys, parts of hosts, order, filter, and the way to the timeline."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bench.pod_run import PodShape, write_pod
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.static_host import static_host
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tilescope.cli import main
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

STORE = "made.store"

# How many colours there are in the lower half of the map, beside names and axis.
COLOURS = """() => {
    const canvas = document.querySelector('.heat-map canvas');
    const [x, y] = [Math.round(200 * devicePixelRatio), Math.round(canvas.height / 2)];
    const { data } = canvas.getContext('2d').getImageData(x, y, canvas.width - x, canvas.height - y);
    const colours = new Set();
    for (let k = 0; k < data.length; k += 4) {
        colours.add(data[k] << 16 | data[k + 1] << 8 | data[k + 2]);
    }
    return colours.size;
}"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heat")
    made = write_pod(folder / "made", PodShape(hosts=6, chips=4, steps=4, late_host=1))
    build_store(made.files, folder / STORE)
    return folder / STORE


@pytest.fixture(scope="module")
def site(browser: Browser, store: Path) -> Iterator[Served]:
    with serving([store], store.parent / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_a_pod_is_seen_as_a_whole_and_down_to_a_chip(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(STORE), "tool=heat_map&f.counted=computing")
    pages.answered()
    heat_map = page.locator(".heat-map")
    assert "Heat map of 6 hosts" in (heat_map.get_attribute("aria-label") or "")
    pages.viewer.wait(f"({COLOURS})() > 3")
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"heat-map-{theme}")
    # A row is chosen by keys; what is known of it is said below.
    heat_map.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-1")
    # Zooming asks for the chips of the hosts in view, and the address says what is shown.
    with page.expect_response(lambda response: "level=process" in response.url or "level=track" in response.url):
        for _ in range(6):
            page.keyboard.press("Shift+ArrowUp")
    pages.viewer.wait("new URLSearchParams(location.hash.slice(1)).get('at')?.includes('pod-worker-1')")
    pages.viewer.screenshot(f"heat-map-host-{theme}")
    before = pages.address()["at"]
    page.reload()
    pages.answered()
    pages.viewer.wait(f"({COLOURS})() > 1")
    assert pages.address()["at"] == before
    expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-1")
    # Enter leads to the timeline, at the same time.
    heat_map.focus()
    page.keyboard.press("Enter")
    pages.wait_for("timeline")


def test_rows_are_filtered_and_sorted(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=heat_map")
    pages.answered()
    box = page.get_by_role("searchbox", name="Filter the rows by name")
    box.fill("worker-4")
    box.press("Enter")
    page.get_by_text("1 of 6 hosts").wait_for()
    pages.viewer.wait("location.hash.includes('f.filter=worker-4')")
    box.fill("nothing is called so")
    box.press("Enter")
    page.get_by_text("No row has a name with").wait_for()
    box.fill("")
    box.press("Enter")
    page.locator(".heat-map canvas").wait_for()
    # By a figure of another tool: the host that is fed slowly comes first.
    with page.expect_response(lambda response: "/tools/pod?" in response.url):
        page.get_by_role("combobox", name="Order of the rows").select_option("pod.input")
    pages.viewer.frames()
    page.locator(".heat-map").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-2")
    expect(page.locator(".heat-map-row")).to_contain_text("row 1,")
    expect(page.locator(".heat-map-row")).to_contain_text("Input: ")


# Fills the field as one who types: whether there is a map right after each text, before anything is painted.
FILTER_AT_ONCE = """async texts => {
    const field = document.querySelector('.heat-map-filter');
    const shown = [];
    for (const text of texts) {
        field.value = text;
        field.dispatchEvent(new Event('change', { bubbles: true }));
        for (let turn = 0; turn < 20; turn++) {
            await null;
        }
        shown.push(document.querySelector('.heat-map canvas') !== null);
    }
    return shown;
}"""


def test_a_map_that_goes_before_it_is_painted_leaves_nothing_behind(pages: ToolPages, site: Served) -> None:
    """Its timer, which writes the address once it rests, ends with it: `pages` has no error."""
    page = pages.page
    pages.go(site.run_id(STORE), "tool=heat_map")
    pages.answered()
    page.locator(".heat-map canvas").wait_for()
    assert page.evaluate(FILTER_AT_ONCE, ["no such row", "", "no such row"]) == [False, True, False]
    page.wait_for_timeout(200)  # longer than a view takes to be at rest


def chosen_first(pages: ToolPages) -> str:
    """Words about the first row of the map."""
    pages.viewer.frames()
    pages.page.locator(".heat-map").focus()
    for _ in range(6):
        pages.page.keyboard.press("ArrowUp")
    pages.viewer.frames()
    return pages.page.locator(".heat-map-row").inner_text()


def test_rows_are_sorted_by_a_column_of_any_tool_by_chips_and_in_groups(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=heat_map")
    pages.answered()
    order = page.get_by_role("combobox", name="Order of the rows")
    with page.expect_response(lambda response: "/tools/pod?" in response.url):
        order.select_option("tool")
    assert pages.address()["f.sort"] == "pod."
    tool = page.get_by_role("combobox", name="Tool whose column sorts the rows")
    tool.select_option("stats")
    page.get_by_text("the tool stats has no figures of tracks").wait_for()
    tool.select_option("pod")
    column = page.get_by_role("combobox", name="Column that sorts the rows")
    column.select_option("others")
    assert pages.address()["f.sort"] == "pod.others"
    greatest = chosen_first(pages)
    page.get_by_role("checkbox", name="Backwards").check()
    assert pages.address()["f.least"] == "1"
    least = chosen_first(pages)
    assert "All others: " in greatest
    assert greatest.split("\n")[0] != least.split("\n")[0]
    # By chips rows are asked for anew, and their grid groups them.
    page.get_by_role("checkbox", name="Backwards").uncheck()
    with page.expect_response(lambda response: "order=chips" in response.url):
        order.select_option("chips")
    pages.answered()
    page.get_by_role("combobox", name="Groups of rows").select_option("grid")
    page.get_by_text("6 hosts, in ").wait_for()
    assert "Row 0 of the chips" in chosen_first(pages)
    page.reload()
    pages.answered()
    page.get_by_text("6 hosts, in ").wait_for()
    assert faults(pages.viewer) == []


LINK = "tool=heat_map&f.filter=worker&f.sort=busy&at=;1000-4000;pod-worker-4"


def opened_elsewhere(browser: Browser, url: str) -> str:
    """Address of a page of another person, once the map that the link names is drawn."""
    with watched_page(browser, url) as page:
        page.goto(url)
        viewer = Viewer(page, url)
        viewer.wait("['open', 'unknown'].includes(window.tilescope?.state)", 60)
        if page.evaluate("tilescope.state") == "unknown":  # a run's id has where it lies
            page.get_by_role("link", name="at the place of the link").click()
            viewer.wait("window.tilescope?.state === 'open'", 60)
        page.locator(".heat-map canvas").wait_for(timeout=60_000)
        viewer.wait(f"({COLOURS})() > 1")
        expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-4")
        expect(page.get_by_role("searchbox", name="Filter the rows by name")).to_have_value("worker")
        expect(page.get_by_role("combobox", name="Order of the rows")).to_have_value("busy")
        return page.url


def test_a_link_opens_on_another_server_and_on_the_archive(
    browser: Browser, site: Served, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same run elsewhere, as a store and as an archive that a server has, and as one without any server of ours."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(store, folder / STORE)
    options = ["--answers", "heat_map"]
    assert main(["archive", str(store), "--site", str(folder / "site"), *options]) == 0
    shutil.copyfile(folder / "site" / "made.tsarc", folder / "made.tsarc")
    link = f"/?run={site.run_id(STORE)}#v=1&{LINK}"
    assert opened_elsewhere(browser, site.url + link).endswith(LINK)
    for name in (STORE, "made.tsarc"):
        with serving([folder / name], folder / "cache") as other:
            assert opened_elsewhere(browser, other.url + link).endswith(LINK)
    with static_host(folder / "site") as host:
        assert opened_elsewhere(browser, f"{host.url}/?archive=made.tsarc#v=1&{LINK}").endswith(LINK)


def rows_in_view(pages: ToolPages, before: tuple[float, float] | None = None) -> tuple[float, float]:
    """First and last row in view, as the address has them. It is written a moment later: others than `before`."""
    for _ in range(40):
        pages.viewer.frames(20)
        rows = pages.address().get("at", "").split(";")
        first, _, last = (rows[1] if len(rows) > 1 and rows[1] else "0-6000").partition("-")
        view = int(first) / 1000, int(last) / 1000
        if view != before:
            return view
    raise AssertionError(f"rows {before} stay in view")


def is_host(name: str) -> str:
    """Script that is true once an event of a host is selected and loaded."""
    return (
        "tilescope.selection.kind === 'event' && tilescope.selection.loaded"
        f" && document.querySelector('.drawer')?.innerText.includes({name!r})"
    )


def test_keys_lead_from_the_pod_to_an_operation_without_a_jump(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=heat_map")
    pages.answered()
    page.locator(".heat-map").focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-3")
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    before = rows_in_view(pages)
    for _ in range(5):
        page.keyboard.press("+")
        first, last = rows_in_view(pages, before)
        # Each view lies in the one before, with the chosen host in it.
        assert before[0] <= first < last <= before[1]
        assert last - first > (before[1] - before[0]) / 2
        assert first < 4
        assert last > 3
        before = first, last
        expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-3")
    assert any("level=process" in url or "level=track" in url for url in urls)
    span = pages.address()["at"].split(";")[0].split("-")
    page.keyboard.press("Enter")
    pages.wait_for("timeline")
    pages.viewer.wait("tilescope.sharp", 60)
    view = page.evaluate("tilescope.view")
    start, end = (int(tick) for tick in span)
    assert int(view["start"]) == pytest.approx(start, abs=(end - start) / 4)
    assert int(view["end"]) == pytest.approx(end, abs=(end - start) / 4)
    # The first slice of what the map was on: an operation of that host's chip.
    page.keyboard.press("Enter")
    pages.viewer.wait(is_host("pod-worker-3"), 60)


def test_the_pointer_leads_from_the_pod_to_an_operation_without_a_jump(pages: ToolPages, site: Served) -> None:
    page = pages.page
    pages.go(site.run_id(STORE), "tool=heat_map")
    pages.answered()
    box = page.locator(".heat-map").bounding_box()
    assert box is not None
    part = 4.5 / 6  # in the middle of the fifth host
    x, y = box["x"] + 168 + (box["width"] - 168) * 0.6, box["y"] + 22 + (box["height"] - 22) * part
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    before = rows_in_view(pages)
    for _ in range(5):
        page.mouse.wheel(0, -200)
        first, last = rows_in_view(pages, before)
        assert before[0] <= first < last <= before[1]
        assert first + (last - first) * part == pytest.approx(4.5, abs=0.05), "what is below the pointer stays there"
        before = first, last
    page.keyboard.up("Control")
    page.mouse.click(x, y)
    expect(page.locator(".heat-map-row")).to_contain_text("pod-worker-4")
    page.mouse.dblclick(x, y)
    pages.wait_for("timeline")
    pages.viewer.wait("tilescope.sharp", 60)
    # The map's track is in view: one of its slices is chosen where the pointer is.
    page.keyboard.press("Enter")
    pages.viewer.wait(is_host("pod-worker-4"), 60)
