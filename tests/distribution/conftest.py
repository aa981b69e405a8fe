"""The wheels that `make dist` built, installed in environments of their own, with every Python that is found."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

import pytest

from release.interpreters import STABLE_FROM, SUPPORTED, Interpreter, find

OLDEST = "with the oldest requirements"


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment of a wheel and of what it requires."""

    bin: Path
    python: Interpreter


@pytest.fixture(scope="session")
def wheels() -> dict[str, Path]:
    """Wheels for this machine, by the tag of their Python: `cp311`, `cp312`."""
    name = os.environ.get("TILESCOPE_DIST")
    if not name:
        pytest.skip("no wheels: `make test-dist` builds them and names their folder in TILESCOPE_DIST")
    paths = Path(name).glob(f"tilescope-*_{platform.machine()}.whl")
    by_tag = {path.name.split("-")[2]: path.resolve() for path in paths}
    assert by_tag, f"TILESCOPE_DIST names {name}, which has no wheels for this machine"
    return by_tag


def wheel_for(wheels: dict[str, Path], version: tuple[int, int]) -> Path:
    """The wheel that a Python of this version installs."""
    major, minor = min(version, STABLE_FROM)
    wheel = wheels.get(f"cp{major}{minor}")
    if wheel is None:
        pytest.skip(f"no wheel for Python {version[0]}.{version[1]} was built")
    return wheel


@pytest.fixture(scope="session", params=[*SUPPORTED, f"{SUPPORTED[0]} {OLDEST}"])
def installed(
    request: pytest.FixtureRequest, wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    """An empty environment into which a wheel was installed: with the newest of all that it requires, or the oldest."""
    version, _, requirements = request.param.partition(" ")
    python = find(version)
    if python is None:
        pytest.skip(f"no Python {version} found")
    wheel = wheel_for(wheels, python.version)
    folder = tmp_path_factory.mktemp("installed")
    uv("venv", "--python", python.executable, folder / "venv")
    environment = Installed(folder / "venv/bin", python)
    if requirements == OLDEST:
        install(environment, "--resolution", "lowest-direct", wheel, *requirements_of(wheel))
    else:
        install(environment, wheel)
    return environment


def install(installed: Installed, *what: str | Path) -> None:
    """Installs into an environment; nothing is compiled."""
    uv("pip", "install", "--python", installed.bin / "python", "--only-binary", ":all:", *what)


def uv(*arguments: str | Path) -> None:
    """Runs uv: what it has fetched once, it installs in a second."""
    command = [sys.executable, "-m", "uv", "--quiet", "--no-config", "--no-python-downloads", *arguments]
    subprocess.run(command, check=True, timeout=300)


def requirements_of(wheel: Path) -> list[str]:
    """Requirements of a wheel, without its extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        required = HeaderParser().parsestr(archive.read(name).decode()).get_all("Requires-Dist", [])
    plain = [line for line in required if "extra ==" not in line]
    assert plain, f"{wheel.name} requires nothing"
    return plain
