"""The wheel that `make dist` built, installed in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel named by TILESCOPE_WHEEL."""
    name = os.environ.get("TILESCOPE_WHEEL")
    if not name:
        pytest.skip("no wheel: `make test-dist` builds one and names it in TILESCOPE_WHEEL")
    path = Path(name).resolve()
    assert path.is_file(), f"TILESCOPE_WHEEL names {path}, which is not there"
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an empty environment into which the wheel was installed with what it requires."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / Path(sys.executable).name
    options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    subprocess.run([python, "-m", "pip", "install", *options, wheel], check=True, timeout=300)
    return folder / "bin"
