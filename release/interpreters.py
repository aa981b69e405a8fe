"""The Pythons of this machine: on the PATH, or installed by pyenv or by uv.

Wheels are built and tested with several; which of them are there differs from machine to machine.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
STABLE_FROM = (3, 12)  # one wheel for this and all newer: `wheel.py-api` in pyproject.toml

# A shim of pyenv is there and runs nothing while its version is not chosen, and Debian packs Python without ensurepip.
PROBE = """
import ensurepip, sys, sysconfig
print(*sys.version_info[:2], sysconfig.get_path("include"), sys.executable, sep="\\n")
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that can make environments."""

    executable: Path
    version: tuple[int, int]
    can_build: bool  # it has the headers that compiling needs

    @property
    def name(self) -> str:
        """As in `3.12`."""
        return f"{self.version[0]}.{self.version[1]}"


def probe(executable: str | Path) -> Interpreter | None:
    """Facts that a Python says of itself; None where it does not run, or cannot make environments."""
    try:
        process = subprocess.run(
            [executable, "-I", "-c", PROBE], check=True, capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor, include, itself = process.stdout.splitlines()
    return Interpreter(Path(itself), (int(major), int(minor)), (Path(include) / "Python.h").is_file())


@cache
def find(version: str) -> Interpreter | None:
    """The first Python of a version, `3.12` for example."""
    for executable in _candidates(version):
        python = probe(executable)
        if python is not None and python.name == version:
            return python
    return None


def _candidates(version: str) -> Iterator[str | Path]:
    yield f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local/share/uv/python")
    for folder, names in ((pyenv / "versions", f"{version}.*"), (uv, f"cpython-{version}.*")):
        yield from sorted(installed / "bin" / f"python{version}" for installed in folder.glob(names))
