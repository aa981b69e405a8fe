"""Finds runs: what there is to show under a path.

Layouts say which files of a folder are shown together. A trace that no layout claims is a run of its own. An archive is
searched as the folder that it was made of, but traces in it that no layout knows are the files of one run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import structs

from tilescope.tiler.errors import NOTHING_THERE, TooMany, TraceError, UsageError
from tilescope.tiler.garbage import seldom_collected
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.ascend_captures import with_ascend_runs, with_hint_of_folder, with_unread_files
from tilescope.tiler.readers.container import Listing, holding_archive, list_archive
from tilescope.tiler.readers.discovered_run import DiscoveredRun, resolved_run_id, run_id, run_name, without_twice
from tilescope.tiler.readers.disk_folders import MAX_FILES, DiskFolder, FolderWalk, look_into
from tilescope.tiler.readers.fingerprint import Stamp, archive_of, digest_of_stamps
from tilescope.tiler.readers.folder_listing import FileEntry
from tilescope.tiler.readers.kept_runs import KeptRuns
from tilescope.tiler.readers.layouts import Candidate, FileLabel, Folder, PlannedRun, RunFile
from tilescope.tiler.readers.layouts.ascend import (
    RAW_DATA,
    AscendRun,
    ascend_runs,
    file_order,
    is_joined_name,
    labels_of,
    notes_of,
    time_of_capture,
)
from tilescope.tiler.readers.layouts.ascend_names import capture_folder_of, capture_position
from tilescope.tiler.readers.layouts.capture_folders import JoinedFolders, capture_folder, join_folders, may_join
from tilescope.tiler.readers.layouts.layout import RUN_MARK
from tilescope.tiler.readers.layouts.log_directory import time_in_name
from tilescope.tiler.readers.layouts.registry import plan_runs
from tilescope.tiler.readers.left_out import LeftOut
from tilescope.tiler.readers.pipes import kind_of
from tilescope.tiler.readers.run_files import choose, host_of


def discover(
    path: Path | str,
    max_inflated: int | None = None,
    *,
    separate: bool = False,
    is_served: Callable[[Path], bool] | None = None,
) -> list[DiscoveredRun]:
    """The runs at a path, newest first: a folder is searched, and so is an archive, or a folder in one.

    `max_inflated` bounds to what size a file may inflate; None: as for `open_trace`. `separate`: traces that layouts
    may join are a run each. `is_served(link)`: links in a folder of which this is false are left out. Raises
    `TraceError` when there is nothing at the path, `UsageError` for one that names a run of several files and
    `separate`, and `TooMany` for a folder with too many files to look at and no
    trace among the first; a folder without traces gives an empty list.
    """
    path = Path(path)
    if path.is_dir():
        with seldom_collected():
            return _newest_first(_search(path, max_inflated, separate, is_served))
    if path.is_file() and (runs := _file_runs(path, path.name, max_inflated, separate)):
        return _newest_first(with_hint_of_folder(run) for run in runs)
    archive = holding_archive(path)
    if archive is not None:
        runs = _archive_runs(archive, path, path.name, max_inflated, separate) or [
            run for run in _archive_runs(archive, archive, archive.name, max_inflated, separate) if run.path == path
        ]
    else:
        runs = _planned_at(path, max_inflated, is_served)
        if runs and separate:
            raise UsageError(f"{path}: that is a run of several files, which --separate takes apart: name the folder")
    if not runs:
        kind = kind_of(path)
        if not kind:
            raise TraceError(path, NOTHING_THERE)
        advice = "index it, or view it: its content is copied then" if kind == "a pipe" else "name a file or a folder"
        raise TraceError(path, f"is {kind}", advice=advice)
    return _newest_first(runs)


def find_run(path: Path, max_inflated: int | None = None, *, separate: bool = False) -> DiscoveredRun:
    """The one run at `path`. Raises UsageError when there is none, or more than one."""
    runs = discover(path, max_inflated, separate=separate)
    if len(runs) == 1:
        return runs[0]
    if not runs:
        raise UsageError(f"{path}: there is no trace here (expected a file, a run or a log directory)")
    names = ", ".join(str(run.path) for run in runs[:5]) + (", …" if len(runs) > 5 else "")
    raise UsageError(f"{path}: {len(runs)} runs, name one of them: {names}")


def join_runs(paths: Iterable[Path], max_inflated: int | None = None) -> DiscoveredRun:
    """The traces at several paths as one run: what is named together belongs together. Raises as `find_run` does."""
    runs = [find_run(path, max_inflated) for path in dict.fromkeys(paths)]
    if len(runs) == 1:
        return runs[0]
    files, hosts = _in_order(runs)
    notes = dict.fromkeys(note for run in runs if len(run.files) > 1 for note in run.notes)
    return _run(runs[0].path, runs[0].name, files, hosts, notes)


def _newest_first(runs: Iterable[DiscoveredRun]) -> list[DiscoveredRun]:
    return sorted(runs, key=_age)


def _age(run: DiscoveredRun) -> tuple[int, str]:
    """By the time in the run's name, which survives copying, else by the files' times."""
    try:
        name = run.name.rpartition("/")[2]
        if name.endswith(RUN_MARK) and may_join(name):
            name = run.files[0].parent.name
        position = capture_position(run.files[0])
        captured = time_in_name(name) if position is None else time_of_capture(run.files[0].parts[position])
        captured_ns = run.modified_ns if captured is None else int(captured.timestamp()) * 10**9
    except (ValueError, OverflowError, OSError):
        captured_ns = run.modified_ns
    return -captured_ns, run.name


def _search(
    root: Path, max_inflated: int | None, separate: bool, is_served: Callable[[Path], bool] | None
) -> list[DiscoveredRun]:
    runs: list[DiscoveredRun] = []
    captures: dict[Path, DiscoveredRun] = {}
    walk = FolderWalk(root, is_served)
    for folder in walk:
        in_folder = _folder_runs(folder, root, max_inflated, separate)
        runs += in_folder
        if in_folder and folder.parts and (run := in_folder[0]).path == Path(folder.path):
            captures[run.path] = run
        if not folder.parts and in_folder and in_folder[0].path == root:
            break  # the root is the folder of a run
    runs = without_twice(runs, walk.links.again)
    captures = {path: run for path, run in captures.items() if run in runs} if walk.links.again else captures
    if not separate:
        runs = with_ascend_runs(_with_joined_folders(runs, captures), root)
    if walk.raw_data or walk.summaries:
        runs = [with_unread_files(run, walk.raw_data, walk.summaries) for run in runs]
        exported = {capture_folder_of(file) for run in runs for file in run.files} if walk.raw_data else set()
        for raw in sorted(walk.raw_data.keys() - exported):
            walk.refused.add(raw.name if raw == root else raw.relative_to(root).as_posix(), RAW_DATA)
    return _with_bound(runs, walk, root)


def _with_joined_folders(runs: list[DiscoveredRun], captures: Mapping[Path, DiscoveredRun]) -> list[DiscoveredRun]:
    """The runs, those of the hosts of a job in one. `captures`: runs that are a folder each, by its path."""
    folders = [capture_folder(path, run.files) for path, run in captures.items()]
    joined_runs = join_folders([folder for folder in folders if folder is not None])
    if not joined_runs:
        return runs
    joined_paths = {folder.path for joined in joined_runs for folder in joined.folders}
    return [
        *(run for run in runs if run.path not in joined_paths),
        *(_joined_run(joined, [captures[folder.path] for folder in joined.folders]) for joined in joined_runs),
    ]


def _joined_run(joined: JoinedFolders, runs: Sequence[DiscoveredRun]) -> DiscoveredRun:
    path = runs[0].path.parent / joined.name
    above, slash, _ = runs[0].name.rpartition("/")
    files, hosts = _in_order(runs)
    notes = dict.fromkeys([joined.note, *(note for run in runs for note in run.notes)])
    return DiscoveredRun(
        id=run_id(path, name := f"{above}{slash}{joined.name}"),
        name=name,
        path=path,
        files=files,
        hosts=hosts,
        size_bytes=sum(run.size_bytes for run in runs),
        modified_ns=max(run.modified_ns for run in runs),
        notes=tuple(notes),
        side_files=tuple(file for run in runs for file in run.side_files),
        is_unconfirmed=True,
    )


def _is_capture(folder: Path) -> bool:
    return time_in_name(folder.name) is not None


def _in_order(runs: Iterable[DiscoveredRun]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Files of several runs, by their names, and the host of each."""
    host_by_file = {file: host for run in runs for file, host in zip(run.files, run.hosts, strict=True)}
    files = sorted(host_by_file, key=lambda file: (natural_key(file.name), natural_key(file.as_posix())))
    return tuple(files), tuple(host_by_file[file] for file in files)


def separated_runs(run: DiscoveredRun, positions: Iterable[int]) -> list[DiscoveredRun]:
    """The files at these positions, as runs of their own: folders that were joined as they are, other files alone.

    Raises OSError.
    """
    folders = {file.parent for file in run.files}
    is_joined = len({folder.parent for folder in folders}) == 1 and all(_is_capture(folder) for folder in folders)
    files_by_place: dict[Path, list[int]] = {}
    for position in positions:
        file = run.files[position]
        capture = capture_position(file) if is_joined_name(run.path.name) else None
        place = file if capture is None else Path(*file.parts[: capture + 1])
        files_by_place.setdefault(file.parent if is_joined and len(folders) > 1 else place, []).append(position)
    above = run.name.rpartition("/")[0]
    if run.files[0].is_relative_to(run.path):  # all of an archive
        names = {place: f"{run.name}/{run_name(place.relative_to(run.path).parts)}" for place in files_by_place}
    else:
        names = {place: f"{above}/{place.name}" if above else place.name for place in files_by_place}
    return [
        _run(
            place,
            names[place],
            [run.files[position] for position in own],
            [run.hosts[position] for position in own],
            (),
        )
        for place, own in files_by_place.items()
    ]


def _with_bound(runs: list[DiscoveredRun], walk: FolderWalk, root: Path) -> list[DiscoveredRun]:
    """The runs, with notes on files and folders that were not looked at.

    Raises `TooMany`, or `TraceError`, where there is no run to carry them.
    """
    lines = [*walk.refused.notes(), *walk.links.astray.notes()]
    if not runs and lines:
        advice = f"name {walk.links.first_outside}" if walk.links.first_outside else ""
        raise TraceError(root, f"has no trace that can be read: {'; '.join(lines)}", advice=advice)
    if walk.left_out and not runs:
        raise TooMany(
            root,
            f"has no trace among the first {MAX_FILES:,} files: {walk.left_out:,} more are left out",
            advice="name folders below it",
        )
    if walk.left_out:
        lines.append(
            f"{walk.left_out:,} files beyond the first {MAX_FILES:,} are left out: serve folders below {root.name}"
        )
    if not lines:
        return runs
    # On the newest one, since there is nothing else that everybody sees.
    newest = min(range(len(runs)), key=lambda number: _age(runs[number]))
    runs[newest] = structs.replace(runs[newest], notes=(*runs[newest].notes, *lines))
    return runs


def _planned_at(path: Path, max_inflated: int | None, is_served: Callable[[Path], bool] | None) -> list[DiscoveredRun]:
    """The run of several files that is called so in its folder: there is no file at such a path."""
    if RUN_MARK not in path.name:
        return []
    if may_join(path.name) or is_joined_name(path.name):
        return [run for run in _search(path.parent, max_inflated, False, is_served) if run.path == path]
    walk = FolderWalk(path.parent, is_served)
    for folder in walk:
        in_folder = _folder_runs(folder, path.parent, max_inflated, False)
        return _with_bound([run for run in in_folder if run.path == path], walk, path.parent)
    return []


_KEPT_RUNS: Final = KeptRuns(2 * MAX_FILES)
_KEPT_NAMES: Final = 1 << 13  # the trainings of a base folder have files of the same names


def _folder_runs(folder: DiskFolder, root: Path, max_inflated: int | None, separate: bool) -> tuple[DiscoveredRun, ...]:
    """The runs of the files in a folder, which are the same as long as these are."""
    if not folder.files:
        return ()
    place = (folder.path, folder.parts, root, max_inflated, separate)
    runs = _KEPT_RUNS.get(place, folder)
    if runs is None:
        runs = _find_folder_runs(folder, max_inflated, separate)
        _KEPT_RUNS.keep(place, folder, runs)
    return runs


@lru_cache(_KEPT_NAMES)
def _file_key(name: str) -> list[tuple[int, str]]:
    return natural_key(name)


def _find_folder_runs(folder: DiskFolder, max_inflated: int | None, separate: bool) -> tuple[DiscoveredRun, ...]:
    path = Path(folder.path)
    entries: dict[str, FileEntry] = {}  # by name: hashes of 80,000 paths take a fifth of a second
    archives: list[Path] = []
    candidates = []
    for entry in folder.files:
        file = path / entry.name
        look = look_into(file, entry, max_inflated)
        if not look.is_trace:
            continue
        entries[entry.name] = entry
        if look.is_archive:
            archives.append(file)
        else:
            candidates.append(Candidate(file, entry.size_bytes == 0, look.looks, entry.is_link))
    if not entries:
        return ()
    candidates.sort(key=lambda candidate: _file_key(candidate.path.name))
    above = "".join(f"{part}/" for part in folder.parts)
    resolved = os.fsencode(path.resolve()) + b"/"
    runs = []
    claimed: set[str] = set()
    names = frozenset(entry.name for entry in folder.files)
    strangers = LeftOut("more links are left out: they lead out of what is served")
    for name in folder.strangers:
        strangers.add(name, "it leads out of what is served")
    for planned in plan_runs(Folder(path, candidates, names), separate=separate):
        planned = structs.replace(planned, notes=(*planned.notes, *strangers.notes()))
        if not planned.name:
            name = run_name(folder.parts) or path.resolve().name
            return (_planned_run(planned, path, run_id(path, name), name, entries),)
        place, name = path / planned.name, above + planned.name
        runs.append(
            _planned_run(planned, place, resolved_run_id(resolved + os.fsencode(planned.name), name), name, entries)
        )
        claimed.update(file.name for file in planned.claimed())
    for file in (candidate.path for candidate in candidates if candidate.path.name not in claimed):
        entry, name = entries[file.name], above + file.name
        place_id = run_id(file, name) if entry.is_link else resolved_run_id(resolved + os.fsencode(file.name), name)
        runs.append(
            DiscoveredRun(
                id=place_id,
                name=name,
                path=file,
                files=(file,),
                hosts=(host_of(file),),
                size_bytes=entry.size_bytes,
                modified_ns=entry.modified_ns,
                stamps_digest=digest_of_stamps((_stamp(entry),)),
            )
        )
    for archive in archives:
        runs += _file_runs(archive, above + archive.name, max_inflated, separate)
    return tuple(runs)


def _planned_run(planned: PlannedRun, path: Path, id_: str, name: str, entries: dict[str, FileEntry]) -> DiscoveredRun:
    files = [entries[file.path.name] for file in planned.files]
    return DiscoveredRun(
        id=id_,
        name=name,
        path=path,
        files=tuple(file.path for file in planned.files),
        hosts=tuple(planned.hosts(host_of)),
        size_bytes=sum(file.size_bytes for file in files),
        modified_ns=max(file.modified_ns for file in files),
        notes=tuple(planned.notes),
        side_files=tuple(planned.side_files),
        stamps_digest=digest_of_stamps(map(_stamp, files)),
        is_unconfirmed=planned.is_unconfirmed,
    )


def _stamp(entry: FileEntry) -> Stamp:
    return Stamp(entry.name, entry.size_bytes, entry.modified_ns)


def _file_runs(file: Path, name: str, max_inflated: int | None, separate: bool) -> list[DiscoveredRun]:
    """The runs in a file; none in one that is removed meanwhile."""
    try:
        try:
            return _archive_runs(file, file, name, max_inflated, separate)
        except TraceError:
            return [_run(file, name, [file], [host_of(file)], [])]  # opening it will say what is wrong
    except OSError:
        return []


def _archive_runs(archive: Path, top: Path, name: str, max_inflated: int | None, separate: bool) -> list[DiscoveredRun]:
    """The runs in an archive at and below `top`, a path into it, or the only one of a file that is no archive."""
    listing = list_archive(archive, max_inflated)
    if listing is None:
        return [_run(archive, name, [archive], [host_of(archive)], [])]
    place = (archive, top, name, max_inflated, separate)
    runs = _KEPT_RUNS.get(place, listing)
    if runs is None:
        runs = tuple(_find_archive_runs(listing, top, name, separate))
        _KEPT_RUNS.keep(place, listing, runs)
    return list(runs)


def _find_archive_runs(listing: Listing, top: Path, name: str, separate: bool) -> list[DiscoveredRun]:
    planned_runs: list[tuple[Path, PlannedRun]] = []
    rest: list[Candidate] = []
    for folder in _folders_of(listing, top):
        alone = {candidate.path: candidate for candidate in folder.traces}
        for planned in plan_runs(folder, separate=separate):
            planned_runs.append((folder.path / planned.name if planned.name else folder.path, planned))
            for claimed in planned.claimed():
                del alone[claimed]
        for file, candidate in alone.items():
            is_of_capture = capture_position(file) is not None  # of Ascend devices: captures are joined below
            is_alone = separate if is_of_capture else candidate.looks  # a layout knows that it belongs to no other
            if is_alone:
                label = FileLabel(host=host_of(file))
                planned_runs.append((file, PlannedRun(file.name, [RunFile(file, label)])))
            else:
                rest.append(candidate)
    if not separate:
        planned_runs = _with_joined_members(planned_runs)
    if rest:
        planned_runs = _with_rest(planned_runs, rest, top, listing)
    runs = []
    for place, planned in planned_runs:
        files = [file.path for file in planned.files]
        hosts = planned.hosts(host_of)
        notes = (*planned.notes, *listing.notes)
        is_of_capture = capture_position(files[0]) is not None
        if place == top or (len(planned_runs) == 1 and not is_of_capture):
            run = _run(top, name, files, hosts, notes)
        else:
            place_name = run_name(place.relative_to(top).parts)
            run = _run(place, f"{name}/{place_name}", files, hosts, notes)
        runs.append(structs.replace(run, is_unconfirmed=True) if planned.is_unconfirmed else run)
    return runs


def _with_joined_members(planned_runs: list[tuple[Path, PlannedRun]]) -> list[tuple[Path, PlannedRun]]:
    """The runs of an archive, those of the hosts of a job in one, as on disk."""
    captures = {place: planned for place, planned in planned_runs if not planned.name}
    folders = [capture_folder(place, [file.path for file in planned.files]) for place, planned in captures.items()]
    joined_runs = join_folders([folder for folder in folders if folder is not None])
    joined_paths = {folder.path for joined in joined_runs for folder in joined.folders}
    runs = [entry for entry in planned_runs if entry[0] not in joined_paths]
    for joined in joined_runs:
        parts = [captures[folder.path] for folder in joined.folders]
        files = sorted((file for part in parts for file in part.files), key=lambda file: natural_key(file.path.name))
        notes = dict.fromkeys([joined.note, *(note for part in parts for note in part.notes)])
        place = joined.folders[0].path.parent / joined.name
        runs.append((place, PlannedRun(joined.name, files, notes=tuple(notes), is_unconfirmed=True)))
    return runs


def _with_rest(
    planned_runs: Sequence[tuple[Path, PlannedRun]], rest: Sequence[Candidate], top: Path, listing: Listing
) -> list[tuple[Path, PlannedRun]]:
    """The runs of an archive, with the traces that no layout knows: in the run that is at `top`, else as one there."""
    chosen = choose(rest)
    ascend = ascend_runs(chosen.files, listing.rank_of)
    claimed = {file for run in ascend for capture in run.captures for file in (*capture.files, *capture.copies)}
    left = frozenset(chosen.files) - claimed  # without what is left out: it would be runs of its own
    at_top = next((planned for place, planned in planned_runs if place == top), None)
    is_all = len(ascend) == 1 and not left and at_top is None and ascend[0].path.is_relative_to(top)
    if len(ascend) > 1 or is_all:  # trainings, as on disk
        planned_runs = [*planned_runs, *((run.path, _planned_ascend(run, chosen.notes)) for run in ascend)]
        others = [candidate for candidate in rest if candidate.path in left]
        return _with_rest(planned_runs, others, top, listing) if others else list(planned_runs)
    captures = [capture for run in ascend for capture in run.captures]
    labels, copies = labels_of(captures), {copy for capture in captures for copy in capture.copies}
    files = [
        RunFile(file, labels.get(file) or FileLabel(host=host_of(file))) for file in chosen.files if file not in copies
    ]
    if len(labels) == len(files):  # captures of Ascend devices, as on disk
        files.sort(key=lambda file: file_order(file.path))
    notes = (*chosen.notes, *notes_of(captures))
    if at_top is None:
        return [*planned_runs, (top, PlannedRun("", files, notes=notes))]
    files = sorted((*at_top.files, *files), key=lambda file: natural_key(file.path.as_posix()))
    joined = structs.replace(at_top, files=files, notes=(*at_top.notes, *notes))
    return [(place, joined if planned is at_top else planned) for place, planned in planned_runs]


def _planned_ascend(run: AscendRun, notes: Iterable[str]) -> PlannedRun:
    labels = labels_of(run.captures)
    files = [RunFile(file, labels[file]) for file in run.files]
    return PlannedRun(run.path.name, files, notes=(*run.notes, *notes), is_unconfirmed=len(run.captures) > 1)


def _folders_of(listing: Listing, top: Path) -> Iterator[Folder]:
    folders: dict[Path, list[Candidate]] = {}
    for member in listing.members:
        if member.path.is_relative_to(top):
            candidate = Candidate(member.path, member.is_empty, member.looks)
            folders.setdefault(member.path.parent, []).append(candidate)
    for path, candidates in folders.items():
        yield Folder(path, candidates, frozenset(candidate.path.name for candidate in candidates))


def _run(path: Path, name: str, files: Iterable[Path], hosts: Iterable[str], notes: Iterable[str]) -> DiscoveredRun:
    files = tuple(files)
    stats = [file.stat() for file in {archive_of(file): None for file in files}]
    return DiscoveredRun(
        id=run_id(path, name),
        name=name,
        path=path,
        files=files,
        hosts=tuple(hosts),
        size_bytes=sum(stat.st_size for stat in stats),
        modified_ns=max(stat.st_mtime_ns for stat in stats),
        notes=tuple(notes),
    )
