"""A server in a process of its own, and what it costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """One that serves one store."""

    url: str  # with a slash at its end
    grpc_address: str
    process: psutil.Process

    def build_path(self) -> str:
        """The path below which the only build lies."""
        with urllib.request.urlopen(f"{self.url}api/v1/runs", timeout=10) as answer:
            (run,) = json.load(answer)["runs"]
        return f"api/v1/runs/{run['id']}/builds/{run['build']}"

    def private_bytes(self) -> int:
        """Memory that is not a mapped file: pages of the store are the system's, and leave when others need room.

        That of the server, and of the processes in which it answers questions.
        """
        total = 0
        for process in (self.process, *self.process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has just ended
                memory = process.memory_info()
                total += memory.rss - memory.shared
        return total

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def serving(
    *stores: Path,
    packages: Path | None = None,
    log: IO[str] | None = None,
    python: Path = Path(sys.executable),
    cache: Path | None = None,
    options: Sequence[str] = (),
) -> Iterator[ServerProcess]:
    """`tilescope serve` on free ports.

    `packages`: a folder of modules that it finds besides, `log`: what it says, `python`: whose tilescope it is,
    `cache`: where it keeps indexes, if not where all others are, `options`: more of the command line.
    """
    command = [str(python), "-P", "-m", "tilescope", "serve", *map(str, stores), "--port", "0", "--grpc-port", "0"]
    command += [*([] if cache is None else ["--cache-dir", str(cache)]), *options]
    environment = os.environ if packages is None else {**os.environ, "PYTHONPATH": str(packages)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            output = process.stdout.readline() + process.stdout.readline()
            match = re.search(r"(http://\S+).*\ngRPC at (\S+)", output)
            assert match is not None, "the server did not say where it serves"
            yield ServerProcess(match[1], match[2], psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait()
