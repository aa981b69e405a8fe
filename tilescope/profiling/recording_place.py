"""The folder that a recording goes to, in a log directory, with files that are there whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tilescope.tiler.errors import UsageError

_RUN_NAME = re.compile(r"\w[\w.+@=-]{0,127}")


class RecordingPlace:
    """`LOGDIR/plugins/profile/RUN`, made when the first trace is kept, and a folder for what is not finished."""

    def __init__(self, logdir: Path, run_name: str | None) -> None:
        if run_name is not None and not _RUN_NAME.fullmatch(run_name):
            raise UsageError(f"{run_name!r} is no name for a run (letters, digits and . _ + @ = -)")
        self._runs = logdir.absolute() / "plugins" / "profile"
        self._name = run_name or time.strftime("%Y_%m_%d_%H_%M_%S")
        self._is_own = run_name is None
        self._runs.mkdir(parents=True, exist_ok=True)
        # In the same file system, and hidden: nobody takes it for a run.
        self.scratch = Path(tempfile.mkdtemp(prefix=".recording-", dir=self._runs))

    def keep(self, trace: Path, ending: str, number: int) -> Path:
        """Moves a finished trace into the folder of the run, that of a later cycle into another; returns the folder."""
        name = self._name if number == 1 else f"{self._name}.{number}"
        again = 1
        while True:
            folder = self._runs / (name if again == 1 else f"{name}.{again}")
            folder.mkdir(exist_ok=True)
            with suppress(FileExistsError):
                # A name of its own where several processes of this machine write into one run.
                others = "" if self._is_own or not _is_there(folder, ending) else f"_{os.getpid()}"
                _move(trace, folder / f"{_host()}{others}{ending}")
                return folder
            again += 1

    def close(self) -> None:
        """Removes what is not finished."""
        shutil.rmtree(self.scratch, ignore_errors=True)


def _is_there(folder: Path, ending: str) -> bool:
    return (folder / f"{_host()}{ending}").exists()


def _move(trace: Path, place: Path) -> None:
    """Raises `FileExistsError` where there is one already."""
    with trace.open("rb") as file:
        os.fsync(file.fileno())
    try:
        os.link(trace, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if place.exists():
            raise FileExistsError(str(place)) from None
        trace.replace(place)
    else:
        trace.unlink()


def _host() -> str:
    """The name of this machine, and the rank where PyTorch runs several processes."""
    host = re.sub(r"[^\w.-]", "_", socket.gethostname()) or "localhost"
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return f"{host}_rank{distributed.get_rank()}"
    return host
