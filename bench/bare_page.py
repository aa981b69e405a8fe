"""A page that does next to nothing, from a server that does next to nothing: what the browser and the machine take.

Its canvas is as large as a timeline, and moves while a key is held, as that does. Figures of the viewer beside its own
say what is the viewer's part: machines, and the neighbours of virtual ones, differ by a factor of two.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Browser

from bench.browser_page import Frames, has_pixels, held, opened, reached, wait
from bench.slow_link import HOST
from bench.viewports import percentile

_PAGE = b"""<!doctype html><title>bare</title><style>body { margin: 0 }</style><canvas></canvas>
<script src="/bare.js"></script>"""
_SCRIPT = b"""
const canvas = document.querySelector("canvas");
canvas.width = innerWidth;
canvas.height = innerHeight;
const context = canvas.getContext("2d");
let shift = 0, isHeld = false;
const draw = () => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let k = 0; k < 300; k++) {
        context.fillStyle = `hsl(${k} 60% 50%)`;
        context.fillRect((k * 37 + shift) % canvas.width, (k % 40) * 20, 30, 18);
    }
    shift += 1;
    if (isHeld) requestAnimationFrame(draw);
};
addEventListener("keydown", event => { if (!event.repeat) { isHeld = true; requestAnimationFrame(draw); } });
addEventListener("keyup", () => { isHeld = false; });
requestAnimationFrame(draw);
"""
_MOMENTS = {"pixels": has_pixels("canvas")}
# A fixed piece of work, three times, in milliseconds: the median says how fast the processor runs scripts.
_LOOP = """() => [0, 1, 2].map(() => {
    const begin = performance.now();
    let x = 1;
    for (let k = 0; k < 20_000_000; k++) x = (Math.imul(x, 31) + k) | 0;
    return x === 7 ? 0 : performance.now() - begin;
})"""


@dataclass(frozen=True, slots=True)
class BareFigures:
    """Milliseconds: from navigation to first pixels, frames while a key is held, a fixed piece of script."""

    first_pixels: float
    frames: Frames
    loop: float


def bare_figures(browser: Browser, rounds: int, seconds: float) -> BareFigures:
    """Median of so many openings, frames of one movement, median of three loops."""
    first = []
    with _serving() as url:
        for _ in range(rounds):
            with opened(browser, url, _MOMENTS) as page:
                first.append(reached(page, "pixels"))
        with opened(browser, url, _MOMENTS) as page:
            reached(page, "pixels")
            frames = held(page, "w", seconds)
            wait(page, "() => true")
            loop = percentile(page.evaluate(_LOOP), 0.5)
    return BareFigures(percentile(first, 0.5), frames, loop)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_script = self.path == "/bare.js"
        body = _SCRIPT if is_script else _PAGE
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_script else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def _serving() -> Iterator[str]:
    server = ThreadingHTTPServer((HOST, 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
