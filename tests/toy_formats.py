"""Formats of a package of somebody else, as pip would have installed it: one folder, which goes on the path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent / "toy_format"

ENTRY_POINTS: Final = """\
[tilescope.formats]
toy = toy_format:FORMAT
"""

FAULTY_ENTRY_POINTS: Final = """\
[tilescope.formats]
faulty = toy_faults:FAULTY
gone = toy_format_gone:FORMAT
leaves = toy_format_leaving:FORMAT
toy = toy_format:FORMAT
"""

TRACE: Final = """\
TOY 1
main;compute;1000;250;batch=7,lr=0.5
main;inner;1010;20;note=été
copy;transfer;1100;50;
"""


def install_format(folder: Path, *, faulty: bool = False) -> Path:
    """Puts the package into a folder, which is to be on the path of whoever is to have its formats."""
    shutil.copytree(PACKAGE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "toy_format_leaving.py").write_text("raise SystemExit(3)\n")
    info = folder / "toy_format-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-format\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(FAULTY_ENTRY_POINTS if faulty else ENTRY_POINTS)
    return folder


def environment(packages: Path) -> dict[str, str]:
    """Of a process that has them."""
    return {**os.environ, "PYTHONPATH": str(packages)}
