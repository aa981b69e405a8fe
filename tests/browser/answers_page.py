"""The page of made-up answers of `viewer/dev`, built and served as the server serves pages: with its policy."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page

from tilescope.server.guard.security import PAGE_POLICY

VIEWER = Path(__file__).resolve().parents[2] / "viewer"


class _Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", PAGE_POLICY)
        super().end_headers()

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":  # browsers ask for it by themselves
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: pytest shows what fails."""


@contextmanager
def answers_page(folder: Path) -> Iterator[str]:
    """Address of the page, while it is served."""
    vite = VIEWER / "node_modules" / ".bin" / "vite"
    command = [str(vite), "build", "-c", "dev/vite.config.ts", "--outDir", str(folder), "--logLevel", "error"]
    subprocess.run(command, cwd=VIEWER, check=True, timeout=120)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/answers.html"
        finally:
            server.shutdown()
            thread.join()


def show(page: Page, address: str, name: str) -> None:
    """Opens the page with an answer."""
    page.goto(f"{address}?answer={name}")
    page.locator(".answer").wait_for()
