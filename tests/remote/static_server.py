"""A web server of the tests: serves bytes by ranges, counts what it is asked, and fails as it is told."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Behaviour:
    """The way in which the server answers. Counts are of requests, over all objects."""

    objects: dict[str, bytes]  # by path, with the slash
    etags: dict[str, str] = field(default_factory=dict)  # by path; else "1"
    has_etags: bool = True
    has_ranges: bool = True
    refused: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # answers of the next requests
    cut_after: list[int] = field(default_factory=list)  # bytes after which the next bodies break off
    wrong_range: bool = False
    wrong_bytes: int = 0  # by which the size in Content-Range exceeds that of the object
    delay_s: float = 0.0
    drips: int = 0  # so many bytes of each body come one by one
    interim: int = 0  # heads that say that another one follows, before each answer
    redirects: dict[str, str] = field(default_factory=dict)  # target by path
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_refusal(self) -> tuple[int, dict[str, str]] | None:
        with self.lock:
            return self.refused.pop(0) if self.refused else None

    def next_cut(self) -> int | None:
        with self.lock:
            return self.cut_after.pop(0) if self.cut_after else None


@contextmanager
def static_server(behaviour: Behaviour, port: int = 0) -> Iterator[str]:
    """The server's origin."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            time.sleep(behaviour.delay_s)
            with behaviour.lock:
                behaviour.requests.append((self.path, dict(self.headers)))
            refusal = behaviour.next_refusal()
            if refusal is not None:
                self.answer(refusal[0], b"no", refusal[1])
            elif path in behaviour.redirects:
                self.answer(302, b"", {"Location": behaviour.redirects[path]})
            elif path not in behaviour.objects:
                self.answer(404, b"none")
            else:
                self.send_object(path)

        def send_object(self, path: str) -> None:
            content = behaviour.objects[path]
            etag = behaviour.etags.get(path, '"1"')
            headers = {"ETag": etag} if behaviour.has_etags else {}
            wanted = self.headers.get("Range")
            if wanted is None or not behaviour.has_ranges or self.headers.get("If-Range", etag) != etag:
                self.answer(200, content, headers)
                return
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, stop = int(first), min(int(last) + 1, len(content))
            if start >= len(content):
                self.answer(416, b"", {**headers, "Content-Range": f"bytes */{len(content)}"})
                return
            shift = int(behaviour.wrong_range)
            headers["Content-Range"] = f"bytes {start + shift}-{stop - 1}/{len(content) + behaviour.wrong_bytes}"
            self.answer(206, content[start:stop], headers)

        def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            behaviour.statuses[status] += 1
            for _ in range(behaviour.interim):
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.005)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            cut = behaviour.next_cut() if status in (200, 206) else None
            if cut is not None and cut < len(body):
                self.wfile.write(body[:cut])
                self.close_connection = True
                return
            for place in range(min(behaviour.drips, len(body))):
                self.wfile.write(body[place : place + 1])
                time.sleep(0.005)
            self.wfile.write(body[behaviour.drips :])

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that has gone away is no failure."""

    server = Server(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
