"""Folders of a run as hosts, for files that say neither where they are from nor of which rank or device they are."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path

from tilescope.tiler.readers.layouts.ascend_names import capture_folder_of


def folder_hosts(paths: Sequence[Path]) -> list[str]:
    """The folder of each file, as a path below that which has them all; empty texts where there is only one.

    Files of one capture are of one folder, however deep they lie in it.
    """
    folders = [(capture_folder_of(path) or path.parent).absolute() for path in paths]
    if len({*folders}) < 2:
        return [""] * len(paths)
    top = commonpath(folders)
    names = [folder.relative_to(top).as_posix() for folder in folders]
    return [Path(top).name if name == "." else name for name in names]
