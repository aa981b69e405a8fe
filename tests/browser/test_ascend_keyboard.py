"""Pages of Ascend trainings without a mouse: each control is reached, opened and left again, and its focus is seen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bench.ascend_run import AscendShape, Training, write_profiler
from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path

FOLDERS = ("run_1", "run_2", "profiler", "cluster_propose", "two_ranks")
MEMORY = "memory"
MOST_STOPS = 200

IS_FOCUSED = "element => element === document.activeElement"
STOP = "document.activeElement === document.body ? '' : document.activeElement.outerHTML.slice(0, 200)"
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BLUR = "() => { window.left = document.activeElement; window.left.blur(); }"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A base folder of trainings, as it is on a disk: `run_1` has its timeline copied in."""
    base = tmp_path_factory.mktemp("base")
    for name in FOLDERS:
        place = base / name if name == "two_ranks" else base / name / "profiler"
        shutil.copytree(corpus_path(f"ascend/{name}"), place)
    shutil.copy(corpus_path("ascend/timeline_display_1.json"), base / "run_1" / "profiler")
    write_profiler(base / MEMORY / "profiler", Training(AscendShape(ranks=1, stages=1, steps=2)))
    with serving([base], base.parent / "cache") as running:
        yield running


@pytest.fixture(params=[THEMES[0], *(pytest.param(theme, marks=pytest.mark.deep) for theme in THEMES[1:])])
def keys(request: pytest.FixtureRequest, pages: ToolPages) -> Iterator[Keys]:
    """Hands that have no mouse."""
    pages.page.emulate_media(color_scheme="dark" if request.param == "dark" else "light")
    hands = Keys(pages, request.param)
    yield hands
    assert faults(pages.viewer) == []


class Keys:
    """A person at a keyboard."""

    def __init__(self, pages: ToolPages, theme: str) -> None:
        self.pages, self.page, self._theme = pages, pages.page, theme

    def open(self, site: Served, training: str, fragment: str) -> None:
        """A page of a training by its address, with nothing focused."""
        run = next(run["id"] for run in site.get("/runs")["runs"] if run["name"].split("/")[0] == training)
        self.page.goto("about:blank")
        self.pages.go(run, fragment)
        if fragment:
            self.pages.answered()

    def press(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)
        self.pages.viewer.frames()

    def tab_to(self, target: Locator, key: str = "Tab") -> None:
        """Goes on until something has the focus, which is then seen."""
        target.first.wait_for()
        for _ in range(MOST_STOPS):
            self.page.keyboard.press(key)
            if target.first.evaluate(IS_FOCUSED):
                break
        else:
            raise AssertionError(f"{key} does not lead to {target}")
        assert_focus_is_seen(self.page)

    def go_round(self) -> list[str]:
        """All stops of the page, from its first to its last, of which none keeps the focus."""
        self.page.evaluate("document.activeElement.blur()")
        stops: list[str] = []
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            stop = str(self.page.evaluate(STOP))
            if stop == "" and stops:
                return stops
            stops.append(stop)
        raise AssertionError(f"{MOST_STOPS} times Tab do not lead out of the page: {stops[-3:]}")

    def shot(self, name: str) -> None:
        self.pages.viewer.screenshot(f"keys-{name}-{self._theme}")


def assert_focus_is_seen(page: Page) -> None:
    """The element with the focus looks otherwise than without it."""
    page.evaluate(FRAMES)
    with_focus = page.screenshot()
    page.evaluate(BLUR)
    page.evaluate(FRAMES)
    without = page.screenshot()
    page.evaluate("window.left.focus()")
    assert hash(with_focus) != hash(without), page.evaluate(STOP)


def test_from_the_list_to_the_overview_of_a_training_and_on_to_its_pages(keys: Keys, site: Served) -> None:
    page = keys.page
    page.goto(site.url)
    keys.pages.viewer.wait("window.tilescope?.state === 'list'", 60)
    rows = page.locator(".runs-name a")
    expect(rows).to_have_count(len(FOLDERS) + 1)
    assert len(keys.go_round()) > 10
    keys.tab_to(rows.first)
    wanted = page.get_by_role("link", name="run_1/profiler")
    for _ in FOLDERS:
        if wanted.evaluate(IS_FOCUSED):
            break
        keys.press("ArrowDown")
        assert_focus_is_seen(page)
    assert wanted.evaluate(IS_FOCUSED)
    keys.shot("list")
    keys.press("Enter")
    keys.pages.viewer.wait("window.tilescope?.state === 'open'", 60)
    overview = page.get_by_role("button", name="Overview", exact=True)
    keys.tab_to(overview)
    keys.press("Enter")
    keys.pages.wait_for("overview")
    keys.pages.answered()
    assert len(keys.go_round()) > 40
    keys.shot("overview")
    # To the page of a digest, and back by the menu of tools.
    keys.tab_to(page.get_by_role("button", name="Step trace", exact=True))
    keys.press("Enter")
    page.get_by_role("region", name="Mean of 321 steps: picture").wait_for()
    keys.tab_to(page.get_by_role("button", name=re.compile("^Tools")))
    keys.press("Enter")
    page.locator("[role=menu] [data-page=overview]").wait_for()
    for _ in range(MOST_STOPS):
        if page.locator("[role=menu] [data-page=overview]").evaluate(IS_FOCUSED):
            break
        keys.press("ArrowDown")
    keys.press("Enter")
    keys.pages.wait_for("overview")
    # A finding leads to its page, a part of the time to the timeline, and back to the list.
    keys.pages.answered()
    keys.tab_to(page.get_by_role("button", name="Show in the timeline").first)
    keys.press("Enter")
    keys.pages.wait_for("timeline")
    keys.tab_to(page.get_by_role("button", name="All runs"))
    keys.press("Enter")
    keys.pages.viewer.wait("window.tilescope?.state === 'list'")


def test_the_mean_of_a_step_trace_and_one_step(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "run_1", "tool=step_trace")
    page.get_by_role("region", name="Mean of 321 steps: picture").wait_for()
    keys.go_round()
    keys.tab_to(page.locator("[data-series] .chart-plot").first)
    keys.press("Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft")
    keys.press("Enter")
    page.get_by_role("region", name="One step: picture").wait_for()
    keys.pages.answered()
    assert keys.pages.address()["in"] == "steps.2"
    keys.shot("one-step")
    # The row of the step leads into the timeline.
    keys.tab_to(page.get_by_role("tab", name="One step"))
    keys.press("ArrowRight")
    keys.tab_to(page.get_by_role("grid", name="Steps"))
    keys.press("Home", "Enter")
    keys.pages.wait_for("timeline")


def test_a_type_opens_its_operators_and_closes_them(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "run_2", "tool=operators")
    keys.go_round()
    keys.tab_to(page.get_by_role("grid", name="By type"))
    keys.press("ArrowDown")
    row = page.locator("tr.is-current").inner_text()
    keys.press("Enter")
    keys.pages.answered()
    kind = keys.pages.address()["f.type"]
    assert row.split()[0] == kind
    keys.shot("operators")
    keys.tab_to(page.get_by_role("grid", name="By operator"))
    keys.press("End", "Home")
    assert kind in page.locator("tr.is-current").inner_text()
    # All types again: the field with the type is emptied.
    options = page.get_by_role("button", name="Options")
    keys.tab_to(options)
    if options.get_attribute("aria-expanded") == "false":
        keys.press("Enter")
    keys.tab_to(page.get_by_label("Type", exact=True))
    keys.press("Control+a", "Delete", "Enter")
    keys.pages.viewer.wait("!location.hash.includes('f.type')")
    keys.pages.answered()
    keys.tab_to(page.get_by_role("tab", selected=True))
    keys.press("ArrowLeft")
    page.get_by_role("grid", name="By type").wait_for()
    assert page.get_by_role("grid", name="By type").get_by_role("row").count() > 2


def test_scopes_of_flops_are_walked(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "profiler", "tool=flops")
    keys.go_round()
    keys.tab_to(page.get_by_role("tab", selected=True))
    keys.press("ArrowRight")
    page.get_by_role("tab", name="By scope", selected=True).wait_for()
    grid = page.get_by_role("treegrid", name="By scope")
    keys.tab_to(grid)
    keys.press("ArrowDown")
    scope = page.locator("tr.is-current").inner_text()
    keys.press("ArrowRight")
    inner = page.locator("tr.is-current").inner_text()
    assert inner != scope, "into it"
    keys.press("ArrowLeft", "ArrowLeft")
    assert page.locator("tr.is-current").inner_text() == scope, "closed, and out of it"
    keys.tab_to(page.get_by_role("button", name="Picture", exact=True), "Shift+Tab")
    keys.press("Enter")
    picture = page.locator(".tree-picture-scroll")
    keys.tab_to(picture)
    keys.press("ArrowDown")
    keys.press("Enter")
    keys.shot("flops")
    keys.tab_to(page.get_by_role("button", name="Whole tree"), "Shift+Tab")
    keys.press("Enter")


def test_a_queue_of_the_pipeline_is_opened_and_left(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "run_2", "tool=input_pipeline")
    page.locator(".graph-node").first.wait_for()
    keys.go_round()
    keys.tab_to(page.locator(".graph-node.is-focus"))
    card = page.get_by_role("complementary", name="Operation or queue")
    first = card.get_by_role("heading").inner_text()
    keys.press("ArrowDown")
    assert card.get_by_role("heading").inner_text().startswith("Queue behind ")
    page.get_by_role("heading", name=re.compile("^Queue behind .* over samples$")).wait_for()
    assert_focus_is_seen(page)
    keys.shot("queue")
    keys.press("ArrowUp")
    assert card.get_by_role("heading").inner_text() == first
    keys.tab_to(card.get_by_role("button", name="CPU"))
    keys.press("Enter")
    keys.pages.wait_for("cpu")
    keys.pages.answered()
    keys.go_round()


def test_rows_of_scopes_and_free_time_are_drawn_by_the_menu_of_a_track(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "run_1", "")
    viewer = keys.pages.viewer
    viewer.settle()
    keys.go_round()
    keys.tab_to(page.locator("[role=treeitem][tabindex='0']"))
    name = page.locator("[role=treeitem]:focus .tree-name")
    for _ in range(MOST_STOPS):
        if name.inner_text() == "Stream 519":
            break
        keys.press("ArrowDown")
    assert name.inner_text() == "Stream 519", "that of the computation"
    for title in ("Levels of Name scopes", "Free time"):
        draw_by_keys(keys, title)
    free = page.get_by_role("slider", name="Free time")
    free.wait_for()
    page.get_by_role("slider", name="Name scopes").wait_for()
    viewer.wait("/overlap\\.scopes-\\d+:2/.test(location.hash)")
    viewer.wait("!document.querySelector('.lane[aria-busy=true]')")
    keys.shot("timeline")
    keys.tab_to(free)
    keys.press("ArrowRight")
    assert free.get_attribute("aria-valuetext")
    keys.press("Enter")
    viewer.wait("tilescope.selection?.kind === 'area'")
    page.locator(".timeline").wait_for()
    keys.press("Escape", "Escape")
    keys.go_round()


def draw_by_keys(keys: Keys, title: str) -> None:
    """Draws a lane, or two levels of one, by the menu of a track that has the focus."""
    page = keys.page
    keys.press("Shift+F10")
    menu = page.locator(".track-menu")
    menu.wait_for()
    levels = menu.get_by_role("group", name=title).get_by_role("menuitemradio", name="2", exact=True)
    wanted = levels.or_(menu.get_by_role("menuitem", name=f"Draw: {title}"))
    wanted.first.wait_for()
    for _ in range(MOST_STOPS):
        if wanted.first.evaluate(IS_FOCUSED):
            break
        keys.press("ArrowDown")
    assert_focus_is_seen(page)
    keys.press("Enter")
    menu.wait_for(state="detached")


def test_a_point_of_a_dynamic_shape_is_opened_and_left(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, "profiler", "tool=dynamic_shape")
    keys.go_round()
    keys.tab_to(page.locator("[data-series] .chart-plot").first)
    keys.press("Home", "ArrowRight")
    keys.press("Enter")
    page.wait_for_function("() => /[&]f\\.step=2/.test(location.hash)")
    keys.pages.answered()
    keys.shot("shapes")
    assert keys.pages.address()["f.step"] == "2"
    keys.go_round()


def test_a_point_of_a_plan_of_memory_is_opened_and_left(keys: Keys, site: Served) -> None:
    page = keys.page
    keys.open(site, MEMORY, "tool=memory_viewer")
    page.locator(".memory-curve .u-over").wait_for()
    keys.go_round()
    keys.tab_to(page.locator(".memory-curve .chart-plot"))
    keys.press("Home", "ArrowRight")
    keys.press("Enter")
    back = page.get_by_role("button", name="Point 2: back to the peak")
    back.wait_for()
    keys.pages.answered()
    keys.shot("memory")
    keys.tab_to(back)
    keys.press("Enter")
    back.wait_for(state="detached")
    keys.pages.answered()
    assert "f.point" not in keys.pages.address()


@pytest.mark.parametrize("training", ["cluster_propose", "two_ranks"])
def test_links_of_a_cluster_are_walked(keys: Keys, site: Served, training: str) -> None:
    page = keys.page
    keys.open(site, training, "tool=collectives")
    card = page.get_by_role("region", name="Link", exact=True)
    keys.go_round()
    keys.tab_to(page.locator(".link-map"))
    first = card.inner_text()
    keys.press("Home")
    keys.press("End")
    assert card.inner_text() != first or training == "two_ranks"
    keys.press("Enter")
    page.get_by_role("tab", name="Links", selected=True).wait_for()
    keys.shot(f"cluster-{training}")
    keys.tab_to(page.get_by_role("grid", name="Links"))
    keys.press("ArrowDown", "ArrowUp")
    keys.tab_to(page.locator(".link-map"), "Shift+Tab")
