"""A pod viewer page that the Cloud TPU profiler saved, as steps of cores: what the pod tool shows without a trace."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.core_places import CorePlace
from tilescope.tiler.facts.step_times import StepPart, StepTimes
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Fact, Table, Value
from tilescope.tiler.tools.imported.json_values import items, member, number, text, whole
from tilescope.tiler.tools.step_range import StepRange

Ints = NDArray[np.int64]

PAGE: Final = "pod_viewer"
_US_PS: Final = 10**6
_MOST_PS: Final = 1 << 60

# What is compared: the largest pods have 18,432 cores; and steps of cores, in a dense matrix.
MAX_CORES: Final = 20_480
MAX_CELLS: Final = 500_000

_MOST_BOTTLENECKS: Final = 5
_AT_ONCE: Final = 2000  # cores of steps, or channels, between two turns: some tens of milliseconds

_TPU: Final[Mapping[str, StepPart]] = {
    "highFlopsComputeUs": StepPart.HIGH_FLOPS,
    "hostInfeedDurationUs": StepPart.INFEED,
    "hostOutfeedDurationUs": StepPart.OUTFEED,
    "sendDurationUs": StepPart.SEND,
    "recvDurationUs": StepPart.RECV,
    "crsDurationUs": StepPart.ALL_REDUCE_UNSPLIT,
    "allReduceComputeDurationUs": StepPart.ALL_REDUCE_COMPUTE,
    "allReduceSyncDurationUs": StepPart.ALL_REDUCE_SYNC,
    "bcInfeedWaitDurationUs": StepPart.SPARSE_INFEED,
    "bcInfeedTransformDurationUs": StepPart.SPARSE_INFEED,
    "bcOutfeedDurationUs": StepPart.OUTFEED,
}
_GENERIC: Final = (
    StepPart.DEVICE_COMPUTE_32,
    StepPart.DEVICE_TO_DEVICE,
    StepPart.DEVICE_COLLECTIVES,
    StepPart.HOST_COMPUTE,
    StepPart.LAUNCH,
    StepPart.WAIT_INPUT,
    StepPart.DEVICE_TO_HOST,
    StepPart.COMPILE,
    StepPart.OTHERS,
)
_PARTS: Final = tuple(dict.fromkeys((StepPart.IDLE, *_TPU.values(), StepPart.LOW_FLOPS, *_GENERIC)))


@dataclass(slots=True)
class SavedCore:
    """A core of the page, with its steps."""

    key: str  # as the page calls it
    host: str
    chip: int | None
    node: int | None
    steps: dict[int, array[int]] = field(default_factory=dict)  # by number: the duration and all parts, ps
    parts: set[StepPart] = field(default_factory=set)  # those that some step has
    figure_names: frozenset[str] = frozenset()  # names of its figures


def saved_cores(parsed: Any, steps: StepRange | None) -> Interruptible[tuple[list[SavedCore], bool]]:
    """The cores of a page with those of its steps that are asked for, hosts together; and whether some are left out."""
    by_key: dict[str, SavedCore] = {}
    numbers: set[int] = set()
    is_cut = False
    for place, (step, key, core) in enumerate(_cores_of_steps(parsed, steps)):
        if place % _AT_ONCE == 0:
            yield
        duration = _ps(member(core, "totalDurationUs"))
        if duration is None:
            continue
        saved = by_key.get(key)
        is_more = (len(by_key) + (saved is None)) * (len(numbers) + (step not in numbers)) > MAX_CELLS
        if is_more or (saved is None and len(by_key) >= MAX_CORES):
            is_cut = True
            continue
        if saved is None:
            saved = SavedCore(key, text(member(core, "hostName")) or "", *_place(core), figure_names=frozenset(core))
            by_key[key] = saved
        if step not in saved.steps:
            numbers.add(step)
            parts = _parts(core, duration)
            saved.parts.update(parts)
            saved.steps[step] = array("q", [duration, *(parts.get(part, 0) for part in _PARTS)])
    ordered = sorted(
        by_key.values(), key=lambda core: (core.host, core.chip or 0, core.node or 0, len(core.key), core.key)
    )
    return ordered, is_cut


def step_times_of_core(core: SavedCore, place: int) -> StepTimes:
    """Its steps, without times of the timeline: the page has none."""
    numbers = np.array(sorted(core.steps), np.int64)
    steps = b"".join(core.steps[number] for number in numbers.tolist())
    figures = np.frombuffer(steps, np.int64).reshape(-1, 1 + len(_PARTS)).T
    none = np.zeros(len(numbers), np.int64)
    parts = {part: figures[row] for row, part in enumerate(_PARTS, 1) if part in core.parts}
    is_whole = np.ones(len(numbers), np.bool_)
    return StepTimes(
        place, numbers, none, none, none, is_whole, none - 1, none, figures[0], parts, overlap=False, counted=False
    )


def saved_places(parsed: Any, cores: Sequence[SavedCore]) -> list[CorePlace | None]:
    """Places of the chips in the topology of the page, row by row; a chip that does not fit in has none."""
    width, height = (whole(member(parsed, "runEnvironment", "topology", f"{axis}Dimension")) or 0 for axis in "xy")
    places: list[CorePlace | None] = []
    fits = all(core.chip is not None and 0 <= core.chip < width * height for core in cores)
    for core in cores:
        x, y = (core.chip % width, core.chip // width) if fits and core.chip is not None else (None, None)
        places.append(None if core.chip is None else CorePlace(core.chip, core.node or 0, None, x, y))
    return places


def saved_channels(
    parsed: Any, cores: Sequence[SavedCore], names: Sequence[str], steps: StepRange | None, tick_ps: int, limit: int
) -> Interruptible[Table]:
    """A row for each channel between two cores, with the means of its steps; the slowest first."""
    rows: dict[tuple[str, str, str], list[Any]] = {}
    sent = (record for _, of_step in _steps(parsed, steps) for record in items(member(of_step, "channelDb")))
    for place, record in enumerate(sent):
        if place % _AT_ONCE == 0:
            yield
        key = tuple(text(member(record, name)) or "" for name in ("channelId", "srcCoreId", "dstCoreId"))
        rows.setdefault((key[0], key[1], key[2]), []).append(record)
    ids = _ids(cores, names, {core for _, source, destination in rows for core in (source, destination)})

    def mean(records: Sequence[Any], name: str) -> int | None:
        durations = [ps for ps in (_ps(member(record, name)) for record in records) if ps is not None]
        return nearest_mean(sum(durations), len(durations) * tick_ps) if durations else None

    listed = []
    for place, (key, channel) in enumerate(rows.items()):
        if place % _AT_ONCE == 0:
            yield
        listed.append((key, channel, mean(channel, "durationUs")))
    listed = sorted(listed, key=lambda row: (-(row[2] or 0), row[0]))[:limit]
    sizes = [whole(member(records[0], "dataSize")) for _, records, _ in listed]
    rates: list[Value] = [
        size / (ticks * tick_ps * 1e-12) if size is not None and ticks else None
        for size, (_, _, ticks) in zip(sizes, listed, strict=True)
    ]
    hlo: list[Value] = [
        ", ".join(
            sorted({text(name) or "" for record in records for name in items(member(record, "hloNames"))}, reverse=True)
        )
        or None
        for _, records, _ in listed
    ]
    columns = [
        Column("channel", "Channel", "text", [key[0] for key, _, _ in listed]),
        Column("source", "Source core", "text", [ids.get(key[1], key[1]) for key, _, _ in listed]),
        Column("destination", "Destination core", "text", [ids.get(key[2], key[2]) for key, _, _ in listed]),
        Column("data", "Data", "bytes", sizes, total="none"),
        Column("latency", "Latency, mean", "ticks", [ticks for _, _, ticks in listed], total="max"),
        Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
        Column(
            "send_delay",
            "Send delay, mean",
            "ticks",
            [mean(records, "sendDelayUs") for _, records, _ in listed],
            total="max",
        ),
        Column(
            "occurrences",
            "Occurrences",
            "count",
            [sum(whole(member(record, "occurrences")) or 0 for record in records) for _, records, _ in listed],
        ),
        Column("hlo", "HLO", "text", hlo),
    ]
    return Table("channels", "Channels", columns)


def saved_facts(parsed: Any, steps: StepRange | None) -> Interruptible[list[Fact]]:
    """The bottlenecks that the file itself names, with steps of cores that have each, and what it says of the run."""
    counts: Counter[str] = Counter()
    for place, (_, _, core) in enumerate(_cores_of_steps(parsed, steps)):
        if place % _AT_ONCE == 0:
            yield
        name = text(member(core, "bottleneck"))
        if name:
            counts[name] += 1
    common = counts.most_common(_MOST_BOTTLENECKS)
    words = ", ".join(f"{name} in {count:,}" for name, count in common)
    why = "steps of cores, as the file has them" if words else "the file names none"
    environment = member(parsed, "runEnvironment")
    named = (("tpuType", "TPU"), ("perCoreBatchSize", "Batch size of a core"), ("replicaCount", "Replicas"))
    properties = ((key, title, text(member(environment, key))) for key, title in named)
    return [
        Fact("saved_bottleneck", "Bottleneck in the file", words or None, "text", why),
        *(Fact(key, title, value, "text") for key, title, value in properties if value),
    ]


def _ids(cores: Sequence[SavedCore], names: Sequence[str], used: set[str]) -> Mapping[str, str]:
    """Names of cores by the ids that channels have: those of the page, or else two for each chip, by node."""
    by_key = {core.key: name for core, name in zip(cores, names, strict=True)}
    if used <= by_key.keys():
        return by_key
    return {
        str(2 * core.chip + (core.node or 0)): name
        for core, name in zip(cores, names, strict=True)
        if core.chip is not None
    }


def _steps(parsed: Any, steps: StepRange | None) -> Iterator[tuple[int, Any]]:
    for saved_step in items(member(parsed, "podStatsSequence", "podStatsMap")):
        step = whole(member(saved_step, "stepNum"))
        if step is not None and 0 <= step < _MOST_PS and (steps is None or steps.first <= step <= steps.last):
            yield step, saved_step


def _cores_of_steps(parsed: Any, steps: StepRange | None) -> Iterator[tuple[int, str, Any]]:
    for step, of_step in _steps(parsed, steps):
        cores = member(of_step, "podStatsPerCore")
        # One more than may be, so that this is seen.
        for key, core in (
            sorted(islice(cores.items(), MAX_CORES + 1), key=itemgetter(0)) if isinstance(cores, dict) else ()
        ):
            yield step, text(key) or "", core


def _place(core: Any) -> tuple[int | None, int | None]:
    chip, node = whole(member(core, "chipId")), whole(member(core, "nodeId"))
    return (
        chip if chip is not None and 0 <= chip < 1 << 31 else None,
        node if node is not None and 0 <= node < 1 << 31 else None,
    )


def _parts(core: Any, duration: int) -> dict[StepPart, int]:
    """Parts of a step; the rest of it is computing with few FLOPs."""
    generic = [_ps(member(core, "stepBreakdownUs", str(place))) for place in range(1, len(_GENERIC) + 1)]
    if any(ps is not None for ps in generic):
        return {part: ps or 0 for part, ps in zip(_GENERIC, generic, strict=True)}
    parts: dict[StepPart, int] = {StepPart.IDLE: 0}
    for key, part in _TPU.items():
        ps = _ps(member(core, key))
        if ps is not None:
            parts[part] = parts.get(part, 0) + ps
    parts[StepPart.LOW_FLOPS] = max(0, duration - sum(parts.values()))
    return parts


def _ps(json_value: Any) -> int | None:
    microseconds = number(json_value)
    return None if microseconds is None or not 0 <= microseconds * _US_PS < _MOST_PS else round(microseconds * _US_PS)
