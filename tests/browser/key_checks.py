"""What rows of the tables of keys and gestures do, by their keys as docs/keys.md has them: a check for each."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.driver import Viewer
from tests.browser.key_driving import (
    STEP,
    drag,
    dragged,
    held,
    label_of,
    marks,
    pans,
    press,
    pressed,
    select,
    selected,
    status,
    title,
    wheel,
    width,
    zooms,
)


def whole(v: Viewer) -> None:
    before = v.span()
    press(v, "+")
    v.rest()
    press(v, "0")
    v.rest()
    assert v.span() == before


def focus(v: Viewer) -> None:
    select(v)
    press(v, "f")
    v.rest()
    press(v, "f")
    v.rest()
    duration = v.drawer().ticks["Duration"]
    assert duration < width(v) < 2 * duration


# -- selecting --


def enter(v: Viewer) -> None:
    v.page.locator(".timeline").focus()
    press(v, "Enter")
    v.drawer()
    press(v, "Enter")
    v.wait("document.querySelector('.drawer').contains(document.activeElement)")


def enter_bin(v: Viewer) -> None:
    v.page.locator(".timeline").focus()
    press(v, "Shift+Enter")
    v.wait("tilescope.selection.kind === 'bin'")


def leads(key: str, name: str | None) -> Callable[[Viewer], None]:
    """From a step to a slice of that name; None: to a slice inside of it."""

    def check(v: Viewer) -> None:
        select(v)
        before = selected(v)
        press(v, key)
        if name is None:
            v.wait("document.querySelector('table[data-table=event]')?.textContent.includes('Depth1')")
        else:
            v.wait(f"document.querySelector('.drawer-title')?.textContent === '{name}'")
        assert selected(v) != before

    return check


def parent(v: Viewer) -> None:
    leads("ArrowDown", None)(v)
    press(v, "ArrowUp")
    v.wait(f"document.querySelector('.drawer-title')?.textContent === '{STEP}'")


def slice_to_area(v: Viewer) -> None:
    select(v)
    ticks = v.drawer().ticks
    press(v, "r")
    area = selected(v)
    assert (area["kind"], int(area["start"]), int(area["end"])) == ("area", ticks["Start"], ticks["End"])
    press(v, "Escape")
    pick(v)
    press(v, "r")
    assert selected(v)["kind"] == "area"


def clear(v: Viewer) -> None:
    """From the inside out: what is measured, what is selected, the drawer."""
    select(v)
    press(v, "4")
    dragged(300, 150, 500, 150)(v)
    press(v, "Escape")
    press(v, "m")
    assert marks(v) == 1, "what was measured is gone, what was selected is not"
    press(v, "Delete")
    press(v, "Escape")
    assert selected(v)["kind"] == "none"
    expect(v.page.locator(".drawer")).to_have_count(1)
    press(v, "Escape")
    expect(v.page.locator(".drawer")).to_have_count(0)


# -- marks and tools --


def tool(key: str, check: Callable[[Viewer], None]) -> Callable[[Viewer], None]:
    def checked(v: Viewer) -> None:
        press(v, key)
        title = v.page.locator(".strip-tools [aria-pressed=true]").get_attribute("title") or ""
        assert title.endswith(f"({key})")
        check(v)

    return checked


def selects_area(v: Viewer) -> None:
    drag(v)
    assert selected(v)["kind"] == "area"


def zooms_by_height(v: Viewer) -> None:
    before = width(v)
    drag(v, (500, 250, 500, 130))
    closer = width(v)
    assert before / 5 < closer < before / 3
    drag(v, (500, 130, 500, 250))
    assert width(v) > 3 * closer
    assert selected(v)["kind"] == "none"


def measures(v: Viewer) -> None:
    """An edge within 6 px is taken, with ctrl it is not."""
    label = label_of(v, STEP)
    box = v.timeline_box()
    from_x, to_x, y = label["x"] + 3 - box["x"], label["x"] + label["width"] - 4 - box["x"], label["y"] + 8 - box["y"]
    drag(v, (from_x, y, to_x, y))
    exact = status(v)
    assert exact == "109.9 ms · 9.097 Hz"
    press(v, "m")
    assert marks(v) == 1
    press(v, "Delete")
    press(v, "Escape")
    dragged(from_x, y, to_x, y, modifier="Control")(v)
    assert status(v) not in ("", exact)


def measures_slice(v: Viewer) -> None:
    label = label_of(v, STEP)
    v.click(label["x"] + 40, label["y"] + 8)
    press(v, "Shift+M")
    press(v, "n")
    assert v.page.locator(".mark-span").inner_text() == "109.9 ms"
    assert selected(v)["kind"] == "none"


def marks_for_the_moment(v: Viewer) -> None:
    select(v)
    press(v, "m")
    assert marks(v) == 1
    select(v, "ProfilerStep#104")
    press(v, "m")
    assert marks(v) == 1, "one at a time"
    press(v, "m")
    assert marks(v) == 0


def keeps_marks(v: Viewer) -> None:
    for name in (STEP, "ProfilerStep#104"):
        select(v, name)
        press(v, "Shift+M")
    assert marks(v) == 2
    press(v, "Shift+M")
    assert marks(v) == 2, "what is marked already is not marked again"


def removes_marks(v: Viewer) -> None:
    keeps_marks(v)
    press(v, "Delete")
    assert marks(v) == 1
    select(v)
    press(v, "Backspace")
    assert marks(v) == 0


def lists_marks(v: Viewer) -> None:
    press(v, "n")
    v.page.get_by_role("heading", name="Marks and notes").wait_for()
    press(v, "n")
    v.wait("document.querySelector('.marks') === null")


def pick(v: Viewer) -> None:
    for name in (STEP, "ProfilerStep#104"):
        label = label_of(v, name)
        v.page.keyboard.down("Control")
        v.click(label["x"] + 40, label["y"] + 8)
        v.page.keyboard.up("Control")
    v.wait("document.querySelector('[data-table=several]')?.textContent.includes('Span')")


def adds(v: Viewer) -> None:
    pick(v)
    assert title(v) == "2 events selected"
    facts = {name: value for name, value, _ in v.table("several")}
    assert facts["Count"] == "2"
    assert facts["Sum"].replace("\u202f", "") == "219.859998 ms"
    v.page.keyboard.down("Control")
    label = label_of(v, STEP)
    v.click(label["x"] + 40, label["y"] + 8)
    v.page.keyboard.up("Control")
    v.wait("document.querySelector('.drawer-title')?.textContent === 'ProfilerStep#104'")


# -- what is shown --


def drawer(v: Viewer) -> None:
    press(v, "q")
    v.page.locator(".drawer").wait_for()
    press(v, "q")
    v.wait("document.querySelector('.drawer') === null")


def grid(v: Viewer) -> None:
    setting = "JSON.parse(localStorage.getItem('tilescope.settings')).grid"
    before = v.page.evaluate(setting)
    press(v, "g")
    assert v.page.evaluate(setting) != before
    press(v, "g")


def time_format(v: Viewer) -> None:
    select(v)
    size = v.page.viewport_size
    assert size is not None
    v.page.set_viewport_size({**size, "width": 1920})  # the menu folds into another in narrower windows
    menu = v.page.get_by_role("button", name="Times:")
    shown = []
    for _ in range(3):
        shown.append((menu.inner_text().split("\n")[-1], v.drawer().event["Start"].replace("\u202f", " ")))
        press(v, "u")
    assert shown == [
        ("Since the start", "240 ms"),
        ("Ticks", "240,000,000 ticks"),
        ("UTC", "2026-01-01 00:00:00.363 456 789 UTC"),
    ]
    assert menu.inner_text().endswith("Since the start")
    v.page.set_viewport_size(size)
    v.rest()


def link(v: Viewer) -> None:
    select(v)
    press(v, "c")
    v.wait("document.querySelectorAll('[role=status]').length > 0")
    copied = v.page.evaluate("navigator.clipboard.readText()")
    assert "&sel=" in copied
    assert copied.startswith(v.url)


def help_(v: Viewer) -> None:
    press(v, "?")
    v.page.get_by_role("dialog", name="Keys and mouse").wait_for()
    press(v, "?")


def theme(v: Viewer) -> None:
    now = "document.documentElement.dataset.theme"
    before = v.page.evaluate(now)
    press(v, "t")
    assert v.page.evaluate(now) != before
    press(v, "t")


def scrolls(v: Viewer) -> None:
    v.page.set_viewport_size({"width": 1600, "height": 300})
    v.page.mouse.move(v.timeline_box()["x"] + 500, v.timeline_box()["y"] + 100)
    v.page.mouse.wheel(0, 60)
    v.wait("document.querySelector('.scroller').scrollTop > 0")
    v.page.set_viewport_size({"width": 1600, "height": 900})
    v.rest()


def shows_details(v: Viewer) -> None:
    select(v)
    assert v.drawer().event["Name"] == STEP


def zooms_to_slice(v: Viewer) -> None:
    label = label_of(v, STEP)
    v.page.mouse.dblclick(label["x"] + 40, label["y"] + 8)
    v.rest()
    assert width(v) < 2 * 109_929_999


def open_second(v: Viewer, key: str, split: str) -> None:
    press(v, key)
    v.wait("tilescope.second?.sharp")
    v.wait(f"location.hash.includes('split={split}')")


def close_second(v: Viewer) -> None:
    v.page.keyboard.press("Shift+F8")
    v.wait("tilescope.second === null && !location.hash.includes('split')")


def second(key: str, split: str) -> Callable[[Viewer], None]:
    def check(v: Viewer) -> None:
        open_second(v, key, split)
        close_second(v)

    return check


def other_timeline(v: Viewer) -> None:
    open_second(v, "F9", "below")
    for pane in (".is-second", ".pane:not(.is-second)"):
        v.page.keyboard.press("Shift+Y")
        v.wait(f"document.activeElement.matches('{pane} .timeline')")
    close_second(v)


def regions(key: str, regions: tuple[str, ...]) -> Callable[[Viewer], None]:
    """With the details open, from the timeline on."""

    def check(v: Viewer) -> None:
        select(v)
        v.page.locator(".timeline").focus()
        for region in regions:
            v.page.keyboard.press(key)
            v.wait(f"document.activeElement.closest('{region}') !== null")

    return check


def links_timelines(v: Viewer) -> None:
    open_second(v, "F9", "below")
    for alignment in ("off", "hand."):
        v.page.keyboard.press("y")
        v.wait(f"location.hash.includes('align={alignment}')")
    close_second(v)


def closes_second(v: Viewer) -> None:
    open_second(v, "F8", "beside")
    close_second(v)


CHECKS: dict[str, Callable[[Viewer], None]] = {
    "W": zooms("closer", held("w")),
    "S": zooms("wider", held("s")),
    "A": pans("left", held("a")),
    "D": pans("right", held("d")),
    "+ =": zooms("closer", pressed("=")),
    "- _": zooms("wider", pressed("-")),
    "0": whole,
    "F": focus,
    "Enter": enter,
    "Shift+Enter": enter_bin,
    "← ,": leads("ArrowLeft", "ProfilerStep#102"),
    "→ .": leads(".", "ProfilerStep#104"),
    "↑": parent,
    "↓": leads("ArrowDown", None),
    "R": slice_to_area,
    "Esc": clear,
    "1": tool("1", selects_area),
    "2": tool("2", pans("left", dragged(300, 150, 700, 150))),
    "3": tool("3", zooms_by_height),
    "4": tool("4", measures),
    "M": marks_for_the_moment,
    "Shift+M": keeps_marks,
    "Del ⌫": removes_marks,
    "N": lists_marks,
    "Q": drawer,
    "G": grid,
    "F8": second("F8", "beside"),
    "F9": second("F9", "below"),
    "Shift+Y": other_timeline,
    "F6": regions("F6", (".drawer", ".topbar", ".timeline")),
    "Shift+F6": regions("Shift+F6", (".topbar", ".drawer", ".timeline")),
    "Y": links_timelines,
    "Shift+F8": closes_second,
    "U": time_format,
    "C": link,
    "T": theme,
    "?": help_,
    "Wheel": scrolls,
    "Ctrl + wheel, pinch": zooms("closer", wheel(0, -300, "Control")),
    "Shift + wheel": pans("right", wheel(0, 200, "Shift")),
    "Horizontal wheel": pans("right", wheel(200, 0)),
    "Drag": selects_area,
    "Drag, tool 2": tool("2", pans("right", dragged(700, 150, 300, 150))),
    "Drag, tool 3": tool("3", zooms_by_height),
    "Drag, tool 4": tool("4", measures),
    "Shift + drag": pans("right", dragged(700, 150, 300, 150, modifier="Shift")),
    "Space + drag": pans("right", dragged(700, 150, 300, 150, modifier="Space")),
    "Middle drag": zooms("closer", dragged(300, 150, 700, 150, button="middle")),
    "Click": shows_details,
    "Click, tool 4": tool("4", measures_slice),
    "Ctrl + click": adds,
    "Double click": zooms_to_slice,
}
