"""Kinds of frames among the slices of a host's threads: operators, modules, annotations, functions of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.query import SLICE_KINDS, Interruptible, Name, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

Mask = NDArray[np.bool_]

# Categories of operators by age of PyTorch's profiler. The older has what users mark, too: "Optimizer.step#SGD.step".
_OPERATOR: Final = "cpu_op"
_OLD_OPERATOR: Final = "operator"
_PYTHON: Final = "python_function"
_MODULE: Final = "nn.Module: "
# By PyTorch, by NVTX and by ROCTX.
_ANNOTATIONS: Final = frozenset({"user_annotation", "nvtx", "roctx"})


@dataclass(frozen=True, slots=True)
class StackFrameKind:
    """One kind; `matches` tells by the name of a slice, which has its category."""

    id: str
    matches: Callable[[Name], bool]


def is_operator(text: str, category: str) -> bool:
    """True for a slice of a host that is an operator of PyTorch."""
    kind = category.casefold()
    return bool(text) and (kind == _OPERATOR or (kind == _OLD_OPERATOR and "#" not in text))


def is_python_frame(category: str) -> bool:
    """True for slices of a host that are frames of Python as PyTorch records them, modules among them."""
    return category == _PYTHON


OPERATORS: Final = StackFrameKind("operators", lambda name: is_operator(name.text, name.category))
MODULES: Final = StackFrameKind("modules", lambda name: name.category == _PYTHON and name.text.startswith(_MODULE))
ANNOTATIONS: Final = StackFrameKind("annotations", lambda name: name.category in _ANNOTATIONS)
FUNCTIONS: Final = StackFrameKind(
    "functions", lambda name: name.category == _PYTHON and not name.text.startswith(_MODULE)
)
PYTHON_FRAMES: Final = StackFrameKind("python_frames", lambda name: is_python_frame(name.category))
ALL: Final = StackFrameKind("all", lambda name: True)


def short_module(text: str) -> str:
    """Name of a module without what all of them begin with: "Linear_3"."""
    return text.removeprefix(_MODULE)


_MASKS: Final = KeyedRunCache[str, NDArray[np.uint8]]("frame_names", "Names of frames, by kind")
_THREADS: Final = KeyedRunCache[str, list[int]]("frame_threads", "Threads that have frames, by kind")


def frame_names(reader: QueryReader, kind: StackFrameKind) -> Interruptible[Mask]:
    """Mask of names of frames of a kind, that of events without one first. Raises DamagedStore."""
    mask = _MASKS.get(reader, kind.id)
    if mask is None:
        mask = yield from reader.names.numbers(lambda name: int(kind.matches(name)))
        _MASKS.keep(reader, kind.id, mask)
    names: Mask = mask != 0
    return names


def frame_threads(reader: QueryReader, kind: StackFrameKind) -> Interruptible[list[int]]:
    """The tracks that have frames of a kind. Raises DamagedStore."""
    threads = _THREADS.get(reader, kind.id)
    if threads is None:
        is_frame = yield from frame_names(reader, kind)
        threads = []
        for track in reader.tree.leaves(None) if is_frame.any() else ():
            entry = reader.tree.tracks[track]
            if entry.kind in SLICE_KINDS and entry.events != 0 and _may_have(reader, track, is_frame):
                threads.append(track)
            yield
        _THREADS.keep(reader, kind.id, threads)
    return threads


def _may_have(reader: QueryReader, track: int, is_wanted: Mask) -> bool:
    """False where no slice of a track has one of these names; that of events without one is the first."""
    try:
        whole = reader.whole_histogram(track)
    except NotBuilt:
        return False
    return whole is None or whole.has_other_names or bool(is_wanted[whole.name + 1].any())
