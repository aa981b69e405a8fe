"""Checks what `make dist` has built, as the last step of `make release`: it may go to a package index then.

twine reads the descriptions of sdist and wheels. Each wheel is installed, without a compiler, in an empty environment
of every Python that is found and takes it. `pip check` finds that all it requires goes together, and the command says
its version and commit. `make test-dist` goes further: it indexes, verifies and serves from such environments.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from release.interpreters import SUPPORTED, Interpreter, find
from release.resolve import wheel_for
from release.wheels import ROOT, WORK
from tilescope import __version__
from tilescope.version import checkout_commit

DIST = ROOT / "dist"
TWINE = "twine>=6,<8"


def main() -> int:
    """Prints a line for each check; ends at the first that fails."""
    commit = checkout_commit(ROOT)
    if commit.endswith("-dirty"):
        sys.exit(
            "a release is made of a commit, and there are changes that are in none: commit them, then `make release`"
        )
    built = sorted(DIST.glob("tilescope-*"))
    if [path.name for path in built if path.suffix == ".gz"] != [f"tilescope-{__version__}.tar.gz"]:
        sys.exit(f"{DIST} has no sdist of version {__version__} alone: `make dist` builds it")
    twine = empty_environment(Path(sys.executable), "twine")
    run(twine, "-m", "pip", "install", TWINE)
    run(twine, "-m", "twine", "check", "--strict", *built)
    print(f"twine: {len(built)} files are well described")
    for python, wheel in installations():
        print(f"Python {python.name}: {check_wheel(python, wheel, commit)}")
    print(f"Ready: {', '.join(path.name for path in built)}")
    return 0


def installations() -> Iterator[tuple[Interpreter, Path]]:
    """Each Python that is found, and the wheel for it."""
    for version in SUPPORTED:
        if (python := find(version)) is None:
            print(f"Python {version}: not found, its wheel is not checked with it")
        else:
            yield python, wheel_for(version)


def check_wheel(python: Interpreter, wheel: Path, commit: str) -> str:
    """Text of the installed command; ends the program if the wheel does not install, or has another version."""
    installed = empty_environment(python.executable, python.name)
    run(installed, "-m", "pip", "install", "--only-binary", ":all:", wheel)
    run(installed, "-m", "pip", "check")
    version = run(installed, "-m", "tilescope", "--version").strip()
    expected = f"tilescope {__version__}" + (f" (commit {commit})" if commit else "")
    if version != expected:
        sys.exit(f"{wheel.name} says {version}, and not {expected}: `make dist` builds it anew")
    return version


def empty_environment(python: Path, name: str) -> Path:
    """The Python of a new environment under `build/wheels`."""
    folder = WORK / f"check-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder)
    return folder / "bin/python"


def run(python: Path, *arguments: str | Path) -> str:
    """Output of a command, which has to succeed. It runs outside of the packages, so that it imports none of them."""
    command = [str(python), *map(str, arguments)]
    done = subprocess.run(command, cwd=WORK, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}\nfailed: {' '.join(command)}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
