"""Runs clang-tidy over native code: `make tidy`. What was clean is passed over until something changes.

Findings depend on the text of a file and of the headers that it includes, on how it is compiled, on `.clang-tidy`, and
on the versions of clang-tidy and nanobind. A hash of all that names a stamp in `build/tidy/clean`.

`--quick`, for CI, leaves out the static analyzer, which takes five sixths of the time, and files that it has passed on
another machine: when everything is clean, it writes a line for each file into `tiler/native/CLEAN`, a hash of all that
but for the compiler's command, which names places of the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
NATIVE: Final = ROOT / "tiler" / "native"
BUILD: Final = ROOT / "build" / "tidy"
CLEAN: Final = NATIVE / "CLEAN"
# Without the analyzer, the compiler warns of what headers of the system themselves do.
_NO_ANALYZER: Final = ("--checks=-clang-analyzer-*", "--extra-arg=-Wno-deprecated-declarations")
_INCLUDE: Final = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A file to look at, and hashes of what its findings depend on, on this machine and on any."""

    file: Path
    key: str
    digest: str


def units(commands: Iterable[dict[str, str]], settings: str, native: Path = NATIVE) -> Iterator[Unit]:
    """The files that are compiled by these commands and lie in `native`."""

    @cache
    def headers(file: Path) -> frozenset[Path]:
        named = (native / name for name in _INCLUDE.findall(file.read_text()))
        return frozenset(path for path in named if path.is_file())

    for command in commands:
        file = Path(command["file"])
        if not file.is_relative_to(native):
            continue
        seen, left = {file}, [file]
        while left:
            new = headers(left.pop()) - seen
            seen |= new
            left.extend(new)
        texts = [f"{path.relative_to(native)}\n{path.read_text()}" for path in sorted(seen)]
        yield Unit(file, _hash(settings, command["command"], *texts), _hash(settings, *texts))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_clean(stamp: Path = CLEAN) -> frozenset[str]:
    """The hashes of files that the quick checks have passed, on whatever machine."""
    lines = stamp.read_text().splitlines() if stamp.is_file() else []
    return frozenset(line.partition(" ")[0] for line in lines)


def write_clean(passed: Iterable[Unit], stamp: Path = CLEAN, native: Path = NATIVE) -> None:
    """Says of these files that the quick checks have passed them."""
    lines = sorted((unit.file.relative_to(native).as_posix(), unit.digest) for unit in passed)
    stamp.write_text("".join(f"{digest} {name}\n" for name, digest in lines))


def _findings(file: Path, options: Iterable[str]) -> str:
    """What clang-tidy says of a file; empty: nothing."""
    command = [str(Path(sys.executable).with_name("clang-tidy")), "--quiet", *options, "-p", str(BUILD), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return done.stdout or done.stderr


def main(arguments: Sequence[str]) -> int:
    """Prints what is found; 0: nothing."""
    options = _NO_ANALYZER if "--quick" in arguments else ()
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    settings = (ROOT / ".clang-tidy").read_text() + version("clang-tidy") + version("nanobind")
    clean = BUILD / ("clean-quick" if options else "clean")
    clean.mkdir(exist_ok=True)
    wanted = list(units(commands, settings))
    for stamp in {path.name for path in clean.iterdir()} - {unit.key for unit in wanted}:
        (clean / stamp).unlink()
    passed = read_clean() if options else frozenset()
    changed = [unit for unit in wanted if not (clean / unit.key).exists() and unit.digest not in passed]
    failed = False
    with ThreadPoolExecutor(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    ) as pool:
        found = pool.map(lambda unit: _findings(unit.file, options), changed)
        for unit, findings in zip(changed, found, strict=True):
            if findings:
                failed = True
                print(findings)
            else:
                (clean / unit.key).touch()
    if options and not failed:
        write_clean(wanted)
    print(f"clang-tidy: looked at {len(changed)} of {len(wanted)} files", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
