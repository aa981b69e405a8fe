"""Derived lanes with their tracks: drawn by menu, key and link, exact, pinned and hidden like tracks, and led from."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, expect

import tilescope
from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages

TPU = "xplane/tpu_v6e_4core.xplane.pb"
KINETO = "kineto/ns_resolution.pt.trace.json.gz"
STREAM = "[role=treeitem][data-key=t3]"


def menu_of_stream(viewer: Viewer, entry: str) -> None:
    """Chooses something in the menu of the stream, by its name in the tree."""
    viewer.page.locator(f"{STREAM} .tree-name").first.click(button="right")
    viewer.page.get_by_role("menuitem", name=entry).click()


def scroll_to_stream(viewer: Viewer) -> None:
    viewer.expand_all()
    viewer.scroll_to(next(item.top_px for item in viewer.tree() if f"data-key={item.key}]" in STREAM) - 60)


def draw(viewer: Viewer, *titles: str) -> None:
    for title in titles:
        menu_of_stream(viewer, title)
    for title in titles:
        viewer.page.get_by_role("slider", name=title.partition(": ")[2]).wait_for()
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")


def hash_of(viewer: Viewer) -> str:
    return str(viewer.page.evaluate("location.hash"))


@pytest.mark.parametrize("theme", THEMES)
def test_lanes_of_a_stream(viewer: Viewer, served: Served, theme: str) -> None:
    page = viewer.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(KINETO))
    scroll_to_stream(viewer)
    draw(viewer, "Draw: Work in the queue", "Draw: What GPU 0 does")
    queue = page.get_by_role("slider", name="Work in the queue")
    viewer.wait("document.querySelector('.lane-top')?.textContent === '1,022'")
    viewer.wait("location.hash.includes('lanes=queues.3,overlap.2')")
    # By keys to its longest, and to what made it.
    queue.focus()
    page.keyboard.press("ArrowUp")
    assert "022" in str(queue.get_attribute("aria-valuetext"))
    viewer.screenshot(f"lanes-{theme}")
    assert faults(viewer) == []
    page.keyboard.press("Enter")
    viewer.wait("tilescope.selection?.kind === 'area'")
    viewer.wait("location.hash.includes('tracks=1-3')")
    # The link has them; they go with their track.
    page.reload()
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    scroll_to_stream(viewer)
    queue.wait_for()
    menu_of_stream(viewer, "Pin to the top")
    page.locator(".tree-pinned .tree-lane").first.wait_for()
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    viewer.screenshot(f"lanes-pinned-{theme}")
    menu_of_stream(viewer, "Hide: Work in the queue")
    queue.wait_for(state="detached")
    page.go_back()
    queue.wait_for()


def test_a_failure_is_said_and_the_next_view_asks_anew(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url, server_may_go=True) as page:
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(KINETO))
        scroll_to_stream(viewer)
        error = {"error": {"code": "tool_failed", "message": "the tool failed at once"}}
        page.route(
            "**/lane_bins**",
            lambda route: route.fulfill(status=500, content_type="application/json", body=json.dumps(error)),
        )
        menu_of_stream(viewer, "Draw: Work in the queue")
        page.locator(".lane-none").wait_for()
        assert "the tool failed at once" in page.locator(".lane-none").inner_text()
        page.unroute("**/lane_bins**")
        page.locator(".timeline").focus()
        viewer.hold("w", 250)
        page.locator(".lane-top").wait_for()


@pytest.mark.parametrize("theme", THEMES)
def test_memory_is_drawn_by_its_key_and_from_its_page(viewer: Viewer, served: Served, theme: str) -> None:
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(TPU))
    page.keyboard.press("x")
    graph = page.get_by_role("slider", name="Memory")
    graph.locator(".lane-top").wait_for()
    run = tilescope.connect(served.url).run(served.run_id(TPU))
    peak = run.ask("memory_profile").fact("peak").value
    lane = str(run.ask("lanes", source="memory_profile").table("lanes")["lane"][0])
    bins = run.ask("lane_bins", lane=lane, bins=900).table("counter_bins")
    assert max(row["max"] for row in bins if row["max"] is not None) == peak
    assert f"lanes={lane}" in hash_of(viewer)
    graph.focus()
    page.keyboard.press("ArrowUp")
    assert graph.locator(".lane-top").inner_text() in str(graph.get_attribute("aria-valuetext"))
    viewer.screenshot(f"lanes-memory-{theme}")
    assert faults(viewer) == []
    page.locator(".timeline").focus()
    page.keyboard.press("x")
    graph.wait_for(state="detached")
    pages = ToolPages(viewer)
    pages.go(served.run_id(TPU), "tool=memory_profile")
    pages.answered()
    page.get_by_role("button", name="Draw it in the timeline").click()
    pages.wait_for("timeline")
    graph.wait_for()


def test_a_search_lists_slices_of_lanes_apart_and_leads_to_them(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(KINETO))
    scroll_to_stream(viewer)
    draw(viewer, "Draw: What GPU 0 does")
    page.keyboard.press("/")
    page.keyboard.type("computation")
    table = page.get_by_role("table", name="Names in derived lanes")
    table.wait_for()
    run = tilescope.connect(served.url).run(served.run_id(KINETO))
    answer = run.ask("search", query="computation", lanes="overlap.2", limit=1)
    count = answer.table("lane_names")["count"][0]
    assert table.locator("tbody td").nth(1).inner_text() == f"{count:,}"
    assert "derived" in table.locator("small").inner_text()
    viewer.screenshot("lanes-search")
    assert faults(viewer) == []
    start = int(answer.table("lane_slices")["start"][0])
    end = start + int(answer.table("lane_slices")["duration"][0])
    table.get_by_role("button").click()
    viewer.wait(f"tilescope.selection?.kind === 'area' && location.hash.includes('area={start}-{end}')")


def test_lanes_that_are_drawn_are_exported_and_marked(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(KINETO))
    scroll_to_stream(viewer)
    draw(viewer, "Draw: Work in the queue", "Draw: What GPU 0 does")
    page.get_by_role("button", name="Share").first.click()
    page.get_by_role("menuitem", name="Export events").click()
    choice = page.get_by_role("checkbox", name="With the 2 derived lanes")
    choice.wait_for()
    assert faults(viewer) == []
    marked = []
    for _ in range(2):
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        events = json.loads(download.value.path().read_bytes())["traceEvents"]
        marked.append({event["args"]["lane"] for event in events if "lane" in event.get("args", {})})
        choice.click()
    assert marked == [{"queues.3", "overlap.2"}, set()]


def test_a_place_in_a_queue_leads_to_the_work_that_waits(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(KINETO))
    scroll_to_stream(viewer)
    draw(viewer, "Draw: Work in the queue")
    page.get_by_role("slider", name="Work in the queue").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+Enter")
    viewer.wait("tilescope.selection?.kind === 'event'")
    run = tilescope.connect(served.url).run(served.run_id(KINETO))
    track, ordinal = page.evaluate("[tilescope.selection.track, tilescope.selection.ordinal]")
    assert track == 3
    assert run.event(track, ordinal).flows_in, "an arrow leads to it from its launch"


def test_lines_of_the_framework_are_drawn_by_a_link_and_found_by_name(viewer: Viewer, served: Served) -> None:
    page, run_id = viewer.page, served.run_id(TPU)
    viewer.open(run_id)
    run = tilescope.connect(served.url).run(run_id)
    lanes = run.ask("lanes", source="framework_ops").table("lanes")
    by_title = {str(title): str(lane) for title, lane in zip(lanes["title"], lanes["lane"], strict=True)}
    assert set(by_title) == {"Framework Ops", "Name scopes"}
    page.goto("about:blank")
    page.goto(f"{served.url}/?run={run_id}#v=1&lanes={','.join(by_title.values())}")
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.expand_all()
    for title in by_title:
        page.get_by_role("slider", name=title).first.wait_for()
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    assert faults(viewer) == []
    viewer.screenshot("lanes-framework")
    answer = run.ask("search", query="jit(f)", lanes=by_title["Name scopes"], limit=1)
    assert answer.table("lane_names")["count"][0] > 0


@pytest.mark.parametrize("theme", THEMES)
def test_levels_of_name_scopes_are_chosen_in_the_menu(viewer: Viewer, served: Served, theme: str) -> None:
    page, run_id = viewer.page, served.run_id(TPU)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(run_id)
    viewer.wait("window.tilescope?.state === 'open'", 60)
    run = tilescope.connect(served.url).run(run_id)
    lanes = run.ask("lanes", source="framework_ops").table("lanes")
    lane, track, rows = next(
        (str(lane), int(track), int(rows))
        for lane, track, title, rows in zip(*(lanes[name] for name in ("lane", "track", "title", "rows")), strict=True)
        if title == "Name scopes"
    )
    assert rows > 1
    viewer.expand_all()
    page.locator(f"[role=treeitem][data-key=t{track}] .tree-name").first.click(button="right")
    levels = page.get_by_role("group", name="Levels of Name scopes")
    levels.wait_for()
    assert levels.get_by_role("menuitemradio").count() == rows
    expect(levels.locator("[aria-checked=true]")).to_have_count(0)
    assert faults(viewer) == []
    levels.get_by_role("menuitemradio", name="1", exact=True).click()
    viewer.wait(f"location.hash.includes('lanes={lane}:1')")
    scopes = page.get_by_role("slider", name="Name scopes").first
    scopes.wait_for()
    low = scopes.bounding_box()
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    viewer.screenshot(f"lanes-levels-{theme}")
    # By keys, from the entry of the last level.
    page.locator(f"[role=treeitem][data-key=t{track}] .tree-name").first.click(button="right")
    assert levels.get_by_role("menuitemradio", checked=True).inner_text() == "1"
    levels.get_by_role("menuitemradio", checked=True).focus()
    for _ in range(rows - 1):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    viewer.wait(f"location.hash.endsWith('lanes={lane}') || location.hash.includes('lanes={lane}&')")
    high = scopes.bounding_box()
    assert low is not None
    assert high is not None
    assert high["height"] > low["height"]


@pytest.mark.parametrize("theme", THEMES)
def test_a_place_in_a_queue_has_arrows_from_launches_to_the_work_that_waits(
    viewer: Viewer, served: Served, theme: str
) -> None:
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(KINETO))
    scroll_to_stream(viewer)
    draw(viewer, "Draw: Work in the queue")
    expect(page.locator(".lane-arrows")).to_have_count(0)
    page.get_by_role("slider", name="Work in the queue").focus()
    page.keyboard.press("ArrowUp")
    page.locator(".lane-arrows[data-arrows='8']").wait_for()
    # The middle of an arrow is drawn in each of eight rows.
    rows = page.evaluate("""() => {
        const canvas = document.querySelector(".lane-arrows");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const drawn = Array.from({ length: canvas.height }, (_, y) =>
            data.subarray(4 * y * canvas.width, 4 * (y + 1) * canvas.width).filter((_, k) => k % 4 === 3)
                .reduce((count, alpha) => count + (alpha > 100 ? 1 : 0), 0));
        return drawn.filter((count, y) => count > 20 && !(drawn[y - 1] > 20)).length;
    }""")
    assert rows == 8
    viewer.screenshot(f"lane-arrows-{theme}")
    assert faults(viewer) == []
    # Before the run there is none.
    page.keyboard.press("Home")
    page.locator(".lane-arrows").wait_for(state="detached")
