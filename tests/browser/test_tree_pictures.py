"""Trees as pictures: the call tree of a selection and of a run, and the second view of *Op profile*."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import Served
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.browser.test_area import RANGE, Panel, panel, site
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES

__all__ = ["panel", "site"]


def boxes(picture: Locator) -> list[list[str]]:
    """The boxes as they are copied in ticks: a list of cells for each, below names of columns without units."""
    page = picture.page
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
    picture.get_by_role("button", name="Copy as TSV").click(modifiers=["Shift"])
    text: str = page.evaluate("window.copied")
    head, *lines = [line.split("\t") for line in text.splitlines()]
    return [[name.split(" ")[0] for name in head], *lines]


def figures(answer: dict[str, list[Any]]) -> dict[str, int]:
    """Ticks of the outermost nodes by name, as the server says them."""
    rows = zip(answer["parent"], answer["name"], answer["total"], strict=True)
    return {name: int(total) for parent, name, total in rows if int(parent) < 0}


def test_the_call_tree_of_a_selection(panel: Panel) -> None:
    panel.select()
    panel.tab("Call tree")
    panel.answered("call_tree")
    answer, _ = panel.ask("call_tree", start=RANGE[0], end=RANGE[1], limit=10_000)
    roots = figures(answer)
    picture = panel.page.locator(".span-answer .tree-picture")
    head, *lines = boxes(picture)
    size = head.index("total")
    outermost = {line[head.index("name")]: int(line[size]) for line in lines if line[head.index("level")] == "0"}
    named = outermost.keys() & roots.keys()
    assert named >= set(sorted(roots, key=roots.__getitem__)[-3:]), "the largest are boxes of their own"
    assert {name: outermost[name] for name in named} == {name: roots[name] for name in named}
    assert sum(outermost.values()) == sum(roots.values())
    picture.locator(".tree-picture-scroll").focus()
    panel.page.keyboard.press("ArrowDown")
    name = picture.get_by_role("status").last.inner_text().split(" · ")[0]
    assert name in answer["name"]
    panel.page.keyboard.press("Enter")
    picture.get_by_role("button", name="Whole tree").click()
    assert boxes(picture) == [head, *lines]


def test_a_selection_has_a_call_tree_for_each_track(panel: Panel) -> None:
    panel.select()
    panel.tab("Call tree")
    panel.page.get_by_role("combobox", name="Trees").select_option("track")
    panel.answered("call_tree")
    answer, _ = panel.ask("call_tree", start=RANGE[0], end=RANGE[1], limit=10_000, by="track")
    rows = zip(answer["parent"], answer["name"], answer["track"], answer["total"], strict=True)
    tracks = sorted(
        (str(name), int(total)) for parent, name, track, total in rows if int(parent) < 0 and track is not None
    )
    head, *lines = boxes(panel.page.locator(".span-answer .tree-picture"))
    name, size, level = (head.index(column) for column in ("name", "total", "level"))
    assert len(tracks) > 1
    assert sorted((line[name], int(line[size])) for line in lines if line[level] == "0") == tracks


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_the_pages_have_pictures_that_axe_finds_no_fault_with(viewer: Viewer, served: Served, theme: str) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=call_tree")
    page.locator(".tree-picture canvas").wait_for()
    assert faults(viewer) == []
    page.screenshot(path=ARTEFACTS / f"call-tree-{theme}.png")
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=op_profile")
    page.get_by_role("button", name="Picture", exact=True).click()
    page.locator(".tree-picture canvas").wait_for()
    assert faults(viewer) == []
    page.screenshot(path=ARTEFACTS / f"op-profile-picture-{theme}.png")


@pytest.mark.deep
def test_names_are_looked_for_and_the_tree_is_turned_round(viewer: Viewer, served: Served) -> None:
    page, run = viewer.page, served.run_id(DEVICES)
    page.goto(f"{viewer.url}/?run={run}#v=1&tool=call_tree")
    picture = page.locator(".tree-picture")
    picture.locator("canvas").wait_for()
    down = boxes(picture)
    picture.get_by_role("radio", name="Bottom up").check()
    head, *up = boxes(picture)
    assert head == down[0]
    level, size = head.index("level"), head.index("total")
    sums = [sum(int(line[size]) for line in lines if line[level] == "0") for lines in (down[1:], up)]
    assert sums[0] == sums[1] > 0, "turned round, the whole is the same"
    assert up != down[1:]
    build = served.get(f"/runs/{run}/manifest")["build"]
    table = served.get(f"/runs/{run}/builds/{build}/tools/call_tree?limit=10000")["tables"][0]
    (names,) = (column["values"] for column in table["columns"] if column["id"] == "name")
    count = sum("fusion" in name.lower() for name in names)
    assert count > 0
    picture.get_by_role("searchbox").fill("fusion")
    text = picture.get_by_role("status").first.inner_text()
    assert text.startswith(f"{count} row")
    assert not text.endswith(" 0.0 %")
