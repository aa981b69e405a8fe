"""`make test-deep`: what takes long, part by part, and how long each part took.

python -m tests.run_deep                 all parts
python -m tests.run_deep ways jax        these
python -m tests.run_deep --of-today      the one whose turn it is, by the date, as CI does
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
MOST_EXAMPLES: Final = "100"  # of properties; what a property wants itself is of a hundred


COMMANDS: Final = ("hostile", "docs", "cli", "bench")  # folders whose tests start processes


@dataclass(frozen=True, slots=True)
class Part:
    """One of the long checks."""

    name: str
    what: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    is_short: bool = True  # 15 minutes on two cores at most: CI may run it


def _pytest(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "pytest", "-rs", "--durations=15", "--durations-min=5", *arguments)


def _browser_files(letters: str) -> tuple[str, ...]:
    """The files of tests/browser whose names begin with one of the letters, as in `test_access.py`."""
    names = sorted(path.name for path in (ROOT / "tests" / "browser").glob("test_*.py"))
    return tuple(f"tests/browser/{name}" for name in names if name.removeprefix("test_")[0] in letters)


PARTS: Final = (
    Part("ways", "all tools by all ways", _pytest("-n2", "-m", "deep", "tests/client")),
    Part(
        "examples",
        "properties with all their examples",
        _pytest("-n2", "-m", "hypothesis", "tests/tiler", "tests/cli"),
        {"TILESCOPE_EXAMPLES": MOST_EXAMPLES},
    ),
    Part(
        "browser",
        "pages in the Chromium that users have: A to L, Firefox among them",
        _pytest("-n2", "--dist", "loadfile", "-m", "deep", *_browser_files("abcdefghijkl")),
        {"TILESCOPE_WHOLE_CHROMIUM": "1"},
    ),
    Part(
        "browser-m-z",
        "the same, M to Z: real traces, refusals, servers that go, sizes of windows",
        _pytest("-n2", "--dist", "loadfile", "-m", "deep", *_browser_files("mnopqrstuvwxyz")),
        {"TILESCOPE_WHOLE_CHROMIUM": "1"},
    ),
    Part(
        "chromium",
        "the browser tests of every run, in the Chromium that users have",
        _pytest("-n2", "tests/browser"),
        {"TILESCOPE_WHOLE_CHROMIUM": "1"},
    ),
    Part(
        "commands",
        "hostile files, commands of the documentation, servers as processes, benchmarks",
        _pytest("-n2", "-m", "deep", *(f"tests/{name}" for name in COMMANDS)),
    ),
    Part(
        "others",
        "the rest of the deep tests: JAX, requests by the description, large traces",
        _pytest(
            "-m", "deep", "tests", *(f"--ignore=tests/{name}" for name in ("client", "browser", "scaling", *COMMANDS))
        ),
        {"TILESCOPE_EXAMPLES": MOST_EXAMPLES},
    ),
    Part("wheels", "wheels of all Pythons that are found", ("make", "test-wheels")),
    Part("sanitize-quick", "native code under sanitizers, in part", ("make", "sanitize-quick")),
    Part("damage", "a store with flipped bits, and cut short", ("make", "damage")),
    Part("kill-test", "builds that are killed", ("make", "kill-test")),
    Part("scaling", "ten times as much of everything", ("make", "scaling")),
    Part("hostile", "hostile files", ("make", "hostile"), is_short=False),
    Part("torch", "PyTorch", ("make", "torch"), is_short=False),
    Part("newest-jax", "the JAX of Python 3.12 and newer", ("make", "newest-jax"), is_short=False),
    Part("portable-wheels", "wheels for old Linuxes and other machines", ("make", "test-portable"), is_short=False),
    Part(
        "native", "native code: clang-tidy's analyzer, all sanitized tests", ("make", "native-checks"), is_short=False
    ),
)


def of_day(day: date) -> Part:
    """The part whose turn it is."""
    short = [part for part in PARTS if part.is_short]
    return short[day.toordinal() % len(short)]


def run(parts: Sequence[Part]) -> int:
    """Runs the parts, one after the other, and prints how long each took. Returns 1 when one failed."""
    lines: list[str] = []
    failed = False
    for part in parts:
        print(f"\n=== {part.name}: {part.what} ===", flush=True)
        begin = time.monotonic()
        done = subprocess.run(part.command, cwd=ROOT, env={**os.environ, **part.environment}, check=False)
        failed |= done.returncode != 0
        word = "ok" if done.returncode == 0 else "FAILED"
        lines.append(f"{part.name:<16}{time.monotonic() - begin:6.0f} s  {word}")
    print("\n=== deep tests ===", *lines, sep="\n", flush=True)
    return int(failed)


def main(arguments: Sequence[str]) -> int:
    """Runs what is named, or everything."""
    if list(arguments) == ["--of-today"]:
        return run([of_day(datetime.now(UTC).date())])
    names = {part.name: part for part in PARTS}
    unknown = [name for name in arguments if name not in names]
    if unknown:
        print(f"there is no part {unknown[0]!r}: {', '.join(names)}")
        return 2
    return run([names[name] for name in arguments] or PARTS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
