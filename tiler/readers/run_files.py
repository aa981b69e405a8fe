"""Which files of a folder make a run, and which are copies of others: in a folder on disk and in one within an archive.

Profilers write the same events several times: JAX puts `<host>.trace.json.gz` beside `<host>.xplane.pb`, shortened, and
on request `perfetto_trace.json.gz`. Only names can tell, so a copy is what has the name of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.tiler.natural_order import natural_key

XSPACE_SUFFIXES: Final = (".xplane.pb", ".xplane.pb.gz")
JSON_SUFFIXES: Final = (".trace.json", ".trace.json.gz")
HOST_SUFFIXES: Final = (*XSPACE_SUFFIXES, *JSON_SUFFIXES)
_PERFETTO_COPIES: Final = ("perfetto_trace.json", "perfetto_trace.json.gz")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that seems to be a trace."""

    path: Path
    is_empty: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files of a run, in natural order, and what was left out and why, a line each."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def choose(candidates: Iterable[Candidate]) -> Chosen:
    """The files to read, without copies and empty files. All of them, if there is nothing but empty ones."""
    found = sorted(candidates, key=lambda candidate: natural_key(candidate.path.as_posix()))
    filled = [candidate.path for candidate in found if not candidate.is_empty]
    if not filled:
        return Chosen(tuple(candidate.path for candidate in found), ())
    notes = [f"{candidate.path.name} is left out: it is empty" for candidate in found if candidate.is_empty]
    present = frozenset(filled)
    hosts = sorted(filter(is_host_file, filled), key=lambda path: path.name.endswith(XSPACE_SUFFIXES))
    host_files = {path.parent: path for path in hosts}
    files = []
    for path in filled:
        original = _original(path, present, host_files)
        if original is None:
            files.append(path)
        else:
            notes.append(f"{path.name} is left out: it is a copy of {original.name}")
    return Chosen(tuple(files), tuple(notes))


def host_of(file: Path) -> str:
    """The host that a file is named after."""
    return re.sub(r"(\.xplane)?(\.trace)?(\.pb|\.json)?(\.gz)?$", "", file.name)


def _original(path: Path, present: frozenset[Path], host_files: Mapping[Path, Path]) -> Path | None:
    """The file beside it that has all that this one has. `host_files`: a host's file in each folder."""
    name = path.name
    if name in _PERFETTO_COPIES:
        return host_files.get(path.parent)
    names = [name.removesuffix(".gz")] if name.endswith((".xplane.pb.gz", ".trace.json.gz")) else []
    for suffix in JSON_SUFFIXES:
        if name.endswith(suffix):
            names += [name.removesuffix(suffix) + other for other in XSPACE_SUFFIXES]
    return next((path.with_name(other) for other in reversed(names) if path.with_name(other) in present), None)


def is_host_file(path: Path) -> bool:
    """Whether a file has a name that profilers give to the trace of a host."""
    return path.name.endswith(HOST_SUFFIXES) and not path.name.startswith(".")
