"""Keys for a track mean what is pointed at, or has the focus, at that moment: however one came back to the timeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeAlias

import pytest
from playwright.sync_api import Route

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.test_search import IN_PALETTE
from tests.browser.test_tracks import address, keys, point_at
from tests.standins.written import DEVICES

BEFORE, MEANT = "t1", "t7"
NO_FOCUS = "document.activeElement === document.body"


Way: TypeAlias = Callable[[Viewer, Callable[[], None]], None]  # from the timeline and back; meanwhile something is done


def _turned(viewer: Viewer, direction: int) -> bool:
    """Whether the track that is meant has changed places with the one above or below it."""
    order = keys(viewer)
    return order.index("t7") - order.index("t6" if direction < 0 else "t8") == direction


# What each key does with the track that is meant.
DEEDS: dict[str, Callable[[Viewer], bool]] = {
    "p": lambda viewer: address(viewer).get("pin") == "7",
    "h": lambda viewer: address(viewer).get("hide") == "7",
    "i": lambda viewer: address(viewer).get("tracks") == "7",
    "<": lambda viewer: viewer.look()["selection"].get("track") == 7,
    ">": lambda viewer: viewer.look()["selection"].get("track") == 7,
    "Alt+ArrowUp": lambda viewer: _turned(viewer, -1),
    "Alt+ArrowDown": lambda viewer: _turned(viewer, 1),
}


def _by_key(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    _to_page(viewer)
    viewer.page.keyboard.press("v")
    viewer.wait("tilescope.page === 'timeline'")
    viewer.page.keyboard.press("v")
    viewer.wait("tilescope.page === 'stats'")
    meanwhile()
    viewer.page.keyboard.press("v")
    viewer.wait("tilescope.page === 'timeline'")


def _by_history(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    _to_page(viewer)
    meanwhile()
    viewer.page.go_back()
    viewer.wait("tilescope.page === 'timeline'")


def _by_address(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    before = viewer.page.evaluate("location.hash")
    _to_page(viewer)
    meanwhile()
    viewer.page.evaluate("hash => { location.hash = hash }", before)
    viewer.wait("tilescope.page === 'timeline'")


def _out_of_the_palette(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    viewer.page.keyboard.press("F1")
    viewer.wait(IN_PALETTE)
    meanwhile()
    viewer.page.keyboard.press("Escape")
    viewer.wait("document.querySelector('dialog[open]') === null")


def _out_of_the_help(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    viewer.page.keyboard.press("?")
    viewer.page.get_by_role("dialog").wait_for()
    meanwhile()
    viewer.page.keyboard.press("Escape")
    viewer.wait("document.querySelector('dialog[open]') === null")


def _out_of_the_table(viewer: Viewer, meanwhile: Callable[[], None]) -> None:
    viewer.page.keyboard.press("b")
    viewer.page.locator(".slice-table").wait_for()
    meanwhile()
    viewer.page.keyboard.press("b")
    viewer.page.locator(".slice-table").wait_for(state="detached")


def _to_page(viewer: Viewer) -> None:
    viewer.page.evaluate("location.hash += '&tool=stats'")
    viewer.wait("tilescope.page === 'stats'")


WAYS = (_by_key, _by_history, _by_address, _out_of_the_palette, _out_of_the_help, _out_of_the_table)
OVER_PAGES = WAYS[:3]


def _cases(places: Sequence[str], ways: Sequence[Way]) -> list[object]:
    """All of them, each of which opens the viewer anew: all but one of every other way are for deep tests."""
    pairs = zip(ways[::2], DEEDS, strict=False)
    quick = {(places[number % len(places)], way, key) for number, (way, key) in enumerate(pairs)}
    return [
        pytest.param(
            *case, marks=() if case in quick else pytest.mark.deep, id=f"{case[0]}-{case[1].__name__[1:]}-{case[2]}"
        )
        for case in product(places, ways, DEEDS)
    ]


def _open(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(DEVICES))
    viewer.expand_all()
    viewer.settle()
    viewer.until_address_follows()
    viewer.wait("location.hash.includes('open=')")  # open groups may be written later than the view


def _do(viewer: Viewer, key: str, has_done: Callable[[Viewer], bool]) -> None:
    viewer.frames(4)
    viewer.page.keyboard.press(key)
    for _ in range(200):
        if has_done(viewer):
            return
        viewer.frames()
    raise AssertionError(f"{key} did not do it to {MEANT}: {viewer.look()}, {address(viewer)}, {keys(viewer)}")


@pytest.mark.parametrize(("place", "way", "key"), _cases(["tree", "timeline"], WAYS))
def test_keys_mean_what_the_pointer_rests_on_after_coming_back(
    viewer: Viewer, served: Served, way: Way, key: str, place: str
) -> None:
    _open(viewer, served)
    box = viewer.page.locator(f"[role=treeitem][data-key={MEANT}]").bounding_box()
    assert box is not None
    x = box["x"] + 60 if place == "tree" else viewer.timeline_box()["x"] + 300
    y = box["y"] + 8
    point_at(viewer, BEFORE)
    way(viewer, lambda: viewer.page.mouse.move(x, y))
    _do(viewer, key, DEEDS[key])


@pytest.mark.parametrize(("place", "way", "key"), _cases(["focus"], OVER_PAGES))
def test_keys_mean_what_had_the_focus_before_one_went_to_a_page(
    viewer: Viewer, served: Served, place: str, way: Way, key: str
) -> None:
    _open(viewer, served)
    point_at(viewer, BEFORE)  # it stays there
    viewer.page.locator("[data-key=t6]").focus()
    viewer.page.keyboard.press("ArrowDown")
    viewer.wait(f"document.activeElement.dataset.key === '{MEANT}'")
    way(viewer, lambda: viewer.wait(NO_FOCUS))
    viewer.wait(f"document.activeElement.dataset.key === '{MEANT}'")
    _do(viewer, key, DEEDS[key])


def test_the_header_at_the_top_is_what_it_says_after_scrolling_under_the_pointer(
    viewer: Viewer, served: Served
) -> None:
    viewer.page.set_viewport_size({"width": 1280, "height": 420})
    for act in ("key", "button"):
        _open(viewer, served)
        box = viewer.page.locator("[role=treeitem][data-key=g1]").bounding_box()
        assert box is not None
        viewer.page.mouse.move(box["x"] + 40, box["y"] + 8)
        viewer.page.locator(".tree-actions[data-key=g1]").wait_for()
        header = "document.querySelector('.tree-sticky [data-key]')?.dataset.key"
        while viewer.page.evaluate(header) in (None, "g1"):
            viewer.page.mouse.wheel(0, 40)
            viewer.frames(2)
        viewer.page.mouse.wheel(0, 40)  # its own row is far above then
        viewer.frames(2)
        named = viewer.page.evaluate(header)
        viewer.wait(f"document.querySelector('.tree-actions')?.dataset.key === '{named}'")
        at_top, buttons = (
            viewer.page.locator(of).bounding_box() for of in (".tree-sticky [data-key]", ".tree-actions")
        )
        assert at_top is not None
        assert buttons is not None
        assert at_top["y"] <= buttons["y"] <= buttons["y"] + buttons["height"] <= at_top["y"] + at_top["height"]
        if act == "key":
            viewer.page.keyboard.press("h")
        else:
            viewer.page.locator(".tree-actions button").nth(1).click()
        viewer.wait("location.hash.includes('hide=')")
        assert address(viewer)["hide"] == named


@pytest.mark.parametrize(
    ("key", "code"), [("F1", "palette"), pytest.param("Control+p", "track-finder", marks=pytest.mark.deep)]
)
def test_what_is_typed_while_a_dialog_is_on_its_way_is_typed_into_it(
    viewer: Viewer, served: Served, key: str, code: str
) -> None:
    page = viewer.page
    _open(viewer, served)
    point_at(viewer, BEFORE)
    waiting: list[Route] = []
    page.route(f"**/{code}-*.js", lambda route: waiting.append(route))
    before = address(viewer)
    page.keyboard.press(key)
    page.keyboard.type("pixel")
    while not waiting:
        page.wait_for_timeout(10)
    page.keyboard.type("s")
    page.keyboard.press("Backspace")
    waiting[0].continue_()
    viewer.wait(IN_PALETTE)
    assert page.locator("dialog.finder input").input_value() == "pixel"
    page.keyboard.type("s")
    assert page.locator("dialog.finder input").input_value() == "pixels"
    assert address(viewer) == before
    assert viewer.look()["selection"] == {"kind": "none"}
