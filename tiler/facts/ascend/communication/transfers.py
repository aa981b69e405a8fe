"""Transfers, waits and costs of communication, whatever wrote them, and the contract of what reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from msgspec import Struct, field

from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import WindowsOf

MAX_ROWS: Final = 1_000_000  # of each sort: some 200 bytes each

_Row = TypeVar("_Row")


class RankStep(Struct, frozen=True):
    """All communication of a rank in a step; times are scaled milliseconds (`exact_figures.py`)."""

    rank: int | None
    step: int | None  # None: the file has figures of no step
    transfer: int
    wait: int
    elapsed: int | None = None  # None: not recorded


class OperatorCost(Struct, frozen=True):
    """A communication operator of a rank in a step."""

    rank: int | None
    step: int | None
    name: str
    transfer: int
    wait: int
    size: int | None = None  # scaled bytes
    elapsed: int | None = None
    synchronization: int | None = None  # the part of the wait that is for others to begin


class LinkTransfer(Struct, frozen=True):
    """Transfers over a link in a step, as a rank recorded them."""

    rank: int | None
    step: int | None
    source: int | None  # numbers of ranks as the file has them, which may be those of a group
    destination: int | None
    transport: str
    time: int
    size: int
    task: str = ""  # what copies, or reduces, where that is recorded
    bandwidth: float | None = None  # as the file has it, bytes a second
    count: int | None = None
    event: tuple[int, int] | None = None  # track and ordinal of the longest task
    longest: int = 0  # its time


class PacketSize(Struct, frozen=True):
    """Packets of one size that a rank sent by a transport in a step."""

    rank: int | None
    step: int | None
    transport: str
    packet: int  # scaled bytes of each
    count: int
    time: int


class Communication(Struct):
    """All that was chosen. `problems`: what could not be read, counted, in words behind the count."""

    steps: list[RankStep] = field(default_factory=list)
    operators: list[OperatorCost] = field(default_factory=list)
    links: list[LinkTransfer] = field(default_factory=list)
    packets: list[PacketSize] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)

    def add_operator(self, operator: OperatorCost) -> None:
        """Keeps one, or counts it where there are too many."""
        self._add(self.operators, operator, "operators")

    def add_link(self, link: LinkTransfer) -> None:
        """Keeps one, or counts it where there are too many."""
        self._add(self.links, link, "links")

    def add_packets(self, packets: Iterable[PacketSize]) -> None:
        """Keeps them, or counts those that are too many."""
        for packet in packets:
            self._add(self.packets, packet, "sizes of packets")

    def _add(self, rows: list[_Row], row: _Row, name: str) -> None:
        if len(rows) < MAX_ROWS:
            rows.append(row)
        else:
            self.problems[f"{name} of communication beyond {MAX_ROWS:,}"] += 1


class ChosenPart(Struct, frozen=True):
    """The part of a run that is asked for.

    `has_step(host, step)` is for files, whose figures are of steps; `on_track` are the windows of a track, in which
    events begin.
    """

    has_step: Callable[[str, int | None], bool]
    on_track: WindowsOf


class CommunicationSource(ABC):
    """One kind of records. The first that a run has answers for it."""

    title: str
    by_step: bool = True  # False: figures of any span
    remark: str = ""  # how its figures are to be read
    is_estimate: bool = False  # True: transfers and waits are told apart by a rule, not by records

    @abstractmethod
    def is_in(self, reader: QueryReader) -> bool:
        """True if a run has such records. Raises DamagedStore, NotBuilt."""

    def left_out(self, reader: QueryReader) -> str:
        """A sentence with files that are not read, as others are of the same ranks; empty: none. Raises as above."""
        return ""

    @abstractmethod
    def read(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        """The part that is asked for. Raises DamagedStore, NotBuilt."""

    def read_links(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        """The same for those who need links, and problems of these, alone. Raises as `read`."""
        return (yield from self.read(reader, chosen))
