"""Annotations of threads whose Python frames were recorded too, as PyTorch does `with_stack`.

Such an annotation, `ProfilerStep#5` or a `record_function`, begins in the frames that enter it and ends in those that
leave it: it overlaps them partly, and would be drawn below all of them. So it goes to a track above its thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import Phase, RowMove
from tilescope.tiler.readers.trace_event.entries import ON_HOST, Entries, JsonTrack, Role

LABEL: Final = "annotations"

_ANNOTATIONS: Final = "user_annotation"
_FRAMES: Final = "python_function"


def crossing_annotations(entries: Entries, categories: Sequence[str]) -> list[RowMove]:
    """The annotations of each thread, if they turn out to overlap frames partly. A track is added for each, behind all.

    `categories`: of the names of events.
    """
    annotations, frames = (_of_category(categories, category) for category in (_ANNOTATIONS, _FRAMES))
    moves: list[RowMove] = []
    if not annotations.any() or not frames.any():
        return moves
    for number, track in enumerate(list(entries.tracks)):
        if track.role == Role.THREAD_SLICES and track.thread >= 0 and track.sides & ON_HOST and not track.label:
            moves.append(RowMove(number, len(entries.tracks), Phase.COMPLETE, annotations, frames))
            entries.tracks.append(JsonTrack(track.role, track.process, track.thread, LABEL, "", ""))
    return moves


def _of_category(categories: Sequence[str], wanted: str) -> NDArray[np.bool_]:
    return np.array([*(category == wanted for category in categories), False], np.bool_)
