"""Ids of processes and threads as the file has them, and the metadata events that name and order these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from tilescope.tiler.columns import Identity, Label, TrackOrigin
from tilescope.tiler.readers.trace_event.entries import Entries, IdKind, JsonProcess, JsonThread, JsonTrack, Role

_PHASES: Final = {
    Role.THREAD_SLICES: "X",
    Role.THREAD_INSTANTS: "i",
    Role.THREAD_FLOWS: "s",
    Role.PROCESS_INSTANTS: "i",
    Role.GLOBAL_INSTANTS: "i",
    Role.ASYNC_SLICES: "b",
    Role.ASYNC_INSTANTS: "n",
    Role.COUNTER: "C",
}

_LARGEST: Final = (1 << 63) - 1  # of integers that stay numbers in every record


def labels(entries: Entries) -> Iterator[Label]:
    """Labels of all processes and threads, before pids that stand for two things are split."""
    pids = [_pid(process) for process in entries.processes]
    for pid, process in zip(pids, entries.processes, strict=True):
        yield from (Label("process_name", pid, None, name) for name in process.names)
        yield from (Label("process_labels", pid, None, label) for label in process.labels)
        yield from (Label("process_sort_index", pid, None, index) for index in process.sort_indices)
    for thread in entries.threads:
        pid, tid = pids[thread.process], _tid(thread)
        yield from (Label("thread_name", pid, tid, name) for name in thread.names)
        if thread.sort_index is not None:
            yield Label("thread_sort_index", pid, tid, thread.sort_index)


def origin(entries: Entries, track: JsonTrack) -> TrackOrigin:
    """Origin of the events of a track."""
    role = Role(track.role)
    pid = _pid(entries.processes[track.process]) if track.process >= 0 else None
    tid = _tid(entries.threads[track.thread]) if track.thread >= 0 else None
    if role is not Role.COUNTER:
        return TrackOrigin(pid, tid, _PHASES[role])
    return TrackOrigin(pid, tid, _PHASES[role], track.label, track.counter_id, track.series)


def _pid(process: JsonProcess) -> Identity:
    return _identity(process.id_kind, process.pid, is_string=process.is_string)


def _tid(thread: JsonThread) -> Identity:
    return _identity(thread.id_kind, thread.tid, is_string=thread.is_string)


def _identity(kind: int, text: str, *, is_string: bool) -> Identity:
    if kind == IdKind.ABSENT:
        return None
    if is_string:
        return text
    try:
        number = json.loads(text)
    except ValueError:  # a word
        return text
    if isinstance(number, bool) or not isinstance(number, int | float) or abs(number) > _LARGEST:
        return text
    return number
