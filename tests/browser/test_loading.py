"""What one sees while pages are on their way: the nearest level that is there, never nothing, and that it is so."""

from __future__ import annotations

from playwright.sync_api import Browser, WebSocketRoute

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.standins.written import TRAINING

# Pixels of the tracks' canvas that are neither ground nor line nor panel: those are nearly grey.
COLOURED_PART = """() => {
    const canvas = document.querySelector('.timeline canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let coloured = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        const [red, green, blue] = [pixels[k], pixels[k + 1], pixels[k + 2]];
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 30) coloured += 1;
    }
    return 4 * coloured / pixels.length;
}"""


class Gate:
    """Lets the server's messages through, or holds them back."""

    def __init__(self) -> None:
        self.is_open = True
        self._held: list[str | bytes] = []
        self._page_side: WebSocketRoute | None = None

    def connect(self, page_side: WebSocketRoute) -> None:
        self._page_side = page_side
        page_side.connect_to_server().on_message(self._pass)

    def open(self) -> None:
        self.is_open = True
        for message in self._held:
            self._pass(message)
        self._held.clear()

    def _pass(self, message: str | bytes) -> None:
        if self.is_open and self._page_side is not None:
            self._page_side.send(message)
        else:
            self._held.append(message)


def test_the_nearest_level_is_drawn_until_the_sharp_one_has_come(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url) as page:
        gate = Gate()
        page.route_web_socket("**/stream", gate.connect)
        viewer = Viewer(page, served.url)
        viewer.open(served.run_id(TRAINING))
        box = viewer.timeline_box()
        gate.is_open = False
        page.mouse.move(viewer.x_of(270_000_000), box["y"] + 250)
        viewer.hold("Shift+w", 900)
        viewer.wait("document.querySelector('.statusbar').innerText.includes('Loading')")
        viewer.wait("document.querySelector('[data-status=events]').innerText.includes('events start here')")
        assert not viewer.look()["sharp"]
        assert page.evaluate(COLOURED_PART) > 0.02, "the timeline is blank"
        viewer.screenshot("loading")
        gate.open()
        viewer.settle()
        assert page.inner_text(".statusbar").startswith("Sharp")
        assert page.evaluate(COLOURED_PART) > 0.02
        viewer.screenshot("loaded")
