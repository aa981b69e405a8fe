"""What a person does with pages beside the timeline, as methods."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from tests.browser.driver import Viewer


class ToolPages:
    """The pages of one window of the viewer."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.page = viewer.page

    def open_menu(self) -> None:
        self.page.get_by_role("button", name=re.compile("^Tools")).first.click()
        self.page.locator("[role=menu] [data-page=stats]").wait_for()

    def choose(self, name: str) -> None:
        """By the menu."""
        self.open_menu()
        entry = self.page.locator(f"[role=menu] [data-page={name}]")
        if entry.count() == 0:
            self.unfold()
        entry.click()
        self.wait_for(name)

    def unfold(self) -> None:
        """All pages of the menu: raw data, and those without an answer, too."""
        for fold in self.page.locator("[role=menu] [role=menuitem][aria-expanded]").all():
            if fold.get_attribute("aria-expanded") == "false":
                fold.click()

    def wait_for(self, name: str) -> None:
        self.viewer.wait(f"tilescope.page === '{name}'")

    def go(self, run: str, fragment: str) -> None:
        """By its address."""
        self.page.goto(f"{self.viewer.url}/?run={run}#v=1&{fragment}")
        self.viewer.wait("window.tilescope?.state === 'open'", 60)

    def answered(self) -> None:
        """Until there is an answer, and not one of the question before."""
        self.viewer.wait(
            "document.querySelector('.answer-slot:not([inert]) .answer') !== null"
            " && document.querySelector('.answer-slot[inert]') === null"
        )

    def unfold_facts(self) -> None:
        """All facts that were recorded, not just the first."""
        for more in self.page.locator(".folded-facts-more[aria-expanded=false]").all():
            more.click()

    def is_empty(self) -> bool:
        """Whether the answer is that there is nothing."""
        self.viewer.wait(
            "document.querySelector('.answer-slot:not([inert]) .answer, [data-state=empty]') !== null"
            " && document.querySelector('.answer-slot[inert]') === null"
        )
        return self.page.locator("[data-state=empty]").count() > 0

    def state(self, name: str) -> str:
        """Waits for a state; what the page says in it."""
        found = self.page.locator(f"[data-state={name}]")
        found.wait_for()
        return found.inner_text()

    def range(self, label: str) -> None:
        """Chooses what the figures are of."""
        self.page.locator(".range-switch label", has_text=label).click()

    def text(self) -> str:
        return self.page.locator(".page-body").inner_text()

    def address(self) -> dict[str, str]:
        """What the address says after `#`."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.page.url).fragment).items()}

    def mark(self) -> None:
        """So that `is_same` can tell whether the window was loaded anew."""
        self.page.evaluate("window.marked = true")

    def is_same(self) -> bool:
        return bool(self.page.evaluate("window.marked === true"))
