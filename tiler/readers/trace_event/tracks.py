"""Names and order of the processes and tracks of a trace-event file, once all of its metadata is known."""

from __future__ import annotations

from enum import IntEnum

from tilescope.tiler import _native
from tilescope.tiler.columns import Process, Track, TrackKind

GLOBAL_PROCESS = "Global instants"
INSTANTS = "instants"
NO_CATEGORY = "[no category]"

_NO_PROCESS = -1  # of global instants


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
        used = {track[1] for track in self._native_tracks}  # metadata names processes that have no events, too
        entries = [(number, _process(*entry)) for number, entry in enumerate(stream.processes()) if number in used]
        if _NO_PROCESS in used:
            before_all = min((process.sort_index for _, process in entries), default=0) - 1
            entries.append((_NO_PROCESS, Process(GLOBAL_PROCESS, sort_index=before_all)))
        self.processes = [process for _, process in entries]
        self._place_of_process = {number: place for place, (number, _) in enumerate(entries)}
        self._series_of_counter = self._count_series()
        ranks = self._ranks()
        self.tracks = [self._track(number, rank) for number, rank in enumerate(ranks)]

    def _count_series(self) -> dict[tuple[int, str, str], int]:
        """How many series each counter has, by (process, name, id)."""
        counted: dict[tuple[int, str, str], int] = {}
        for role, process, _, name, counter_id, _ in self._native_tracks:
            if role == Role.COUNTER:
                key = (process, name, counter_id)
                counted[key] = counted.get(key, 0) + 1
        return counted

    def _ranks(self) -> list[int]:
        """The place of each track in the screen order; equal keys keep the order of appearance."""

        def key(number: int) -> tuple[int, int, int, str, int]:
            role, _, thread, label, _, _ = self._native_tracks[number]
            section = _SECTIONS[Role(role)]
            if thread >= 0:
                return (section, self._threads[thread][4], thread, "", role)
            return (section, 0, 0, label if section == _SECTIONS[Role.ASYNC_SLICES] else "", role)

        ranks = [0] * len(self._native_tracks)
        for rank, number in enumerate(sorted(range(len(ranks)), key=key)):
            ranks[number] = rank
        return ranks

    def _track(self, number: int, rank: int) -> Track:
        native_role, process, thread, label, counter_id, series = self._native_tracks[number]
        role = Role(native_role)
        name, detail = label or NO_CATEGORY, ""
        if thread >= 0:
            _, id_kind, tid, thread_name, _ = self._threads[thread]
            name = thread_name or (f"Thread {tid}" if id_kind == _Id.INTEGER else tid or "Thread")
            detail = _id_detail("tid", id_kind, tid)
        elif role is Role.COUNTER:
            name = self._counter_name(process, label, counter_id, series)
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


def _process(id_kind: int, pid: str, name: str, labels: str, sort_index: int) -> Process:
    unnamed = f"pid {pid}" if id_kind == _Id.INTEGER else pid or "Process"
    detail = _id_detail("pid", id_kind, pid)
    return Process(name or unnamed, f"{detail} · {labels}" if labels else detail, sort_index)


def _id_detail(what: str, id_kind: int, text: str) -> str:
    return f"no {what}" if id_kind == _Id.ABSENT else f"{what} {text}"
