"""The runs of a folder or archive, with the files that belong to each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tilescope.cli.say import say
from tilescope.cli.text import shortened
from tilescope.tiler.count_text import plural
from tilescope.tiler.path_names import path_name
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.tiler.readers import DiscoveredRun

_SHOWN_RUNS: Final = 200
_SHOWN_FILES: Final = 20  # of a run
_SHOWN_CHARACTERS: Final = 300  # of a name
_MINUTE_NS: Final = 60 * 10**9


def print_runs(path: Path, runs: Sequence[DiscoveredRun]) -> None:
    """Lists runs for people, the newest first."""
    import numpy as np

    from tilescope.tiler.readers.layouts.ascend_contents import training_contents

    say(
        f"{path}: {plural(len(runs), 'run', 'runs')} of traces (tilescope index RUN -o STORE, or tilescope view {path})"
    )
    for run in runs[:_SHOWN_RUNS]:
        files = plural(len(run.files), "file", "files")
        say(f"  {shortened(str(run.path), _SHOWN_CHARACTERS)}  {files}, {size_text(run.size_bytes)}")
        contents = training_contents(run.files)
        if contents is not None:
            hosts = len(set(run.hosts))
            are_ranks = bool(contents.ranks) or all(host.startswith("rank ") for host in run.hosts)
            names = ("rank", "ranks") if are_ranks else ("host", "hosts")
            ranks = plural(len(contents.ranks) or hosts, *names)
            time = str(np.datetime64(run.modified_ns // _MINUTE_NS, "m")).replace("T", " ")  # of any year
            parts = ", ".join(contents.parts) or "tables of other kinds"
            steps = _steps(run)
            marked = "" if steps is None else f", {plural(steps, 'step', 'steps')}"
            say(f"    {ranks}{marked}, newest file {time} UTC: {parts}")
        if len(run.files) > 1:
            for file, host in list(zip(run.files, run.hosts, strict=True))[:_SHOWN_FILES]:
                say(f"    {shortened(host, _SHOWN_CHARACTERS):<11} {shortened(file.name, _SHOWN_CHARACTERS)}")
            if len(run.files) > _SHOWN_FILES:
                say(f"    and {len(run.files) - _SHOWN_FILES:,} more")
        for file in run.side_files[:_SHOWN_FILES]:
            say(f"    not read yet: {shortened(file.name, _SHOWN_CHARACTERS)}")
        for note in run.notes:
            say(f"    note: {note}")
    if len(runs) > _SHOWN_RUNS:
        say(f"  and {plural(len(runs) - _SHOWN_RUNS, 'more run', 'more runs')}")


def runs_as_json(runs: Sequence[DiscoveredRun]) -> dict[str, Any]:
    """The same for programs; of trainings on Ascend devices with what is in them."""
    from tilescope.tiler.readers.layouts.ascend_contents import training_contents

    contents = [training_contents(run.files) for run in runs]
    return {
        "runs": [
            {
                "path": path_name(run.path),
                "name": run.name,
                "files": [
                    {"path": path_name(file), "host": host} for file, host in zip(run.files, run.hosts, strict=True)
                ],
                "side_files": [path_name(file) for file in run.side_files],
                "size_bytes": run.size_bytes,
                "modified_ns": str(run.modified_ns),
                "contents": [] if its_contents is None else list(its_contents.parts),
                "steps": _steps(run),
                "notes": list(run.notes),
            }
            for run, its_contents in zip(runs, contents, strict=True)
        ]
    }


def _steps(run: DiscoveredRun) -> int | None:
    """The steps that a run marks, where the default cache has an index of its files as they are now."""
    from tilescope.tiler.errors import StoreError
    from tilescope.tiler.lookup.manifest import run_manifest
    from tilescope.tiler.store import is_store, open_store
    from tilescope.tiler.store.cache_place import cached_store, default_cache_dir
    from tilescope.tiler.store.extent import RunExtent

    try:
        path = cached_store(default_cache_dir(), run.id, run.files)
        if not is_store(path):
            return None
        with closing(open_store(path)) as store:
            return RunExtent.from_manifest(run_manifest(store)).steps
    except (OSError, StoreError):  # removed meanwhile, or of another version
        return None
