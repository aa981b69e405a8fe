"""The README of a folder names files that are there."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
FILE_NAME: Final = re.compile(r"`([\w./*-]+\.(?:pyi?|tsx?|[ch]pp|mjs|css|md|proto|html|toml|txt))`")


def listed_files() -> list[str]:
    """The files of the project, new ones among them, as git lists them; none outside of a repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


FILES: Final = listed_files()
READMES: Final = [name for name in FILES if name.endswith("/README.md")]


def is_there(name: str, folder: str) -> bool:
    """Whether a README of this folder may name a file so.

    A bare name is of a file in the folder, below it, or in one that it lies in; a path ends that of a file anywhere,
    and one that begins with `..` is of the folder. `NAME` stands for any name.
    """
    if name.startswith(".."):
        return normpath(f"{folder}/{name}") in FILES
    pattern = f"*/{name.replace('NAME', '*')}"
    matches = [path for path in FILES if fnmatch(f"/{path}", pattern)]
    if "/" in name:
        return bool(matches)
    above = {str(parent) for parent in PurePosixPath(folder).parents}
    return any(path.startswith(f"{folder}/") or str(PurePosixPath(path).parent) in above for path in matches)


@pytest.mark.parametrize("readme", READMES)
def test_the_files_that_a_readme_names_are_there(readme: str) -> None:
    names = FILE_NAME.findall((ROOT / readme).read_text(encoding="utf-8"))
    assert [name for name in names if not is_there(name, readme.removesuffix("/README.md"))] == []


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("test_readmes.py", "tests", True),
        ("test_readmes.py", "tests/cli", True),
        ("test_readmes.py", "tiler", False),
        ("tests/test_readmes.py", "tiler", True),
        ("test_links.py", "tests/cli", True),
        ("../test_readmes.py", "tests/cli", True),
        ("../test_readmes.py", "tests", False),
        ("cli/test_readmes.py", "tests", False),
        ("tools/NAME/__init__.py", "tiler", True),
        ("CMakeLists.txt", "protos", True),
    ],
)
def test_which_names_are_there(name: str, folder: str, expected: bool) -> None:
    if not FILES:
        pytest.skip("READMEs are not tested: git does not list the files of this folder")
    assert is_there(name, folder) is expected
