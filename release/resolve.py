"""Resolves Tilescope beside the packages that people have in the same environment, and prints a table.

`make resolve` runs this over the wheels that `make dist` has built. It asks the package index and installs nothing: a
line says which versions would be installed together, or why they cannot.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from release.interpreters import SUPPORTED

WHEELS = Path(__file__).resolve().parent.parent / "dist"
SHOWN = ("protobuf", "grpcio", "grpcio-health-checking", "numpy")
HEADINGS = ("beside", "Python", *SHOWN, "")
GOOD = "resolves"
ABSENT = "is not there for this Python, without Tilescope either"

# Each in its newest version, and in one that is about two years old or that many are held to.
NEIGHBOURS = (
    ("tensorflow-cpu",),
    ("tensorflow-cpu==2.19.*",),
    ("tensorflow-cpu==2.18.*",),
    ("tensorboard",),
    ("tensorboard==2.18.*",),
    ("jax",),
    ("jax==0.4.38",),
    ("xprof",),
    ("xprof==2.20.*",),
    ("tensorflow-cpu", "tensorboard", "jax", "xprof"),
)


@dataclass(frozen=True, slots=True)
class Resolution:
    """Packages that would be installed, by name; or, where nothing can be, the reason."""

    versions: dict[str, str]
    refusal: str = ""


def main() -> int:
    """Prints the table; 1 when Tilescope stands in the way of a neighbour."""
    rows = [row(python, wanted) for python in SUPPORTED for wanted in NEIGHBOURS]
    for cells in (HEADINGS, ("---",) * len(HEADINGS), *rows):
        print(f"| {' | '.join(cells)} |")
    return 1 if any(cells[-1] not in (GOOD, ABSENT) for cells in rows) else 0


def row(python: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """One line of the table."""
    wheel = wheel_for(python)
    versions = resolve(python, (*wanted, f"tilescope @ {wheel.as_uri()}"))
    if not versions.refusal:
        names = [re.split("[=<>]", requirement)[0] for requirement in wanted]
        beside = ", ".join(f"{name} {versions.versions[name]}" for name in names)
        return (beside, python, *(versions.versions[name] for name in SHOWN), GOOD)
    without = resolve(python, wanted)
    return (", ".join(wanted), python, *("" for _ in SHOWN), ABSENT if without.refusal else versions.refusal)


def wheel_for(python: str) -> Path:
    """The wheel that this Python installs."""
    tag = "cp311-cp311" if python == "3.11" else "cp312-abi3"
    wheels = sorted(WHEELS.glob(f"tilescope-*-{tag}-*.whl"))
    if not wheels:
        sys.exit(f"{WHEELS} has no wheel for Python {python}: `make dist` builds one where that Python is found")
    return wheels[0]


def resolve(python: str, wanted: tuple[str, ...]) -> Resolution:
    """Packages that would be installed in a Python of this version on this platform, by wheels alone."""
    options = ["--quiet", "--no-config", "--no-header", "--no-annotate", "--only-binary", ":all:"]
    command = [sys.executable, "-m", "uv", "pip", "compile", *options, "--python-version", python, "-"]
    process = subprocess.run(command, input="\n".join(wanted), capture_output=True, text=True, check=False, timeout=600)
    if process.returncode != 0:
        return Resolution({}, " ".join(process.stderr.split()))
    return Resolution(dict(re.findall(r"^([\w.-]+)==(\S+)", process.stdout, re.MULTILINE)))


if __name__ == "__main__":
    sys.exit(main())
