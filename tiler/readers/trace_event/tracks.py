"""Names and order of the processes and tracks of a trace-event file, once all of its metadata is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from tilescope.tiler import _native
from tilescope.tiler.columns import Process, Track, TrackKind
from tilescope.tiler.device_lines import DEVICE_PREFIX, line_rank
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.namesakes import tell_apart

GLOBAL_PROCESS = "Global instants"
INSTANTS = "instants"
NO_CATEGORY = "[no category]"

_NO_PROCESS = -1  # of global instants

# What PyTorch labels the processes with that stand for its devices: the label is how people call them.
_DEVICE_LABEL = re.compile(r"[A-Z]{2,8} [0-9]+")
_KINETO_THREAD = re.compile(r"thread (-?[0-9]+) \((.+)\)", re.DOTALL)

_Natural = list[tuple[int, str]]


class Role(IntEnum):
    """What a track shows: `TrackRole` of tiler/native/trace_event/tracks.hpp."""

    THREAD_SLICES = 0
    THREAD_INSTANTS = 1
    THREAD_FLOWS = 2
    PROCESS_INSTANTS = 3
    GLOBAL_INSTANTS = 4
    ASYNC_SLICES = 5
    ASYNC_INSTANTS = 6
    COUNTER = 7


class _Id(IntEnum):
    """What a pid or tid is: `Identity::Kind`."""

    ABSENT = 0
    INTEGER = 1
    TEXT = 2


_KINDS = {
    Role.THREAD_SLICES: TrackKind.SLICE,
    Role.THREAD_INSTANTS: TrackKind.INSTANT,
    Role.THREAD_FLOWS: TrackKind.FLOW,
    Role.PROCESS_INSTANTS: TrackKind.INSTANT,
    Role.GLOBAL_INSTANTS: TrackKind.INSTANT,
    Role.ASYNC_SLICES: TrackKind.ASYNC,
    Role.ASYNC_INSTANTS: TrackKind.INSTANT,
    Role.COUNTER: TrackKind.COUNTER,
}
# On screen: instants of the process, then thread by thread slices, instants and flows, then async groups and counters.
_SECTIONS = {
    Role.PROCESS_INSTANTS: 0,
    Role.GLOBAL_INSTANTS: 0,
    Role.THREAD_SLICES: 1,
    Role.THREAD_INSTANTS: 1,
    Role.THREAD_FLOWS: 1,
    Role.ASYNC_SLICES: 2,
    Role.ASYNC_INSTANTS: 2,
    Role.COUNTER: 3,
}


class TrackNames:
    """`processes` and `tracks` of the summary. Tracks are numbered as in the chunks, their screen order is a rank."""

    def __init__(self, stream: _native.TraceEventStream) -> None:
        self._threads = stream.threads()
        self._native_tracks = stream.tracks()
        native_processes = stream.processes()
        used = {track[1] for track in self._native_tracks}  # metadata names processes that have no events, too
        numbers = [number for number in range(len(native_processes)) if number in used]
        self.processes = _processes([native_processes[number] for number in numbers])
        self._place_of_process = {number: place for place, number in enumerate(numbers)}
        self._main_thread = [native_processes[number][1] for number in numbers]
        if _NO_PROCESS in used:
            self._place_of_process[_NO_PROCESS] = len(self.processes)
            self._main_thread.append("")
            self.processes.append(Process(GLOBAL_PROCESS, sort_index=len(self.processes)))
        self._thread_names = self._name_threads()
        self._series_of_counter = self._count_series()
        self._counter_names = self._name_counters()
        ranks = self._ranks()
        self.tracks = [self._track(number, rank) for number, rank in enumerate(ranks)]

    def _name_threads(self) -> list[str]:
        """Names of all threads. The id of one without a name is its name, unless it is a handle cut to 32 bits."""
        shown = {track[2] for track in self._native_tracks}
        names, scopes = [], []
        for number, (process, id_kind, tid, thread_name, _) in enumerate(self._threads):
            name = _thread_name(thread_name, tid)
            has_id = not name and id_kind == _Id.INTEGER and not tid.startswith("-")
            names.append(f"Thread {tid}" if has_id else name or (tid if id_kind == _Id.TEXT else "Thread"))
            scopes.append((process, -1) if number in shown and not has_id else (process, number))
        return tell_apart(names, [tid for _, _, tid, _, _ in self._threads], scopes)

    def _count_series(self) -> dict[tuple[int, str, str], int]:
        """How many series each counter has, by (process, name, id)."""
        counted: dict[tuple[int, str, str], int] = {}
        for role, process, _, name, counter_id, _ in self._native_tracks:
            if role == Role.COUNTER:
                key = (process, name, counter_id)
                counted[key] = counted.get(key, 0) + 1
        return counted

    def _name_counters(self) -> dict[int, str]:
        """Names of the tracks that are counters."""
        numbers = [number for number, track in enumerate(self._native_tracks) if track[0] == Role.COUNTER]
        names, ids, processes = [], [], []
        for number in numbers:
            _, process, _, label, counter_id, series = self._native_tracks[number]
            names.append(self._counter_name(process, label, counter_id, series))
            ids.append(counter_id)
            processes.append(process)
        return dict(zip(numbers, tell_apart(names, ids, processes), strict=True))

    def _ranks(self) -> list[int]:
        """The place of each track in the screen order."""
        ranks = [0] * len(self._native_tracks)
        for rank, number in enumerate(sorted(range(len(ranks)), key=self._rank_key)):
            ranks[number] = rank
        return ranks

    def _rank_key(self, number: int) -> tuple[int, int, bool, int, _Natural, int, int, int]:
        role, process, thread, label, _, _ = self._native_tracks[number]
        section = _SECTIONS[Role(role)]
        if thread < 0:
            name = self._counter_names.get(number, label)
            return (section, 0, False, 0, natural_key(name), role, number, 0)
        place = self._place_of_process[process]
        _, _, tid, _, sort_index = self._threads[thread]
        name = self._thread_names[thread]
        rank = line_rank(name) if self.processes[place].is_device else 0
        is_other = tid != self._main_thread[place]
        return (section, sort_index, is_other, rank, natural_key(name), thread, role, number)

    def _track(self, number: int, rank: int) -> Track:
        native_role, process, thread, label, counter_id, _ = self._native_tracks[number]
        role = Role(native_role)
        name, detail = label or NO_CATEGORY, ""
        if thread >= 0:
            _, id_kind, tid, thread_name, _ = self._threads[thread]
            name = self._thread_names[thread]
            detail = "" if name == f"Thread {tid}" and not thread_name else _id_detail("tid", id_kind, tid)
        elif role is Role.COUNTER:
            name = self._counter_names[number]
            detail = f"id {counter_id}" if counter_id else ""
        elif role in (Role.PROCESS_INSTANTS, Role.GLOBAL_INSTANTS):
            name = INSTANTS
        if role in (Role.THREAD_INSTANTS, Role.ASYNC_INSTANTS):
            name = f"{name} · {INSTANTS}"
        return Track(
            process=self._place_of_process[process],
            kind=_KINDS[role],
            name=name,
            detail=detail,
            sort_index=rank,
        )

    def _counter_name(self, process: int, name: str, counter_id: str, series: str) -> str:
        single = self._series_of_counter[process, name, counter_id] == 1
        return name if single and series in ("value", name, "") else f"{name} · {series}"


def _processes(natives: Sequence[tuple[int, str, str, str, int]]) -> list[Process]:
    """Of processes as the file describes them; their order on the screen is a rank."""
    names = [_process_name(*native) for native in natives]
    ids = [pid for _, pid, *_ in natives]
    order = sorted(range(len(natives)), key=lambda k: (natives[k][4], natives[k][0], natural_key(ids[k]), k))
    ranks = {number: rank for rank, number in enumerate(order)}
    return [
        Process(name, _process_detail(base, *native), ranks[number], is_device=DEVICE_PREFIX in base)
        for number, (name, base, native) in enumerate(
            zip(tell_apart(names, ids, [0] * len(names)), names, natives, strict=True)
        )
    ]


def _process_name(id_kind: int, pid: str, name: str, labels: str, _: int) -> str:
    if _DEVICE_LABEL.fullmatch(labels):
        return labels
    return name.strip() or (f"Process {pid}" if id_kind == _Id.INTEGER else pid or "Process")


def _process_detail(shown: str, id_kind: int, pid: str, name: str, labels: str, _: int) -> str:
    """What the name does not say: the name of the process, if it is called after its label; its pid; its labels."""
    is_named = bool(name.strip()) or labels == shown or id_kind != _Id.INTEGER
    parts = [name.strip(), _id_detail("pid", id_kind, pid) if is_named else "", labels]
    return " · ".join(part for part in parts if part and part != shown)


def _thread_name(name: str, tid: str) -> str:
    """The name as people know it; empty where there is none. PyTorch writes `thread 7 (pt_autograd_0)`."""
    found = _KINETO_THREAD.fullmatch(name.strip())
    return found[2] if found is not None and found[1] == tid else name.strip()


def _id_detail(what: str, id_kind: int, text: str) -> str:
    return f"no {what}" if id_kind == _Id.ABSENT else f"{what} {text}"
