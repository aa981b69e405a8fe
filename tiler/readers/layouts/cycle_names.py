"""Names of runs of ranks. A run keeps its name, and thus its index and its links, when other files come or go.

So a name says only what all files of a cycle have in common: not which of them is first, nor how many runs come before.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.layouts.pytorch_head import Distributed
from tilescope.tiler.readers.layouts.rank_names import RankName

_NS: Final = 10**9
_DIGEST_DIGITS: Final = 8


class NamedFile(Struct, frozen=True):
    """A file of a cycle, by what it says of itself."""

    file_name: str
    name: RankName
    distributed: Distributed
    time_ns: int | None  # of its first event


def cycle_names(cycles: Sequence[Sequence[NamedFile]], taken: Collection[str]) -> list[str]:
    """A name for each cycle, by its files in the order of ranks: all are different, and none is `taken`."""
    names = list(map(_common_name, cycles))
    for detail in (_ten_seconds, _second, _job, _first_file):
        names = _told_apart(names, cycles, taken, detail)
    used = set(taken)
    for number, name in enumerate(names):
        unique = name
        while unique in used:  # files are named to provoke this
            unique += "*"
        used.add(unique)
        names[number] = unique
    return names


def _told_apart(
    names: Sequence[str],
    cycles: Sequence[Sequence[NamedFile]],
    taken: Collection[str],
    detail: Callable[[Sequence[NamedFile]], str],
) -> list[str]:
    """The names, with a detail where two are the same: on both, since the first one may go."""
    counts = Counter(names)
    return [
        f"{name} {text}" if (counts[name] > 1 or name in taken) and (text := detail(files)) else name
        for name, files in zip(names, cycles, strict=True)
    ]


def _common_name(files: Sequence[NamedFile]) -> str:
    """The files' name with `*` for the rank; with a time where they have time stamps, since the next cycle has too."""
    first = files[0]
    if first.name.rank is not None and all(file.name.template == first.name.template for file in files):
        name = first.name.template
    else:
        name = f"rank*-of-{first.distributed.world_size}"
    is_stamped = any(file.name.written_ns is not None for file in files)
    return " ".join(filter(None, (name, _ten_seconds(files) if is_stamped else "")))


def _ten_seconds(files: Sequence[NamedFile]) -> str:
    """The time of a cycle. Ranks begin within milliseconds: one that comes later seldom changes it."""
    return _time_text(files, 10 * _NS)


def _second(files: Sequence[NamedFile]) -> str:
    return _time_text(files, _NS)


def _job(files: Sequence[NamedFile]) -> str:
    """A digest of the group that all ranks of the job are in."""
    distributed = files[0].distributed
    if distributed.world_size is None:
        return ""
    ranks = () if distributed.default_group is None else distributed.default_group.ranks
    return hashlib.sha256(repr((distributed.world_size, ranks)).encode()).hexdigest()[:_DIGEST_DIGITS]


def _first_file(files: Sequence[NamedFile]) -> str:
    """The name of a file, which is in no other cycle: jobs that differ in nothing else contradict each other."""
    return files[0].file_name


def _time_text(files: Sequence[NamedFile], unit_ns: int) -> str:
    times = [file.time_ns for file in files if file.time_ns is not None]
    times = times or [file.name.written_ns for file in files if file.name.written_ns is not None]
    if not times:
        return ""
    seconds = min(times) // unit_ns * (unit_ns // _NS)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")
