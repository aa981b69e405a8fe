"""The part of communication that passes on what one device has computed to the next: sends and receives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts import Busy, Work, WorkTrack
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.query import Interruptible, Name, QueryReader

_PASSES: Final = re.compile(r"(?i)send_?recv|(?:^|[^a-z])(?:i?send|i?recv|receive)(?:[^a-z]|$)")


def passing_shares(reader: QueryReader, lanes: Sequence[DeviceTime]) -> Interruptible[list[float]]:
    """Share of sends and receives in the communication of each device that nothing hides."""
    shares = []
    for lane in lanes:
        spans = lane.spans[TimePart.COMMUNICATION]
        kinds = yield from reader.names.numbers(_passes, unless=lane.device.tracks[0].kinds != Work.COMMUNICATION)
        ticks = 0
        if len(spans) and kinds.any():
            tracks = [WorkTrack(track.track, kinds) for track in (*lane.device.tracks, *lane.device.beside)]
            for piece in Busy(reader, tracks).pieces(spans):
                if piece is not None:
                    ticks += piece.of[0].any.joined(*(part.any for part in piece.of[1:])).ticks
                yield
        shares.append(ticks / spans.ticks if len(spans) and spans.ticks else 0.0)
    return shares


def _passes(name: Name) -> int:
    return Work.COMPUTATION if _PASSES.search(name.text) else Work.NONE


def mean_share(shares: Sequence[float]) -> float:
    """Mean of shares."""
    return float(np.mean(shares)) if shares else 0.0
