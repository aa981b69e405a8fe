"""The Tools menu: every tool in its group, on one line that is not cut, with an icon of its own; folds at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_path
from tests.standins.training import write_training
from tilescope.tiler.tools.catalogue import installed_tools

# The words of a group, and its tools in the order of the menu.
GROUPS = (
    ("The run", "overview"),
    ("Where does the time go?", "time"),
    ("Why is it waiting?", "waiting"),
    ("Memory", "memory"),
    ("Program", "program"),
    ("Counters", "counters"),
    ("Raw data", "raw"),
)

# Pages that the Cloud TPU profiler saved, the page of ours that each opens with, and the group of that in the menu.
SAVED = (
    ("overview_page", "overview", "The run"),
    ("op_profile", "op_profile", "Where does the time go?"),
    ("input_pipeline", "input_pipeline", "Why is it waiting?"),
    ("pod_viewer", "pod", "Why is it waiting?"),
    ("memory_viewer", "memory_viewer", "Memory"),
)

NAME = "llama3-405b-fsdp-tp8-pp16-seq8192-bf16-nightly-2026-11-29-after-rebase"
STRANGER = "stranger"
WIDTHS = (1000, 1100, 1200, 1280, 1366, 1440, 1536, 1920, 2560)


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A run with a long name, which moves the menu to the right."""
    folder = tmp_path_factory.mktemp("menu")
    write_training(folder / f"{NAME}.pt.trace.json")
    with serving([folder / f"{NAME}.pt.trace.json"], folder / "cache") as running:
        yield running


@pytest.fixture
def menu(pages: ToolPages, site: Served) -> Page:
    """The open menu of a run that has an answer to every question, and to that of a tool of another package."""

    def offer_all(route: Route) -> None:
        answer = route.fetch()
        listed = answer.json()
        for tool in listed["tools"]:
            tool.update(available=True, reason="")
        listed["tools"].append(listed["tools"][0] | {"id": STRANGER, "title": "Stranger", "group": "strange"})
        route.fulfill(response=answer, json=listed)

    pages.page.route("**/tools", offer_all)
    pages.viewer.open(site.run_id(f"{NAME}.pt.trace.json"))
    pages.open_menu()
    return pages.page


def test_each_tool_stands_in_the_group_of_its_registration_once(menu: Page, pages: ToolPages) -> None:
    pages.unfold()
    tools = installed_tools().tools
    for label, group in GROUPS:
        entries = menu.get_by_role("group", name=label, exact=True).locator("[data-page]").all()
        listed = [str(entry.get_attribute("data-page")) for entry in entries]
        expected = [name for name, tool in tools.items() if tool.group == group]
        expected += ["query"] if group == "raw" else []
        assert listed == (["timeline", *expected] if group == "overview" else expected)
    other = menu.get_by_role("group", name="Other", exact=True).locator("[data-page]")
    assert [entry.get_attribute("data-page") for entry in other.all()] == [STRANGER]
    assert menu.locator("[role=menu] [role=group]").count() == len(GROUPS) + 1


def test_all_tools_are_seen_on_one_line_each_without_scrolling(menu: Page, pages: ToolPages) -> None:
    pages.unfold()
    for width in WIDTHS:
        menu.set_viewport_size({"width": width, "height": 900})
        pages.viewer.frames(2)
        seen = menu.evaluate(_MENU)
        assert seen["scrolls"] is False, width
        assert (seen["left"] >= 0, seen["right"] <= width) == (True, True), (width, seen)
        assert seen["tallest"] <= 32, width
        # From here on no word of a name or of an explanation is cut.
        if width >= 1280:
            assert seen["cut"] == [], width
        pages.viewer.screenshot(f"tools-menu-{width}")


def test_each_tool_has_an_icon_of_its_own(menu: Page, pages: ToolPages) -> None:
    pages.unfold()
    icons: dict[str, str] = menu.evaluate(_ICONS)
    assert set(icons) == {"timeline", "query", STRANGER, *installed_tools().tools}
    by_icon: dict[str, list[str]] = {}
    for name, icon in icons.items():
        by_icon.setdefault(icon, []).append(name)
    assert [names for names in by_icon.values() if len(names) > 1] == []


def test_the_button_of_a_menu_says_its_subject_once(browser: Browser, pages: ToolPages, site: Served) -> None:
    run = site.run_id(f"{NAME}.pt.trace.json")
    for fragment in ("", "tool=overview", "tool=steps", "tool=stats"):
        with watched_page(browser, site.url) as page:
            viewer = Viewer(page, site.url)
            page.goto(f"{site.url}/?run={run}#v=1&{fragment}")
            viewer.wait("window.tilescope?.state === 'open'", 60)
            page.get_by_role("button", name="Tools").first.wait_for()
            buttons = page.locator(".menu-button").all()
            assert len(buttons) >= 2
            for button in buttons:
                title, label = str(button.get_attribute("title")), str(button.text_content())
                for text in (title, label):
                    subject, colon, choice = text.partition(": ")
                    assert (colon, choice.startswith(subject)) != (": ", True), text
                # What is read to people who do not see the button is what it says to the others.
                assert title == label


@pytest.mark.parametrize(("saved", "tool", "group"), SAVED)
def test_a_saved_page_stands_where_its_tool_does(
    browser: Browser, tmp_path: Path, saved: str, tool: str, group: str
) -> None:
    with serving([corpus_path(f"imports/{saved}.json")], tmp_path) as server, watched_page(browser, server.url) as page:
        pages = ToolPages(Viewer(page, server.url))
        page.goto(server.url)
        pages.viewer.wait(f"window.tilescope?.page === '{tool}'", 60)
        pages.page.get_by_role("button", name="Tools").first.click()
        chosen = page.get_by_role("group", name=group, exact=True).get_by_role("menuitemradio", checked=True)
        expect(chosen).to_have_attribute("data-page", tool, timeout=60_000)


_MENU = """() => {
    const menu = document.querySelector('.topbar [role=menu]');
    const box = menu.getBoundingClientRect();
    const entries = [...menu.querySelectorAll('[data-page]')];
    const isCut = text => text.scrollWidth > text.clientWidth;
    return {
        ...{ left: box.left, right: box.right },
        tallest: Math.max(...entries.map(entry => entry.getBoundingClientRect().height)),
        scrolls: menu.scrollHeight > menu.clientHeight || menu.scrollWidth > menu.clientWidth,
        cut: entries.flatMap(entry => [...entry.querySelectorAll('.menu-name, .menu-note')])
            .filter(isCut).map(text => text.textContent),
    };
}"""

# The entry of the page that is shown has a tick in place of its icon: that is one of its own, too.
_ICONS = """() => Object.fromEntries([...document.querySelectorAll('.topbar [data-page]')].map(
    entry => [entry.dataset.page, entry.querySelector('svg').innerHTML],
))"""
