"""Runs of a folder that are captures of Ascend devices: the traces of each together, with its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tilescope.tiler.readers.capture_rank import rank_of_folder
from tilescope.tiler.readers.discovered_run import DiscoveredRun, run_id, run_name
from tilescope.tiler.readers.folder_listing import list_folder
from tilescope.tiler.readers.layouts.ascend import (
    AscendRun,
    ascend_runs,
    find_tables,
    labels_of,
    raw_data_notes,
    summary_notes,
    unread_notes,
)
from tilescope.tiler.readers.layouts.ascend_contents import training_contents
from tilescope.tiler.readers.layouts.ascend_names import capture_folder_of, capture_position

_ABOVE: Final = 3  # folders of a summary: profiler/*_ascend_ms/ASCEND_PROFILER_OUTPUT

_ANY_FILES: Final = ("trace.json", "timeline_display_0.json")  # which tell whether a folder is within a capture


def with_ascend_runs(runs: Sequence[DiscoveredRun], root: Path) -> list[DiscoveredRun]:
    """The runs below a root, the traces of captures of Ascend devices together."""
    resolved = root.resolve()
    is_within = any(capture_position(resolved / name) is not None for name in _ANY_FILES)
    alone = {
        resolved / run.path.relative_to(root): run
        for run in runs
        if run.files == (run.path,) and (is_within or capture_position(run.path) is not None)
    }
    joined_runs = ascend_runs(alone, rank_of_folder)
    captures = [capture for ascend in joined_runs for capture in ascend.captures]
    claimed = {alone[file].path for capture in captures for file in (*capture.files, *capture.copies)}
    others = [run for run in runs if run.path not in claimed]
    return [*others, *(_run(ascend, alone, root, resolved) for ascend in joined_runs)]


def with_unread_files(
    run: DiscoveredRun, raw_data: Mapping[Path, Sequence[str]], summaries: Mapping[Path, Sequence[str]]
) -> DiscoveredRun:
    """The run of a training with notes on what lies beside its files and is not read.

    `raw_data`: folders by capture; `summaries`: names by the folder that has the profile, at most three folders deep.
    """
    if training_contents(run.files) is None:
        return run
    folders = {file.parent for file in run.files}
    its_captures = (capture_folder_of(folder / _ANY_FILES[0]) for folder in folders)
    captures = sorted({capture for capture in its_captures if capture is not None and capture in raw_data})
    above = {parent for folder in folders for parent in (*folder.parents,)[:_ABOVE]} & summaries.keys()
    raw = [f"{capture.name}/{folder}" for capture in captures for folder in sorted(raw_data[capture])]
    notes = [*raw_data_notes(raw), *summary_notes([name for folder in sorted(above) for name in summaries[folder]])]
    return replace(run, notes=(*run.notes, *notes)) if notes else run


def with_hint_of_folder(run: DiscoveredRun) -> DiscoveredRun:
    """The run of a file that was named, with a note on the training that it is of, where others lie beside it."""
    file = run.path.resolve()
    if run.files != (run.path,) or training_contents([file]) is None:
        return run
    try:
        files = list_folder(str(file.parent)).files
    except OSError:  # not ours to read
        return run
    if not any(entry.name != file.name and training_contents([file.parent / entry.name]) for entry in files):
        return run
    folder = capture_folder_of(file) or file.parent
    note = (
        f"{file.name} is of a training with files beside it: open their folder, {folder.name}, to have all in one run"
    )
    return replace(run, notes=(*run.notes, note))


def _run(ascend: AscendRun, alone: dict[Path, DiscoveredRun], root: Path, resolved: Path) -> DiscoveredRun:
    is_below = ascend.path.is_relative_to(resolved)  # a folder of a capture may be searched, too
    place = ascend.path.relative_to(resolved) if is_below else Path()
    path, name = root / place, run_name(place.parts) or resolved.name
    files, labels = [alone[file] for file in ascend.files], labels_of(ascend.captures)
    tables = [
        root / table.relative_to(resolved)
        for folder in ([capture.path for capture in ascend.captures] if is_below else [resolved])
        for table in find_tables(folder, alone)
    ]
    return DiscoveredRun(
        id=run_id(path, name),
        name=name,
        path=path,
        files=tuple(run.path for run in files),
        hosts=tuple(str(labels[file]) for file in ascend.files),
        size_bytes=sum(run.size_bytes for run in files),
        modified_ns=max(run.modified_ns for run in files),
        notes=(*ascend.notes, *unread_notes(tables)),
        side_files=tuple(tables),
        is_unconfirmed=len(ascend.captures) > 1,
    )
