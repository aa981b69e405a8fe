"""Pages about runs of PyTorch: collectives with the rank that the others wait for, the critical path, call trees."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from bench.kineto_run import KinetoShape, write_job
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.usefixtures("small_window")

RANKS, PATH, STACK, TWO, NCCL = "ranks.store", "path.store", "stack.store", "two.store", "nccl.store"
REAL = {
    PATH: ["kineto/critical_path/alexnet.json.gz"],
    STACK: ["kineto/h100_gpt_stack.pt.trace.json.gz"],
    NCCL: ["kineto/nccl_data.json.gz"],
}


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("pytorch")
    write_job(folder / "job", KinetoShape(cycles=1, steps=6, slow_rank=5))
    build_store(sorted((folder / "job").iterdir()), folder / RANKS)
    for name, files in REAL.items():
        build_store([corpus_path(file) for file in files], folder / name)
    build_store(sorted(corpus_path("kineto/h100_two_ranks").glob("*.json*")), folder / TWO)
    with serving([folder / name for name in (RANKS, TWO, *REAL)], folder / "cache") as running:
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_waits_are_walked_by_keys(pages: ToolPages, site: Served, theme: str) -> None:
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(RANKS), "tool=collectives")
    pages.answered()
    waits = page.get_by_role("region", name="Waits by rank and step")
    assert "rank 5 waits far less than any other rank: the others wait for it" in waits.inner_text()
    pages.viewer.screenshot(f"pytorch-collectives-{theme}")
    assert faults(pages.viewer) == []
    waits.locator(".link-map").focus()
    page.keyboard.press("Home")
    card = waits.get_by_role("region", name="Wait", exact=True)
    before = card.inner_text()
    page.keyboard.press("ArrowRight")
    assert card.inner_text() != before
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Waits by rank and step", selected=True).wait_for()
    # Clocks of two hosts differ by more than the waits on either.
    page.get_by_label("Clocks of ranks").select_option("measured")
    pages.answered()
    assert pages.address()["f.clocks"] == "measured"
    pages.viewer.screenshot(f"pytorch-collectives-measured-{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_the_critical_path_in_the_timeline(pages: ToolPages, site: Served, theme: str) -> None:
    page, viewer = pages.page, pages.viewer
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(PATH), "tool=critical_path")
    pages.answered()
    assert "operators and calls" in pages.text()
    viewer.screenshot(f"pytorch-path-page-{theme}")
    assert faults(viewer) == []
    bar = page.get_by_role("region", name="The path by kind")
    synchronisation = bar.get_by_role("button", name="Synchronisation")
    assert bar.get_by_role("listitem").first.inner_text().split("\n")[:2] == ["Operators and calls", "99.7 %"]
    synchronisation.focus()
    page.keyboard.press("Enter")
    viewer.wait("location.hash.includes('f.path_kind=synchronisation')")
    pages.answered()
    assert synchronisation.get_attribute("aria-pressed") == "true"
    pieces = page.get_by_role("grid", name="The path")
    pieces.wait_for()
    kinds = pieces.get_by_role("gridcell").filter(has_text=re.compile("^(Operators and calls|Synchronisation|Copies)$"))
    assert set(kinds.all_inner_texts()) == {"Synchronisation"}
    viewer.screenshot(f"pytorch-path-pieces-{theme}")
    assert faults(viewer) == []
    bar.get_by_role("button", name="Show the path in the timeline").click()
    pages.wait_for("timeline")
    page.go_back()
    pages.wait_for("critical_path")
    pages.go(site.run_id(PATH), "lanes=critical_path.1")
    lane = page.get_by_role("slider", name="Critical path")
    lane.wait_for()
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    viewer.screenshot(f"pytorch-path-lane-{theme}")
    assert faults(viewer) == []
    lane.focus()
    page.keyboard.press("Enter")
    viewer.wait("tilescope.selection !== null")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    ("store", "fragment", "name"),
    [
        (STACK, "tool=call_tree&f.weight=bytes", "tree-bytes"),
        (STACK, "tool=call_tree&f.weight=device", "tree-device"),
        (STACK, "tool=memory_profile", "memory"),
        (STACK, "tool=overview", "overview-stack"),
        (TWO, "tool=overview", "overview-two-ranks"),
        (TWO, "", "two-ranks"),
        (NCCL, "tool=overview", "overview-nccl"),
        (NCCL, "lanes=queues.3,overlap.2,critical_path.1", "queue-lane"),
    ],
)
def test_pages_have_no_faults(pages: ToolPages, site: Served, store: str, fragment: str, name: str, theme: str) -> None:
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(site.run_id(store), fragment)
    if fragment.startswith("tool="):
        pages.answered()
    else:
        pages.viewer.settle()
        pages.viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    pages.viewer.screenshot(f"pytorch-{name}-{theme}")
    assert faults(pages.viewer) == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_kernel_says_the_stack_of_its_launch(pages: ToolPages, site: Served, theme: str) -> None:
    run = site.run_id(STACK)
    stream = next(track for track in site.tree(run)["tracks"] if track["name"].startswith("stream"))
    page = pages.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, f"sel={stream['id']}.1000")  # the first are of launches before the recording
    page.get_by_role("button", name="Stack of the launch").click()
    stack = page.locator("table[data-table=stack]")
    stack.wait_for()
    assert "torch_gpt.py" in stack.inner_text()
    pages.viewer.screenshot(f"pytorch-launch-stack-{theme}")
    assert faults(pages.viewer) == []
    stack.get_by_role("link").or_(stack.get_by_role("button")).first.click()
    pages.viewer.wait(f"!location.hash.includes('sel={stream['id']}.1000')")


def test_a_row_opens_its_kernels_and_its_stacks_by_keys(pages: ToolPages, site: Served) -> None:
    page, viewer = pages.page, pages.viewer
    pages.go(site.run_id(STACK), "tool=framework_ops")
    pages.answered()
    page.get_by_role("tab", name="On hosts").click()
    table = page.get_by_role("grid", name="On hosts")
    page.get_by_label("Filter rows of On hosts").fill("aten::native_layer_norm_backward")
    table.focus()
    page.keyboard.press("3")
    viewer.wait("new URLSearchParams(location.hash.slice(1)).get('tool') === 'kernels'")
    pages.answered()
    assert pages.address()["f.operation"] == "aten::native_layer_norm_backward"
    assert "96" in pages.text()
    viewer.screenshot("pytorch-opened-kernels")
    assert faults(viewer) == []
    page.go_back()
    viewer.wait("new URLSearchParams(location.hash.slice(1)).get('tool') === 'framework_ops'")
    pages.answered()
    page.get_by_label("Filter rows of On hosts").fill("aten::native_layer_norm_backward")
    table.focus()
    viewer.screenshot("pytorch-rows-that-open")
    page.keyboard.press("Shift+Enter")
    viewer.wait("new URLSearchParams(location.hash.slice(1)).get('tool') === 'call_tree'")
    pages.answered()
    assert pages.address()["f.name"] == "aten::native_layer_norm_backward"
    viewer.screenshot("pytorch-opened-stacks")
    assert faults(viewer) == []
    page.get_by_role("button", name="aten::native_layer_norm_backward", exact=False).first.click()
    pages.answered()
    assert "f.name" not in pages.address()
