"""What the compiled module offers, one section per bind_*.cpp."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# bind_pairing.cpp

def pair_slices(
    time: NDArray[np.int64],
    duration: NDArray[np.int64],
    phase: NDArray[np.uint8],
    name: NDArray[np.int32],
    key: NDArray[np.int64] | None,
    trace_end: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.uint8],
    int,
    int,
    int,
]: ...
def async_homes(
    group: NDArray[np.int64],
    time_ns: NDArray[np.int64],
    time_ps: NDArray[np.int64],
    key: NDArray[np.int64],
    phase: NDArray[np.uint8],
    keys: int,
) -> NDArray[np.int64]: ...
def join_flows(
    phase: NDArray[np.uint8], tick: NDArray[np.int64], key: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int, int, int]: ...

class InnermostSlices:
    def __init__(self, start: NDArray[np.int64], duration: NDArray[np.int64]) -> None: ...
    def of(self, time: NDArray[np.int64]) -> NDArray[np.int64]: ...

# bind_xspace.cpp

class WireError(ValueError): ...
class LimitReached(ValueError): ...

class XSpaceLine:
    plane: int
    id: int
    timestamp_ns: int
    name: str
    display_name: str
    events: int
    out_of_range: int
    flow_ends: int
    first_ps: int
    end_ns: int
    end_ps: int
    any_ps: bool

class XSpacePlane:
    name: str
    stats: list[bytes]
    stat_names: dict[int, str]

class XSpaceMetadata:
    plane: int
    id: int
    name_index: int  # -1: no event uses it
    name: str
    display_name: str
    stats: bytes

class XSpaceApart:
    plane: int
    metadata_id: int
    name: str
    is_hlo: bool
    begin: int
    end: int

class XSpacePlaneStats:
    def next(self, max_bytes: int) -> bytes: ...

class XSpaceLineSurvey:
    def advance(self, stop: int) -> bool: ...
    @property
    def position(self) -> int: ...

class XSpaceLineEvents:
    def next(self, max_rows: int, max_args_bytes: int) -> dict[str, Any] | None: ...
    @property
    def position(self) -> int: ...

class XSpaceFile:
    def __init__(self, buffer: NDArray[np.uint8], room: int, per_plane: int, per_line: int, per_name: int) -> None: ...
    def read_outline(self, stop: int) -> bool: ...
    def planes(self) -> list[XSpacePlane]: ...
    def errors(self) -> list[str]: ...
    def warnings(self) -> list[str]: ...
    def hostnames(self) -> list[str]: ...
    def cut(self) -> tuple[str, int, int] | None: ...
    def line_ranges(self) -> list[tuple[int, int]]: ...
    def survey(self, line: int) -> XSpaceLineSurvey: ...
    def surveyed(self, line: int, survey: XSpaceLineSurvey) -> int: ...
    def settle(self, line: int, start_ns: int) -> None: ...
    def line(self, line: int) -> XSpaceLine: ...
    def activity(self, line: int) -> tuple[int, int, NDArray[np.int64]]: ...
    def seal(self) -> None: ...
    def events(self, line: int) -> XSpaceLineEvents: ...
    def names(self) -> list[str]: ...
    @property
    def metadata_count(self) -> int: ...
    def metadata_columns(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...  # plane, name index
    def metadata(self, first: int, count: int) -> list[XSpaceMetadata]: ...
    def apart(self, limit: int) -> tuple[list[XSpaceApart], int]: ...  # and how many more there are
    def plane_stats_bytes(self, plane: int) -> int: ...  # 0: it has none
    def plane_stats(self, plane: int) -> XSpacePlaneStats: ...
    @property
    def outline_position(self) -> int: ...

def integer_stats(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], rows: NDArray[np.int64], ids: list[int], absent: int
) -> NDArray[np.int64]: ...

# bind_map_guard.cpp

class GuardedMap:
    def __init__(self, map: NDArray[np.uint8]) -> None: ...
    @property
    def broken(self) -> bool: ...

# bind_activity.cpp

class Activities:
    def __init__(self) -> None: ...
    def add(
        self, track: NDArray[np.int32], phase: NDArray[np.uint8], time: NDArray[np.int64], duration: NDArray[np.int64]
    ) -> None: ...
    def of(self, track: int) -> tuple[int, int, NDArray[np.int64]]: ...

# bind_synth.cpp

def synth_trace(
    format: str, events: int, tracks: int, seed: int, write: Callable[[bytes, int], object]
) -> list[dict[str, str | int]]: ...

# bind_pyramid.cpp

TIME_LIMIT: int

def root_level(end: int) -> int: ...
def release_free_memory() -> None: ...

_Overview = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]

class Tiles:
    def overview(self, level: int, lanes: int) -> _Overview: ...

def slice_tiles(
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    row: NDArray[np.uint32],
    name: NDArray[np.int32],
    flags: NDArray[np.uint8],
    root_level: int,
) -> Tiles: ...
def counter_tiles(time: NDArray[np.int64], value: NDArray[np.float64], root_level: int) -> Tiles: ...

class KeptSlices:
    def __init__(self, start: NDArray[np.int64], duration: NDArray[np.int64], name: NDArray[np.int32]) -> None: ...
    @staticmethod
    def in_file(
        file: int, offset: int, start: NDArray[np.int64], duration: NDArray[np.int64], name: NDArray[np.int32]
    ) -> KeptSlices: ...
    @property
    def bytes(self) -> int: ...

def rollup_tiles(children: Sequence[KeptSlices], root_level: int) -> Tiles: ...
def slice_overview(
    start: NDArray[np.int64], duration: NDArray[np.int64], row: NDArray[np.uint32], name: NDArray[np.int32], level: int
) -> _Overview: ...

class Block:
    def __init__(self, number: int) -> None: ...
    def add(self, slot: int, tiles: Tiles) -> None: ...
    def seal(self) -> None: ...
    def tiles(
        self,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint8],
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.int64],
    ]: ...
    def encode(self, first: int, last: int) -> tuple[bytes, bytes]: ...

# bind_order.cpp

def canonical_order(start: NDArray[np.int64], duration: NDArray[np.int64]) -> NDArray[np.int64] | None: ...
def assign_rows(start: NDArray[np.int64], duration: NDArray[np.int64], row: NDArray[np.uint32]) -> tuple[int, int]: ...
def gather_ends(ends: NDArray[np.int64], size: int, order: NDArray[np.int64], out_ends: NDArray[np.int64]) -> int: ...
def gather_into(
    ends: NDArray[np.int64],
    data: NDArray[np.uint8],
    order: NDArray[np.int64],
    out_ends: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> None: ...
def transpose_by_length(ends: NDArray[np.int64], start: int, data: NDArray[np.uint8]) -> bytes: ...

# bind_histogram.cpp

class Histograms:
    def __init__(
        self,
        start: NDArray[np.int64],
        duration: NDArray[np.int64],
        name: NDArray[np.int32],
        level: NDArray[np.uint8],
        index: NDArray[np.int64],
        leaf: NDArray[np.bool_],
    ) -> None: ...
    def next(
        self, rows: int
    ) -> (
        tuple[int, int, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
        | None
    ): ...

# bind_trace_event.cpp

class NotTraceJson(Exception):
    args: tuple[str, int, int, int]  # what is wrong, byte offset, line, column

def parse_microseconds(text: str) -> tuple[int, int] | None: ...

class TraceEventPart:
    def __init__(self, block: bytes | bytearray | memoryview) -> None: ...
    @property
    def first(self) -> int: ...  # first and last: which bytes of the block were read
    @property
    def last(self) -> int: ...

class TraceEventStream:
    def __init__(self, max_members: int = 0) -> None: ...
    # The name of a first piece, the number of the object, whether the value is whole, the bytes.
    def member_pieces(self) -> list[tuple[str | None, int, bool, bytes]]: ...
    def dropped_objects(self) -> list[int]: ...
    @property
    def more_members(self) -> int: ...
    @property
    def unnamed_members(self) -> int: ...
    # The part, if there is one, was read from these data.
    def feed(self, data: bytes | bytearray | memoryview, part: TraceEventPart | None = None) -> None: ...
    def finish(self) -> None: ...
    def take(
        self,
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.int16] | None,
        NDArray[np.int64],
        NDArray[np.int16] | None,
        NDArray[np.int32],
        NDArray[np.int64] | None,
        NDArray[np.float64] | None,
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint8],
    ]: ...
    @property
    def chunk_ready(self) -> bool: ...  # take() gives a chunk that has been filled
    @property
    def rows(self) -> int: ...  # not taken yet
    @property
    def parts_taken(self) -> int: ...  # of those that were fed
    @property
    def offset(self) -> int: ...
    @property
    def cut_offset(self) -> int: ...
    @property
    def ended_in(self) -> Literal["nothing", "complete", "array", "object", "value", "event", "damage"]: ...
    @property
    def elements(self) -> int: ...
    @property
    def has_event_array(self) -> bool: ...
    @property
    def event_array_is_none(self) -> bool: ...
    @property
    def base_time_ns(self) -> int | None: ...
    @property
    def base_time_differs(self) -> bool: ...
    @property
    def host_name(self) -> str: ...
    @property
    def written_total(self) -> int: ...
    def written(self) -> dict[str, int]: ...
    def read(self) -> dict[str, int]: ...
    def processes(self) -> list[tuple[int, str, str, str, int]]: ...  # kind of pid, pid, name, labels, sort index
    def threads(self) -> list[tuple[int, int, str, str, int]]: ...  # process, kind of tid, tid, name, sort index
    def tracks(self) -> list[tuple[int, int, int, str, str, str]]: ...  # role, process or -1, thread or -1, labels
    def names(self) -> list[tuple[str, str]]: ...  # name, category
    @property
    def name_count(self) -> int: ...
    @property
    def name_bytes(self) -> int: ...  # of the texts of all names
    @property
    def process_count(self) -> int: ...  # without events, too
    @property
    def thread_count(self) -> int: ...
    @property
    def id_count(self) -> int: ...  # of async slices and flows, as far as they are kept as text
    @property
    def id_bytes(self) -> int: ...
    def ignored(self) -> dict[str, int]: ...

# bind_tree.cpp

class FileDamage(ValueError):
    args: tuple[str, int]  # what is wrong, byte offset

class TreeReader:
    def __init__(self, descriptor: int, growing: bool) -> None: ...  # takes over the descriptor
    @property
    def entries(self) -> int: ...
    def settle(self) -> None: ...
    # Values come in two parts, their first four bytes as a number.
    def get(self, key: bytes) -> tuple[int, bytes] | None: ...
    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, int, bytes] | None: ...
    def scan(self, first: bytes, prefix: bytes, limit: int) -> list[tuple[bytes, int, bytes]]: ...
    def close(self) -> None: ...

# bind_prove_flows.cpp

class ProveFlowChunk:
    def __init__(self, data: bytes, track: int) -> None: ...
    # Ordinal, incoming, tick; of the partner: track, ordinal, tick, start, name.
    def read(self, most: int) -> tuple[NDArray[np.int64], ...] | None: ...

class ProveFlowTiles:
    def __init__(self, root_level: int, tracks: int, ends: int, memory: ProveMemory) -> None: ...
    def add(self, chunk: ProveFlowChunk) -> None: ...
    # Level, index and what is wrong; None: nothing.
    def check(self, level: int, columns: Sequence[NDArray[np.int64]]) -> tuple[int, int, str] | None: ...
    def finish(self) -> tuple[int, int, str] | None: ...

class ProveSliceFinder:
    def __init__(self, tree: ProveTree, fetch: _Fetch, memory: ProveMemory) -> None: ...
    # Start, duration, name, flags.
    def find(
        self, leaves: NDArray[np.int64], ordinals: NDArray[np.int64], what: str
    ) -> tuple[NDArray[np.int64], ...]: ...

# bind_prove.cpp

class WrongTile(ValueError): ...
class WrongTrack(ValueError): ...
class ShortTile(ValueError): ...

class ProveMemory:
    def __init__(self, limit: int) -> None: ...
    @property
    def limit(self) -> int: ...
    @property
    def taken(self) -> int: ...
    def refused(self) -> int: ...
    def take(self, size: int) -> None: ...
    def give(self, size: int) -> None: ...

class ProveTree:
    def __init__(
        self,
        block: int,
        level: NDArray[np.uint8],
        index: NDArray[np.int64],
        slot: NDArray[np.uint8],
        flags: NDArray[np.uint8],
        events: NDArray[np.int64],
        page_first: NDArray[np.int64],
    ) -> None: ...

_Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Fetch = Callable[[int], tuple[bytes, bytes | None]]

def prove_block(
    tree: ProveTree,
    root_level: int,
    end: int,
    names: int,
    kinds: Sequence[int],
    rows: Sequence[int],
    has_histogram: NDArray[np.bool_],
    fetch: _Fetch,
    histogram: Callable[
        [int, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], None
    ],
    row_range: tuple[int, int],
    memory: ProveMemory,
) -> tuple[
    dict[int, tuple[int, int, int, int, int, _Entries]],
    dict[int, tuple[int, int, NDArray[np.int64], NDArray[np.float64], float, float]],
]: ...

class ProveLayer:
    def __init__(self, root_level: int, end: int, names: int, memory: ProveMemory) -> None: ...
    def check_room(self) -> None: ...
    def discard(self, start: int, stop: int) -> int: ...
    def add_rollup(self, tree: ProveTree, slot: int, track: int) -> None: ...
    def gather(
        self,
        tree: ProveTree,
        tiles: NDArray[np.int64],
        owners: NDArray[np.int64],
        start: int,
        stop: int,
        fetch: _Fetch,
    ) -> None: ...
    def complete_until(self, block: int, until: int, fetch: _Fetch) -> None: ...
    def overview(self, number: int) -> _Entries: ...
    @property
    def bins(self) -> int: ...
