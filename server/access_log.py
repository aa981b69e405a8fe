"""The access log: one line of JSON for each request or gRPC call, when its answer has been sent.

Without queries, in which tokens may stand, and without headers but the client's name for itself. A WebSocket is one
line, when it ends, and so is a call with a stream.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path

from aiohttp import hdrs, web
from aiohttp.abc import AbstractAccessLogger

from tilescope.tiler.errors import UsageError

STDERR = Path("-")
MAX_TEXT = 1000  # characters of a path or name: a line stays one write

logger = logging.getLogger("tilescope.access")


class JsonAccessLogger(AbstractAccessLogger):
    """Writes a line for each request; aiohttp calls it after the response."""

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        """Writes the line; `time` is in seconds."""
        write_line(request, response.status, time)


def write_line(request: web.BaseRequest, status: int, seconds: float) -> None:
    """The line of a request that was answered, or whose client has gone."""
    write_entry(
        client=request.remote,
        method=request.method,
        path=request.path,
        status=status,
        size_bytes=request.writer.output_size,
        seconds=seconds,
        agent=request.headers.get(hdrs.USER_AGENT, ""),
    )


def write_entry(
    *, client: str | None, method: str, path: str, status: int, size_bytes: int, seconds: float, agent: str
) -> None:
    """A line, now that it has ended."""
    if not logger.isEnabledFor(logging.INFO):
        return
    started = datetime.now(UTC) - timedelta(seconds=seconds)
    line = {
        "time": started.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "client": client,
        "method": method,
        "path": path[:MAX_TEXT],
        "status": status,
        "bytes": size_bytes,
        "ms": round(seconds * 1000, 3),
        "agent": agent[:MAX_TEXT],
    }
    # JSON has escaped all of what is no letter but DEL.
    logger.info(json.dumps(line, separators=(",", ":")).replace("\x7f", "\\u007f"))


class _LogFile(WatchedFileHandler):
    """Nobody else may read a file that it makes; one that is there keeps its mode."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)  # noqa: PTH123 - it is open already


@contextmanager
def access_log(file: Path | None) -> Iterator[None]:
    """Lets `logger` write to a file (`-`: standard error) within the block; None: nowhere. Raises `UsageError`.

    The file is opened anew when it has been moved away, as logrotate does.
    """
    if file is None:
        yield
        return
    try:
        handler = logging.StreamHandler(sys.stderr) if file == STDERR else _LogFile(file, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot write the access log: {error.strerror}") from None
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
