"""Modules stay small: what grows beyond that holds several concepts, and is to be parted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("tilescope", "tiler", "server", "viewer", "bench", "release", "tests")
SUFFIXES: Final = (".py", ".pyi", ".ts", ".tsx", ".cpp", ".hpp")
NOT_OURS: Final = frozenset({"node_modules", "dist", "static", "__pycache__", "build"})

MEDIAN_BELOW: Final = 200
AT_MOST: Final = 500

# Written by programs, and read by compilers: one file each, because each is made of one source.
GENERATED: Final = {
    "tiler/_native.pyi": "make stubs",
    "viewer/client/src/base/schema.ts": "make types",
}


def modules(package: str) -> Iterator[tuple[str, int]]:
    """Path and lines of each."""
    for folder, subfolders, files in os.walk(ROOT / package):
        subfolders[:] = [name for name in subfolders if name not in NOT_OURS and not name.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if name.endswith(SUFFIXES):
                yield path.relative_to(ROOT).as_posix(), path.read_text().count("\n")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_module_holds_one_concept(package: str) -> None:
    lines = {path: count for path, count in modules(package) if path not in GENERATED}
    assert lines, package
    assert {path: count for path, count in lines.items() if count > AT_MOST} == {}
    assert median(lines.values()) < MEDIAN_BELOW


@pytest.mark.parametrize("path", GENERATED)
def test_what_is_generated_says_by_what(path: str) -> None:
    assert f"`{GENERATED[path]}`" in (ROOT / path).read_text()[:400]
