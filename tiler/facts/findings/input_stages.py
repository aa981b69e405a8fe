"""Stages of input and output that take longest, where other threads do the work than those that wait for it."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tilescope.tiler.facts.findings.blame import Culprit, IdleBlame
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import segments_of_track
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import Windows

# Whoever takes a batch from a queue waits for those that fill it, and names no stage.
_WAITS: Final = re.compile(
    r"\bpoll\b|\bacquire\b|\bwait\b|\bselect\b|\brecv\b|queues?\.py|_next_data|Prefetch$|::Prefetch|Queue::|\bget\b"
)
_TAKES: Final = re.compile(r"Prefetch$")


def waits_for_others(text: str) -> bool:
    """True of names of slices that only wait until a batch is there."""
    is_stage = text.startswith("Iterator::")
    return bool((_TAKES if is_stage else _WAITS).search(text))


def stages(reader: QueryReader, threads: HostThreads, kind: HostKind, windows: Windows) -> Interruptible[IdleBlame]:
    """Own time of slices of a kind in some windows, on all threads of a host, but for waits. Raises DamagedStore."""
    blame = IdleBlame()
    has_name = threads.kinds == kind
    for track in threads.tracks:
        histogram = reader.whole_histogram(track)
        if histogram is not None and not histogram.has_other_names and not has_name[histogram.name + 1].any():
            continue
        segments = yield from segments_of_track(reader, track, threads.kinds, windows)
        segments = segments.take(segments.kind == kind)
        start, stop = np.maximum(segments.start, windows.start), np.minimum(segments.stop, windows.stop)
        for name in np.unique(segments.name).tolist():
            if waits_for_others(reader.names[name].text):
                continue
            which = np.flatnonzero((segments.name == name) & (stop > start))
            if not len(which):
                continue
            longest = which[int(np.argmax(stop[which] - start[which]))]
            culprit = Culprit(track, int(segments.holder[longest]), name)
            ticks = int((stop[which] - start[which]).sum())
            blame.add(culprit, ticks, int(start[longest]), int(stop[longest]))
    return blame
