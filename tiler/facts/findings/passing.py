"""The part of communication that passes on what one device has computed to the next: sends and receives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import Busy, Work, WorkTrack
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.query import Interruptible, Name, QueryReader
from tilescope.tiler.query.run_caches import RunCache

# NCCL's kernels of exchanges are called as those of sends and receives: names on hosts tell them apart.
_EXCHANGES: Final = re.compile(r"(?i)all_?to_?all")
_CALLS_OF_PASSES: Final = re.compile(r"^(?:nccl|c10d|hccl):+(?:i?send|i?recv)\b")

# A name that these match has one of the first, in lower case, or of the second.
_EXCHANGE_WORDS: Final = ("alltoall", "all_toall", "allto_all", "all_to_all")
_LIBRARIES: Final = ("nccl:", "c10d:", "hccl:")

_EXCHANGE, _PASS = 1, 2

_PASSES: Final = re.compile(r"(?i)send_?recv|(?:^|[^a-z])(?:i?send|i?recv|receive)(?:[^a-z]|$)")


# Devices wait for what is passed on to them where it is more than that of their communication.
_MOST: Final = 0.5


def are_passing(reader: QueryReader, lanes: Sequence[DeviceTime]) -> Interruptible[bool]:
    """True if the communication of several devices that nothing hides is mostly sends and receives, not exchanges."""
    if len(lanes) < 2:
        return False
    shares = yield from passing_shares(reader, lanes)
    return float(np.mean(shares)) > _MOST and not (yield from _are_exchanges(reader))


def passing_shares(reader: QueryReader, lanes: Sequence[DeviceTime]) -> Interruptible[list[float]]:
    """Share of what is named a send or a receive in the communication of each device that nothing hides."""
    shares = []
    passes: dict[int, NDArray[np.uint8]] = {}  # devices of one sort share the kinds of names
    for lane in lanes:
        spans, work = lane.spans[TimePart.COMMUNICATION], lane.device.tracks[0].kinds
        if id(work) not in passes:
            passes[id(work)] = yield from reader.names.numbers(_passes, unless=work != Work.COMMUNICATION)
        kinds = passes[id(work)]
        ticks = 0
        if len(spans) and kinds.any():
            tracks = [WorkTrack(track.track, kinds) for track in (*lane.device.tracks, *lane.device.beside)]
            for piece in Busy(reader, tracks).pieces(spans):
                if piece is not None:
                    ticks += piece.of[0].any.joined(*(part.any for part in piece.of[1:])).ticks
                yield
        shares.append(ticks / spans.ticks if len(spans) and spans.ticks else 0.0)
    return shares


_ARE_EXCHANGES: Final = RunCache[bool]("exchanges", "Whether hosts call exchanges, and no sends and receives")


def _are_exchanges(reader: QueryReader) -> Interruptible[bool]:
    """True if hosts call exchanges of all, and neither sends nor receives."""
    are_exchanges = _ARE_EXCHANGES.get(reader)
    if are_exchanges is None:
        calls = yield from reader.names.page_numbers(_calls)
        are_exchanges = bool((calls == _EXCHANGE).any()) and not (calls == _PASS).any()
        _ARE_EXCHANGES.keep(reader, are_exchanges)
    return are_exchanges


def _passes(name: Name) -> int:
    return Work.COMPUTATION if _PASSES.search(name.text) else Work.NONE


def _calls(names: Sequence[Name]) -> list[int]:
    """The kind of each call on a host; of most names the words alone tell that none is there."""
    texts = "\n".join(name.text for name in names)
    lower = texts.lower()
    if not any(word in lower for word in _EXCHANGE_WORDS) and not any(word in texts for word in _LIBRARIES):
        return [0] * len(names)
    return list(map(_call, names))


def _call(name: Name) -> int:
    if _CALLS_OF_PASSES.search(name.text):
        return _PASS
    return _EXCHANGE if _EXCHANGES.search(name.text) else 0
