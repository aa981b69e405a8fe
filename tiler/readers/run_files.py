"""Files of a folder that make a run, and copies of others among them: in a folder on disk and in one within an archive.

Profilers write the same events several times, in several formats. Only names can tell, so a copy is what has the name
of one: formats say how such are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.compression import ENDINGS, without_ending
from tilescope.tiler.readers.formats import formats, host_suffixes
from tilescope.tiler.readers.layouts.layout import Candidate


class Chosen(Struct, frozen=True):
    """The files of a run, in natural order, and what was left out and why, a line each."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def choose(candidates: Iterable[Candidate]) -> Chosen:
    """The files to read, without copies and empty files. All of them, if there is nothing but empty ones."""
    ordered = sorted(candidates, key=lambda candidate: natural_key(candidate.path.as_posix()))
    filled = [candidate.path for candidate in ordered if not candidate.is_empty]
    if not filled:
        return Chosen(tuple(candidate.path for candidate in ordered), ())
    notes = [f"{candidate.path.name} is left out: it is empty" for candidate in ordered if candidate.is_empty]
    present = frozenset(filled)
    hosts = sorted(filter(is_host_file, filled), key=lambda path: not path.name.endswith(_names().of_copies))
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
    name = without_ending(file.name)
    return name.removesuffix(next(filter(name.endswith, _names().endings), ""))


def _original(path: Path, present: frozenset[Path], host_files: Mapping[Path, Path]) -> Path | None:
    """The file beside it that has all that this one has. `host_files`: a host's file in each folder."""
    name, names = path.name, _names()
    plain = without_ending(name)
    if plain in names.copies:
        return host_files.get(path.parent)
    others: list[str] = []
    if plain != name and is_host_file(path):
        before = ENDINGS[: ENDINGS.index(name.removeprefix(plain))]
        others = [*(plain + ending for ending in before), plain]
    for suffix, originals in names.originals.items():
        if plain.endswith(suffix):
            others += [plain.removesuffix(suffix) + other for other in originals]
    return next((path.with_name(other) for other in reversed(others) if path.with_name(other) in present), None)


def is_host_file(path: Path) -> bool:
    """True if a file has a name that profilers give to the trace of a host."""
    return path.name.endswith(host_suffixes()) and not path.name.startswith(".")


class _Names(Struct, frozen=True):
    """Parts of file names that say what a file is."""

    copies: frozenset[str]  # of files that are copies of a host's
    of_copies: tuple[str, ...]  # suffixes of the files of hosts that may be copies
    originals: Mapping[str, tuple[str, ...]]  # suffix of such a copy, decompressed → those that the original may have
    endings: tuple[str, ...]  # behind the name of a host, decompressed, the longest first


@cache
def _names() -> _Names:
    known_formats = formats()
    originals = {
        suffix: tuple(
            other
            for format_id in copy.shortens
            if format_id in known_formats
            for other in known_formats[format_id].compressed_too()
        )
        for copy in known_formats.values()
        for suffix in copy.suffixes
        if copy.shortens
    }
    endings = {
        ending for trace_format in known_formats.values() for ending in (*trace_format.suffixes, *trace_format.endings)
    }
    return _Names(
        frozenset(name for trace_format in known_formats.values() for name in trace_format.copy_names),
        tuple(suffix for copy in known_formats.values() if copy.shortens for suffix in copy.compressed_too()),
        originals,
        tuple(sorted(endings, key=len, reverse=True)),
    )
