"""Ranks of slices among those of their name, their launches, calls that waited, and the ways to namesakes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer, parse_duration_ps
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.device_trace import HOST, Task, trace_events

# Durations of the kernels of one name on the stream, in ns: the third is the second longest.
DURATIONS = [2000, 9000, 5000, 2000, 3000, 2000]


def tasks() -> list[Task]:
    """Launches in an operator in a frame, kernels of two names, and a call that waits for all of them."""
    listed = [Task(HOST, 1, "train.py(7): step", "python_function", 0, 200_000)]
    for k, duration in enumerate(DURATIONS):
        start = 20_000 * k + 1000
        listed.append(Task(HOST, 1, "aten::mm", "cpu_op", start, start + 900))
        listed.append(Task(HOST, 1, "cudaLaunchKernel", "cuda_runtime", start + 100, start + 500))
        listed.append(Task(0, 7, "gemm", "kernel", start + 2000, start + 2000 + duration, len(listed) - 1))
        listed.append(Task(0, 7, "other", "kernel", start + 2000 + duration, start + 2500 + duration))
    listed.append(Task(HOST, 1, "cudaDeviceSynchronize", "cuda_runtime", 102_000, 190_000))
    return listed


@pytest.fixture(scope="module")
def launched(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("rank")
    (folder / "rank.json").write_text(json.dumps(list(trace_events(tasks()))))
    with serving([folder / "rank.json"], folder / "cache") as served:
        yield served


@pytest.fixture(params=THEMES)
def viewer(browser: Browser, launched: Served, request: pytest.FixtureRequest) -> Iterator[Viewer]:
    with watched_page(browser, launched.url, color_scheme=request.param) as page:
        yield Viewer(page, launched.url)


def open_kernel(viewer: Viewer, served: Served, place: int) -> None:
    """Selects the kernel of that name at a place: of the stream, which is the first track."""
    viewer.page.goto(f"{viewer.url}/?run={served.run_id('rank.json')}#v=1&sel=0.{2 * place}")
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.drawer()


def heading(viewer: Viewer, text: str) -> None:
    viewer.page.locator("[data-panel=rank] h3", has_text=text).wait_for()


def launched_heading(viewer: Viewer, text: str) -> str:
    """The whole heading of the work that was launched in the selected slice, once it begins with this."""
    part = viewer.page.locator("h3", has_text=f"Launched in it: {text}")
    part.wait_for()
    return part.inner_text().replace("\u202f", " ")


def test_a_slice_is_placed_and_its_namesakes_are_walked_along(viewer: Viewer, launched: Served) -> None:
    open_kernel(viewer, launched, 2)
    page = viewer.page
    heading(viewer, "2nd longest of 6")
    facts = page.locator(".rank-facts").inner_text().replace("\u202f", " ")
    assert facts == "median 2 µs, mean 3.833 µs, together 23 µs"
    place = str(page.locator(".rank-bars .is-here").get_attribute("title", timeout=5000)).replace("\u202f", " ")
    least, most = (parse_duration_ps(text) for text in place.partition(":")[0].split(" to "))
    assert least <= 1000 * DURATIONS[2] <= most
    assert "1 slice," in place
    launches = page.locator("[data-table=launches]").inner_text()
    assert [name in launches for name in ("cudaLaunchKernel", "aten::mm", "train.py(7): step")] == [True] * 3
    expect(page.locator("[data-table=waits]")).to_have_count(0)
    assert faults(viewer) == []
    page.get_by_role("button", name="Next", exact=True).click()
    heading(viewer, "Shortest of 6, with 2 others")
    page.locator(".timeline").focus()
    page.keyboard.press("k")
    heading(viewer, "3rd longest of 6")
    page.keyboard.press("k")
    page.locator("[data-table=waits]", has_text="cudaDeviceSynchronize").wait_for()
    page.keyboard.press("k")
    page.get_by_role("status").filter(has_text="last slice of its name on this track").first.wait_for()
    for _ in range(4):
        before = page.evaluate("window.tilescope.selection")
        page.keyboard.press("Shift+K")
        viewer.wait(f"JSON.stringify(window.tilescope.selection) !== {json.dumps(json.dumps(before))}")
        viewer.drawer()
    heading(viewer, "Longest of 6")


def test_an_operator_lists_the_work_that_it_launched(viewer: Viewer, launched: Served) -> None:
    run = launched.run_id("rank.json")
    host = next(track["id"] for track in launched.tree(run)["tracks"] if track["name"] == "thread 1")
    page = viewer.page
    page.goto(f"{viewer.url}/?run={run}#v=1&sel={host}.0")
    viewer.wait("window.tilescope?.state === 'open'", 60)
    assert viewer.drawer().event["Self time"]
    listed = page.locator("[data-table=launched] tr")
    together = launched_heading(viewer, "6 slices")
    assert together == f"Launched in it: {len(DURATIONS)} slices, {sum(DURATIONS) // 1000} µs"
    durations = [parse_duration_ps(cell) for cell in listed.locator("td:last-child").all_inner_texts()]
    assert durations == [1000 * duration for duration in DURATIONS]
    assert faults(viewer) == []
    # An operator in that frame: the kernel of its launch, one click away.
    page.locator("[data-table=children]").get_by_role("button", name="aten::mm").first.click()
    launched_heading(viewer, "1 slice")
    assert listed.count() == 1
    listed.get_by_role("button", name="gemm").click()
    heading(viewer, "of 6")
    assert viewer.drawer().event["Category"] == "kernel"


def test_keys_pressed_while_a_step_is_on_its_way_are_all_answered(viewer: Viewer, launched: Served) -> None:
    open_kernel(viewer, launched, 0)
    page = viewer.page

    # What is known of a slice comes later than the next key.
    def answer_later(route: Route) -> None:
        page.wait_for_timeout(150)
        route.continue_()

    page.route("**/events/0/*", answer_later)
    page.locator(".timeline").focus()
    for keys in ["k"] * 4 + ["Shift+K", "ArrowRight", "ArrowRight", "ArrowLeft"]:
        page.keyboard.press(keys)
    # Kernels of two names take turns: from the fourth of a name two to the right, and one back.
    viewer.wait("tilescope.selection.ordinal === 7")
    for _ in range(3):
        page.keyboard.press("k")
    page.get_by_role("status").filter(has_text="last slice of its name on this track").first.wait_for()
    assert page.evaluate("tilescope.selection.ordinal") == 11
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    expect(page.get_by_role("contentinfo")).to_contain_text("Select a slice first: this key goes on from it.")
