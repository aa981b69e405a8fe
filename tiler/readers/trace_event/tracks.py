"""Names and order of the processes and tracks of a trace-event file, once all of its metadata is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tilescope.tiler import _native
from tilescope.tiler.columns import Process, RowMove, Track, TrackKind
from tilescope.tiler.device_lines import DEVICE_PREFIX, is_device_label, line_rank
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.namesakes import tell_apart
from tilescope.tiler.readers.trace_event.ascend_streams import ascend_streams
from tilescope.tiler.readers.trace_event.crossing_annotations import LABEL as ANNOTATIONS
from tilescope.tiler.readers.trace_event.crossing_annotations import crossing_annotations
from tilescope.tiler.readers.trace_event.entries import ON_DEVICE, Entries, IdKind, JsonProcess, JsonTrack, Role
from tilescope.tiler.readers.trace_event.input_waits import input_waits
from tilescope.tiler.readers.trace_event.mindspore_names import name_mindspore
from tilescope.tiler.readers.trace_event.origins import labels, origin
from tilescope.tiler.readers.trace_event.process_hosts import place_on_hosts
from tilescope.tiler.readers.trace_event.shared_pids import split_shared_pids

GLOBAL_PROCESS = "Global instants"
INSTANTS = "instants"
NO_CATEGORY = "[no category]"

_NO_PROCESS = -1  # of global instants

_ABOVE_THREAD = -1  # in place of a role

_KINETO_THREAD = re.compile(r"thread (-?[0-9]+) \((.+)\)", re.DOTALL)

_NO_HOSTS: Final[Mapping[str, str]] = MappingProxyType({})

_Natural = list[tuple[int, str]]


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
    """`processes`, `tracks` and `labels` of the summary.

    Tracks are numbered as in the chunks, their screen order is a rank.

    `streams`: by track, the stream of an Ascend device; None where the file is of no such device.

    `waits`: for input, which such a file draws in a wrong place.

    `moves`: the rows of the chunks that are of other tracks, which are numbered behind those of the chunks.
    """

    def __init__(
        self,
        stream: _native.TraceEventStream,
        file_name: str = "",
        event_names: Sequence[str] = (),
        hosts: Mapping[str, str] = _NO_HOSTS,
        categories: Sequence[str] = (),
    ) -> None:
        """`event_names` and their `categories`: of the whole file; none while it is being read.

        `hosts`: of processes, by pid.
        """
        self._entries = Entries(stream)
        place_on_hosts(self._entries, hosts)
        name_mindspore(self._entries, file_name)
        self.labels = list(labels(self._entries))
        self.moves: list[RowMove] = split_shared_pids(self._entries, stream)
        entries = self._entries
        self.waits = input_waits(entries, event_names)
        self.streams = ascend_streams(entries)
        if self.streams is None:
            self.moves += crossing_annotations(entries, categories)
        used = {track.process for track in entries.tracks}  # metadata names processes that have no events, too
        numbers = [number for number in range(len(entries.processes)) if number in used]
        self.processes = _processes([entries.processes[number] for number in numbers])
        self._place_of_process = {number: place for place, number in enumerate(numbers)}
        if _NO_PROCESS in used:
            self._place_of_process[_NO_PROCESS] = len(self.processes)
            self.processes.append(Process(GLOBAL_PROCESS, sort_index=len(self.processes), host=hosts.get("", "")))
        self._main_threads = _main_threads(entries)
        self._thread_names = self._name_threads()
        self._series_of_counter = self._count_series()
        self._counter_names = self._name_counters()
        ranks = self._ranks()
        self.tracks = [self._track(number, rank) for number, rank in enumerate(ranks)]

    def _name_threads(self) -> list[str]:
        """Names of all threads. The id of one without a name is its name, unless it is a handle cut to 32 bits."""
        shown = {track.thread for track in self._entries.tracks}
        names, scopes = [], []
        for number, thread in enumerate(self._entries.threads):
            name = _thread_name(_last(thread.names), thread.tid)
            has_id = not name and thread.id_kind == IdKind.INTEGER and not thread.tid.startswith("-")
            names.append(
                f"Thread {thread.tid}"
                if has_id
                else name or (thread.tid if thread.id_kind == IdKind.TEXT else "Thread")
            )
            scopes.append((thread.process, -1) if number in shown and not has_id else (thread.process, number))
        return tell_apart(names, [thread.tid for thread in self._entries.threads], scopes)

    def _count_series(self) -> Counter[tuple[int, str, str]]:
        """Number of series of each counter, by (process, name, id)."""
        return Counter(
            (track.process, track.label, track.counter_id)
            for track in self._entries.tracks
            if track.role == Role.COUNTER
        )

    def _name_counters(self) -> dict[int, str]:
        """Names of the tracks that are counters."""
        counters = {n: track for n, track in enumerate(self._entries.tracks) if track.role == Role.COUNTER}
        names = [self._counter_name(track) for track in counters.values()]
        ids = [track.counter_id for track in counters.values()]
        processes = [track.process for track in counters.values()]
        return dict(zip(counters, tell_apart(names, ids, processes), strict=True))

    def _ranks(self) -> list[int]:
        """The place of each track in the screen order."""
        ranks = [0] * len(self._entries.tracks)
        for rank, number in enumerate(sorted(range(len(ranks)), key=self._rank_key)):
            ranks[number] = rank
        return ranks

    def _rank_key(self, number: int) -> tuple[int, int, bool, int, _Natural, int, int, int]:
        track = self._entries.tracks[number]
        section = _SECTIONS[Role(track.role)]
        if track.thread < 0:
            name = self._counter_names.get(number, track.label)
            return (section, 0, False, 0, natural_key(name), track.role, number, 0)
        sort_index = self._entries.threads[track.thread].sort_index or 0
        name = self._thread_names[track.thread]
        rank = line_rank(name) if self.processes[self._place_of_process[track.process]].is_device else 0
        is_other = track.thread not in self._main_threads
        role = _ABOVE_THREAD if track.label == ANNOTATIONS else track.role
        return (section, sort_index, is_other, rank, natural_key(name), track.thread, role, number)

    def _track(self, number: int, rank: int) -> Track:
        track = self._entries.tracks[number]
        role = Role(track.role)
        name, detail = track.label or NO_CATEGORY, ""
        if track.thread >= 0:
            thread = self._entries.threads[track.thread]
            name = self._thread_names[track.thread]
            is_named = bool(thread.names) or name != f"Thread {thread.tid}"
            detail = _id_detail("tid", thread.id_kind, thread.tid) if is_named else ""
            if role is Role.THREAD_SLICES and track.label:
                name = f"{name} · {track.label}"
        elif role is Role.COUNTER:
            name = self._counter_names[number]
            detail = f"id {track.counter_id}" if track.counter_id else ""
        elif role in (Role.PROCESS_INSTANTS, Role.GLOBAL_INSTANTS):
            name = INSTANTS
        if role in (Role.THREAD_INSTANTS, Role.ASYNC_INSTANTS):
            name = f"{name} · {INSTANTS}"
        return Track(
            process=self._place_of_process[track.process],
            kind=_KINDS[role],
            name=name,
            detail=detail,
            sort_index=rank,
            origin=origin(self._entries, track),
        )

    def _counter_name(self, track: JsonTrack) -> str:
        single = self._series_of_counter[track.process, track.label, track.counter_id] == 1
        is_alone = single and track.series in ("value", track.label, "")
        return track.label if is_alone else f"{track.label} · {track.series}"


def _main_threads(entries: Entries) -> set[int]:
    """Threads that stand first: their tid is the pid.

    Not where the process sorts its threads itself, nor where the tid is that of threads of other processes, too:
    then it is a number that writers count from 0 or 1, and the pid is equal by accident.
    """
    of_devices = {track.thread for track in entries.tracks if track.sides & ON_DEVICE}
    of_devices |= {
        number for number, thread in enumerate(entries.threads) if _is_device(entries.processes[thread.process])
    }
    threads = [(number, thread) for number, thread in enumerate(entries.threads) if number not in of_devices]
    used = Counter((thread.id_kind, thread.tid) for _, thread in threads)
    sorting = {thread.process for thread in entries.threads if thread.sort_index is not None}
    return {
        number
        for number, thread in threads
        if thread.tid == entries.processes[thread.process].pid
        and used[thread.id_kind, thread.tid] == 1
        and thread.process not in sorting
    }


def _is_device(process: JsonProcess) -> bool:
    return process.is_device or is_device_label(_last(process.labels))


def _processes(entries: Sequence[JsonProcess]) -> list[Process]:
    """Processes as the file describes them; their order on the screen is a rank."""
    names = [_process_name(entry) for entry in entries]
    order = sorted(range(len(entries)), key=lambda k: _process_rank(entries[k], k))
    ranks = {number: rank for rank, number in enumerate(order)}
    shown = tell_apart(names, [entry.pid for entry in entries], [entry.host for entry in entries])
    return [
        Process(name, _process_detail(base, entry), ranks[number], DEVICE_PREFIX in base, entry.host)
        for number, (name, base, entry) in enumerate(zip(shown, names, entries, strict=True))
    ]


def _process_rank(entry: JsonProcess, number: int) -> tuple[int, int, _Natural, int]:
    return (entry.sort_indices[-1] if entry.sort_indices else 0, entry.id_kind, natural_key(entry.pid), number)


def _process_name(entry: JsonProcess) -> str:
    label = _last(entry.labels)
    if is_device_label(label):
        return label
    name = _last(entry.names).strip()
    return name or (f"Process {entry.pid}" if entry.id_kind == IdKind.INTEGER else entry.pid or "Process")


def _process_detail(shown: str, entry: JsonProcess) -> str:
    """Details that the name lacks: the name of the process, if it is called after its label; its pid; its labels."""
    name, labels = _last(entry.names).strip(), _last(entry.labels)
    # A pid that is text may be the name itself.
    is_named = entry.pid != shown and (bool(name) or labels == shown or entry.id_kind != IdKind.INTEGER)
    parts = [name, _id_detail("pid", entry.id_kind, entry.pid) if is_named else "", labels]
    return " · ".join(part for part in parts if part and part != shown)


def _last(texts: Sequence[str]) -> str:
    """The one that counts; empty where there is none."""
    return texts[-1] if texts else ""


def _thread_name(name: str, tid: str) -> str:
    """The name as people know it; empty where there is none. PyTorch writes `thread 7 (pt_autograd_0)`."""
    match = _KINETO_THREAD.fullmatch(name.strip())
    return match[2] if match is not None and match[1] == tid else name.strip()


def _id_detail(what: str, id_kind: int, text: str) -> str:
    return f"no {what}" if id_kind == IdKind.ABSENT else f"{what} {text}"
