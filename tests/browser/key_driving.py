"""Parts of a page that a test of keys sees, and ways to act on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.driver import Viewer

STEP = "ProfilerStep#103"

# -- what the page shows --


def selected(v: Viewer) -> dict[str, Any]:
    return dict(v.look()["selection"])


def title(v: Viewer) -> str:
    return v.page.locator(".drawer-title").inner_text()


def status(v: Viewer) -> str:
    return v.page.locator("[role=status][aria-live=polite]").last.inner_text()


def label_of(v: Viewer, name: str) -> dict[str, Any]:
    return next(dict(label) for label in v.page.evaluate("tilescope.labels") if label["text"] == name)


def select(v: Viewer, name: str = STEP) -> None:
    label = label_of(v, name)
    v.click(label["x"] + 40, label["y"] + 8)
    v.wait(f"document.querySelector('.drawer-title')?.textContent === '{name}'")


def press(v: Viewer, keys: str) -> None:
    v.page.keyboard.press(keys)
    v.frames()


def drag(v: Viewer, fromto: tuple[float, float, float, float] = (300, 150, 700, 150), button: str = "left") -> None:
    box = v.timeline_box()
    x0, y0, x1, y1 = fromto
    v.page.mouse.move(box["x"] + x0, box["y"] + y0)
    v.page.mouse.down(button=button)  # type: ignore[arg-type]
    v.page.mouse.move(box["x"] + x1, box["y"] + y1, steps=4)
    v.page.mouse.up(button=button)  # type: ignore[arg-type]
    v.rest()


def width(v: Viewer) -> int:
    start, end = v.span()
    return end - start


def marks(v: Viewer) -> int:
    """How many marks there are, as the button of the top bar counts them."""
    text = v.page.locator(".strip-marks").get_attribute("aria-label") or ""
    return int(text.split(": ")[1])


# -- moving --


def zooms(factor: str, act: Callable[[Viewer], None]) -> Callable[[Viewer], None]:
    def check(v: Viewer) -> None:
        v.page.mouse.move(v.timeline_box()["x"] + 500, v.timeline_box()["y"] + 150)
        press(v, "+")
        v.rest()
        before = width(v)
        act(v)
        v.rest()
        assert (width(v) < before) == (factor == "closer")

    return check


def pans(direction: str, act: Callable[[Viewer], None]) -> Callable[[Viewer], None]:
    def check(v: Viewer) -> None:
        v.page.mouse.move(v.timeline_box()["x"] + 500, v.timeline_box()["y"] + 150)
        press(v, "+")
        press(v, "+")
        v.rest()
        before, scale = v.span(), width(v)
        act(v)
        v.rest()
        assert abs(width(v) - scale) <= 2 * v.page.evaluate("tilescope.view.ticksPerPx")
        assert (v.span()[0] > before[0]) == (direction == "right")

    return check


def held(keys: str) -> Callable[[Viewer], None]:
    return lambda v: v.hold(keys, 250)


def pressed(keys: str) -> Callable[[Viewer], None]:
    return lambda v: press(v, keys)


def wheel(dx: float, dy: float, modifier: str | None = None) -> Callable[[Viewer], None]:
    def act(v: Viewer) -> None:
        if modifier is not None:
            v.page.keyboard.down(modifier)
        v.page.mouse.wheel(dx, dy)
        v.frames()
        if modifier is not None:
            v.page.keyboard.up(modifier)

    return act


def dragged(*fromto: float, button: str = "left", modifier: str | None = None) -> Callable[[Viewer], None]:
    def act(v: Viewer) -> None:
        if modifier is not None:
            v.page.locator(".timeline").focus()
            v.page.keyboard.down(modifier)
        drag(v, fromto, button)  # type: ignore[arg-type]
        if modifier is not None:
            v.page.keyboard.up(modifier)

    return act
