"""Finds runs: what there is to show under a path.

A log directory is laid out as TensorBoard, XProf and JAX do it, `<logdir>/plugins/profile/<run>/<host>.xplane.pb`, and
each `<run>` folder is one run with a file per host. Trace files that lie anywhere else are a run each.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.container import open_source, trace_paths
from tilescope.tiler.readers.signature import Format, recognise

_MAX_DEPTH = 8  # folders below the one that is asked for; logdir/experiment/train/plugins/profile/run is 5
_SNIFFED_BYTES = 16 * 1024
_XSPACE_SUFFIXES = (".xplane.pb", ".xplane.pb.gz")
_JSON_SUFFIXES = (".trace.json.gz", ".trace.json")
_PLAIN_SUFFIXES = (".pb", ".json", ".gz", ".zip", ".tar", ".tgz", ".trace")
_TRACE_EVENT_MARKS = (b'"ph"', b'"traceEvents"')
_RUN_NAME_FORMAT = "%Y_%m_%d_%H_%M_%S"
_STORE_MARK = "CURRENT"
_MAX_SLUG_CHARS = 60


@dataclass(frozen=True, slots=True)
class Run:
    """One capture: files that are shown together."""

    id: str  # safe in URLs and file names, the same for the same place
    name: str
    path: Path
    files: tuple[Path, ...]  # for `open_trace`, one per host; members of archives as `archive.zip/member`
    hosts: tuple[str, ...]  # by file
    size_bytes: int
    modified_ns: int  # of the newest file
    notes: tuple[str, ...] = ()  # what was left aside and why, one line each


def discover(path: Path | str) -> list[Run]:
    """The runs at a path, newest first: a file is one run, a folder is searched.

    Raises `TraceError` when there is nothing at the path; a folder without traces gives an empty list.
    """
    path = Path(path)
    if path.is_dir():
        if _is_run_folder(path):
            return [_folder_run(path, path.resolve().name)]
        return sorted(_search(path), key=_newest_first)
    if path.is_file():
        return [_file_run(path, path.name)]
    raise TraceError(path, "there is no such file or folder")


def _newest_first(run: Run) -> tuple[int, str]:
    """By the time in the run's name, which survives copying, else by the files' times."""
    try:
        captured_ns = int(datetime.strptime(Path(run.name).name, _RUN_NAME_FORMAT).timestamp()) * 10**9
    except (ValueError, OverflowError, OSError):
        captured_ns = run.modified_ns
    return -captured_ns, run.name


def _search(root: Path) -> Iterator[Run]:
    for folder_name, subfolders, files in os.walk(root):
        folder = Path(folder_name)
        depth = len(folder.relative_to(root).parts)
        if _STORE_MARK in files:  # an index of ours: nothing in it is a trace
            subfolders.clear()
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith(".")) if depth < _MAX_DEPTH else []
        if _is_run_folder(folder):
            yield _folder_run(folder, _run_name(folder, root))
            continue
        for name in sorted(files):
            file = folder / name
            if _is_plain_trace(file):
                yield _file_run(file, file.relative_to(root).as_posix())


def _is_run_folder(folder: Path) -> bool:
    """Whether the files in it belong together: by the folder's place, or by a name that profilers give to runs."""
    parts = folder.resolve().parts
    in_place = parts[-3:-1] == ("plugins", "profile")
    return (in_place or _is_run_name(parts[-1])) and bool(_host_files(folder, (*_XSPACE_SUFFIXES, *_JSON_SUFFIXES)))


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


def _host_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Files with one of the suffixes; of `h.xplane.pb` and `h.xplane.pb.gz` the first."""
    found: dict[str, Path] = {}
    for suffix in suffixes:
        for file in sorted(folder.iterdir()):
            if file.name.endswith(suffix) and not file.name.startswith(".") and file.is_file():
                found.setdefault(file.name.removesuffix(suffix) + suffix.removesuffix(".gz"), file)
    return sorted(found.values())


def _folder_run(folder: Path, name: str) -> Run:
    spaces = _host_files(folder, _XSPACE_SUFFIXES)
    others = _host_files(folder, _JSON_SUFFIXES)
    if not spaces:
        return _run(folder, name, others, [])
    notes = [f"{file.name} is ignored: the XSpace beside it holds everything that it has" for file in others]
    return _run(folder, name, spaces, notes)


def _file_run(file: Path, name: str) -> Run:
    try:
        files: Sequence[Path] = trace_paths(file)
    except TraceError:
        files = [file]  # opening it will say what is wrong
    return _run(file, name, files, [])


def _run(path: Path, name: str, files: Sequence[Path], notes: Sequence[str]) -> Run:
    stats = [file.stat() for file in ([path] if path.is_file() else files)]
    return Run(
        id=run_id(path, name),
        name=name,
        path=path,
        files=tuple(files),
        hosts=tuple(_host_of(file) for file in files),
        size_bytes=sum(stat.st_size for stat in stats),
        modified_ns=max(stat.st_mtime_ns for stat in stats),
        notes=tuple(notes),
    )


def run_id(path: Path, name: str) -> str:
    """A readable part of the name and 8 hex digits of the place on disk."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_MAX_SLUG_CHARS] or "run"
    return f"{slug}-{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:8]}"


def _host_of(file: Path) -> str:
    return re.sub(r"(\.xplane)?(\.trace)?(\.pb|\.json)?(\.gz)?$", "", file.name)


def _is_plain_trace(file: Path) -> bool:
    if file.name.startswith(".") or not file.name.endswith(_PLAIN_SUFFIXES) or not file.is_file():
        return False
    if file.name.endswith((*_XSPACE_SUFFIXES, *_JSON_SUFFIXES)):
        return True  # meant as a trace: if it is damaged, opening it says so
    stat = file.stat()
    return _sniff(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=65536)
def _sniff(file: Path, size_bytes: int, modified_ns: int) -> bool:
    """Whether the content is a trace. JSON files are many things: the first bytes must show events or their list.

    Size and time are there for the cache: a file that changed is looked at again.
    """
    if size_bytes == 0:
        return False
    try:
        first = trace_paths(file)[0]
        with open_source(first) as source:
            head = source.peek(_SNIFFED_BYTES)
        return recognise(head, first) is Format.XSPACE or any(mark in head for mark in _TRACE_EVENT_MARKS)
    except TraceError:
        return False
