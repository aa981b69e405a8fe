"""Directions of copies, by the names of operations and of copies on streams."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.query import Interruptible, Name, QueryReader

Kinds = NDArray[np.uint8]

_TO_DEVICE: Final = re.compile(r"(?i)htod|h2d|host.?to.?device|pinned.?to.?device|pageable.?to.?device")
_TO_HOST: Final = re.compile(r"(?i)dtoh|d2h|device.?to.?host|device.?to.?(?:pinned|pageable)")
_INFEED: Final = re.compile(r"^infeed\b")
_OUTFEED: Final = re.compile(r"^outfeed\b")


def directed_kinds(reader: QueryReader, kinds: Kinds, *, has_streams: bool) -> Interruptible[Kinds]:
    """Kinds of work of names, that without one first, with copies told apart. Raises DamagedStore."""
    are_copies = kinds == Work.COPY
    if not are_copies.any():
        return kinds
    directions = yield from reader.names.numbers(_of_stream if has_streams else _of_feed, unless=~are_copies)
    return np.where(are_copies, directions.astype(kinds.dtype), kinds)


def _of_stream(name: Name) -> int:
    if _TO_DEVICE.search(name.text):
        return Work.TO_DEVICE
    return Work.TO_HOST if _TO_HOST.search(name.text) else Work.COPY


def _of_feed(name: Name) -> int:
    if _INFEED.search(name.text):
        return Work.INFEED
    return Work.OUTFEED if _OUTFEED.search(name.text) else Work.COPY
