"""The log directory that captures are written to: one among the served paths, so that the runs are listed there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tilescope.server.errors import CannotCapture
from tilescope.tiler.mount import is_run
from tilescope.tiler.readers.layouts.log_directory import is_run_folder


def find_log_directory(served: Sequence[Path]) -> Path:
    """The first log directory that can be written. Raises `CannotCapture`, which says what to change."""
    folders = [path for path in served if path.is_dir() and not is_run(path) and not is_run_folder(path)]
    if not folders:
        raise CannotCapture("nowhere to save captures: start the server with a log folder: tilescope serve logs/")
    for folder in folders:
        if os.access(_above_plugins(folder), os.W_OK | os.X_OK):
            return _above_plugins(folder)
    names = ", ".join(folder.absolute().name for folder in folders)
    raise CannotCapture(f"nowhere to save captures: the server may not write into {names}")


def _above_plugins(folder: Path) -> Path:
    """The log directory of a folder that lies within its usual layout, `LOGDIR/plugins/profile`."""
    *_, above, name = ("", "", *folder.resolve().parts)
    if (above, name) == ("plugins", "profile"):
        return folder.resolve().parents[1]
    return folder.resolve().parent if name == "plugins" else folder
