"""What a person does with the viewer, as methods: open a run, read the tree, zoom, click, read the drawer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import FloatRect, Page

ARTEFACTS = Path(__file__).resolve().parents[1] / "artefacts"

# A held key zooms by an octave or three in this time: little enough that the pointer's pixel stays near the event.
ZOOM_BURST_MS = 350
UNITS_PS = {"ps": 1, "ns": 10**3, "µs": 10**6, "ms": 10**9, "s": 10**12}


@dataclass(frozen=True)
class TreeItem:
    key: str
    name: str
    note: str
    level: int
    parent: str
    top_px: float


@dataclass(frozen=True)
class Drawer:
    """
    The title and the tables of the details drawer with all digits of their figures, the arguments among them as the
    file has them, but not in its order.
    """

    event: dict[str, str]
    ticks: dict[str, int]
    args: list[tuple[str, str]]


class Viewer:
    """One page of the viewer. Scripts are only evaluated, never installed: the page's policy forbids `eval`."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url.rstrip("/")

    def wait(self, expression: str, timeout_s: float = 30) -> Any:
        """Looks until an expression is true in the page. `window.tilescope` comes a moment after the page."""
        deadline = time.monotonic() + timeout_s
        guarded = f"window.tilescope && ({expression})" if "tilescope" in expression else expression
        while not (value := self.page.evaluate(guarded)):
            assert time.monotonic() < deadline, f"still not: {expression}; the page says {self.look()}"
            self.page.wait_for_timeout(25)
        return value

    def frames(self, count: int = 2) -> None:
        """Until the page has painted so many frames: one sees what happened before, and the next what came of that."""
        self.page.evaluate(_FRAMES, count)

    def look(self) -> dict[str, Any]:
        """The embedding API's view of the page, except for the labels."""
        names = ("state", "run", "view", "selection", "sharp", "events", "frames")
        return {name: self.page.evaluate(f"window.tilescope?.{name}") for name in names}

    def open(self, run: str, expected: str = "open") -> None:
        self.page.goto(f"{self.url}/?run={run}")
        state = self.wait(f"['failed', '{expected}'].find(state => state === window.tilescope?.state)", 60)
        assert state == expected, self.page.inner_text("main")
        if expected == "open":
            self.settle()
        else:
            self.wait("document.querySelector('main').innerText")  # what the state says is drawn a moment later

    def without_first_answers(self) -> None:
        """From now on the page takes none of the answers that come with it: what a test puts there is asked for."""
        self.page.add_init_script(
            "const find = document.getElementById.bind(document);"
            "document.getElementById = id => id === 'first-answers' ? null : find(id);"
        )

    def settle(self) -> None:
        """Until everything that the view needs has been drawn and counted."""
        self.wait("tilescope.sharp && tilescope.events !== null")

    def screenshot(self, name: str) -> None:
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=str(ARTEFACTS / f"{name}.png"))

    # -- the track tree --

    def expand_all(self) -> None:
        self.page.get_by_role("button", name="Expand all groups").click()

    def tree(self) -> list[TreeItem]:
        """All items, from top to bottom. Only what is on the screen is in the page, so this scrolls."""
        found: dict[str, dict[str, Any]] = {}
        height = self.page.evaluate("document.querySelector('.scroller').clientHeight")
        total = self.page.evaluate("document.querySelector('.scroller').scrollHeight")
        for top in range(0, total, height):
            self.scroll_to(top)
            for item in self.page.evaluate(_READ_TREE):
                found[item["key"]] = item
        self.scroll_to(0)
        items: list[TreeItem] = []
        path: list[str] = []
        for item in sorted(found.values(), key=lambda entry: entry["top"]):
            del path[item["level"] - 1 :]
            parent = path[-1] if path else ""
            items.append(TreeItem(item["key"], item["name"], item["note"], item["level"], parent, item["top"]))
            path.append(item["name"])
        return items

    def scroll_to(self, top_px: float) -> None:
        self.page.evaluate("top => { document.querySelector('.scroller').scrollTop = top }", top_px)
        self.frames()

    # -- moving --

    def timeline_box(self) -> FloatRect:
        box = self.page.locator(".timeline").bounding_box()
        assert box is not None
        return box

    def x_of(self, ticks: int) -> float:
        view = self.page.evaluate("tilescope.view")
        return float(self.timeline_box()["x"] + (ticks - int(view["start"])) / view["ticksPerPx"])

    def span(self) -> tuple[int, int]:
        """The visible range in ticks."""
        view = self.page.evaluate("tilescope.view")
        return int(view["start"]), int(view["end"])

    def rest(self) -> None:
        """Until the view stands still and is sharp. What moves it does so in every frame."""
        before = None
        while before != (before := self.span()):
            self.frames(6)
        self.settle()

    def until_address_follows(self) -> None:
        """Until the address is that of the view, which it is when that has come to rest."""
        self.wait("location.hash.includes(`t=${tilescope.view.start}-${tilescope.view.end}`)")

    def until_late_code(self) -> None:
        """Until the code that is loaded behind the first picture is here: it has the picture painted once more."""
        address = self.wait(_LATE_CODE)
        self.page.evaluate("address => import(address).then(() => null)", address)

    def zoom_to_label(
        self, track: int, middle_ticks: int, duration_ticks: int, name: str, y_px: float
    ) -> dict[str, Any]:
        """Holds W at a place in time until a slice there carries its whole name; returns the label."""
        box = self.timeline_box()
        for _ in range(80):
            x = self.x_of(middle_ticks)
            for label in self.page.evaluate("tilescope.labels"):
                covers = label["x"] <= x <= label["x"] + label["width"]
                is_whole = label["text"] == name or label["width"] > box["width"] / 2
                if label["track"] == track and covers and is_whole and reads_as(label["text"], name):
                    return dict(label)
            assert box["x"] <= x <= box["x"] + box["width"], f"lost sight of {name}"
            self.page.mouse.move(x, y_px)
            is_far = duration_ticks / self.page.evaluate("tilescope.view.ticksPerPx") < 0.01
            self.hold("Shift+w" if is_far else "w", ZOOM_BURST_MS)
            self.wait("tilescope.sharp")
        raise AssertionError(f"zoomed and zoomed, and {name} never showed")

    def hold(self, keys: str, milliseconds: float) -> None:
        """Holds a key down, with modifiers before it: `Shift+w`."""
        parts = keys.split("+")
        for part in parts:
            self.page.keyboard.down(part)
        self.page.wait_for_timeout(milliseconds)  # how long a key is held is what moves the view
        for part in reversed(parts):
            self.page.keyboard.up(part)

    def click(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)

    # -- bins --

    def aggregates(self, y: float, steps: int) -> Iterator[dict[str, str]]:
        """Rests on places from left to right, and gives the tooltips of bins when there is nothing left to wait for."""
        box = self.timeline_box()
        tooltip = self.page.get_by_role("tooltip")
        for step in range(steps):
            self.page.mouse.move(box["x"] + (step + 0.5) * box["width"] / steps, y)
            self.frames()
            if tooltip.count() > 0 and "Aggregate of" in tooltip.inner_text():
                self.wait("document.querySelector('.tooltip .pending') === null", 5)
                yield dict(self.page.evaluate(_READ_TOOLTIP))

    # -- the drawer --

    def table(self, name: str) -> list[tuple[str, str, str]]:
        """Rows of a table of the drawer: what, its value, and the note beside it."""
        return [(row[0], row[1], row[2]) for row in self.page.evaluate(_READ_TABLE, name)]

    def drawer(self) -> Drawer:
        self.wait("tilescope.selection.kind === 'event' && tilescope.selection.loaded")
        self.page.locator("table[data-table=event] tr").first.wait_for()  # what draws it may be on its way
        self.frames()
        facts = self.table("event")
        args = [*self.table("arguments"), *self.table("internal-arguments")]
        stacks = [(name, raw) for name, raw in self.page.evaluate(_READ_STACKS)]
        ticks = {name: int(value) for name, value, aside in self.table("internals") if aside == "ticks"}
        shown = {"Name": self.page.locator(".drawer-title").inner_text(), **{name: value for name, value, _ in facts}}
        return Drawer(shown, ticks, [*((name, value) for name, value, _ in args), *stacks])


def reads_as(label: str, name: str) -> bool:
    """Whether a label is a name, or its short form, cut or not: each part of it is a part of the name."""
    return all(part in name for part in label.split("…"))


def parse_duration_ps(text: str) -> int:
    """`38.377 871 ms` → 38377871000."""
    number, unit = re.sub(r"[,\u202f]", "", text).split(" ")
    whole, _, fraction = number.partition(".")
    scale = UNITS_PS[unit]
    return int(whole) * scale + (int(fraction) * scale // 10 ** len(fraction) if fraction else 0)


_FRAMES = """count => new Promise(done => {
    const next = () => count-- > 0 ? requestAnimationFrame(next) : done();
    next();
})"""

_LATE_CODE = "performance.getEntriesByType('resource').find(({ name }) => name.includes('/late-overlay'))?.name"

_READ_TREE = """() => [...document.querySelectorAll('[role=treeitem]')].map(item => ({
    key: item.dataset.key,
    name: item.querySelector('.tree-name').textContent,
    note: item.querySelector('.tree-note').textContent,
    level: Number(item.getAttribute('aria-level')),
    top: parseFloat(item.style.top),
}))"""

_READ_TOOLTIP = """() => Object.fromEntries([...document.querySelectorAll('.tooltip .tooltip-line')].map(line => [
    line.querySelector('dt').textContent, line.querySelector('dd').textContent,
]))"""

_READ_TABLE = """name => [...document.querySelectorAll(`table[data-table=${name}] tr`)].map(row => {
    const cell = row.querySelector('td').cloneNode(true);
    const aside = cell.querySelector('.aside');
    const note = aside === null ? '' : aside.textContent;
    aside?.remove();
    cell.querySelectorAll('button:not(.link), .value + .link').forEach(button => button.remove());
    cell.querySelectorAll('[data-exact]').forEach(figure => figure.replaceWith(figure.dataset.exact));
    return [row.querySelector('th').textContent, cell.dataset.raw ?? cell.textContent, note];
})"""

_READ_STACKS = """() => [...document.querySelectorAll('ol[data-stack]')].map(
    ({ dataset }) => [dataset.stack, dataset.raw],
)"""
