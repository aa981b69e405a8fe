# Written by `make stubs` from tiler/native/bind.

"""
Hot loops of tilescope.tiler. Columns are arrays of one dimension that lie in one piece.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import numpy
from numpy.typing import NDArray

class ChunkColumns:
    """Columns of a chunk: all but `track`. It holds them."""

    def __init__(
        self,
        phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        time_ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        time_ps: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
        duration_ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration_ps: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None,
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
        value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
        flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...

def chunk_extents(
    phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    time_ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    time_ps: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
    duration_ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration_ps: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
    flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[tuple[int, int, int, int, int, int, bool], tuple[int, int, int, int, int, int, bool], int | None]:
    """
    Returns the extent of the events of a chunk, that of its flow ends, and when the first flow end is that
    belongs to the slice behind it. An extent: how many they are; when the first begins, when the last begins,
    how long the longest lasts, when the last ends, in nanoseconds and picoseconds beyond, and whether any time
    is not a whole nanosecond.
    """

def activity_bins(
    busy: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    first: Sequence[float],
    step: Sequence[float],
    bins: int,
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Of tracks with their busy time in bins of their own, which are `step` wide and begin at `first`, both in bins
    of a grid: the bins of the grid in which there is something, and their utilisation, 1 to 255.
    """

class Activities:
    """How busy the tracks of a file are, whose events come in file order."""

    def __init__(self) -> None: ...
    def add(
        self,
        track: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Adds a chunk of events."""

    @property
    def tracks(self) -> int:
        """How many tracks have had events or flow ends."""

    def of(self, track: int) -> tuple[int, int, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Returns shift, first bin, and the busy time of each bin: bin k of the column covers [(first + k) <<
        shift, (first + k + 1) << shift).
        """

def stat_values(
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ids: Sequence[Sequence[int]],
    has_number: bool = True,
) -> tuple[
    tuple[
        list[
            tuple[
                Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ]
        ],
        list[bytes],
    ],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Returns of these events, for each list of ids, the kind of the stat of one of them (0 none, 1 integer,
    2 unsigned, 3 double, 4 text, 5 flag, 6 no value, 7 reference, 8 to be read with more care), and its bits,
    or the number of the text; the texts; and the events' metadata, -1 without arguments or `has_number`: they
    begin with the number of their metadata.
    """

def json_values(
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    names: Sequence[str],
) -> tuple[
    list[
        tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]
        ]
    ],
    list[bytes],
]:
    """
    Returns of these events, for each name, the kind and the bits of the argument as above; and the texts.
    """

def by_track(
    tracks: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    chunks: list[ChunkColumns],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int16], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int16], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]
    | None,
]:
    """
    Of chunks with the tracks of their rows: the tracks that have rows, where the rows of each end when they are
    brought together, and the columns of all chunks but `track` with the rows in that order, of one track as they
    stood; None: those of the only chunk are.
    """

class DamagedContainer(ValueError):
    """Bytes that are no column container."""

def container_columns(
    data: bytes, max_rows: int, only: Sequence[int] | None = None
) -> list[tuple[int, bool, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]]:
    """
    Returns id and values of each column, or of those that are asked for, and whether they are the bits of
    doubles. Raises DamagedContainer.
    """

def encode_container(
    magic: bytes,
    level: int,
    n_tiles: int,
    block: int,
    columns: Sequence[tuple[int, NDArray[numpy.int64] | NDArray[numpy.uint32]]],
) -> bytes:
    """Returns a container of these columns, each by its id: int64 or uint32."""

def blocks_without_matches(data: bytes, max_rows: int) -> list[tuple[int, int, bytes]]:
    """
    Returns blocks of deflate for planes of a container in which nothing comes again, and for short stretches
    beside them: the first byte that they stand for, the one after the last, and the blocks, which begin and end
    with a byte. Raises DamagedContainer.
    """

def literal_blocks(parts: Sequence[bytes]) -> bytes:
    """
    Returns blocks of deflate that stand for the parts, one after the other, none of which is the last of a
    member. They have no repetitions; each part has a code of its own.
    """

class TooManyNodes(ValueError):
    """A call tree has too many nodes."""

MOST_NODES: int = 2097152

class CallTree:
    """Chains of names in which slices lie, and what their slices come to."""

    def __init__(self) -> None: ...
    def add(
        self,
        pages: Sequence[bytes],
        max_rows: int,
        page: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        after: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        track: int,
        root: int,
        start: int,
        stop: int,
        starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        left_out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds what lies in windows and in the ticks [start, stop) of a track, whose leaves in them these are, by time; as
        `HitRows.add`. `root`: the node around it, -1 none. `left_out`: ordinals of slices that do not count, ascending;
        nor do the ticks in which one of them started last. Raises DamagedContainer and TooManyNodes.
        """

    def node(
        self,
        names: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        below: int = -1,
    ) -> int:
        """
        Returns the node of a chain of names, from the top down, below a node, -1 none. Raises TooManyNodes.
        """

    def take(self, other: CallTree, most: int) -> bool:
        """
        Moves up to so many nodes of another tree without open places here; False once that is empty. Raises
        TooManyNodes.
        """

    def open_places(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns track, ordinal, start and row of slices whose parents did not lie in the leaves that were added.
        """

    def close_places(
        self, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> None:
        """
        Says which node lies around each of these slices, -1 none; `settle` moves them there.
        """

    def settle(self, most: int) -> bool:
        """
        Moves up to so many nodes to where their closed places are; False once none is left. Raises TooManyNodes.
        """

    def totals(self) -> tuple[int, int, int, int]:
        """
        Returns how many nodes there are, ticks, slices that start, and levels.
        """

    def rows(self, limit: int, levels: int) -> list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Returns the nodes with the most ticks, parents first: row of the parent, name, ticks with those of all nodes
        below, own ticks, slices that start, these with those of all nodes below; duration, track and ordinal of the
        longest slice that starts, -1 where none does.
        """

def folder_state(path: bytes, endings: Sequence[str], most_bytes: int) -> tuple[bytes, int] | None:
    """
    Returns bytes that differ as soon as entries of a folder do, or sizes and times of files whose names end so,
    or of what links lead to; and when the inode of any of these was changed last, in ns of the clock, 0 without
    any. None: it cannot be read, or has too many entries.
    """

def plain_entries(state: bytes) -> tuple[list[tuple[str, int, int, int, bool]], list[str], list[str]] | None:
    """
    Returns what such bytes say, in the order of the system: files whose names end so, each with its bytes, the ns
    at which it and its inode were changed, and that it is no link; folders; other entries. None: some are links,
    or cannot be told from the bytes. Raises ValueError where they are of no folder.
    """

class Histograms:
    """The histograms of names of tiles, one after the other."""

    def __init__(
        self,
        tracks: Sequence[
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            ]
        ],
        level: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        leaf_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        rows: int,
        events_per_row: int = 0,
        budget: MemoryBudget | None = None,
        track_names: Sequence[int] | None = None,
        together: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        own: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        most_pairs: int = 262144,
    ) -> None:
        """
        Of start, duration and name of the slices of up to 32 tracks together, in canonical order, and of tiles
        in the order in which they are wanted. `leaf_of`: for which tracks a tile is a leaf, as bits: they are
        not in the histograms of tiles below. A histogram has so many `rows` and one of all others at most; a
        tile in which fewer events start than so many a row has none. `track_names`: of each track the name
        that all its slices are summed up under, ascending, in records of their own. `together`: whether a tile
        is wanted of all tracks together: all of them, if it is not given. `own`: of which tracks it is wanted,
        of each by itself, as bits: of none. What is wanted of a tile must be wanted of the one above it.
        `most_pairs`: so many pairs of a track and a name are told apart at once, and those of one track more.
        """

    def next_by_track(self, owner: int) -> tuple[int, int, bytes, bytes] | None:
        """
        Returns level and index of the next tile, its histogram by track, of `owner`, and its spread of
        durations, both uncompressed. None: there are no more tiles.
        """

    def with_records(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]
    ]:
        """
        Returns `together` and `own` as they were given, without those that have no histogram by name.
        """

    def next(self, owner: int, owners: Sequence[int] = []) -> tuple[int | None, int, int, bytes, bytes] | None:
        """
        Returns the place of a track, level and index of a tile, the track's histogram by name, of that one of
        `owners`, and its spread of durations, both uncompressed. Of all tracks together there is no place, and
        they are of `owner`. None: there are no more. It is asked for after all by track.
        """

class SpanSums:
    """Sums by name of spans: of stored histograms and parts of leaves."""

    def __init__(self, buckets: bool) -> None: ...
    def add_leaves(
        self,
        page: bytes,
        max_rows: int,
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        as_name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None:
        """
        Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and
        `slot`: what must stand there. `as_name`: the name that all slices of a part are summed up under, or
        ITS_OWN; `names`: other names for all slices of the page, LEFT_OUT for those that do not count and do not
        interrupt others. Raises DamagedContainer.
        """

    def add_stored(self, histogram: bytes, buckets: bytes | None, max_rows: int, as_name: int) -> bool:
        """
        Adds a stored histogram. Returns False, and adds nothing, where names in it have no rows of their own
        and would need them. Raises DamagedContainer.
        """

    def add_tracks(
        self,
        histogram: bytes,
        buckets: bytes | None,
        max_rows: int,
        as_name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds the stored sums of the tracks of a block. `as_name`: by slot, the name that a track is summed up
        under, or LEFT_OUT. Raises DamagedContainer.
        """

    def add(self, other: SpanSums) -> None:
        """Adds what others have summed up."""

    def sums(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]
        ],
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]
        ],
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]
        ],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns name, count, busy time, self time, duration, longest, shortest. Of sums of ticks the low and the
        high 64 bits.
        """

    def buckets(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns how many buckets of durations each of the names has, and bucket and count of each of these.
        """

    def clear(self) -> None:
        """Begins anew."""

ITS_OWN: int = -3

LEFT_OUT: int = -4

def duration_bucket(
    durations: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns the bucket of each duration, in which all are alike to one per cent.
    """

def leaf_slices(
    page: bytes,
    max_rows: int,
    tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    columns: Sequence[int],
    reaching: bool,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))], list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]]
]:
    """
    Returns how many slices start in each of some leaves of a page, and with `reaching` those that reach in, and
    columns of them by id, leaf by leaf. Raises DamagedContainer.
    """

class LeafSpans:
    """When slices of some kinds run, from parts of leaves, page by page."""

    def __init__(
        self, kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> None:
        """
        `kinds`: of each name, the one without a name first, its kind, below 8. 0: it does not matter.
        """

    def add(
        self,
        page: bytes,
        max_rows: int,
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None:
        """
        Adds parts [first, stop) of the tiles in these positions of an uncompressed page, ascending. `index` and
        `slot`: what must stand there; `names`: other names for all slices of the page, LEFT_OUT for those that
        do not count. Raises DamagedContainer.
        """

    def windows(
        self,
        pages: Sequence[bytes],
        max_rows: int,
        parts_of_page: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        limit: int,
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]
        ]
    ]:
        """
        Returns of each kind the ticks below a limit in which it runs, as spans that ascend and do not touch: of what
        was added, and of parts of these pages, so many of each. Raises DamagedContainer.
        """

    @property
    def page(self) -> int:
        """
        The place of the last page that `windows` read: of a damaged one, where it raised.
        """

    def take(
        self,
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]
        ]
    ]:
        """
        Returns of each kind what was added since the last call: first ticks, and ticks after the last. Spans of
        one leaf ascend and do not touch; those of several leaves are in no order.
        """

class StartBounds:
    """
    Bounds of the slices that start in stretches of time, from parts of leaves.
    """

    def __init__(
        self,
        kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        borders: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        `kinds`: of each name, the one without a name first, 0 if its slices do not matter. `borders` of the
        stretches, which ascend: each begins where the one before ends.
        """

    def add(
        self,
        page: bytes,
        max_rows: int,
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None:
        """
        Adds all slices of tiles, which are given as LeafSpans takes them, wherever they start. Raises
        DamagedContainer.
        """

    def bounds(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns of each stretch the first start, the last start and the greatest end; -1 where nothing starts.
        """

def count_kinds(
    kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Adds how often each kind occurs to its count. Raises ValueError."""

class KindSums:
    """
    Sums of operations by kind. Sums are pairs: the low 64 bits, and the high ones.
    """

    def __init__(self, kinds: int, numbers: int) -> None: ...
    def add(
        self,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        part: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        starts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begins: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: int,
    ) -> None:
        """
        Adds operations from event `first` on: `part` of their duration lies in the windows; those that start
        there count, and occurrences begin with some of them.
        """

    def add_number(
        self,
        number: int,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        value: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        starts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Adds a number of operations, below 0 where they have none."""

    def add_whole(
        self,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: int,
    ) -> None:
        """
        Adds operations from event `first` on that lie in the windows as a whole; occurrences are not told.
        """

    def add_growing(
        self,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: int,
    ) -> None:
        """The same of any kinds: there is room for them then."""

    def add_record(
        self, data: bytes, track: int, most: int, first: int, columns: NDArray[numpy.uint8]
    ) -> tuple[int, NDArray[numpy.uint8]]:
        """
        Adds a record of operations from event `first` on, with its numbers of some columns, that lie in the
        windows as a whole; occurrences are not told. Returns how many operations there are, and which of these
        columns the record has. Raises DamagedContainer, and ValueError.
        """

    def grow(self, kinds: int) -> None:
        """Makes room for so many kinds."""

    def merge(self, other: KindSums) -> None: ...
    def number(
        self, number: int
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]
    ]:
        """Returns the sums of a number. They are not kept."""

    def take(
        self,
    ) -> tuple[
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        tuple[NDArray[numpy.uint64], NDArray[numpy.uint64]],
        tuple[NDArray[numpy.uint64], NDArray[numpy.uint64]],
    ]:
        """
        Returns of each kind how many operations there are, how many take no time, and occurrences; the longest,
        which event it is, and the shortest that takes time, -1 without one; the time of all, and of those in them.
        No kinds are left.
        """

class LoneSpans:
    """Which kinds of events never share time with others of their track."""

    def __init__(self) -> None: ...
    def add(
        self,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        length: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Adds events, in the order of their starts; lengths below 0 are none."""

    def ticks(self) -> int:
        """Returns in how many ticks any runs."""

    def alone(self, kinds: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Returns of so many kinds 1 for those that never share time."""

class NameTotals:
    """How long the events of each name take together."""

    def __init__(self) -> None: ...
    def add(
        self,
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds events, -1 where they have no name: those do not count. From any thread.
        """

    def halves(
        self, names: int
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]
    ]:
        """
        Returns the low 32 bits of the total of each name that has events, and what is above.
        """

def least_slack(
    source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    wait: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    nodes: int,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns the least sum of waits on any way from each node of a graph to its last node; 2**63 - 1: there is none.
    Edges come by their sources, ascending, and lead to later nodes. Raises ValueError for others.
    """

class GuardedMap:
    """
    Keeps a mapped file, of which it reads zeros where the file has been cut.
    """

    def __init__(
        self, map: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> None: ...
    def release(self, begin: int, end: int) -> None:
        """
        Gives the pages of [begin, end) back to the system, and those beside them that it maps along: they are read
        again when touched again.
        """

    def hide(self, begin: int, end: int) -> None:
        """
        Marks [begin, end), which begins with a page, as not there: whoever reads it reads zeros, and breaks the map.
        """

    def show(self, begin: int, end: int) -> None:
        """Marks [begin, end) as there."""

    @property
    def broken(self) -> bool:
        """Whether something was read that the file no longer has."""

class MessageFields:
    """The fields of a protobuf message that are numbers or bytes, in order."""

    def __init__(self, raw: bytes) -> None: ...
    def __iter__(self) -> MessageFields: ...
    def __next__(self) -> tuple[int, int | bytes]:
        """
        Returns the number of the next field, and its value: a signed number, or bytes. Raises WireError.
        """

class MessageValues:
    """Takes some fields of protobuf messages of one type."""

    def __init__(self, numbers: Sequence[int], bytes: Sequence[int], repeated: Sequence[int]) -> None:
        """
        The numbers of fields that are integers, bytes, and integers that are repeated, each once.
        """

    def read(self, raw: bytes) -> tuple[Any, ...]:
        """
        Returns the values of the fields, in the order in which they were named: signed numbers, 0 of what is
        not there; bytes; and tuples of numbers. Raises WireError.
        """

class ChosenStats:
    """Which stats of a plane are read: for each place, those of some ids."""

    def __init__(self, ids: Sequence[Sequence[int]], names: dict[int, str]) -> None:
        """`names` are what references name."""

class StatCodes:
    """
    Values of stats by numbers: what is equal has one. Number 0 is nothing.
    """

    def __init__(self) -> None: ...
    def read_stats(
        self,
        stats_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stats: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chosen: ChosenStats,
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Returns the number of each entry at some places of what its one chosen stat says. Entry k has the stats
        stats[stats_end[k-1]:stats_end[k]].
        """

    def reserve(self, texts: int, bytes: int) -> None:
        """Makes room for so many more texts, and for so many bytes of theirs."""

    def __len__(self) -> int: ...
    @property
    def size_bytes(self) -> int:
        """What all values take that are not read later."""

    def stored(self, codes: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64], bytes]:
        """
        Returns what has these numbers as forms, ends and bytes, for `load`. Raises IndexError.
        """

    def load(
        self,
        forms: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        later: int,
    ) -> None:
        """
        Adds values that were stored, each of which is new, and then so many texts that are read later. Raises
        ValueError.
        """

    def read_later(
        self,
        codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Says what those are of some numbers that are read later: the texts at some places of a column. Raises
        ValueError, IndexError.
        """

    def of(self, value: None | int | float | str | bytes) -> int:
        """Returns the number of a value."""

    def value(self, code: int) -> None | int | float | str | bytes:
        """
        Returns what has this number: bytes are also a text that is no UTF-8. Raises IndexError.
        """

    def values(self, codes: NDArray[numpy.int32]) -> list[None | int | float | str | bytes]:
        """Returns what has these numbers. Raises IndexError."""

    def saying(self, codes: NDArray[numpy.int32], word: bytes) -> NDArray[numpy.uint8]:
        """
        Returns of each number 1 where a word, not empty, is in its text. Raises IndexError.
        """

    def plain_paths(self, codes: NDArray[numpy.int32], unless: bytes) -> NDArray[numpy.uint8]:
        """
        Returns of each number 1 where it is of a text whose only colon is its end. Raises IndexError.
        """

    def find(self, text: bytes) -> int:
        """Returns the number of a text in UTF-8; -1: it has none."""

    def numbers(self, codes: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8]]:
        """
        Returns what has these numbers where it is an integer that is not negative, else 0; and 1 where it is
        one. Raises IndexError.
        """

class MetadataRows:
    """Rows of numbers by their place: what is equal has one."""

    def __init__(self, width: int) -> None: ...
    def add(
        self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Returns the place of each of some rows, which lie one after the other."""

    def reserve(self, rows: int) -> None:
        """Makes room for so many more rows."""

    def __len__(self) -> int: ...
    def rows(self, first: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Returns the rows from this place on, one after the other."""

class ReadEntries:
    """What entries of a page say, as far as the like of them has no rows."""

    def __init__(
        self,
        rows: MetadataRows,
        stats_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stats: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        text_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        texts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chosen: ChosenStats,
    ) -> None:
        """
        Of the entries at some places, which have these names, -1 unknown ones. Entry k has the stats
        stats[stats_end[k-1]:stats_end[k]], its text likewise. Other threads run meanwhile.
        """

    def rows(
        self,
        rows: MetadataRows,
        codes: StatCodes,
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chosen: ChosenStats,
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Returns the place of the row of each entry: the number of its name, that of its text, and those of the
        chosen stats.
        """

class NamedParts:
    """Where the parts of a message lie that are in others, by their names."""

    def __init__(
        self,
        raw: bytes | NDArray[numpy.uint8],
        start: int,
        stop: int,
        outer: int,
        number: int,
        inner: int,
        name: int,
        other: int,
        most: int,
    ) -> None:
        """
        Of the message raw[start:stop], which nobody may change: the fields that have its parts, the number of
        each, the parts in these, and the names of those; and one that has something else. Raises ValueError for
        what is no message, and for more parts than `most`.
        """

    @property
    def outer(self) -> int:
        """How many parts the message has."""

    @property
    def inner(self) -> int:
        """How many are in these."""

    @property
    def names(self) -> int:
        """How many names these have."""

    def place_of(self, number: int) -> int:
        """
        Returns the place of the part with a number, the last of several; -1 without one.
        """

    @property
    def other(self) -> bytes:
        """The bytes of the other field, the last of several; empty without one."""

    def outer_at(self, place: int) -> bytes:
        """Returns the bytes of a part of the message. Raises IndexError."""

    def find(self, name: bytes) -> tuple[int, bytes] | None:
        """
        Returns of the part with a name, the last of several, the place of the one that it is in, and its bytes;
        None without one.
        """

def message_parts(
    raw: bytes | NDArray[numpy.uint8], starts: NDArray[numpy.int64], stops: NDArray[numpy.int64], field: int, most: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Returns the parts that are a field of the messages [starts[k], stops[k]): of each its message, its start and
    its stop. Raises ValueError for what is no message, and for more parts than `most`.
    """

def message_numbers(
    raw: bytes, starts: NDArray[numpy.int64], stops: NDArray[numpy.int64], field: int
) -> NDArray[numpy.int64]:
    """
    Returns of each message the number in a field, the last of several; 0 without one. Raises ValueError.
    """

def memory_traffic(raw: bytes) -> list[tuple[int, int, int]]:
    """
    Returns the operation, the memory and the bytes of each part of a breakdown.
    """

class Operations:
    """
    Reads the arguments of a device's operations, a line in canonical order.
    """

    def __init__(
        self,
        begin: Sequence[int],
        duration: Sequence[int],
        numbers: Sequence[Sequence[int]],
        of_kind: Sequence[Sequence[int]],
        max_kinds: int,
        tick_ps: int,
    ) -> None: ...
    def add(
        self,
        args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: int,
        args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]],
        int,
    ]:
        """
        Takes the next events, whose arguments begin at `begin`. Returns of each its kind, that of the operation
        it lies in, -1 none, and its duration in picoseconds; the places of those that have any numbers, and of
        these the numbers, -1 none: no column where none has any; and when the last event ends, in ticks.
        """

    def add_with_chunks(
        self,
        args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: int,
        args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        most_events: int,
        most_bytes: int,
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]],
            int,
        ],
        list[tuple[int, int, int, Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]],
    ]:
        """
        The same, and chunks of the arguments as they are stored, which do without what the durations say and
        without when operations began: of each its first event, how many it has, where four bytes are left for a
        checksum of their durations, and its bytes.
        """

    def kinds(
        self,
    ) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], list[tuple[int, list[tuple[int, int, bytes]]]]]:
        """
        Returns of each kind so far its metadata, -1 none; and of those that stats make, their places with the
        stats: how each is written (1 integer, 2 unsigned, 3 reference, 4 text, 0 not there), its bits, its text.
        """

    def kinds_from(self, first: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Returns of each kind so far from this place on its metadata, -1 none."""

    @property
    def is_cut(self) -> bool:
        """Whether kinds were told apart by metadata alone."""

    @property
    def first(self) -> int:
        """When the first operation begins, ps of the device."""

    @property
    def last(self) -> int:
        """When the last one ends."""

ORDER_SPACE: int = 4

def in_canonical_order(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> bool:
    """Whether slices stand in the order (start, longer first)."""

def canonical_order(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    space: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """
    Writes the positions of slices in the order (start, longer first, position) to `order`. `space` to work with
    has ORDER_SPACE numbers for each.
    """

def order_ties(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
    flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")] | None,
) -> bool:
    """
    Brings slices whose starts never decrease into canonical order, in these columns. Returns False, and changes
    nothing, when starts decrease, or too much would have to move at once.
    """

def halves_of_sum(
    values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[int, int]:
    """Returns h and l: the sum of fewer than 2**31 values is h * 2**32 + l."""

def assign_rows(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu")],
    budget: MemoryBudget | None = None,
) -> tuple[int, int]:
    """
    Writes the row of each slice, which are in canonical order, to `row`. Returns how many rows there are,
    and how many slices overlap others only partly. Raises MemoryError when more are open at once than the budget
    has room for.
    """

def gather_ends(
    ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    size: int,
    order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    behind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None = None,
) -> int:
    """
    Writes the ends that strings have in another order to `out_ends`. Returns their total size. String k is
    data[ends[k-1]:ends[k]] of `size` bytes. `behind` names those that are put behind the others, -1 none.
    """

def gather_into(
    ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    behind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None = None,
) -> None:
    """
    Copies strings in another order to `out`, which has the size that `gather_ends` returned, and their ends
    to `out_ends`.
    """

def column_chunk(
    ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    start: int,
    data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    Returns a chunk of strings, of which the first one begins at `start`: in classes of equal length, written
    column by column.
    """

def restored_by_length(
    ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    Returns the strings of such classes, one behind the other; `ends`: where each of them ends.
    """

def write_ticks(
    ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ps: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
    from_ns: int,
    per_ns: int,
    ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Writes (ns - from_ns) * per_ns + ps to `ticks`, all modulo 2**64."""

class PackedTexts:
    """Texts of which many differ in their numbers alone."""

    def __init__(self) -> None: ...
    def pack(
        self,
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]
    ]:
        """
        Returns the same texts packed: their ends, and bytes. Text k is data[ends[k-1]:ends[k]]. What is packed
        may be put in any order, also one behind the other.
        """

    def unpack(
        self,
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        packed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: int,
        most_bytes: int,
        most_texts: int,
    ) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], bytes]:
        """
        Returns the lengths and the bytes of the texts from `first` on, as many as fit; at least one.
        """

    @property
    def shapes(self) -> int:
        """How many different ones there are, numbers aside."""

class TextChunks:
    """Makes chunks of packed texts that can be read without the others."""

    def __init__(self, texts: PackedTexts) -> None: ...
    def next(
        self,
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        packed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: int,
        most_bytes: int,
        most_rows: int,
    ) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], bytes]:
        """
        Returns the chunk that begins with this row: of each of its rows how many texts it has, and bytes. It ends
        when it has so many rows, or more than so many bytes, packed and of shapes.
        """

class Wordings:
    """
    Counts how many events of a track have the same arguments but for numbers without words.
    """

    def __init__(self, texts: PackedTexts, part_events: int) -> None:
        """
        `texts`: those that are packed. Raises ValueError for parts without events.
        """

    def add(
        self,
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: int,
        packed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds the next events: those of event k are packed[ends[k-1]:ends[k]], from `begin` on. Raises ValueError.
        """

    def finish(
        self,
    ) -> tuple[
        list[bytes],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """
        Returns wordings: JSON with a zero byte for each number without words, or a byte 1 for each number where
        nothing is known of it; by part of the track how many of them its events have, -1 too many; part by part
        which, and how many events have each. To be asked once, at the end.
        """

def row_shapes_of_chunk(
    counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[list[bytes], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Returns the shapes of such a chunk, with a zero byte for each number, and for each row the place of its shape
    among these; -1 where it has no text, -2 where it has several, or one without a shape. Raises ValueError.
    """

def texts_of_chunk(
    counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    most_bytes: int,
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], bytes]:
    """
    Returns the texts of such a chunk: the end of each row, and bytes. Raises ValueError for what is
    damaged, and for more than so many bytes.
    """

def async_homes(
    group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    time_ns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    time_ps: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    keys: int,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns of each begin and end of async slices the key that it belongs to. A group is an identity, a key
    (below `keys`) an identity in one process; rows of a key come in file order.
    """

class Pairing:
    """
    Makes slices of a track's rows. Without `key` all rows share one stack. `text` and
    `has_category`, both or none, are by name: the first name that has its text, and whether
    it has a category.
    """

    def __init__(
        self,
        time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None,
        trace_end: int,
        text: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        has_category: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None: ...
    @property
    def slices(self) -> int:
        """How many there will be."""

    @property
    def space(self) -> int:
        """How many numbers it needs to work with."""

    def pair(
        self,
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
        source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        end_source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
        space: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        budget: MemoryBudget | None = None,
    ) -> tuple[int, int, int, int]:
        """
        Writes the slices: `source` is the row of the begin, `end_source` that of the end or -1. Returns how many
        ends had no begin, begins no end, and pairs two names, or two categories. Raises MemoryError when more
        are open at once than the budget has room for.
        """

def join_flows(
    phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    tick: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    share: int,
    shares: int,
) -> tuple[
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
    int,
    int,
    int,
]:
    """
    Returns the edges between flow ends of the keys of a share: their sources and targets as positions; and how
    many starts had no end, ends no start, and flow ends no key (-1), which count in share 0. The edges of all
    shares, one behind the other, are those of a single one.
    """

class InnermostSlices:
    """
    Goes through slices in canonical order, as the times that it is asked for ascend.
    """

    def __init__(
        self,
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def of(
        self, time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Returns the position of the innermost slice around each time, else the last that ends at it, else -1.
        """

class FlowTiler:
    """Makes the flow tiles of a track, of ends whose ticks ascend."""

    def __init__(
        self,
        root_level: int,
        tick: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        incoming: Annotated[NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        partner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        flow_tick: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        most_flows: int,
        most_ends: int,
        edges_per_tile: int,
    ) -> None:
        """
        `incoming` and `partner`: of all ends, or one value that all have. `flow_tick`: of those that are flows
        of the file. A tile with more than `most_flows` of these, or
        `most_ends` of all, has tiles below. Raises ValueError for what are no such ends.
        """

    def read(
        self, most_ends: int
    ) -> list[tuple[int, list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]]]] | None:
        """
        Returns the tiles that are complete after so many more ends, rounded up to a tile: by level, from the
        root down, the columns of FlowTiles, in their order. None: there are no more ends.
        """

MOST_JOINED_SLICES: int = 2147483647

def partner_codes(
    track: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ordinal: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Returns the code of each partner, and of each track, in the order in which they come: the track, its first
    partner less 1, its least and its greatest. Raises ValueError.
    """

def near_keys(
    keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    base: int,
    out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
) -> tuple[bool, bool]:
    """
    Writes the distances of keys from one of them. Returns whether each key is less than -1, and whether all
    distances have room in 32 bits.
    """

def decoded_partners(
    code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    tracks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Returns track and ordinal of each partner of `partner_codes`. Raises ValueError.
    """

class LaunchJoin:
    """Launches and work of devices, joined by their numbers."""

    def __init__(
        self,
        tracks: Sequence[int],
        ordinals: Sequence[
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None
        ],
        keys: Sequence[
            tuple[
                int,
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
                | Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            ]
        ],
        flows: tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ],
        most_work: int,
        most: int,
    ) -> None:
        """
        Of each track its number, the ordinals of slices that have a key (None: all from 0 on), and their keys:
        one of them and the distances from it, or 0 and the keys themselves.
        `flows`: of ends of the file's flows the track and the ordinal, of edges the places of both ends among
        these, and of each track of the run, is it on a device? A launch has up to `most_work`. Nothing is joined
        where there are launches, and more than `most` works without a flow, nor where there are more than
        MOST_JOINED_SLICES: `has_room` is False then.
        """

    @property
    def has_room(self) -> bool:
        """False: nothing was joined."""

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """
        Pairs; works that are ambiguous, and crowded; calls without work, and works without launch.
        """

    def sides(self, place: int) -> tuple[int, int]:
        """Returns how many pairs leave a track, and arrive."""

    def read(
        self, place: int, row: int, most: int
    ) -> tuple[
        int,
        int,
        bytes,
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns the row that is next, and of up to `most` works from `row` on, with the launch of each: the ordinal
        of the first, the chunk that `Launches.decode` reads, empty where there are none, and of each track that
        launches them the track, its least launch and its greatest.
        """

    def ends(
        self,
        place: int,
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.int8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """
        Returns tick, direction and partner's track of all ends on a track, by the starts of its slices. The tick is
        None where these are the starts; of the others there is one value where it is that of all ends.
        """

class PartSums:
    """
    Sums of the time of operations by window and by the code of their kind.
    """

    def __init__(
        self,
        code_of_kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        codes: int,
        windows: int,
        listed: int,
        number: int,
    ) -> None:
        """
        Operations of the code `listed` that have the number of this column are listed one by one.
        """

    def add(
        self,
        data: bytes,
        track: int,
        most: int,
        first: int,
        window_first: NDArray[numpy.int64],
        window_last: NDArray[numpy.int64],
        left_out: NDArray[numpy.int64],
    ) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
        """
        Adds a record of operations from event `first` on, of which those with the ordinals `left_out` are left
        out. Windows are given by the ordinals of the events that start in them. Returns how many operations
        there are; and kind, parent, duration and number of those that are left out. Raises DamagedContainer,
        and OverflowError for times that 62 bits do not hold together.
        """

    def taken(self) -> int:
        """Returns how long all operations of these records take."""

    def sums(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Returns the sums, by window and then by code."""

    def listed(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Returns window, number and duration of those that are listed."""

class WindowCounts:
    """How often operations occur, by window and by the place of their kind."""

    def __init__(self, windows: int, places: int) -> None: ...
    def add(
        self,
        data: bytes,
        track: int,
        most: int,
        first: int,
        range_first: NDArray[numpy.int64],
        range_last: NDArray[numpy.int64],
        range_window: NDArray[numpy.int64],
        place_of_kind: NDArray[numpy.int64],
        is_timed: NDArray[numpy.uint8],
        columns: NDArray[numpy.uint8],
        special: int,
        left_out: NDArray[numpy.int64],
    ) -> tuple[
        int,
        NDArray[numpy.uint8],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
    ]:
        """
        Adds a record of operations from event `first` on: those of the events [range_first, range_last) to their
        windows, which may have events in common. Of kinds that are timed also the time that they take
        themselves, without operations `left_out`. Returns how many operations there are; which of some columns
        the record has; the ordinals of those with a place from `special` on that have any number, and their
        numbers of these columns, -1 none; and kind, parent and duration of those that are left out. Raises DamagedContainer, and ValueError.
        """

    def merge(self, other: WindowCounts) -> None:
        """Adds those of another one."""

    def counts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Returns the counts, by window and then by place."""

    def times(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
        """
        Returns the time of timed kinds in each window: its low and its high 64 bits.
        """

def piece_sizes(
    chunks: list[ChunkColumns],
    starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[int, int, bool, bool]:
    """
    Of pieces, rows [start, stop) of chunks: rows, bytes of arguments, whether any has keys, and values.
    """

def join_pieces(
    chunks: list[ChunkColumns],
    starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    from_ns: int,
    picoseconds: bool,
    rounds: bool,
    names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    at: int,
    args_at: int,
    phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
    key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")] | None,
    value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")] | None,
    flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> tuple[int, int]:
    """
    Writes the rows of pieces one behind the other, as ticks and with names of the run, from row `at` and byte
    `args_at` of the arguments on. Returns where they end.
    """

class WrongTile(ValueError):
    """WrongTile(position, what): something is wrong with a tile of a block."""

class ShortTile(ValueError):
    """
    ShortTile(position, what): a tile would take more memory to prove than there is.
    """

class WrongTrack(ValueError):
    """
    WrongTrack(track, what): something is wrong with a track as a whole, given by its
    slot, or in a layer by its number.
    """

class ProveTree:
    """
    The tiles of a block, in key order, and the first tile of each of its pages.
    """

    def __init__(
        self,
        block: int,
        level: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        events: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        page_first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...

def prove_block(
    tree: ProveTree,
    root_level: int,
    end: int,
    names: int,
    kinds: Sequence[int],
    rows: Sequence[int],
    summed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    fetch: Callable[[int], tuple[bytes, bytes | None]],
    alone: Callable[
        [
            int,
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
        ],
        None,
    ],
    together: Callable[
        [
            int,
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
        ],
        None,
    ],
    by_track: Callable[
        [
            int,
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
        ],
        None,
    ],
    row_range: tuple[int, int],
    memory: MemoryBudget,
) -> tuple[
    dict[
        int,
        tuple[
            int,
            int,
            int,
            int,
            int,
            int,
            tuple[
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
                Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            ],
        ],
    ],
    dict[
        int,
        tuple[
            int,
            int,
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            float,
            float,
        ],
    ],
]:
    """
    Proves the tiles of a block. `fetch` gives page and residual of a page. `alone` takes the histogram of each
    tile whose `summed` has bit 1: position; of each name: name, count, busy time, self time, duration, longest,
    shortest; of all buckets of durations: name, bucket, count. `together` takes that of all tiles of one level
    and index that have bit 2, with the position of the first; `by_track` the same with slots in place of names.

    Returns by slot, of tracks of slices: events, busy time, rows in use, single slices, bins, overview
    (bin, busy time, name); of counters: samples, bins, overview (bin, greatest value), least and greatest
    value. Raises WrongTile, ShortTile and MemoryError.
    """

def unlisted_name(
    page: bytes, listed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
) -> int | None:
    """
    Returns a name that starts in a leaf of an inflated page and is not listed, or is listed and does not; None
    where they are the same. `listed` ascends. Raises DamagedContainer.
    """

class ProveLayer:
    """
    Rollups that have no track in common, proven together. Raises WrongTile and WrongTrack.
    """

    def __init__(self, root_level: int, end: int, names: int, memory: MemoryBudget) -> None: ...
    def add_rollup(self, tree: ProveTree, slot: int, track: int) -> None:
        """Adds a rollup; those of a block one after the other."""

    def gather(
        self,
        tree: ProveTree,
        tiles: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        framing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: int,
        stop: int,
        fetch: Callable[[int], tuple[bytes, bytes | None]],
    ) -> None:
        """
        Takes the slices of leaves of a block that overlap the batch, [start, stop). `tiles` ascend; `owners`
        are the numbers of their rollups; `framing`: 1 where they are of a track that names nothing in it.
        """

    def check_room(self) -> None:
        """Raises MemoryError when there is no room to end the batch."""

    def discard(self, start: int, stop: int) -> int:
        """Forgets the batch. Returns a tick in it at which to divide it."""

    def complete_until(self, block: int, until: int, fetch: Callable[[int], tuple[bytes, bytes | None]]) -> None:
        """
        Ends the batch for the rollups of a block, and compares their tiles that end until then.
        """

    def overview(
        self, number: int
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """Returns bin, busy time and name of a rollup's overview."""

    @property
    def bins(self) -> int:
        """How many bins were compared."""

class ProveFlowChunk:
    """A chunk of a track's flow ends. Raises ValueError."""

    def __init__(self, data: bytes, track: int) -> None: ...
    def read(
        self, most: int
    ) -> (
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        ]
        | None
    ):
        """
        Returns the next ends, so many at most: ordinal, incoming, tick; of the partner: track, ordinal,
        tick, start, name. None: there are no more.
        """

class ProveFlowTiles:
    """The flow tiles of a track, held against its flow ends."""

    def __init__(self, root_level: int, tracks: int, ends: int, memory: MemoryBudget) -> None: ...
    def add(self, chunk: ProveFlowChunk) -> None:
        """Takes all ends of a chunk."""

    def add_launches(
        self,
        incoming: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tick: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        partner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Takes ends of launches that no flow of the file tells."""

    def check(
        self,
        level: int,
        columns: Sequence[
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
    ) -> tuple[int, int, str] | None:
        """
        Returns level, index, and what is wrong with the first wrong tile of these; None: nothing. The
        columns: index, bins and edges of each tile; of each bin: bin, out, in, other out, other in; of each
        edge: bin, incoming, partner, count.
        """

    def finish(self) -> tuple[int, int, str] | None:
        """Returns the same of a tile that is missing, after the last."""

class ProveSliceFinder:
    """Finds single slices of a track by their ordinals."""

    def __init__(
        self, tree: ProveTree, fetch: Callable[[int], tuple[bytes, bytes | None]], memory: MemoryBudget
    ) -> None: ...
    def find(
        self,
        leaves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ordinals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        what: str,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns start, duration, name and flags of slices: `leaves` has the position of each one's tile,
        `ordinals` ascend. Raises WrongTile, which says `what` lies in no tile.
        """

class HitRows:
    """Slices that a search finds, page by page, as columns."""

    def __init__(
        self,
        names: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
        shortest: int,
        longest: int,
        starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        reaching: bool,
    ) -> None:
        """
        `names`: by name id, shifted by one. `reaching`: also slices that begin before a window.
        """

    def add(
        self,
        pages: Sequence[bytes],
        max_rows: int,
        page: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        after: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tag: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds the hits in leaves of some uncompressed pages. `page`: which of them a leaf is of, ascending; `tile`: its
        position there; `index` and `slot`: what must stand there; `first`: first tick; slices that reach in count
        from `after` on. Raises DamagedContainer.
        """

    def __len__(self) -> int: ...
    def take(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns what was added since the last call: tag, ordinal, start, duration, row, name, flags.
        """

class HitBins:
    """How many hits start in the bins of some lanes, and how busy they are."""

    def __init__(
        self,
        names: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
        shortest: int,
        longest: int,
        starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        level: int,
        first_bin: int,
        bins: int,
        lanes: int,
        by_row: bool,
    ) -> None:
        """`by_row`: each row of a track has a lane."""

    def add(
        self,
        pages: Sequence[bytes],
        max_rows: int,
        page: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tile: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        after: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        tag: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        As that of HitRows; the tag of a leaf is the lane of its track, or of the track's first row.
        """

    def put(
        self,
        lane: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Adds hits by their lanes."""

    def add_bins(self, other: HitBins) -> None:
        """Adds what another has counted in the same bins."""

    def sums(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns lane, bin, count and busy ticks (at most 2**62) of all bins with something in them.
        """

def page_names(
    names: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    track: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    last: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    page: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    budget: MemoryBudget | None = None,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
]:
    """
    Returns the names, on how many pages each starts, and these pages, one name's behind the other's; both
    ascend. Leaves are ordered by page:
    slices first to last of a track start there. Raises MemoryError.
    """

def name_bounds(
    histogram: bytes,
    max_rows: int,
    names: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[int, int] | None:
    """
    Returns how long the shortest and the longest slice of some names last that start in the tile of an
    uncompressed histogram; the shortest is longer where there are none. None: names in it have no row of their
    own. `names`: by name id, shifted by one. Raises DamagedContainer.
    """

def texts_with(
    joined: bytes,
    ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    wanted: bytes,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns which of some texts contain another, ascending. One byte that is in none follows each.
    """

class StepSums:
    """Sums of the operations of a track in steps, by category."""

    def __init__(
        self,
        starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stops: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        most: int,
    ) -> None:
        """
        Steps are windows that last, ascend and share no time. `most`: how many sums, and how many pieces of
        operations with numbers, are held.
        """

    def add_kinds(
        self,
        metadata: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        text_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Takes more kinds by their metadata. `text_of`: of each metadata the number of its text, which is 0 for all
        other. Each text is a category.
        """

    def texts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Returns the texts of the categories, which count from 0."""

    def add(
        self,
        kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ticks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        told: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds the next operations: of each its kind, that of the one it lies in, -1 none, and how long it takes
        on the device; start and ticks of its event; and of those at the places `told` a number, -1 none.
        """

    @property
    def is_too_much(self) -> bool:
        """Whether there was more than is held."""

    def sums(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
        """
        Returns step, category and sum of the sums that are not 0, by step and then by category.
        """

    def told(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
        """
        Returns step, category, number and duration of each piece of an operation that has a number.
        """

def synth_trace(
    format: str, events: int, tracks: int, seed: int, realistic: bool, write: Callable[[bytes, int], None]
) -> list[dict[str, str | int]]:
    """
    Generates a trace and hands it to write(bytes, events_so_far) in pieces. Returns the totals of each track.
    """

def tick_spans(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    limit: int,
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Returns the ticks from 0 to a limit that lie in any of some spans, as spans that ascend and do not touch.
    """

def joined_spans(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    other_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    other_stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Returns the ticks that lie in one of two sets of such spans."""

def spans_without(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    other_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    other_stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Returns the ticks that lie in the first of two sets of such spans, and not in the second.
    """

def divided_time(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    stop: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Sequence[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ]
    ],
    part_of_set: Sequence[int],
    parts: int,
    counted: int,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    list[
        tuple[
            Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]
        ]
    ],
]:
    """
    Returns how stretches of time that ascend are divided among sets of such spans: each tick is of the part of
    the first set that has it. The ticks of each stretch, part by part, and spans: of the parts from `counted`
    on, and at last of those that no set has.
    """

class XSpaceMetadata:
    """
    The metadata of events by its numbers: that which they use, then all other.
    """

    def advance(self, count: int) -> bool:
        """
        Looks at so many more numbers. Returns whether there are more; all else is complete when there are none.
        """

    @property
    def entries(self) -> int:
        """How many numbers are the first of their kind."""

    def columns(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """
        Returns of each number its plane, its id, the index of its name, -1: no event uses it, and the first
        number with the same names and stats.
        """

    def stats(self, page: int, per_page: int) -> bytes:
        """Returns a page of stats, of those that are the first of their kind."""

    def texts(self, page: int, per_page: int) -> bytes:
        """Returns a page of their names and longer names."""

    def said(
        self, ids: Sequence[Sequence[int]], first: int, count: int
    ) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[tuple[bytes, int, int]]]:
        """
        Returns of so many of those that are the first of their kind the place of the text that one of their stats
        says, -1 none, the stat being that of these ids on each plane; and the texts: the text itself and -1, or
        the plane and the id of a name there.
        """

class WireError(ValueError):
    """WireError(what, byte offset): it is no XSpace."""

class LimitReached(ValueError):
    """LimitReached(what, byte offset): it takes more memory than it may."""

class XSpaceLine:
    """
    A line. Times of its events are picoseconds from where the line counts.
    """

    @property
    def plane(self) -> int: ...
    @property
    def id(self) -> int: ...
    @property
    def timestamp_ns(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def display_name(self) -> str: ...
    @property
    def events(self) -> int:
        """Without those that are out of range."""

    @property
    def out_of_range(self) -> int: ...
    @property
    def flow_ends(self) -> int: ...
    @property
    def first_ps(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def end_ps(self) -> int:
        """0 to 999, beyond `end_ns`."""

    @property
    def any_ps(self) -> bool:
        """Whether any time has picoseconds."""

class XSpaceSeries:
    """A series of counter samples, with times as those of a line."""

    @property
    def name_index(self) -> int:
        """The name of the events, an index into `names`."""

    @property
    def stat_id(self) -> int:
        """The stat metadata whose numbers these are."""

    @property
    def samples(self) -> int: ...
    @property
    def first_ps(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def end_ps(self) -> int: ...
    @property
    def any_ps(self) -> bool: ...

class XSpaceCounters:
    """What a line of counters holds."""

    @property
    def series(self) -> list[XSpaceSeries]: ...
    @property
    def sampled(self) -> int:
        """Events that are samples, of one series or several."""

    @property
    def lasting(self) -> int:
        """Of these, those with a duration."""

    @property
    def not_finite(self) -> int:
        """Numbers that are NaN or infinite."""

    @property
    def beyond_events(self) -> int:
        """Slices: their numbers are of too many series."""

    @property
    def beyond_numbers(self) -> int:
        """Such numbers of events that are samples of others."""

class XSpacePlane:
    @property
    def name(self) -> str: ...
    @property
    def stats(self) -> list[bytes]:
        """XStat messages, without very long ones."""

    @property
    def stat_names(self) -> dict[int, str]:
        """By the id of the stat metadata."""

class XSpaceApart:
    """
    Metadata that is kept beside the events, in bytes [begin, end) of the file.
    """

    @property
    def plane(self) -> int: ...
    @property
    def metadata_id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def is_hlo(self) -> bool: ...
    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int: ...

class XSpacePlaneStats:
    """The stats of a plane, as one message that is read piece by piece."""

    def next(self, max_bytes: int) -> bytes: ...

class XSpaceLineSurvey:
    def advance(self, stop: int) -> bool:
        """Reads on until `stop`, a byte offset. Returns whether there is more."""

    @property
    def position(self) -> int: ...

class XSpaceLineEvents:
    """The events of a line, chunk by chunk."""

    def next(self, max_rows: int, max_args_bytes: int) -> dict[str, Any] | None:
        """
        Returns columns, or None, by their names in an EventChunk. None: there are no more events.
        """

    @property
    def position(self) -> int: ...

class XSpaceLineSlices:
    """The slices of a line, on their way to columns of the caller's."""

    def advance(self, stop: int) -> bool:
        """Reads on until `stop`, a byte offset. Returns whether there is more."""

    @property
    def position(self) -> int: ...
    @property
    def args_bytes(self) -> int:
        """How many bytes of arguments there are so far."""

class XSpaceFile:
    """
    An XSpace: outline, survey of each line, seal, then the events of any line. Several threads may survey
    and read, each line by one at a time. Raises WireError and LimitReached.
    """

    def __init__(
        self,
        buffer: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        room: int,
        per_plane: int,
        per_line: int,
        per_name: int,
    ) -> None:
        """
        Keeps the buffer. `room`: the bytes that its tables may take, and how many of them a plane, a line and
        a name are counted as.
        """

    def read_outline(self, stop: int) -> bool:
        """Reads on until `stop`, a byte offset. Returns whether there is more."""

    def planes(self) -> list[XSpacePlane]: ...
    def errors(self) -> list[str]: ...
    def warnings(self) -> list[str]: ...
    def hostnames(self) -> list[str]: ...
    def cut(self) -> tuple[str, int, int] | None:
        """
        Returns what the file ends inside of, where that begins, and the plane that it cuts or -1. None: it
        is whole.
        """

    def line_ranges(self) -> list[tuple[int, int]]:
        """Returns [begin, end) of each line's bytes."""

    def survey(self, line: int) -> XSpaceLineSurvey:
        """Begins to look into a line; `surveyed` ends it."""

    def surveyed(self, line: int, survey: XSpaceLineSurvey) -> int:
        """
        Takes what a survey found, after its end. Returns the line's own timestamp.
        """

    def settle(self, line: int, start_ns: int) -> None:
        """Says where the line counts from."""

    def line(self, line: int) -> XSpaceLine:
        """Of a line that was split: of its events that are slices."""

    def activity(self, line: int) -> tuple[int, int, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Returns shift, first bin, and the busy picoseconds of each bin, as `Activities.of` does.
        """

    def seal(self, surveyed: int) -> bool:
        """
        Reads the metadata of one more plane, if all of its lines are among the first ones, so many, which have
        been surveyed and settled; others may still be. Returns whether to call it again. To be called until it is
        False with the number of all lines.
        """

    def has_counters(self, line: int) -> bool:
        """Whether a line is to be split."""

    def split(self, line: int) -> None:
        """
        Finds the series of a line of counters, after `seal`. Its other events stay slices.
        """

    def counters(self, line: int) -> XSpaceCounters: ...
    def series_activity(
        self, line: int, series: int
    ) -> tuple[int, int, Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Returns as `activity` does when there are samples."""

    def events(self, line: int, track: int) -> XSpaceLineEvents:
        """
        Begins to read a line's slices; `track` is what its rows are said to be of.
        """

    def args_room(self, line: int) -> int:
        """How many bytes the arguments of a line's events take at most."""

    def slices(
        self,
        line: int,
        from_ns: int,
        per_ns: int,
        rounds: bool,
        names: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
        flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
        args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
        key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        correlation_ids: Sequence[int],
        is_on_device: bool,
        flow_phase: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
        flow_tick: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        flow_key: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        flow_slice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    ) -> XSpaceLineSlices:
        """
        Begins to read a line that was not split into columns, one row for each event and for each flow end; `args`
        has at least `args_room` bytes. Times are (ns - from_ns) * per_ns, modulo 2**64; `names` has the numbers of
        the file's names.
        """

    def samples(self, line: int, series: int, track: int) -> XSpaceLineEvents:
        """Begins to read the samples of a series."""

    def names(self) -> list[tuple[str, str]]:
        """Returns text and category of each name."""

    def metadata_tables(
        self, plane_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> XSpaceMetadata:
        """
        Begins to read the metadata of events. `plane_class`: planes of one class call their stats the same.
        """

    def forget_messages(self) -> None:
        """
        Forgets where metadata lies that events use. To be called when all are looked at, those kept apart as well.
        """

    def apart(self, limit: int) -> tuple[list[XSpaceApart], int]:
        """
        Returns what of the metadata is kept apart, so many pieces at most, and how many more there are.
        """

    def plane_stats_bytes(self, plane: int) -> int:
        """Returns 0 for a plane without stats."""

    def plane_stats(self, plane: int) -> XSpacePlaneStats: ...
    @property
    def outline_position(self) -> int: ...

def integer_stats(
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ids: Sequence[int],
    absent: int,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns of some rows the integer that a stat with one of these ids has among the arguments, or `absent`.
    """

def correlation_keys(
    args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    first: int,
    stop: int,
    ids: Sequence[int],
    is_on_device: bool,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Returns the keys of events [first, stop) by their correlation, the stat of one of these ids: -1 for none.
    Raises ValueError.
    """

class OwnTextMaker:
    """
    Counts how many events of a track have the same texts among stats of their own.
    """

    def __init__(
        self,
        first_number: int,
        slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        part_events: int,
    ) -> None:
        """
        Events with metadata `first_number + k` are counted under slots[k], unless that is -1. Raises ValueError
        for parts without events.
        """

    def add(
        self,
        args_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        begin: int,
        args: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Adds the next events: those of event k are args[args_end[k-1]:args_end[k]], from `begin` on. Raises
        ValueError.
        """

    def finish(
        self,
    ) -> tuple[
        bool,
        list[int],
        list[bytes],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns whether arguments are readable: without that all else is empty; ids of stats that events have
        themselves; texts, the `stats` fields of an event that are texts or references; by part of the track how
        many of them its events have, -1 too many; part by part which, and how many events have each; slots of
        metadata that events have, ascending, and how many events have each. To be asked once, at the end.
        """

class SharedTexts:
    """Texts that stats of metadata say."""

    def __init__(self) -> None: ...
    def add(
        self,
        ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        entries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns of some entries all stats that are texts or references: entry, id, number of the text, -1 of a
        reference, and that; and the entries that have to be read with more care. Raises ValueError.
        """

    def __len__(self) -> int:
        """How many texts there are."""

    def __getitem__(self, number: int) -> bytes:
        """The text of a number. Raises IndexError."""

def whole_args(
    left_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    taken: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Returns ends and bytes of what `Operations.add_with_chunks` took apart. Raises ValueError.
    """

TIME_LIMIT: int = 2305843009213693952

def root_level(end: int) -> int:
    """Returns the lowest level at which tile 0 covers [0, end]."""

def release_free_memory() -> None:
    """Gives memory that is free but kept for later back to the system."""

def keep_free_memory(bytes: int, parts: int) -> None:
    """
    Keeps memory that is freed, up to so many bytes, from now on: for a process that has one thing to do.
    Threads share so many parts of it.
    """

class MemoryBudget:
    """The memory that work may take, shared by its threads."""

    def __init__(self, limit: int) -> None: ...
    @property
    def limit(self) -> int: ...
    @property
    def taken(self) -> int: ...
    def refused(self) -> int:
        """Returns the most that was asked for and not given since the last call."""

    def take(self, size: int) -> None:
        """Raises MemoryError, and has not taken it then."""

    def give(self, size: int) -> None: ...

class Tiles:
    """The tile tree of a track."""

    def overview(
        self, level: int, lanes: int
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]:
        """
        Returns bin, name and utilisation (1 to 255) of the overview of a rollup.
        """

    def take_overview(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]:
        """
        Returns bin, name and utilisation (1 to 255) of the overview of slices whose tiles were made with a level
        for it; once.
        """

    def join(self, later: Tiles) -> None:
        """
        Makes the part of a rollup before its cut the whole, with the part behind it.
        """

def slice_tiles(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    root_level: int,
    budget: MemoryBudget | None = None,
    overview_level: int | None = None,
) -> Tiles:
    """
    Returns the tiles of slices, which are in canonical order, and of one level their part of the overview layer.
    What they take is taken from the budget, as long as they live. Raises MemoryError.
    """

def slice_digest(
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    flags: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[int, int]:
    """
    Returns a number of 64 bits that tells slices from others, and when the last of them ends.
    """

def counter_tiles(
    time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    root_level: int,
) -> Tiles:
    """Returns the tiles of samples, which are in the order of time."""

class KeptSlices:
    """The slices of a track, kept for its rollups."""

    def __init__(
        self,
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """In the memory of the arrays, which it keeps."""

    @staticmethod
    def in_file(
        file: int,
        offset: int,
        start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duration: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        name: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> KeptSlices:
        """Writes them to an open file from `offset` on. Raises OSError."""

    @property
    def bytes(self) -> int:
        """What they take in a file at most."""

def rollup_tiles(
    children: Sequence[KeptSlices],
    root_level: int,
    budget: MemoryBudget | None = None,
    terminal_slices: int = 65536,
    narrow_slices: int = 4294967295,
    start: int = 0,
    stop: int | None = None,
) -> Tiles:
    """
    Returns the tiles of the rollup of these tracks: those below the root in which at most `terminal_slices`
    start have no children. One of more than `narrow_slices` counts in 64 bits. With cuts as `start` and `stop`
    it is the part between them, to be joined. Raises MemoryError when more slices are open at once
    than the budget has room for.
    """

def rollup_cuts(children: Sequence[KeptSlices], root_level: int, parts: int, terminal_slices: int = 65536) -> list[int]:
    """
    Returns times, ascending, at which the rollup of these tracks may be cut into so many parts of about as many
    slices; fewer where slices are not spread so.
    """

class Block:
    """The tiles of up to 32 neighbouring tracks, to be written as pages."""

    def __init__(self, number: int) -> None: ...
    def add(self, slot: int, tiles: Tiles) -> None:
        """Takes the tiles of a track: they are of no further use."""

    def seal(self) -> None:
        """
        Puts the tiles in key order. To be called once, when all tracks are in.
        """

    def tiles(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]:
        """
        Returns level, index, slot, flags, events and weight of all tiles, in key order.
        """

    def encode(self, first: int, last: int, budget: MemoryBudget | None = None) -> tuple[bytes, bytes]:
        """
        Returns page and residual of tiles [first, last), not compressed. Raises MemoryError for a tile that is too
        large for the budget.
        """

class NotTraceJson(Exception):
    """
    NotTraceJson(what, byte offset, line, column): it is no trace-event JSON.
    """

def parse_microseconds(text: str) -> tuple[int, int] | None:
    """
    Returns nanoseconds and picoseconds; None: it is malformed or out of range.
    """

def side_of_category(category: str) -> int:
    """
    Returns whether events of that category are of a host (1), of a device (2) or of either (4).
    """

class TraceEventPart:
    """
    The events of a block of a file, read without knowing what stands before it.
    """

    def __init__(
        self, block: bytes | bytearray | memoryview, texts: PackedTexts | None = None, nanoseconds: bool = False
    ) -> None:
        """
        Arguments are packed where there are `texts` for it. Times are in microseconds, or else in nanoseconds.
        """

    @property
    def first(self) -> int:
        """The first byte of the block that was read."""

    @property
    def last(self) -> int:
        """Behind the last byte that was read."""

class TraceEventStream:
    """A trace-event file, fed in pieces. Raises NotTraceJson."""

    def __init__(self, max_members: int = 0, nanoseconds: bool = False) -> None:
        """
        Keeps so many members of objects beside the events. Times are in microseconds, or else in nanoseconds.
        """

    def pack_arguments(self, texts: PackedTexts) -> None:
        """Arguments are packed from now on. Before anything is fed."""

    def feed(self, data: bytes | bytearray | memoryview, part: TraceEventPart | None = None) -> None:
        """
        Takes the next bytes. The part, if there is one, was read from them; it is used up.
        """

    def finish(self) -> None: ...
    def take(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int16], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int16], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None,
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
    ]:
        """
        Returns the columns of the rows so far, in the order of an EventChunk: track, phase, time in ns and
        ps, duration in ns and ps, name, key, value, flags, args_end, args.
        """

    @property
    def chunk_ready(self) -> bool:
        """Whether `take` gives a chunk that has been filled."""

    @property
    def rows(self) -> int:
        """Rows that were not taken yet."""

    @property
    def parts_taken(self) -> int:
        """How many of the parts that were fed could be used."""

    @property
    def offset(self) -> int:
        """Of the first byte that has not been dealt with."""

    @property
    def cut_offset(self) -> int:
        """Of the event that the file ends in."""

    @property
    def ended_in(self) -> Literal["nothing", "complete", "array", "object", "value", "event", "damage"]: ...
    @property
    def elements(self) -> int:
        """Of event arrays; empty objects and nulls are not counted."""

    @property
    def has_event_array(self) -> bool: ...
    @property
    def event_array_is_none(self) -> bool: ...
    @property
    def base_time_ns(self) -> int | None: ...
    @property
    def base_time_differs(self) -> bool: ...
    @property
    def samples(self) -> int:
        """Objects in members `samples` beside the events."""

    @property
    def v8_profiles(self) -> int:
        """Events with samples of V8's CPU profiler."""

    @property
    def host_name(self) -> str: ...
    @property
    def written_total(self) -> int: ...
    def written(self) -> dict[str, int]:
        """Returns how many events the file has, by the letter of their phase."""

    def read(self) -> dict[str, int]:
        """Returns how many events became rows, by the letter of their phase."""

    def ignored(self) -> dict[str, int]:
        """Returns how many events were ignored, by the reason."""

    def processes(self) -> list[tuple[int, str, list[str], list[str], list[int], bool]]:
        """
        Returns of each process: kind of pid, pid, names, labels and sort indices, those written last at the end, and
        whether the pid was written as a string.
        """

    def threads(self) -> list[tuple[int, int, str, list[str], int | None, str, bool]]:
        """
        Returns of each thread: process, kind of tid, tid, names, the last at the end, sort index or None, and the
        argument `device` of its first slice whose category is of a device, and whether the tid was written as a
        string.
        """

    def tracks(self) -> list[tuple[int, int, int, str, str, str]]:
        """
        Returns of each track: role, process or -1, thread or -1, three labels.
        """

    def track_sides(self) -> list[int]:
        """
        Returns of each track what `side_of_category` says of rows that were taken: a sum, as of several.
        """

    def names(self) -> list[tuple[str, str]]:
        """Returns text and category of each name."""

    @property
    def name_count(self) -> int: ...
    @property
    def name_bytes(self) -> int:
        """
        Of the texts and categories of all names: a text counts with each category.
        """

    @property
    def process_count(self) -> int:
        """Processes without events, too."""

    @property
    def thread_count(self) -> int:
        """Threads without events, too."""

    @property
    def id_count(self) -> int:
        """Ids of async slices and flows, as far as they are kept as text."""

    @property
    def id_bytes(self) -> int: ...
    def member_pieces(self) -> list[tuple[str | None, int, bool, bytes]]:
        """
        Returns pieces of members beside the events: name of a first piece, number of the object, whether the
        value is whole, bytes.
        """

    def dropped_objects(self) -> list[int]:
        """Returns the numbers of objects that were events after all."""

    @property
    def more_members(self) -> int:
        """How many were not kept."""

    @property
    def unnamed_members(self) -> int:
        """How many were not kept because their names are too long."""

def unpacked_integers(
    data: bytes, offset: int, size: int, count: int, least: int, first: int | None = None
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Integers above `least`, shape (count,), of planes of bytes from an offset on: plane k of `size` has byte k
    of each. With `first` shape (count + 1,): it, and those of which these are the differences to the one
    before. All is modulo 2^64. Raises ValueError where there are fewer bytes, or more than eight planes.
    """

class CsvStream:
    """Comma-separated values as columns of cells, block by block."""

    def __init__(self, most_columns: int, most_cell_bytes: int) -> None: ...
    def feed(self, block: bytes, most_rows: int, most_bytes: int) -> bool:
        """
        Takes the next bytes. Returns whether there may be more rows: then take those, and feed nothing.
        """

    def finish(self, most_rows: int, most_bytes: int) -> bool:
        """The same of what is left, when there is nothing more."""

    def take(
        self,
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            Annotated[NDArray[numpy.uint8], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
            list[bytes],
        ]
    ]:
        """
        Returns the columns of all rows so far: states, numbers, digits and codes as `Cells` has them, and
        words, which may be no UTF-8; and drops these rows.
        """

    @property
    def rows(self) -> int:
        """Rows that can be taken."""

    @property
    def has_header(self) -> bool: ...
    @property
    def header(self) -> list[bytes]:
        """The names of the columns, which may be no UTF-8."""

    @property
    def more_columns(self) -> int:
        """Columns of the header beyond the most."""

    @property
    def short_rows(self) -> tuple[int, int, int]:
        """How many rows have too few cells; line and column of the first."""

    @property
    def long_rows(self) -> tuple[int, int, int]: ...
    @property
    def open_quotes(self) -> tuple[int, int, int]: ...
    @property
    def not_utf8(self) -> tuple[int, int, int]: ...
    @property
    def cut_records(self) -> tuple[int, int, int]: ...
    @property
    def left_out_rows(self) -> tuple[int, int, int]: ...

class FileDamage(ValueError):
    """FileDamage(what, byte offset)"""

class TreeReader:
    """
    Reads an LMDB file. The first four bytes of values come apart, as a number. Raises FileDamage.
    """

    def __init__(self, descriptor: int, growing: bool) -> None:
        """Takes over the descriptor. `growing`: another process writes the file."""

    @property
    def entries(self) -> int: ...
    def settle(self) -> None:
        """The file is complete now, and stays as it is."""

    def get(self, key: bytes) -> tuple[int, bytes] | None:
        """Returns checksum and value."""

    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, int, bytes] | None:
        """
        Returns key, checksum and value of the last entry up to `key`, if it begins with `prefix`.
        """

    def scan(self, first: bytes, prefix: bytes, limit: int) -> list[tuple[bytes, int, bytes]]:
        """
        Returns key, checksum and value of entries from `first` on as long as they begin with `prefix`: at
        most `limit`, and fewer when they are large.
        """

    def close(self) -> None: ...

def start_unlocked_spans() -> None:
    """
    Records from now on when native work does without Python's lock, and how long it waits to have it back.
    """

def take_unlocked_spans() -> tuple[
    Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    int,
]:
    """
    Ends the recording. Returns the thread of each span, and the nanoseconds of `time.monotonic_ns` at which it
    gave the lock up, asked for it and had it back, by when it had; and how many more there were than are kept.
    """
