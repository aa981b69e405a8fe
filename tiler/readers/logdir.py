"""Finds runs: what there is to show under a path.

A log directory is laid out as TensorBoard, XProf and JAX do it, `<logdir>/plugins/profile/<run>/<host>.xplane.pb`, and
each `<run>` folder is one run with a file per host. Trace files that lie anywhere else are a run each. An archive is
searched as the folder that it was made of, but traces outside of such folders are the files of one run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct

from tilescope.tiler.errors import NOTHING_THERE, TooLarge, TraceError, UsageError
from tilescope.tiler.readers.compression import ENDINGS, TAR_ENDINGS
from tilescope.tiler.readers.container import holding_archive, list_archive
from tilescope.tiler.readers.fingerprint import archive_of
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.formats import formats
from tilescope.tiler.readers.pipes import kind_of
from tilescope.tiler.readers.run_files import Candidate, choose, host_of, is_host_file
from tilescope.tiler.readers.signature import recognise
from tilescope.tiler.readers.source import ByteSource

_MAX_DEPTH = 8  # folders below the one that is asked for; logdir/experiment/train/plugins/profile/run is 5
_SNIFFED_BYTES = 16 * 1024
_PACKED_ENDINGS = (".zip", ".tar", *ENDINGS, *TAR_ENDINGS)
_RUN_NAME_FORMAT = "%Y_%m_%d_%H_%M_%S"
_STORE_MARK = "CURRENT"
_MAX_SLUG_CHARS = 60


class DiscoveredRun(Struct, frozen=True):
    """One capture: files that are shown together."""

    id: str  # safe in URLs and file names, the same for the same place
    name: str
    path: Path
    files: tuple[Path, ...]  # for `open_trace`, one per host; members of archives as `archive.zip/member`
    hosts: tuple[str, ...]  # by file
    size_bytes: int
    modified_ns: int  # of the newest file
    notes: tuple[str, ...] = ()  # what was left aside and why, one line each


def discover(path: Path | str, max_inflated: int | None = None) -> list[DiscoveredRun]:
    """The runs at a path, newest first: a folder is searched, and so is an archive, or a folder in one.

    `max_inflated` bounds to what size a file may inflate; None: as for `open_trace`. Raises `TraceError` when there is
    nothing at the path; a folder without traces gives an empty list.
    """
    path = Path(path)
    if path.is_dir():
        if is_run_folder(path):
            return [_folder_run(path, path.resolve().name)]
        return _newest_first(_search(path, max_inflated))
    if path.is_file():
        return _newest_first(_file_runs(path, path.name, max_inflated))
    archive = holding_archive(path)
    runs = [] if archive is None else _archive_runs(archive, path, path.name, max_inflated)
    if not runs:
        kind = kind_of(path)
        if not kind:
            raise TraceError(path, NOTHING_THERE)
        advice = "index it, or view it: its content is copied then" if kind == "a pipe" else "name a file or a folder"
        raise TraceError(path, f"is {kind}", advice=advice)
    return _newest_first(runs)


def find_run(path: Path, max_inflated: int | None = None) -> DiscoveredRun:
    """The one run at `path`. Raises UsageError when there is none, or more than one."""
    runs = discover(path, max_inflated)
    if len(runs) == 1:
        return runs[0]
    if not runs:
        raise UsageError(f"{path}: there is no trace here (expected a file, a run or a log directory)")
    names = ", ".join(str(run.path) for run in runs[:5]) + (", …" if len(runs) > 5 else "")
    raise UsageError(f"{path}: {len(runs)} runs, name one of them: {names}")


def _newest_first(runs: Iterable[DiscoveredRun]) -> list[DiscoveredRun]:
    run_list = list(runs)
    # A single one needs no key: the first use of strptime compiles its patterns, which takes 2 ms.
    return sorted(run_list, key=_age) if len(run_list) > 1 else run_list


def _age(run: DiscoveredRun) -> tuple[int, str]:
    """By the time in the run's name, which survives copying, else by the files' times."""
    try:
        captured_ns = int(datetime.strptime(Path(run.name).name, _RUN_NAME_FORMAT).timestamp()) * 10**9
    except (ValueError, OverflowError, OSError):
        captured_ns = run.modified_ns
    return -captured_ns, run.name


def _search(root: Path, max_inflated: int | None) -> Iterator[DiscoveredRun]:
    for folder_name, subfolders, files in os.walk(root):
        folder = Path(folder_name)
        depth = len(folder.relative_to(root).parts)
        if _STORE_MARK in files:  # an index of ours: nothing in it is a trace
            subfolders.clear()
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith(".")) if depth < _MAX_DEPTH else []
        if is_run_folder(folder):
            yield _folder_run(folder, _run_name(folder, root))
            continue
        for name in sorted(files):
            file = folder / name
            if _is_plain_trace(file, max_inflated):
                yield from _file_runs(file, file.relative_to(root).as_posix(), max_inflated)


def is_run_folder(folder: Path) -> bool:
    """True if the files in a folder belong together."""
    return _has_run_place(folder.resolve()) and any(is_host_file(file) and file.is_file() for file in folder.iterdir())


def _has_run_place(folder: Path) -> bool:
    """True if it may be the folder of a run: by its place, or by a name that profilers give to runs."""
    return folder.parts[-3:-1] == ("plugins", "profile") or _is_run_name(folder.name)


def _is_run_name(name: str) -> bool:
    try:
        datetime.strptime(name, _RUN_NAME_FORMAT)
    except ValueError:
        return False
    return True


def _run_name(folder: Path, root: Path) -> str:
    """`train/2026_01_31_10_00_00` for `train/plugins/profile/2026_01_31_10_00_00`, as TensorBoard names it."""
    *above, name = folder.relative_to(root).parts
    kept = above[:-2] if above[-2:] == ["plugins", "profile"] else above
    return "/".join((*(part for part in kept if part not in ("plugins", "profile")), name))


def _folder_run(folder: Path, name: str) -> DiscoveredRun:
    """The files of all hosts, and whatever else is a trace: it would be found nowhere else."""
    files = [file for file in folder.iterdir() if _is_plain_trace(file) and not _is_archive(file)]
    chosen = choose(Candidate(file, file.stat().st_size == 0) for file in files)
    return _run(folder, name, chosen.files, chosen.notes)


def _file_runs(file: Path, name: str, max_inflated: int | None) -> list[DiscoveredRun]:
    try:
        return _archive_runs(file, file, name, max_inflated)
    except TraceError:
        return [_run(file, name, [file], [])]  # opening it will say what is wrong


def _archive_runs(archive: Path, top: Path, name: str, max_inflated: int | None) -> list[DiscoveredRun]:
    """The runs in an archive at and below `top`, a path into it, or the only one of a file that is no archive."""
    listing = list_archive(archive, max_inflated)
    if listing is None:
        return [_run(archive, name, [archive], [])]
    folders: dict[Path, list[Candidate]] = {}
    for member in listing.members:
        if member.path.is_relative_to(top):
            candidate = Candidate(member.path, member.is_empty)
            folders.setdefault(member.path.parent, []).append(candidate)
    runs: dict[Path, list[Candidate]] = {}
    for folder, candidates in folders.items():
        is_run = _has_run_place(folder) and any(is_host_file(candidate.path) for candidate in candidates)
        runs.setdefault(folder if is_run else top, []).extend(candidates)
    archive_runs = []
    for place, candidates in runs.items():
        chosen = choose(candidates)
        notes = (*chosen.notes, *listing.notes)
        if len(runs) == 1 or place == top:
            archive_runs.append(_run(top, name, chosen.files, notes))
        else:
            archive_runs.append(_run(place, f"{name}/{_run_name(place, top)}", chosen.files, notes))
    return archive_runs


def _run(path: Path, name: str, files: Iterable[Path], notes: Iterable[str]) -> DiscoveredRun:
    files = tuple(files)
    stats = [file.stat() for file in {archive_of(file): None for file in files}]
    return DiscoveredRun(
        id=run_id(path, name),
        name=name,
        path=path,
        files=files,
        hosts=tuple(map(host_of, files)),
        size_bytes=sum(stat.st_size for stat in stats),
        modified_ns=max(stat.st_mtime_ns for stat in stats),
        notes=tuple(notes),
    )


def run_id(path: Path, name: str) -> str:
    """A readable part of the name and 8 hex digits of the place on disk."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_MAX_SLUG_CHARS] or "run"
    return f"{slug}-{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:8]}"


def _is_archive(file: Path) -> bool:
    try:
        return list_archive(file) is not None
    except TraceError:
        return False


def _is_plain_trace(file: Path, max_inflated: int | None = None) -> bool:
    if file.name.startswith(".") or not file.name.endswith(_looked_into()) or not file.is_file():
        return False
    if is_host_file(file):
        return True  # meant as a trace: if it is damaged, opening it says so
    stat = file.stat()
    return _sniff(file, stat.st_size, stat.st_mtime_ns, max_inflated)


@cache
def _looked_into() -> tuple[str, ...]:
    of_formats = (
        ending for trace_format in formats().values() for ending in (*trace_format.suffixes, *trace_format.endings)
    )
    return (*of_formats, *_PACKED_ENDINGS)


@lru_cache(maxsize=65536)
def _sniff(file: Path, size_bytes: int, modified_ns: int, max_inflated: int | None) -> bool:
    """True if the content is a trace, which the first bytes must show.

    Size and time are there for the cache: a file that changed is looked at again.
    """
    if size_bytes == 0:
        return False
    try:
        listing = list_archive(file, max_inflated)
        if listing is not None:
            return any(member.is_certain for member in listing.members)
        with ByteSource.open(file, max_inflated) as source:
            head = source.peek(_SNIFFED_BYTES)
        return recognise(head, file).likeness is Likeness.CERTAIN
    except TooLarge:
        return True  # opening it says so
    except TraceError:
        return False
