"""Counts how often someone who follows the code of one answer of a tool has to change to another module.

A function is followed where it is first called, and back to its caller. A visit begins where that leads into another
module; a return is a visit to a module that was visited before. The counts are of code alone: how often a loop runs,
and how large the trace is, does not matter.

    .venv/bin/python -m bench.module_visits logs/tpu.xplane.pb --tool op_profile --within facts/operations
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import tilescope.tiler
from tilescope.tiler.caches import CACHES
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool, tools

# The link tilescope/tiler leads there: code objects have either path.
_FOLDERS: Final = tuple({Path(next(iter(tilescope.tiler.__path__))), *map(Path, tilescope.tiler.__path__)})
_MARK: Final = "/tiler/"


class Visits(NamedTuple):
    """Modules in the order in which they are visited."""

    modules: Sequence[str]

    @property
    def distinct(self) -> int:
        """Number of different modules."""
        return len(set(self.modules))

    @property
    def returns(self) -> int:
        """Visits to modules that were visited before."""
        return len(self.modules) - self.distinct


class _Recorder:
    """A profile function. Records the module of each function at its first call, and that of its caller before it."""

    def __init__(self) -> None:
        self._followed: set[CodeType] = set()
        self._names: dict[str, str | None] = {}
        self.modules: list[str] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call" or frame.f_code in self._followed:
            return
        self._followed.add(frame.f_code)
        module = self._module(frame)
        if module is None:
            return
        caller = frame.f_back
        while caller is not None and self._module(caller) is None:
            caller = caller.f_back
        if caller is not None and (name := self._module(caller)) is not None and self.modules:
            self.modules.append(name)
        self.modules.append(module)

    def _module(self, frame: FrameType) -> str | None:
        """The path of a module of `tiler`; None elsewhere."""
        path = frame.f_code.co_filename
        if path not in self._names:
            inside = any(Path(path).is_relative_to(folder) for folder in _FOLDERS)
            self._names[path] = path.rpartition(_MARK)[2] if inside else None
        return self._names[path]


def module_visits(reader: QueryReader, name: str) -> Visits:
    """Visits for the first answer of a tool about a run, with nothing cached."""
    chosen = tool(name)
    question = from_values(chosen.question, {})
    CACHES.clear()
    recorder = _Recorder()
    sys.setprofile(recorder)
    try:
        finish(ask(chosen, Scope(reader), question))
    finally:
        sys.setprofile(None)
    return Visits(recorder.modules)


def within(visits: Visits, folder: str) -> Visits:
    """Visits to the modules of a folder, those elsewhere left out; without repeats."""
    return Visits([name for name, _ in groupby(name for name in visits.modules if name.startswith(folder))])


def main() -> None:
    """Prints a line for each folder, and with `--list` the modules in order."""
    parser = argparse.ArgumentParser(prog="python -m bench.module_visits", description=__doc__)
    parser.add_argument("trace", type=Path, help="a trace, or a store")
    parser.add_argument("--tool", default="op_profile", choices=sorted(tools()))
    parser.add_argument("--within", action="append", default=[], metavar="FOLDER", help="a folder of tiler; repeatable")
    parser.add_argument("--list", action="store_true", help="list the modules in the order of the visits")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.trace
        if path.suffix != ".store":
            path = Path(folder) / "run.store"
            build_store([arguments.trace], path)
        store = open_run_store(path)
        visits = module_visits(QueryReader(store), arguments.tool)
        store.close()
    for folder_name in ("", *arguments.within):
        part = within(visits, folder_name)
        where = f"tiler/{folder_name}"
        print(f"{where}: {len(part.modules)} visits to {part.distinct} modules, {part.returns} of them returns")
        if arguments.list:
            print("".join(f"  {name}\n" for name in part.modules), end="")


if __name__ == "__main__":
    main()
