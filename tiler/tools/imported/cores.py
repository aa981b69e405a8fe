"""A pod viewer page: what the time of each core and step was spent on, channels and all-reduces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, values_of
from tilescope.tiler.tools.imported.json_values import SHOWN_ROWS, items, member, number, row_id, text, ticks, whole

# Parts of a core's time, as the versions name them; the rest is compute with few FLOPs.
_PARTS: Final = (
    ("high_flops", "High-FLOPS compute", "highFlopsComputeUs"),
    ("infeed", "Infeed", "hostInfeedDurationUs"),
    ("outfeed", "Outfeed", "hostOutfeedDurationUs"),
    ("send", "Send", "sendDurationUs"),
    ("recv", "Recv", "recvDurationUs"),
    ("all_reduce", "All-reduce", "crsDurationUs"),
    ("all_reduce_compute", "All-reduce compute", "allReduceComputeDurationUs"),
    ("all_reduce_sync", "All-reduce sync", "allReduceSyncDurationUs"),
    ("sparse_core_wait", "SparseCore infeed wait", "bcInfeedWaitDurationUs"),
    ("sparse_core_transform", "SparseCore infeed transform", "bcInfeedTransformDurationUs"),
    ("sparse_core_outfeed", "SparseCore outfeed", "bcOutfeedDurationUs"),
)
_GENERIC: Final = (
    ("compute", "Device compute"),
    ("device_to_device", "Device to device"),
    ("collectives", "Collectives"),
    ("host_compute", "Host compute"),
    ("launch", "Kernel launch"),
    ("input", "Input"),
    ("output", "Output"),
    ("compilation", "Compilation"),
    ("other", "All others"),
)
_STEPS_AT_ONCE: Final = 500  # between two turns
_US_PS: Final = 10**6
_BREAKDOWN: Final = ("stepBreakdownUs",)


def cores_answer(parsed: Any, tick_ps: int) -> Interruptible[Answer]:
    """Tables of cores, channels and all-reduces, a row for each step, and the mean core of each step as a chart."""
    page = _Page(parsed, tick_ps)
    yield from page.read()
    parts = yield from page.parts()
    tables = []
    for make in (partial(page.table, parts), page.channels, page.all_reduces):
        yield
        tables.append(make())
    yield
    return Answer(page.facts(), [table for table in tables if len(table)], page.series(parts), page.notes)


class _Page:
    """`cores` are those of all steps: the step, the core's name, and what is told of it."""

    def __init__(self, parsed: Any, tick_ps: int) -> None:
        self._environment = member(parsed, "runEnvironment")
        self._tick_ps = tick_ps
        saved_steps = items(member(parsed, "podStatsSequence", "podStatsMap"))
        self._steps = [step for step in saved_steps[:SHOWN_ROWS] if isinstance(step, dict)]
        self._cores: list[tuple[Any, str, Any]] = []
        self.notes: list[Note] = []

    def read(self) -> Interruptible[None]:
        """Looks at the steps: first of all."""
        for place, step in enumerate(self._steps):
            if place % _STEPS_AT_ONCE == 0:
                yield
            self._cores += ((step, name, core) for name, core in _cores(step, SHOWN_ROWS - len(self._cores)))
        if len(self._cores) == SHOWN_ROWS:
            self.notes.append(Note("warning", f"only the first {SHOWN_ROWS:,} cores of steps are shown"))

    def parts(self) -> Interruptible[list[Column]]:
        """The parts of a core's time that the file has; what they leave of a step is low-FLOPS compute."""
        generic = []
        for place, (name, title) in enumerate(_GENERIC, 1):
            yield
            generic.append(Column(name, title, "ticks", self._taken(*_BREAKDOWN, str(place))))
        if any(value is not None for column in generic for value in values_of(column)):
            return generic
        parts = []
        for name, title, key in _PARTS:
            yield
            parts.append(Column(name, title, "ticks", self._taken(key)))
        parts = [column for column in parts if any(value is not None for value in values_of(column))]
        if not parts:
            return []
        yield
        sums = [sum(value or 0 for value in row) for row in zip(*(values_of(column) for column in parts), strict=True)]
        totals = zip(self._taken("totalDurationUs"), sums, strict=True)
        rest = [None if total is None else max(total - explained, 0) for total, explained in totals]
        return [parts[0], Column("low_flops", "Low-FLOPS compute", "ticks", rest), *parts[1:]]

    def table(self, parts: Sequence[Column]) -> Table:
        """A row for each core and step."""
        cores = self._cores
        columns = [
            Column("step", "Step", "count", [whole(member(step, "stepNum")) for step, _, _ in cores], total="none"),
            Column("core", "Core", "text", [name for _, name, _ in cores]),
            Column("host", "Host", "text", [text(member(core, "hostName")) for _, _, core in cores]),
            Column("chip", "Chip", "id", [row_id(member(core, "chipId")) for _, _, core in cores]),
            Column("node", "Node", "id", [row_id(member(core, "nodeId")) for _, _, core in cores]),
            Column("total", "Step time", "ticks", self._taken("totalDurationUs")),
            *parts,
            Column("bottleneck", "Bottleneck", "text", [text(member(core, "bottleneck")) for _, _, core in cores]),
        ]
        return Table("cores", "Cores", columns)

    def channels(self) -> Table:
        """Transfers from core to core, with their rates."""
        rows = self._items("channelDb")
        sizes = [whole(member(channel, "dataSize")) for _, channel in rows]
        latency = [number(member(channel, "durationUs")) for _, channel in rows]
        both = zip(sizes, latency, strict=True)
        rates = [None if size is None or not time else size / time * 1e6 for size, time in both]
        names = [", ".join(filter(None, map(text, items(member(channel, "hloNames"))))) or None for _, channel in rows]
        columns = [
            Column("step", "Step", "count", [whole(member(step, "stepNum")) for step, _ in rows], total="none"),
            Column("channel", "Channel", "text", [text(member(channel, "channelId")) for _, channel in rows]),
            Column("source", "Source core", "text", [text(member(channel, "srcCoreId")) for _, channel in rows]),
            Column(
                "destination", "Destination core", "text", [text(member(channel, "dstCoreId")) for _, channel in rows]
            ),
            Column("data", "Data", "bytes", sizes),
            Column(
                "latency",
                "Latency",
                "ticks",
                [ticks(duration, _US_PS, self._tick_ps) for duration in latency],
                total="max",
            ),
            Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
            Column("send_delay", "Send delay", "ticks", [self._us(channel, "sendDelayUs") for _, channel in rows]),
            Column(
                "occurrences", "Occurrences", "count", [whole(member(channel, "occurrences")) for _, channel in rows]
            ),
            Column("hlo", "HLO", "text", names),
        ]
        return Table("channels", "Channels", columns)

    def all_reduces(self) -> Table:
        """The all-reduces of each step, and between which replicas."""
        rows = self._items("allReduceOpDb")
        columns = [
            Column("step", "Step", "count", [whole(member(step, "stepNum")) for step, _ in rows], total="none"),
            Column("name", "Name", "name", [text(member(all_reduce, "name")) or "" for _, all_reduce in rows]),
            Column("data", "Data", "bytes", [whole(member(all_reduce, "dataSize")) for _, all_reduce in rows]),
            Column("duration", "Duration", "ticks", [self._us(all_reduce, "durationUs") for _, all_reduce in rows]),
            Column(
                "occurrences",
                "Occurrences",
                "count",
                [whole(member(all_reduce, "occurrences")) for _, all_reduce in rows],
            ),
            Column("replicas", "Replicas", "text", [_replicas(all_reduce) for _, all_reduce in rows]),
        ]
        return Table("all_reduces", "All-reduces", columns)

    def facts(self) -> list[Fact]:
        """Facts about the run: steps, cores, hosts, topology."""
        grid = [whole(member(self._environment, "topology", f"{axis}Dimension")) for axis in "xyz"]
        topology = " × ".join(str(size) for size in grid if size)
        hosts = {text(member(core, "hostName")) for _, _, core in self._cores}
        facts = [
            Fact("steps", "Steps", len(self._steps), "count"),
            Fact("cores", "Cores", len({name for _, name, _ in self._cores}), "count"),
            Fact("hosts", "Hosts", len(hosts), "count"),
            Fact("topology", "Topology", topology or None, "text", "" if topology else "the file does not say it"),
        ]
        named = (("tpuType", "TPU"), ("perCoreBatchSize", "Batch size of a core"), ("replicaCount", "Replicas"))
        properties = ((key, title, text(member(self._environment, key))) for key, title in named)
        return [*facts, *(Fact(key, title, words, "text") for key, title, words in properties if words)]

    def series(self, parts: Sequence[Column]) -> list[Series]:
        """The mean of all cores, by step."""
        numbers = [whole(member(step, "stepNum")) for step in self._steps]
        if not parts or not numbers or None in numbers:
            return []
        place = {id(step): k for k, step in enumerate(self._steps)}
        counts = [0] * len(numbers)
        sums = [[0] * len(numbers) for _ in parts]
        values = [[value if isinstance(value, int) else 0 for value in values_of(part)] for part in parts]
        for row, (step, _, _) in enumerate(self._cores):
            counts[place[id(step)]] += 1
            for part_sums, taken in zip(sums, values, strict=True):
                part_sums[place[id(step)]] += taken[row]
        means = [
            [nearest_mean(total, count) if count else 0 for total, count in zip(part_sums, counts, strict=True)]
            for part_sums in sums
        ]
        ys = [Column(part.id, part.title, "ticks", mean) for part, mean in zip(parts, means, strict=True)]
        return [Series("steps", "Time of the mean core", "bars", Column("step", "Step", "count", numbers), ys)]

    def _items(self, name: str) -> list[tuple[Any, Any]]:
        """Entries that the steps list under a name, each with its step."""
        rows = ((step, entry) for step in self._steps for entry in items(member(step, name)))
        return list(islice(rows, SHOWN_ROWS))

    def _taken(self, *names: str) -> list[int | None]:
        """A time of each core, in ticks."""
        return [self._us(core, *names) for _, _, core in self._cores]

    def _us(self, record: Any, *names: str) -> int | None:
        return ticks(number(member(record, *names)), _US_PS, self._tick_ps)


def _cores(step: Any, most: int) -> Iterator[tuple[str, Any]]:
    """The first so many of a step, by their numbers."""
    cores = member(step, "podStatsPerCore")
    pairs = islice(cores.items(), most) if isinstance(cores, dict) else ()
    yield from sorted(((text(key) or "", core) for key, core in pairs), key=lambda pair: (len(pair[0]), pair[0]))


def _replicas(record: Any) -> str | None:
    groups = [items(member(group, "replicaIds")) for group in items(member(record, "replicaGroups"))]
    return "; ".join(", ".join(filter(None, map(text, group))) for group in groups if group) or None
