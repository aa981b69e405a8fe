"""Runs clang-tidy over native code: `make tidy`. What was found clean is passed over until something changes.

`--quick` leaves out the static analyzer, which takes five sixths of the time: so does CI, where nothing is known yet.

What a finding depends on is the text of a file and of the headers that it includes, how it is compiled, `.clang-tidy`,
and the versions of clang-tidy and nanobind. A hash of all that names a stamp in `build/tidy/clean`.
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
# Without the analyzer, the compiler warns of what headers of the system themselves do.
_NO_ANALYZER: Final = ("--checks=-clang-analyzer-*", "--extra-arg=-Wno-deprecated-declarations")
_INCLUDE: Final = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A file to look at, and a hash of what its findings depend on."""

    file: Path
    key: str


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
        parts = [settings, command["command"], *(f"{path}\n{path.read_text()}" for path in sorted(seen))]
        yield Unit(file, hashlib.sha256("\0".join(parts).encode()).hexdigest())


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
    changed = [unit for unit in wanted if not (clean / unit.key).exists()]
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
    print(f"clang-tidy: looked at {len(changed)} of {len(wanted)} files", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
