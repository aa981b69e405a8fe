"""Layouts that are recognised: ours, and those that installed packages offer as entry points `tilescope.layouts`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import structs

from tilescope.tiler.plugins import fault_place, fault_text, load_plugins
from tilescope.tiler.readers.formats import complain
from tilescope.tiler.readers.layouts.ascend_tables import ASCEND_TABLES
from tilescope.tiler.readers.layouts.layout import RUN_MARK, FileLayout, Folder, PlannedRun
from tilescope.tiler.readers.layouts.log_directory import LOG_DIRECTORY
from tilescope.tiler.readers.layouts.pytorch import PYTORCH

ENTRY_POINTS: Final = "tilescope.layouts"

_OURS: Final = (LOG_DIRECTORY, PYTORCH, ASCEND_TABLES)
_ID: Final = re.compile("[a-z0-9_]{1,64}")


@cache
def layouts() -> tuple[FileLayout, ...]:
    """All layouts in the order in which they are asked, ours first. Packages are looked for once."""
    return (*_OURS, *_of_others())


def look_at(head: bytes) -> Mapping[str, object]:
    """Looks of the layouts at the first bytes of a trace, by their ids."""
    looks: dict[str, object] = {}
    for layout in layouts():
        try:
            look = layout.look(head)
        except Exception as error:  # whatever a stranger's module raises must not end the search
            _blame(layout, error)
            continue
        if look is not None:
            looks[layout.id] = look
    return looks


def plan_runs(folder: Folder, *, separate: bool = False) -> Iterator[PlannedRun]:
    """The runs that layouts recognise in a folder. Each trace is in one of them at most.

    `separate`: without the layouts whose files may be wanted one by one.
    """
    for layout in layouts():
        if not folder.traces:
            return
        if separate and layout.separates:
            continue
        planned = _runs_of(layout, folder)
        yield from planned  # who has the run of a whole folder asks no further
        claimed = {path for run in planned for path in run.claimed()}
        if claimed:
            rest = [trace for trace in folder.traces if trace.path not in claimed]
            folder = structs.replace(folder, traces=rest)


def _runs_of(layout: FileLayout, folder: Folder) -> Sequence[PlannedRun]:
    if layout in _OURS:
        return layout.runs(folder)
    try:
        planned = tuple(layout.runs(folder))
        fault = _fault(planned, folder)
    except Exception as error:  # as above
        _blame(layout, error)
        return ()
    if fault is not None:
        complain(f"the layout {layout.id!r} is passed over in {folder.path.name}: {fault}")
        return ()
    return planned


def _fault(planned: Iterable[PlannedRun], folder: Folder) -> str | None:
    """A fault in what a layout of another package gives; None if there is none."""
    free = {trace.path for trace in folder.traces}
    for run in planned:
        if not isinstance(run, PlannedRun):
            return f"a {type(run).__name__} is no run"
        claimed = run.claimed()
        if not run.files:
            return "it has a run without files"
        if run.name and RUN_MARK not in run.name:
            return f"its run {run.name!r} has no {RUN_MARK} in its name, so nobody would look for it there"
        if not claimed <= free or len(claimed) < len(run.files) + len(run.copies):
            return "it claims a file twice, or one that it was not shown"
        free -= claimed
    return None


def _blame(layout: FileLayout, error: Exception) -> None:
    complain(f"the layout {layout.id!r} is passed over: it failed{fault_place(error)} ({fault_text(error)})")


def _of_others() -> Iterator[FileLayout]:
    ids = {layout.id for layout in _OURS}
    for offered in load_plugins(ENTRY_POINTS, "layouts"):
        if offered.left_out is not None:
            complain(offered.left_out)
        for layout in offered.objects:
            if not isinstance(layout, FileLayout):
                complain(f"{offered.source} is left out: a {type(layout).__name__} is no layout")
            elif not isinstance(layout.id, str) or _ID.fullmatch(layout.id) is None:
                complain(
                    f"{offered.source} is left out: {layout.id!r} is no id: small letters, digits and _ are, at most 64"
                )
            elif layout.id in ids:
                complain(f"the layout {layout.id!r} of {offered.source} is left out: there is one of that name")
            else:
                ids.add(layout.id)
                yield layout
