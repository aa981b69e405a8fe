"""Runs of TPU hosts that are made up: batches, programs that wait for them and for each other, results that are taken.

A pod runs twice, with its cause and without it: the difference between the mean steps is the loss.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.hlo_protos import hlo_plane
from tests.tiler.readers.wire_writer import number
from tests.tpu_trace import Instruction, Run, plane, write_trace

FIRST_STEP: Final = 410
STEPS: Final = 8
QUEUE: Final = 2  # batches that are there before a device takes them

PS: Final = 1_000_000  # of a us

OPERATIONS: Final = ("fusion.41", "convolution.7", "fusion.58")
CATEGORIES: Final = {
    "fusion.41": "loop fusion",
    "convolution.7": "convolution",
    "fusion.58": "output fusion",
    "all-reduce.3": "all-reduce",
    "infeed.2": "infeed",
    "outfeed.2": "outfeed",
    "copy-done.9": "copy-done",
}
ENQUEUE: Final = "task0/while/body/InfeedQueue/enqueue/0:InfeedEnqueueTuple"


@dataclass(frozen=True)
class Pod:
    """Durations in us. `factors`: of computation on chips, by host and chip; `batch`: of a batch on each host.

    `host_reduces`: chips reduce with those of their host alone, so long on each host.
    """

    hosts: int = 2
    chips: int = 2
    compute: int = 6_000
    reduce: int = 120
    batch: tuple[int, ...] = (900, 900)
    written: tuple[int, ...] = (50, 50)
    copied: int = 0
    factors: dict[tuple[int, int], float] = field(default_factory=dict)
    host_reduces: tuple[int, ...] = ()


@dataclass
class Lines:
    """Activity of a pod. Slices are (name, start, stop) in us, by host, plane and line; `ends` of the steps."""

    slices: dict[tuple[int, str, str], list[tuple[str, int, int]]]
    ends: list[int]

    @property
    def mean_step(self) -> float:
        """Mean us of a step but the first."""
        return (self.ends[-1] - self.ends[0]) / (len(self.ends) - 1)


def run(pod: Pod) -> Lines:
    """The run of a pod."""
    slices: dict[tuple[int, str, str], list[tuple[str, int, int]]] = defaultdict(list)
    chips = [(host, chip) for host in range(pod.hosts) for chip in range(pod.chips)]
    free = dict.fromkeys(chips, 1_000)
    taken: dict[int, list[int]] = {host: [0] * QUEUE for host in range(pod.hosts)}
    prepared, written = dict.fromkeys(range(pod.hosts), 0), dict.fromkeys(range(pod.hosts), 0)
    ends = []
    for step in range(FIRST_STEP, FIRST_STEP + STEPS):
        begins = dict(free)
        for host in range(pod.hosts):
            start = max(prepared[host], taken[host][-QUEUE])
            ready = prepared[host] = start + pod.batch[host]
            threads = slices[host, "/host:CPU", "tf_data_map"]
            threads.append(("Iterator::Prefetch::Batch::Map", start, ready))
            threads.append(
                ("Iterator::Prefetch::Batch::Map::FlatMap::TFRecord", start + 5, ready - pod.batch[host] // 5)
            )
            sent = max(ready, *(free[host, chip] for chip in range(pod.chips))) + 60
            slices[host, "/host:CPU", "infeed"].append((ENQUEUE, sent - 60, sent))
            slices[host, "/host:CPU", "main"].append(("train", begins[host, 0], begins[host, 0] + 400))
            for chip in range(pod.chips):
                operations = slices[host, f"/device:TPU:{chip}", "XLA Ops"]
                operations.append(("infeed.2", free[host, chip], sent))
                free[host, chip] = sent
            taken[host].append(sent)
        for host, chip in chips:
            operations = slices[host, f"/device:TPU:{chip}", "XLA Ops"]
            for name in OPERATIONS:
                length = round(pod.compute / len(OPERATIONS) * pod.factors.get((host, chip), 1))
                operations.append((name, free[host, chip], free[host, chip] + length))
                free[host, chip] += length
            if pod.copied:
                operations.append(("copy-done.9", free[host, chip], free[host, chip] + pod.copied))
                free[host, chip] += pod.copied
        stops = [max(free.values()) + pod.reduce] * pod.hosts
        for host, reduce in enumerate(pod.host_reduces):
            stops[host] = max(free[host, chip] for chip in range(pod.chips)) + reduce
        for host, chip in chips:
            operations = slices[host, f"/device:TPU:{chip}", "XLA Ops"]
            operations.append(("all-reduce.3", free[host, chip], stops[host]))
            free[host, chip] = stops[host]
        for host, stop in enumerate(stops):
            start = max(stop, written[host])
            for chip in range(pod.chips):
                slices[host, f"/device:TPU:{chip}", "XLA Ops"].append(("outfeed.2", stop, start + 40))
                free[host, chip] = start + 40
            writer = slices[host, "/host:CPU", "writer"]
            writer.append(("OutfeedDequeueTuple", start, start + 40))
            writer.append(("SummaryWriter::WriteScalars", start + 40, start + 40 + pod.written[host]))
            written[host] = start + 40 + pod.written[host]
        for host, chip in chips:
            steps = slices[host, f"/device:TPU:{chip}", "Steps"]
            steps.append((str(step), begins[host, chip], free[host, chip]))
        ends.append(max(free.values()))
    return Lines(slices, ends)


def write_hosts(
    lines: Lines,
    folder: Path,
    names: Sequence[str] = ("node-a", "node-b", "node-c"),
    programs: Mapping[str, bytes] | None = None,
    expressions: Mapping[str, str] | None = None,
    numbers: Mapping[tuple[int, str], int] | None = None,
) -> list[Path]:
    """A file for each host. `programs`: HLO protos by labels; `expressions`: HLO texts of operations.

    `numbers`: of devices, by host and plane, where the files say them.
    """
    files = []
    for host, name in enumerate(names[: 1 + max(key[0] for key in lines.slices)]):
        planes: dict[str, dict[str, list[tuple[str, int, int]]]] = defaultdict(dict)
        for (owner, plane_name, line), line_slices in lines.slices.items():
            if owner == host:
                planes[plane_name][line] = line_slices
        parts = [
            _plane(plane_name, own, expressions or {}, (numbers or {}).get((host, plane_name)))
            for plane_name, own in sorted(planes.items())
        ]
        if programs:
            parts.append(hlo_plane(programs))
        files.append(write_trace(folder / f"{name}.xplane.pb", parts))
    return files


def _plane(
    name: str, lines: dict[str, list[tuple[str, int, int]]], expressions: Mapping[str, str], device: int | None
) -> bytes:
    names = list(dict.fromkeys(entry[0] for own in lines.values() for entry in own))
    shared: dict[str, dict[str, int | str]] = {
        text: {"hlo_category": CATEGORIES[text]} if text in CATEGORIES else {} for text in names
    }
    for place, text in enumerate(names):
        if text in expressions:  # which the tables of operations are made of
            shared[text] = {**shared[text], "program_id": 7, "symbol_id": place}
    texts = {text: expressions.get(text, "" if text in CATEGORIES else text) for text in names}
    instructions = [Instruction(text, shared[text], texts[text]) for text in names]
    runs = {
        line: [Run(names.index(text), start * PS, (stop - start) * PS) for text, start, stop in own]
        for line, own in lines.items()
    }
    details = {} if device is None else {"core_details": number(5, device) + number(6, device)}
    return plane(name, instructions, runs, details)
