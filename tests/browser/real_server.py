"""A server that dies, stalls and comes back at its old address, as real ones do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.browser.conftest import Served

# Serves as another version of Tilescope would.
_OTHER_VERSION = """
import sys
import tilescope
tilescope.__version__ = sys.argv.pop(1)
from tilescope.cli import main
raise SystemExit(main())
"""


class RealServer:
    """`tilescope serve` of a few paths, on one port for as long as it lives, and again when it is started again."""

    def __init__(self, paths: list[Path], cache: Path, *options: str) -> None:
        self._arguments = ["--cache-dir", str(cache), *options, *map(str, paths)]
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    @property
    def served(self) -> Served:
        return Served(f"http://127.0.0.1:{self.port}")

    def start(self, *, version: str | None = None, environment: Mapping[str, str] | None = None) -> None:
        program = ["-m", "tilescope"] if version is None else ["-c", _OTHER_VERSION, version]
        command = [sys.executable, *program, "serve", "--port", str(self.port), *self._arguments]
        variables = {**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables)
        assert self._process.stdout is not None
        match = re.search(r"http://[^:]+:(\d+)", self._process.stdout.readline())
        assert match is not None, "the server did not say where it serves"
        self.port = int(match[1])

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        if self._process is not None:
            self.kill()

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def real_server(paths: list[Path], cache: Path, *options: str) -> Iterator[RealServer]:
    """One that runs, and is gone in the end in whatever state it is."""
    server = RealServer(paths, cache, *options)
    server.start()
    try:
        yield server
    finally:
        server.close()
