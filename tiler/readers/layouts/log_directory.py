"""The log directory of TensorBoard, XProf and JAX: `<logdir>/plugins/profile/<run>/<host>.xplane.pb`.

Each `<run>` folder is one run with a file per host. A folder whose name is a time is one as well, wherever it lies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from tilescope.tiler.readers.layouts.layout import FileLabel, FileLayout, Folder, PlannedRun, RunFile
from tilescope.tiler.readers.run_files import choose, host_of, is_host_file

_RUN_NAME_FORMAT: Final = "%Y_%m_%d_%H_%M_%S"
_MAYBE_RUN_NAME: Final = re.compile(r"\d{4}(?:_\d{1,2}){5}")  # the first use of strptime takes 2 ms, each one 10 µs


def has_run_place(folder: Path) -> bool:
    """True if it may be the folder of a run: by its place, or by a name that profilers give to runs."""
    return folder.parts[-3:-1] == ("plugins", "profile") or time_in_name(folder.name) is not None


def time_in_name(name: str) -> datetime | None:
    """The time of a capture in the name of its run."""
    if _MAYBE_RUN_NAME.fullmatch(name) is None:
        return None
    try:
        return datetime.strptime(name, _RUN_NAME_FORMAT)
    except ValueError:
        return None


def is_run_folder(folder: Path) -> bool:
    """True if the files in a folder on disk belong together."""
    return _is_placed(folder) and any(is_host_file(file) and file.is_file() for file in folder.iterdir())


def _is_placed(folder: Path) -> bool:
    """True for the place of a run, where the folder lies or where a link to it does."""
    return has_run_place(folder.absolute()) or has_run_place(folder.resolve())


def runs_of_log_directory(folder: Folder) -> Sequence[PlannedRun]:
    """The files of all hosts, and whatever else is a trace: it would be found nowhere else."""
    if not _is_placed(folder.path) or not any(is_host_file(trace.path) for trace in folder.traces):
        return ()
    chosen = choose(folder.traces)
    files = [RunFile(file, FileLabel(host=host_of(file))) for file in chosen.files]
    present = set(chosen.files)
    copies = [trace.path for trace in folder.traces if trace.path not in present]
    return (PlannedRun("", files, copies=copies, notes=chosen.notes),)


LOG_DIRECTORY: Final = FileLayout(
    "log_directory", "log directories of TensorBoard, XProf and JAX", runs_of_log_directory
)
