"""The details of what is selected: where a slice lies, its call stack and arguments, and where all of it is docked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer, parse_duration_ps
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES

CHILDREN = 250
ROOT = 30_000
FRAMES = [f"/lib/site-packages/torch/nn/part{k}.py({k}): forward{k}" for k in range(9)]
MAIN, BACKWARD = "train.py(1): main", "train.py(9): backward"
LONG = "void cutlass::Kernel<" + ", ".join(f"Tile{k}" for k in range(80)) + ">"


def trace() -> list[dict[str, Any]]:
    """A root with many calls in it, of which the 7th is the longest and has a call in it and a stack; and a flow.

    In another process a frame of Python is called by one on another thread.
    """
    slices: list[dict[str, Any]] = [{"name": "root", "ts": 0, "dur": ROOT, "tid": 1}]
    slices += [
        {"name": f"op {k}", "ts": 100 * k + 10, "dur": 80 if k == 7 else 20 + k % 5, "tid": 1} for k in range(CHILDREN)
    ]
    stack = {"Call stack": ";".join(FRAMES), "Bytes": 5_242_880, "grid": [32, 1, 2], "Ev Idx": 9, "long": LONG}
    slices[8]["args"] = stack
    slices += [{"name": "inner", "ts": 720, "dur": 30, "tid": 1}, {"name": LONG, "ts": 900, "dur": 5, "tid": 2}]
    flows = [
        {"ph": "s", "name": "f", "id": 1, "ts": 730, "tid": 1},
        {"ph": "f", "bp": "e", "name": "f", "id": 1, "ts": 901, "tid": 2},
    ]
    frames = [
        {"name": MAIN, "ts": 0, "dur": 900, "tid": 8, "args": {"Python id": 1, "Python parent id": None}},
        {"name": BACKWARD, "ts": 100, "dur": 50, "tid": 9, "args": {"Python id": 2, "Python parent id": 1}},
    ]
    return [
        *({"ph": "X", "pid": 1, **event} for event in slices),
        *({"pid": 1, **flow} for flow in flows),
        *({"ph": "X", "pid": 2, "cat": "python_function", **frame} for frame in frames),
    ]


@pytest.fixture(scope="module")
def nested(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("nested")
    with gzip.open(folder / "nested.json.gz", "wt") as file:
        json.dump(trace(), file)
    with serving([folder / "nested.json.gz"], folder / "cache") as served:
        yield served


@pytest.fixture
def viewer(browser: Browser, nested: Served) -> Iterator[Viewer]:
    with watched_page(browser, nested.url) as page:
        yield Viewer(page, nested.url)


def open_at(viewer: Viewer, served: Served, ordinal: int, track: int = 0) -> None:
    viewer.page.goto(f"{viewer.url}/?run={served.run_id('nested.json.gz')}#v=1&sel={track}.{ordinal}")
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.settle()
    viewer.drawer()


def kin(viewer: Viewer, name: str) -> Locator:
    return viewer.page.locator(f"[data-table={name}] tr")


def title(viewer: Viewer, name: str) -> None:
    viewer.wait(f"document.querySelector('.drawer-title')?.textContent === {json.dumps(name)}")


def test_around_a_slice_and_in_it(viewer: Viewer, nested: Served) -> None:
    open_at(viewer, nested, 0)
    page = viewer.page
    page.get_by_text(f"{CHILDREN} slices directly in it").wait_for()
    own = ROOT - sum(event["dur"] for event in trace() if str(event.get("name")).startswith("op "))
    assert parse_duration_ps(viewer.drawer().event["Self time"]) == own * 10**6
    assert kin(viewer, "children").first.inner_text().split()[:2] == ["op", "7"]
    page.get_by_role("button", name="By time").click()
    page.get_by_text(f"1 to 12 of {CHILDREN}").wait_for()
    for last in (112, 212, CHILDREN):
        page.get_by_role("button", name="After").click()
        page.get_by_text(f"to {last} of {CHILDREN}").wait_for()
    expect(page.get_by_role("button", name="After")).to_have_count(0)
    assert kin(viewer, "children").last.inner_text().startswith(f"op {CHILDREN - 1}")
    page.get_by_role("button", name="Before").click()
    page.get_by_role("button", name="Longest").click()
    kin(viewer, "children").first.get_by_role("button", name="op 7").click()
    title(viewer, "op 7")
    assert kin(viewer, "parents").inner_text().startswith("root")
    kin(viewer, "children").get_by_role("button", name="inner").click()
    title(viewer, "inner")
    page.get_by_text("2 slices around it").wait_for()
    assert [row.split("\n")[0] for row in kin(viewer, "parents").all_inner_texts()] == ["op 7", "root"]
    # What has been seen is there in the next frame, and nobody is asked.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("ArrowUp")
    title(viewer, "op 7")
    kin(viewer, "parents").get_by_role("button", name="root").click()
    title(viewer, "root")
    assert [url for url in asked if "/events/" in url or "/tools/" in url] == []


def test_a_frame_of_another_thread_that_called_it(viewer: Viewer, nested: Served) -> None:
    open_at(viewer, nested, 0, track=3)
    title(viewer, BACKWARD)
    viewer.page.get_by_role("heading", name="Called from").wait_for()
    assert kin(viewer, "callers").count() == 1
    assert faults(viewer) == []
    viewer.screenshot("callers-by-python-ids")
    kin(viewer, "callers").get_by_role("button", name=MAIN).click()
    title(viewer, MAIN)
    expect(viewer.page.get_by_role("heading", name="Called from")).to_have_count(0)


@pytest.mark.deep
def test_a_call_stack_arguments_flows_and_internals(viewer: Viewer, nested: Served) -> None:
    open_at(viewer, nested, 8)
    page = viewer.page
    stack = page.locator("ol.stack li")
    assert stack.first.inner_text() == "forward0torch/nn/part0.py:0"
    page.get_by_role("button", name="All 9").click()
    assert stack.count() == len(FRAMES)
    shown = {
        row.locator("th").inner_text(): row.locator("td") for row in page.locator("[data-table=arguments] tr").all()
    }
    assert list(shown) == ["Bytes", "grid", "long"]
    assert shown["Bytes"].inner_text().replace("\u202f", " ") == "5.24 MB"
    assert str(shown["Bytes"].locator("[title]").get_attribute("title")) == "Bytes: 5,242,880"
    assert shown["grid"].inner_text() == "[32, 1, 2]"
    cut = shown["long"].locator(".value").bounding_box()
    shown["long"].get_by_role("button", name=f"Show all {len(LONG)} characters").click()
    whole = shown["long"].locator(".value").bounding_box()
    assert cut is not None
    assert whole is not None
    assert whole["height"] > cut["height"]
    assert not page.locator("[data-table=internal-arguments]").is_visible()
    page.get_by_text("Internals").click()
    assert page.locator("[data-table=internal-arguments]").inner_text().split() == ["Ev", "Idx", "9"]
    kin(viewer, "children").get_by_role("button", name="inner").click()
    page.get_by_text("1 flow out, to").wait_for()
    page.locator("[data-table=flows-out] button").click()
    title(viewer, LONG)
    page.get_by_text("1 flow in, from").wait_for()
    page.locator("[data-table=event] .link[title]").click()  # the track
    viewer.screenshot("details-flow")


def test_a_name_stands_once_on_two_lines_and_figures_are_copied_with_all_digits(viewer: Viewer, nested: Served) -> None:
    viewer.page.set_viewport_size({"width": 1100, "height": 700})
    open_at(viewer, nested, 8)
    page = viewer.page
    page.locator("[data-table=flows-out], [data-table=children] button").first.click()
    page.get_by_text("1 flow out, to").wait_for()
    page.locator("[data-table=flows-out] button").click()
    title(viewer, LONG)
    heading = page.locator(".drawer-title")
    assert page.locator("[data-table=event]").inner_text().count("cutlass") == 0, "the title has it"
    lines = "(({ offsetHeight }, style) => Math.round(offsetHeight / parseFloat(style.lineHeight)))"
    read = f"heading => {lines}(heading, getComputedStyle(heading))"
    assert heading.evaluate(read) == 2
    page.get_by_role("button", name="Whole name").press("Enter")
    assert heading.evaluate(read) > 2
    assert heading.evaluate("heading => heading.scrollHeight <= heading.clientHeight + 1 || heading.tabIndex >= 0")
    page.get_by_role("button", name="Two lines").press("Enter")
    assert heading.evaluate(read) == 2
    assert faults(viewer) == []
    viewer.screenshot("details-long-name")

    names = page.locator("[data-table=event] th").all_inner_texts()
    assert names[:3] == ["Duration", "Start", "Self time"]
    figures = page.locator("[data-table=event] [data-exact]")
    exact = [str(text) for text in figures.evaluate_all("all => all.map(({ dataset }) => dataset.exact)")]
    copied = page.evaluate(_COPY, "[data-table=event]")
    assert [line.split("\t")[1] for line in copied.split("\n")][:2] == exact[:2]
    assert page.evaluate(_COPY, "[data-table=event] [data-exact]") == exact[0]
    assert page.evaluate(_COPY, "[data-table=event] tr") == f"Duration\t{exact[0]}"
    whole = page.evaluate(_COPY, ".drawer-body").split("\n")
    assert {f"Duration\t{exact[0]}", *page.locator(".drawer-body h3").all_text_contents()} <= set(whole)
    assert page.evaluate(_COPY, ".drawer-title") == "default", "a text without figures is the browser's"


_COPY = """selector => {
    const data = new DataTransfer();
    const event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
    const chosen = document.querySelector(selector);
    getSelection().selectAllChildren(chosen);
    return chosen.dispatchEvent(event) ? 'default' : data.getData('text/plain');
}"""


@pytest.mark.parametrize("theme", THEMES)
def test_docked_below_or_on_the_right(viewer: Viewer, nested: Served, theme: str) -> None:
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    open_at(viewer, nested, 8)
    page.get_by_text("1 slice directly in it").wait_for()
    assert faults(viewer) == []
    viewer.screenshot(f"drawer-below-{theme}")
    separator = page.get_by_role("separator", name="Height of the details")
    height = int(separator.get_attribute("aria-valuenow") or "")
    separator.focus()
    page.keyboard.press("ArrowUp")
    assert separator.get_attribute("aria-valuenow") == str(height + 16)
    before = viewer.span()
    page.get_by_role("button", name="Dock the details on the right").click()
    separator = page.get_by_role("separator", name="Width of the details")
    separator.wait_for()
    viewer.frames(3)
    assert viewer.span() == pytest.approx(before, rel=0.01), "what was in view stays in view"
    drawer, timeline = page.locator(".drawer").bounding_box(), viewer.timeline_box()
    assert drawer is not None
    assert timeline["x"] + timeline["width"] <= drawer["x"]
    assert faults(viewer) == []
    viewer.screenshot(f"drawer-right-{theme}")
    place = separator.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 4, place["y"] + 200)
    page.mouse.down()
    page.mouse.move(place["x"] - 96, place["y"] + 200, steps=4)
    page.mouse.up()
    assert separator.get_attribute("aria-valuenow") == "540"
    page.reload()
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.drawer()
    assert separator.get_attribute("aria-valuenow") == "540", "side and size are remembered"
    separator.dblclick()
    assert separator.get_attribute("aria-valuenow") == "440"
    page.set_viewport_size({"width": 480, "height": 720})
    page.get_by_role("separator", name="Height of the details").wait_for()
    viewer.frames(3)
    assert viewer.timeline_box()["height"] > 80
    viewer.screenshot(f"drawer-narrow-{theme}")
    page.keyboard.press("q")
    page.locator(".drawer").wait_for(state="detached")


@pytest.mark.deep
def test_what_cannot_be_fetched_says_so_and_is_tried_again(browser: Browser, nested: Served) -> None:
    with watched_page(browser, nested.url, server_may_go=True) as page:
        see_failures(Viewer(page, nested.url), nested)


def see_failures(viewer: Viewer, nested: Served) -> None:
    open_at(viewer, nested, 0)
    page = viewer.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    def refuse(route: Route) -> None:
        route.fulfill(status=500, body=b"no nesting")

    page.route("**/events/**", hold)
    page.route("**/tools/nesting**", refuse)
    kin(viewer, "children").first.get_by_role("button", name="op 7").click()
    page.locator(".drawer [data-state=loading]").first.wait_for()
    viewer.screenshot("details-loading")
    viewer.wait("document.querySelector('.drawer-title').textContent === 'Loading …'")
    held[0].fulfill(status=500, body=b"no details")
    page.get_by_text("This event cannot be fetched").wait_for()
    assert "Cannot be fetched:" in page.inner_text(".drawer")
    assert faults(viewer) == []
    viewer.screenshot("details-failed")
    page.unroute("**/events/**")
    page.get_by_role("button", name="Retry").click()
    title(viewer, "op 7")
    page.locator(".drawer").get_by_text("Cannot be fetched:").wait_for()
    page.unroute("**/tools/nesting**")
    page.get_by_role("button", name="Retry").click()
    page.get_by_text("1 slice directly in it").wait_for()
