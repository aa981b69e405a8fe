"""Records of operations: what the operations of a device's track are, and their time on the device.

See docs/page-format.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgpack
import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.overloads import overload
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID, DMA_STALL
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]
StatValue = int | str

# Some 3 bytes an operation after compression: a record has about that of a page.
CHUNK_OPERATIONS: Final = 16_384

# Numbers that an operation may have, by the stat that they are, -1 where it has none.
NUMBERS: Final[Mapping[str, Col]] = {
    DMA_STALL: Col.DMA_STALL,
    ALL_REDUCE_ID: Col.ALL_REDUCE,
    "flops": Col.EVENT_FLOPS,
    "model_flops": Col.EVENT_MODEL_FLOPS,
    "bytes_accessed": Col.EVENT_BYTES,
}

_INT64: Final = np.dtype("<i8")


OPERATIONS = Record(
    "X",
    "track event",
    "track {track}: operations from event {event} on",
    Available.WITH_TRACK,
    doc="of each event of a device the kind of its operation, and how long it took by the device's own clock",
    proof="arguments and slices, by the maker that wrote them",
)
KINDS = Record(
    "K",
    "track",
    "the kinds of operations of track {track}",
    Available.WITH_TRACK,
    doc="the kinds of a track's operations: metadata and values of stats",
    proof="arguments, by the maker that wrote them",
)


class Operations(Struct, frozen=True):
    """Operations of one track that follow one another, columns of shape (n,)."""

    kind: Ints  # its place in `TrackKinds.kinds`
    parent: Ints  # kind of the operation that it lies in, on the device's time; -1 none
    duration: Ints  # on the device, ps
    # Few have numbers: those that have any, by their places, which ascend; and the columns of these, of shape (m,).
    told: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: Mapping[str, Ints] = field(default_factory=dict)  # of `NUMBERS`, those that any has

    def __len__(self) -> int:
        return len(self.kind)

    def number(self, name: str, places: Ints) -> Ints:
        """A number of some operations, -1 where they have none."""
        found = np.full(len(places), -1, np.int64)
        if name in self.numbers:
            at = np.minimum(np.searchsorted(self.told, places), len(self.told) - 1)
            is_told = self.told[at] == places
            found[is_told] = self.numbers[name][at[is_told]]
        return found

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {
            Col.OPERATION_KIND: self.kind,
            Col.OPERATION_PARENT: self.parent,
            Col.DEVICE_DURATION: self.duration,
            **({Col.OPERATION_TOLD: self.told} if self.numbers else {}),
            **{NUMBERS[name]: values for name, values in self.numbers.items()},
        }
        return container.encode(container.OPERATIONS_MAGIC, 0, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> Operations:
        """The operations in a record of this track. Raises DamagedStore."""
        record = container.decode(data)
        if record.magic != container.OPERATIONS_MAGIC or record.block != track:
            raise DamagedStore(f"a record holds no operations of track {track}")
        kind, parent = record.ints(Col.OPERATION_KIND), record.ints(Col.OPERATION_PARENT)
        duration = record.ints(Col.DEVICE_DURATION)
        numbers = {name: record.ints(column) for name, column in NUMBERS.items() if column in record.columns}
        told = record.ints(Col.OPERATION_TOLD)
        are_alike = all(len(of) == record.n_tiles for of in (kind, parent, duration))
        if not record.n_tiles or not are_alike or any(len(of) != len(told) for of in numbers.values()):
            raise DamagedStore(f"a record of operations of track {track} has columns of different lengths")
        if len(told) and (not numbers or told[0] < 0 or told[-1] >= record.n_tiles or (np.diff(told) <= 0).any()):
            raise DamagedStore(f"a record of operations of track {track} has numbers of operations that there are not")
        return cls(kind, parent, duration, told, numbers)


class OperationKind(Struct, frozen=True):
    """Operations that are alike. `stats`: of theirs, those that tell them from others of the same metadata."""

    metadata: int  # number in the tables of the file, -1 none
    stats: Mapping[str, StatValue] = field(default_factory=dict)

    @property
    def instruction(self) -> tuple[str, str]:
        """The program that a kernel runs for, by id or else name, and the instruction there; both "" for none."""
        name = str(self.stats.get("hlo_op", ""))
        return (program_id(str(self.stats.get("program_id", self.module_name))), name) if name else ("", "")

    @property
    def module_name(self) -> str:
        """The name of that program; "" where the trace does not say it."""
        return str(self.stats.get("hlo_module", ""))


def program_id(text: str) -> str:
    """The id of a program, which is unsigned; some traces have it as a signed number."""
    return str(int(text) + (1 << 64)) if text.startswith("-") and text[1:].isdecimal() else text


class OperationKinds(Sequence[OperationKind]):
    """Kinds by their place. There may be very many of which nothing but the metadata is known."""

    def __init__(self, metadata: Ints, stats: Mapping[int, Mapping[str, StatValue]]) -> None:
        """`stats`: of those that have any."""
        self.metadata = metadata
        self.stats = stats

    @classmethod
    def of(cls, kinds: Sequence[OperationKind]) -> OperationKinds:
        """These, one by one."""
        if isinstance(kinds, OperationKinds):
            return kinds
        metadata = np.array([kind.metadata for kind in kinds], np.int64)
        return cls(metadata, {place: kind.stats for place, kind in enumerate(kinds) if kind.stats})

    def __len__(self) -> int:
        return len(self.metadata)

    @overload
    def __getitem__(self, place: int) -> OperationKind: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[OperationKind]: ...

    def __getitem__(self, place: int | slice) -> OperationKind | Sequence[OperationKind]:
        if isinstance(place, slice):
            return [self[at] for at in range(len(self))[place]]
        return OperationKind(int(self.metadata[place]), self.stats.get(range(len(self))[place], {}))


class TrackKinds(Struct, frozen=True):
    """The kinds of a track's operations, and where its records are, by the event that each begins with."""

    kinds: Sequence[OperationKind]
    is_cut: bool  # there were more kinds than are told apart by stats
    first_ps: int  # when the first operation begins, on the device
    last_ps: int  # when the last one ends
    start: Ints  # of the first event of each record, ticks
    last_start: Ints  # of its last one
    stop: Ints  # when the last of its events ends, ticks
    busy: Ints  # how long any event of the track runs before the first event of each record starts, ticks

    @property
    def records(self) -> int:
        """How many there are: all but the last hold CHUNK_OPERATIONS."""
        return len(self.start)

    def encode(self) -> bytes:
        """A msgpack map, not compressed."""
        kinds = OperationKinds.of(self.kinds)
        packed: bytes = msgpack.packb(
            {
                "metadata": kinds.metadata.astype(_INT64).tobytes(),
                "stats": [[place, dict(stats)] for place, stats in kinds.stats.items()],
                "is_cut": self.is_cut,
                "first_ps": self.first_ps,
                "last_ps": self.last_ps,
                **{name: getattr(self, name).astype(_INT64).tobytes() for name in _COLUMNS},
            }
        )
        return packed

    @classmethod
    def decode(cls, data: bytes) -> TrackKinds:
        """The inverse. Raises DamagedStore."""
        try:
            packed = msgpack.unpackb(data)
            metadata = np.frombuffer(packed["metadata"], _INT64).astype(np.int64)
            kinds = OperationKinds(metadata, {int(place): dict(stats) for place, stats in packed["stats"]})
            columns = [np.frombuffer(packed[name], _INT64).astype(np.int64) for name in _COLUMNS]
            found = cls(kinds, bool(packed["is_cut"]), int(packed["first_ps"]), int(packed["last_ps"]), *columns)
        except (ValueError, TypeError, LookupError, msgpack.UnpackException) as error:
            raise DamagedStore(f"kinds of operations that make no sense: {error}") from error
        if len({len(column) for column in columns}) != 1 or not all(0 <= place < len(kinds) for place in kinds.stats):
            raise DamagedStore("kinds of operations whose columns differ")
        if not found.records:
            raise DamagedStore("kinds of operations without records of these")
        return found


_COLUMNS: Final = ("start", "last_start", "stop", "busy")
