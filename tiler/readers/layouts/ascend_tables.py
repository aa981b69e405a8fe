"""Folders in which profilers of Ascend devices leave tables: these, and the timelines beside them, are one run.

So is `<summary>/profiler` of MindSpore's first generation, whatever it is called, and the output folder of a newer one
that was copied without what is around it. Captures with folders of their own are joined in `ascend.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from tilescope.tiler.readers.ascend.families import CERTAIN_NAMES, KEPT_NAMES, rank_in_name, stem_of
from tilescope.tiler.readers.ascend.json_tables import json_family
from tilescope.tiler.readers.ascend.signature import looks_like_table
from tilescope.tiler.readers.ascend.text_table import text_family
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.layouts.ascend_names import capture_position
from tilescope.tiler.readers.layouts.layout import (
    RUN_MARK,
    Candidate,
    FileLabel,
    FileLayout,
    Folder,
    PlannedRun,
    RunFile,
)
from tilescope.tiler.readers.layouts.rank_names import missing_ranks

ID: Final = "ascend_tables"

_TIMELINE: Final = re.compile(
    r"(?:ascend_|gpu_)?timeline_display_\d+|trace_view|(?:msprof|step_trace|task_time|hccl)_\w+"
)


_NAMED: Final = 4


def _look(head: bytes) -> object | None:
    return True if looks_like_table(head) is Likeness.CERTAIN else None


def _runs(folder: Folder) -> Sequence[PlannedRun]:
    if capture_position(folder.path / "trace.json") is not None:
        return ()
    are_tables = [_is_table(trace) for trace in folder.traces]
    if not any(are_tables):
        return ()
    claimed = [
        trace
        for trace, is_table in zip(folder.traces, are_tables, strict=True)
        if is_table or _TIMELINE.fullmatch(stem_of(trace.path))
    ]
    files = [RunFile(trace.path, _label(trace.path.name)) for trace in claimed]
    name = "" if len(claimed) == len(folder.traces) else f"ascend{RUN_MARK}"
    ranks = {rank for trace in claimed if (rank := rank_in_name(trace.path)) is not None}
    missing = missing_ranks(ranks, None) if len(ranks) > 1 else None
    notes = [] if missing is None else [missing]
    unread = sorted(set(folder.names) - {trace.path.name for trace in folder.traces}) if not name else []
    if unread:
        more = f" and {len(unread) - _NAMED:,} more" if len(unread) > _NAMED else ""
        notes.append(f"not read, as no table and no timeline: {', '.join(unread[:_NAMED])}{more}")
    return [PlannedRun(name, files, notes=notes)]


def _is_table(trace: Candidate) -> bool:
    return _is_named_table(trace.path.name) or bool(trace.looks.get(ID))


@lru_cache(KEPT_NAMES)
def _is_named_table(name: str) -> bool:
    path = Path(name)
    stem = stem_of(path)
    is_named = CERTAIN_NAMES.fullmatch(name) or text_family(stem) or json_family(stem)
    return bool(is_named) or path.suffix == ".csv"


@lru_cache(KEPT_NAMES)
def _label(name: str) -> FileLabel:
    rank = rank_in_name(Path(name))
    return FileLabel(device="" if rank is None else f"device {rank}")


ASCEND_TABLES: Final = FileLayout(ID, "tables of Ascend profilers", _runs, _look, separates=True)
