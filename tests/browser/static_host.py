"""A host of files as bad as real ones: it counts, delays, cuts off, changes its tags, and ignores ranges."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

_RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")
_TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass
class StaticHost:
    """Files of a folder, and what is wrong with the host of archives now."""

    folder: Path
    url: str = ""
    has_ranges: bool = True
    delay_s: float = 0.0
    cut: int = 0  # so many answers break off in the middle
    etag: str = "1"
    requests: list[tuple[int, int]] = field(default_factory=list)  # of archives: ranges, as they came

    def take_cut(self) -> bool:
        """True if this answer is to break off."""
        if not self.cut:
            return False
        self.cut -= 1
        return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    host: StaticHost

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path = self.host.folder / (self.path.split("?")[0].lstrip("/") or "index.html")
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content = path.read_bytes()
        if path.suffix != ".tsarc":
            self._send(HTTPStatus.OK, content, {"Content-Type": _TYPES.get(path.suffix, "application/json")})
            return
        time.sleep(self.host.delay_s)
        match = _RANGE.fullmatch(self.headers.get("Range", ""))
        if match is None or not self.host.has_ranges:
            self._send(HTTPStatus.OK, content, {"ETag": self.host.etag})
            return
        start, stop = int(match[1]), min(int(match[2]) + 1, len(content))
        self.host.requests.append((start, stop))
        headers = {"ETag": f'"{self.host.etag}"', "Content-Range": f"bytes {start}-{stop - 1}/{len(content)}"}
        self._send(HTTPStatus.PARTIAL_CONTENT, content[start:stop], headers, is_cut=self.host.take_cut())

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str], *, is_cut: bool = False) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if is_cut else body)
        if is_cut:
            self.close_connection = True


@contextmanager
def static_host(folder: Path) -> Iterator[StaticHost]:
    """Serves the files of a folder."""
    host = StaticHost(folder)
    handler = type("Handler", (_Handler,), {"host": host})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        host.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield host
        server.shutdown()
        thread.join()
