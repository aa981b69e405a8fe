"""`make newest-jax`: captures, monitoring and profiling with a JAX that Python 3.11 does not get.

JAX wants newer Pythons than Tilescope does: pip on Python 3.11 stops at JAX 0.10. So this makes an environment of its
own, of Python 3.12 or newer, with an editable install of the checkout, and runs the tests of real JAX jobs there.
Where no such Python is found it installs nothing, and says what is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

from release.interpreters import STABLE_FROM, SUPPORTED, Interpreter, find

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "build" / "newest-jax"
JAX: Final = "jax>=0.12,<1"
# But for PyTorch's: what `make torch` has installed is for another Python.
TESTS: Final = ("tests/capture", "tests/profiling", "--ignore=tests/profiling/test_profile_torch.py")

VERSIONS: Final = """
import sys, jax, jaxlib
print(f"Python {sys.version.split()[0]}, JAX {jax.__version__}, jaxlib {jaxlib.__version__}", flush=True)
"""


def main() -> int:
    """The exit status of the tests; 0 where no Python is found that they can run with."""
    python = suitable_python()
    if python is None:
        print(
            f"skipped: {JAX} needs Python 3.12 or newer with its headers, and none is found on the PATH, nor among "
            "the versions of pyenv and uv (`pyenv install 3.12`, `uv python install 3.12`, or the packages python3.12, "
            "python3.12-dev and python3.12-venv)"
        )
        return 0
    environment = installed(python)
    run(environment, "-c", VERSIONS)
    command: list[str | Path] = [
        environment,
        "-m",
        "pytest",
        "-rs",
        "-m",
        "",
        "-o",
        "cache_dir=build/pytest/newest-jax",
        *TESTS,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def suitable_python() -> Interpreter | None:
    """The oldest Python that is found, new enough for this JAX and able to compile the native module."""
    for version in SUPPORTED:
        python = find(version)
        if python is not None and python.version >= STABLE_FROM and python.can_build:
            return python
    return None


def installed(python: Interpreter) -> Path:
    """The Python of the environment, after everything is installed there. One of another Python is made anew."""
    environment = FOLDER / "bin" / "python"
    if environment.resolve() != python.executable.resolve():
        shutil.rmtree(FOLDER, ignore_errors=True)
        run(python.executable, "-m", "venv", FOLDER)
    tools = [*tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"], "cmake>=3.25", "ninja"]
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    run(environment, *pip, *tools)
    # The tools are named again: their generator of code needs the oldest protobuf, and the rest must go with it.
    run(environment, *pip, "--no-build-isolation", *tools, "--editable", f"{ROOT}[test]", JAX)
    return environment


def run(*command: str | Path) -> None:
    """Runs a command in the checkout; raises where it fails."""
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
