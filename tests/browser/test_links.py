"""Links hold the whole state: what somebody has done at random is what a fresh browser shows that opens the link."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import TRACES, Served, watched_page
from tests.browser.driver import Viewer
from tests.standins.written import TRAINING

# What one sees, but for the canvas: that is drawn from the view, the layout and the selection, which are in it.
_SCREEN = """() => {
    const texts = selector => [...document.querySelectorAll(selector)].map(element => element.innerText.trim());
    const chosen = { ...tilescope.selection };
    return {
        page: tilescope.page,
        selection: chosen,
        scroll: Math.round(document.querySelector('.scroller')?.scrollTop ?? 0),
        tree: [...document.querySelectorAll('[role=treeitem]')].map(item => [
            item.innerText.split('\\n')[0], item.getAttribute('aria-expanded'),
        ]),
        filter: document.querySelector('.tree-filter input')?.value,
        query: document.querySelector('.search-box input')?.value,
        hit: texts('.search-count'),
        drawer: texts('.drawer h2, .drawer [aria-selected=true], .drawer caption'),
        sorts: [...document.querySelectorAll('[aria-sort]')].map(head => [head.innerText.trim(), head.ariaSort]),
        widths: [...document.querySelectorAll('.data-table col')].map(column => column.style.width),
        first: texts('.data-table tbody tr').slice(0, 3),
        groups: [...document.querySelectorAll('.group-choice select')].map(select => select.value),
        filters: [...document.querySelectorAll('.table-filter')].map(field => field.value),
        marks: texts('.mark textarea'),
        lists: ['.slice-table', '.marks', '.drawer'].map(name => document.querySelector(name) !== null),
        node: texts('.graph-node.is-focus .graph-name, .buffer-card h3'),
        tool: texts('[aria-pressed=true]'),
        tabs: texts('[role=tab][aria-selected=true]'),
        second: tilescope.second && [tilescope.second.run, tilescope.second.selection],
        panes: texts('.pane-number, .pane-distance'),
        axis: document.querySelector('.status-visible')?.innerText,
    };
}"""


def screen(viewer: Viewer) -> Any:
    """State of the page when nothing is on its way any more: two looks that are alike."""
    before = None
    while before != (before := viewer.page.evaluate(_SCREEN)):
        viewer.frames(10)
        viewer.wait("document.querySelector('[aria-busy=true], .skeleton') === null")
        viewer.wait("document.querySelector('.search-count')?.innerText.trim() !== '…'")
    return before


def link_of(page: Page) -> str:
    """The address, when it has followed what is shown and stays."""
    before = None
    while before != (before := page.url):
        page.wait_for_timeout(700)  # twice the time in which it follows
    return str(before)


def compare(browser: Browser, viewer: Viewer, is_there: str = "true") -> None:
    """Opens the link of what is shown in a fresh browser of the same size: it shows the same, and has the same link.

    `is_there`: what else is true of both.
    """
    shown, link = screen(viewer), link_of(viewer.page)
    assert len(link) < 2000
    with watched_page(browser, viewer.url) as page:
        fresh = Viewer(page, viewer.url)
        page.goto(link)
        fresh.wait("window.tilescope?.state === 'open'", 60)
        if shown["page"] == "timeline":
            fresh.rest()
        fresh.wait("document.querySelector('[data-status=unread]') === null")
        there = screen(fresh)
        for _ in range(40):
            if there == shown:
                break
            there = screen(fresh)
        assert there == shown, link
        assert link_of(page).partition("#")[2] == link.partition("#")[2]
        assert page.evaluate(is_there)


def press(viewer: Viewer, keys: str) -> None:
    viewer.page.locator(".timeline").focus()
    viewer.page.keyboard.press(keys)
    viewer.rest()


class Hand:
    """Somebody who does this and that."""

    def __init__(self, viewer: Viewer, seed: int) -> None:
        self.viewer = viewer
        self.page = viewer.page
        self.random = random.Random(seed)

    def point(self) -> tuple[float, float]:
        """A place over the tracks."""
        box = self.viewer.timeline_box()
        x = box["x"] + box["width"] * self.random.uniform(0.1, 0.9)
        return x, box["y"] + min(box["height"], 300) * self.random.uniform(0.1, 0.9)

    def drag(self) -> None:
        (x0, y0), (x1, y1) = self.point(), self.point()
        self.page.mouse.move(x0, y0)
        self.page.mouse.down()
        self.page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
        self.page.mouse.move(x1, y1)
        self.page.mouse.up()

    def select_area(self) -> None:
        press(self.viewer, "1")
        self.drag()
        tab = self.random.choice(self.page.locator(".drawer [role=tab]").all() or [None])
        if tab is not None:
            tab.click()

    def select_drawn(self) -> None:
        press(self.viewer, "Shift+Enter")
        for _ in range(self.random.randrange(3)):
            press(self.viewer, "ArrowRight")

    def click(self) -> None:
        self.page.mouse.click(*self.point())

    def sum_up(self) -> None:
        select = self.page.get_by_label("Sum up by")
        if select.count() > 0:
            select.select_option(self.random.choice(["track", "category", "process"]))
            self.page.get_by_label("Then by").select_option(self.random.choice(["", "name", "host"]))

    def sort(self) -> None:
        heads = self.page.locator(".drawer th button, .drawer th[aria-sort]").all()
        if heads:
            self.random.choice(heads).click()

    def filter_table(self) -> None:
        field = self.page.locator(".drawer .table-filter")
        if field.count() > 0:
            field.first.fill("e, ;%")

    def zoom(self) -> None:
        self.page.mouse.move(*self.point())
        self.viewer.hold(self.random.choice(["w", "w", "s", "d"]), 150)
        self.viewer.rest()

    def scroll(self) -> None:
        self.viewer.scroll_to(self.random.randrange(600))

    def fold(self) -> None:
        group = self.random.choice(self.page.locator("[role=treeitem][aria-expanded] button").all() or [None])
        if group is not None:
            group.click()

    def fold_all(self) -> None:
        self.page.get_by_role("button", name=self.random.choice(["Expand all", "Collapse all"])).first.click()

    def find(self) -> None:
        press(self.viewer, "/")
        self.page.keyboard.type("e")
        self.viewer.wait("document.querySelector('.search-count') !== null")
        presses = self.random.randrange(3)
        for _ in range(presses):
            self.page.keyboard.press("Enter")
        if presses > 0:
            self.viewer.wait("/ of |^(0|no) hits/i.test(document.querySelector('.search-count').innerText)")
        self.page.keyboard.press("Tab")

    def measure(self) -> None:
        press(self.viewer, "4")
        self.drag()

    def toggle(self) -> None:
        press(self.viewer, self.random.choice(["q", "b", "n", "m", "u", "e", "Shift+M"]))

    def second(self) -> None:
        """Opens, moves, aligns, uses or closes the second timeline."""
        press(self.viewer, self.random.choice(["F8", "F9", "F9", "y", "Shift+Y", "Shift+F8"]))
        self.viewer.wait("tilescope.second === null || tilescope.second.sharp")

    def act(self) -> str:
        """Does one of them, and says which."""
        acts: list[Callable[[], None]] = [
            *(self.select_area, self.select_area, self.select_drawn, self.click, self.sum_up, self.sort, self.zoom),
            *(self.filter_table, self.scroll, self.fold, self.fold_all, self.find, self.measure, self.toggle),
            *(self.second, self.second),
        ]
        act = self.random.choice(acts)
        if self.page.locator(".slice-table").count() > 0:
            act = lambda: press(self.viewer, "b")  # noqa: E731 -- the canvas is below it
        act()
        self.viewer.rest()
        return getattr(act, "__name__", "b")


@pytest.mark.parametrize("seed", range(6))
def test_a_link_shows_what_was_done_at_random(browser: Browser, viewer: Viewer, served: Served, seed: int) -> None:
    name = TRACES[1] if seed % 3 == 2 else TRAINING
    viewer.open(served.run_id(name))
    hand = Hand(viewer, seed)
    for _ in range(3):
        done = [hand.act() for _ in range(4)]
        print(seed, done)
        compare(browser, viewer)


def choose_area(viewer: Viewer) -> None:
    box = viewer.timeline_box()
    press(viewer, "1")
    viewer.page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 20)
    viewer.page.mouse.down()
    viewer.page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 250, steps=4)
    viewer.page.mouse.up()
    viewer.page.get_by_role("tab", name="Events", exact=True).click()
    viewer.page.locator(".drawer .data-table tbody tr").first.wait_for()


def sort_an_area(viewer: Viewer) -> None:
    choose_area(viewer)
    viewer.page.locator(".drawer th[aria-sort]").first.click()


def filter_an_area(viewer: Viewer) -> None:
    choose_area(viewer)
    viewer.page.locator(".drawer .table-filter").first.fill("e")


def sum_an_area_up(viewer: Viewer) -> None:
    choose_area(viewer)
    viewer.page.get_by_label("Sum up by").select_option("category")
    viewer.page.get_by_label("Then by").select_option("track")


def go_to_the_second_hit(viewer: Viewer) -> None:
    press(viewer, "/")
    viewer.page.keyboard.type("e")
    for number in (1, 2):
        viewer.page.keyboard.press("Enter")
        viewer.wait(f"document.querySelector('.search-count')?.innerText.startsWith('{number} of ')")


def choose_a_bin(viewer: Viewer) -> None:
    viewer.page.get_by_role("button", name="Collapse all").first.click()  # headers are made of bins
    press(viewer, "0")
    press(viewer, "Shift+Enter")
    viewer.wait("tilescope.selection.kind === 'bin'")


def mark_a_slice(viewer: Viewer) -> None:
    press(viewer, "Enter")
    press(viewer, "m")


def scroll_down(viewer: Viewer) -> None:
    viewer.expand_all()
    viewer.rest()
    viewer.scroll_to(150)
    viewer.wait("document.querySelector('.scroller').scrollTop === 150")


# What somebody does, the part of the link that has it, and what is true of the page then.
PIECES: dict[str, tuple[Callable[[Viewer], None], str, str]] = {
    "bin": (choose_a_bin, "bin=", "tilescope.selection.kind === 'bin'"),
    "drawer without a selection": (
        lambda viewer: press(viewer, "q"),
        "details=1",
        "document.querySelector('.drawer') !== null && tilescope.selection.kind === 'none'",
    ),
    "sorting": (sort_an_area, "tables=", "document.querySelector('.drawer th[aria-sort]').ariaSort !== 'none'"),
    "filter": (filter_an_area, "tables=", "document.querySelector('.drawer .table-filter').value === 'e'"),
    "sum up by": (
        sum_an_area_up,
        "by=",
        "[...document.querySelectorAll('.group-choice select')].map(each => each.value).join() === 'category,track'",
    ),
    "number of the hit": (
        go_to_the_second_hit,
        "hit=1",
        "document.querySelector('.search-count')?.innerText.startsWith('2 of ')",
    ),
    "table": (lambda viewer: press(viewer, "b"), "rows=1", "document.querySelector('.slice-table') !== null"),
    "list of marks": (
        lambda viewer: press(viewer, "n"),
        "list=marks",
        "document.querySelector('.marks') !== null",
    ),
    "plain mark": (mark_a_slice, "mark=", "location.hash.includes('&mark=')"),
    "vertical place": (scroll_down, "top=", "document.querySelector('.scroller').scrollTop === 150"),
}


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece_of_what_is_shown_is_in_its_link(
    browser: Browser, viewer: Viewer, served: Served, piece: str
) -> None:
    act, part, is_there = PIECES[piece]
    # Only the larger one has more tracks than there is room for.
    viewer.open(served.run_id(TRACES[1] if piece == "vertical place" else TRAINING))
    act(viewer)
    viewer.wait(is_there)
    assert f"&{part}" in link_of(viewer.page)
    compare(browser, viewer, is_there)


def test_what_is_picked_on_a_page_is_in_its_link(browser: Browser, viewer: Viewer, served: Served) -> None:
    page = viewer.page
    run = served.run_id(TRACES[0])
    viewer.open(run)
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=graph&f.program=jit_f")
    page.locator(".graph-node.is-middle").focus()
    page.keyboard.press("ArrowUp")
    page.locator(".graph-node.is-focus:not(.is-middle)").wait_for()
    page.locator("th[aria-sort]").first.click()
    page.get_by_role("tablist", name="Tables").get_by_role("tab").last.click()
    edge = page.locator(".column-edge").first.bounding_box()
    assert edge is not None
    page.mouse.move(edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2)
    page.mouse.down()
    page.mouse.move(edge["x"] + 90, edge["y"] + 4)
    page.mouse.up()
    compare(browser, viewer)
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=memory_viewer")
    strip = page.locator(".buffer-strip-plot").first
    strip.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "&at=" in link_of(page)
    compare(browser, viewer)
    # Another page, another program: it is not of that.
    page.get_by_role("button", name="Timeline", exact=True).click()
    viewer.wait("tilescope.page === 'timeline'")
    assert "at=" not in link_of(page)


def test_what_is_copied_is_what_is_shown_now(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viewer.open(served.run_id(TRAINING))
    link_of(page)
    page.locator(".timeline").focus()
    page.keyboard.press("Enter")
    viewer.wait("tilescope.selection.kind === 'event'")
    page.keyboard.press("c")
    page.locator(".notice", has_text="Link copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "&sel=" in copied
    assert link_of(page) == copied
    # The same of the menu, in the moment after a step.
    page.get_by_role("button", name="Share").click()
    entry = page.get_by_role("menuitem", name="Copy link")
    entry.wait_for()
    copied_at_once = page.evaluate(_COPY_AFTER_A_STEP)
    assert copied_at_once != copied
    assert link_of(page) == copied_at_once


# Moves on to the next slice, and copies the link before the address has followed.
_COPY_AFTER_A_STEP = """async () => {
    const timeline = document.querySelector('.timeline');
    const menu = document.querySelector('[role=menu]');
    const entry = [...menu.querySelectorAll('[role=menuitem]')].find(item => item.innerText.startsWith('Copy link'));
    const before = JSON.stringify(tilescope.selection);
    timeline.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', code: 'ArrowRight', bubbles: true }));
    while (JSON.stringify(tilescope.selection) === before) await new Promise(requestAnimationFrame);
    entry.click();
    while (!menu.innerText.includes('Link copied')) await new Promise(requestAnimationFrame);
    return navigator.clipboard.readText();
}"""


def test_a_link_has_its_format_of_times_wherever_it_is_opened(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    viewer.open(served.run_id(TRAINING))
    link = link_of(page)
    page.evaluate("localStorage.setItem('tilescope.settings', JSON.stringify({ timeFormat: 'ticks' }))")
    page.goto("about:blank")
    page.goto(link)
    viewer.wait("window.tilescope?.state === 'open'")
    assert "ticks" not in page.locator(".status-visible").inner_text()
    page.goto("about:blank")
    page.goto(link.partition("#")[0])
    viewer.wait("window.tilescope?.state === 'open'")
    assert "ticks" in page.locator(".status-visible").inner_text()
    assert "time=ticks" in link_of(page)


def test_back_leads_from_bin_to_bin(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRACES[1]))
    press(viewer, "0")  # what is seen at first are slices
    chosen: list[str] = []
    press(viewer, "Shift+Enter")
    for _ in range(20):
        link_of(viewer.page)  # each is a step
        selection = viewer.look()["selection"]
        if selection["kind"] == "bin":
            chosen.append(selection["start"])
        press(viewer, "ArrowRight")
        if len(chosen) == 2:
            break
    assert len(chosen) == 2
    link_of(viewer.page)
    for start in reversed(chosen):
        viewer.page.go_back()
        viewer.wait(f"tilescope.selection.kind === 'bin' && tilescope.selection.start === '{start}'")
        viewer.wait("document.querySelector('.drawer table[data-table=bin]') !== null")


def test_back_undoes_a_mark_that_lasts_until_the_next(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    press(viewer, "Enter")
    link_of(viewer.page)
    press(viewer, "m")
    assert "mark=" in link_of(viewer.page)
    viewer.page.go_back()
    viewer.wait("!location.hash.includes('mark=') && tilescope.selection.kind === 'event'")
    press(viewer, "n")
    viewer.page.get_by_text("No marks yet.").wait_for()
    viewer.page.go_forward()
    viewer.wait("location.hash.includes('mark=')")
    press(viewer, "n")
    viewer.wait("document.querySelectorAll('.mark').length === 1")
