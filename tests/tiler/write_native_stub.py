"""Writes tiler/_native.pyi anew from the docstrings and types of the compiled module: `make stubs`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
STUB: Final = ROOT / "tiler" / "_native.pyi"

_HEAD: Final = "# Written by `make stubs` from tiler/native/bind.\n\n"


def stub_text() -> str:
    """What nanobind says of the module, laid out as all code is."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, STUB.name)
        _run("-m", "nanobind.stubgen", "--quiet", "--module", "tilescope.tiler._native", "--output-file", str(written))
        written.write_text(_HEAD + written.read_text())
        _run("-m", "ruff", "format", "--quiet", "--config", str(ROOT / "pyproject.toml"), str(written))
        return written.read_text()


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    STUB.write_text(stub_text())
