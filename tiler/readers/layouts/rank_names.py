"""Ranks in the names of files: `worker0.1795750840553542999.pt.trace.json` is that of rank 0."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.compression import without_ending

_TIME_STAMP: Final = re.compile(r"\.(\d{16,19})(?=\.)")  # when it was written, in µs or ns since the epoch
_RANK: Final = re.compile(r"(?<![A-Za-z])(rank|worker|device|r)([-_.]?)(\d{1,9})(?![0-9A-Za-z])", re.IGNORECASE)
_HOST_AND_PROCESS: Final = re.compile(r"([A-Za-z0-9-][A-Za-z0-9.-]*)_\d+\.\d{13,19}\.pt\.trace\.json")
_NAMED: Final = 8


class RankName(Struct, frozen=True):
    """A file's name, taken apart."""

    template: str  # the name without time stamp, with `*` for the rank; of one that says no rank, without a `*`
    rank: int | None
    written_ns: int | None  # by its time stamp


def rank_name(name: str) -> RankName:
    """The name of a file, without the folder."""
    plain = without_ending(name)
    stamp = _TIME_STAMP.search(plain)
    template = plain if stamp is None else plain[: stamp.start()] + plain[stamp.end() :]
    written_ns = None if stamp is None else int(stamp[1].ljust(19, "0"))
    *_, rank = (None, *_RANK.finditer(template))
    if rank is None:
        return RankName(template, None, written_ns)
    return RankName(f"{template[: rank.start(3)]}*{template[rank.end(3) :]}", int(rank[3]), written_ns)


def host_in_name(name: str) -> str:
    """The host in a name that PyTorch gives by itself, `<host>_<process>.<time>.pt.trace.json`; none in others."""
    match = _HOST_AND_PROCESS.fullmatch(without_ending(name))
    return "" if match is None or _RANK.fullmatch(match[1]) else match[1]


def missing_ranks(present: Collection[int], world_size: int | None) -> str | None:
    """As in "6 of 8 ranks: 2 and 5 are missing"; None if none is.

    Without a world size those between 0 and the last rank: "6 of at least 8 ranks: 2 and 5 are missing".
    """
    least = "" if world_size is not None else "at least "
    world_size = max(present, default=-1) + 1 if world_size is None else world_size
    there = {rank for rank in present if rank < world_size}
    if len(there) == world_size:
        return None
    ranges = [str(first) if first == last else f"{first} to {last}" for first, last in _gaps(sorted(there), world_size)]
    more = len(ranges) - _NAMED
    if more > 0:
        ranges = [*ranges[:_NAMED], f"{more:,} more ranges" if more > 1 else "1 more range"]
    text = " and ".join((", ".join(ranges[:-1]), ranges[-1])) if len(ranges) > 1 else ranges[0]
    is_single = world_size - len(there) == 1
    return f"{len(there):,} of {least}{world_size:,} ranks: {text} {'is' if is_single else 'are'} missing"


def _gaps(there: Iterable[int], world_size: int) -> Iterable[tuple[int, int]]:
    """First and last of each stretch of ranks that are not there."""
    start = 0
    for rank in (*there, world_size):
        if rank > start:
            yield start, rank - 1
        start = rank + 1
