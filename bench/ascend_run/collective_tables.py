"""Communication and steps of generation 2: `communication.json`, its matrix, `step_trace_time.csv`."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Final

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import decimal
from bench.ascend_run.device_tasks import NO_ID, PlaneTask, epoch_ns, plane_tasks
from bench.ascend_run.framework import collective_name
from bench.ascend_run.program import Operator
from bench.ascend_run.shape import TICK_NS
from bench.ascend_run.step_files import step_parts
from bench.ascend_run.training import Training

_GROUP: Final = "6297232067196334501"
_LARGE_BYTES: Final = 512_000  # packets above are large, of HCCS; of RDMA too
_Figures = dict[str, float]


def communication(training: Training, rank: int) -> str:
    """By step, kind and operator: times in ms, and transfers by transport."""
    steps: dict[str, object] = {}
    for step in range(training.shape.steps):
        kinds: dict[str, dict[str, object]] = {"p2p": {}, "collective": {}}
        for number, place in enumerate(training.program(rank).communications):
            operator = training.program(rank).operators[place]
            name = f"{collective_name(operator, number, step)}@{_GROUP}"
            kinds[_kind(operator)][name] = _operator(training, rank, step, number)
        steps[f"step{step + 1}"] = kinds
    return json.dumps(steps)


def _kind(operator: Operator) -> str:
    return "collective" if operator.kind == "AllReduce" else "p2p"


def _operator(training: Training, rank: int, step: int, number: int) -> dict[str, object]:
    times = training.times[rank]
    place = training.program(rank).communications[number]
    elapsed = int(times.duration[step, place])
    transit, linger = int(times.transit[step, number].max()), int(times.linger[step, number])
    sync = int(times.wait[step, number])
    wait = sync + linger
    parts = [part for part in plane_tasks(training, rank, step, number) if part.size_bytes and part.peer != NO_ID]
    transfers = {transport: _transfer(parts, transport) for transport in ("RDMA", "HCCS", "PCIE")}
    # SDMA is the sum of the links that it drives.
    transfers["SDMA"] = _transfer([part for part in parts if part.link == "HCCS"], "HCCS") | {"Size Distribution": {}}
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": epoch_ns(int(times.start[step, place])) / 1000,
            "Elapse Time(ms)": _ms(elapsed * TICK_NS),
            "Transit Time(ms)": _ms(transit * TICK_NS),
            "Wait Time(ms)": _ms(wait * TICK_NS),
            "Synchronization Time(ms)": _ms(sync * TICK_NS),
            "Idle Time(ms)": _ms((elapsed - transit - wait) * TICK_NS),
            "Wait Time Ratio": _ratio(wait, wait + transit),
            "Synchronization Time Ratio": _ratio(sync, sync + transit),
        },
        "Communication Bandwidth Info": transfers,
    }


def _transfer(parts: list[PlaneTask], link: str) -> dict[str, object]:
    own = [part for part in parts if part.link == link]
    size, nanoseconds = sum(part.size_bytes for part in own), sum(part.duration for part in own)
    packets: dict[str, list[float]] = {}
    for length in sorted({part.size_bytes for part in own}):
        same = [part for part in own if part.size_bytes == length]
        packets[str(length / 1e6)] = [len(same), _ms(sum(part.duration for part in same))]
    large = sum(part.size_bytes >= _LARGE_BYTES for part in own)
    return {
        "Transit Size(MB)": size / 1e6 if own else 0,
        "Transit Time(ms)": _ms(nanoseconds) if own else 0,
        "Bandwidth(GB/s)": round(size / nanoseconds, 4) if own else 0,
        "Large Packet Ratio": _ratio(large, len(own)) if own else 0,
        "Size Distribution": packets,
    }


def _ms(nanoseconds: int) -> float:
    return nanoseconds / 1e6


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0


def communication_matrix(training: Training, rank: int) -> str:
    """By step and kind, of the longest operator of each type and of their sum: transfers by link."""
    steps: dict[str, object] = {}
    for step in range(training.shape.steps):
        kinds: dict[str, dict[str, object]] = {"p2p": {}, "collective": {}}
        links: dict[str, list[tuple[str, dict[str, list[PlaneTask]]]]] = defaultdict(list)
        program = training.program(rank)
        for number, place in enumerate(program.communications):
            operator = program.operators[place]
            by_link: dict[str, list[PlaneTask]] = defaultdict(list)
            for part in plane_tasks(training, rank, step, number):
                if part.size_bytes:
                    peer = rank if part.peer == NO_ID else part.peer
                    by_link[f"{rank}-{peer}"].append(part)
            if by_link:
                links[operator.kind].append((collective_name(operator, number, step), by_link))
        for kind, operators in links.items():
            group = "collective" if kind == "AllReduce" else "p2p"
            top = max(operators, key=lambda named: sum(part.duration for own in named[1].values() for part in own))
            total: dict[str, list[PlaneTask]] = defaultdict(list)
            for _, by_link in operators:
                for link, own in by_link.items():
                    total[link] += own
            kinds[group][f"{kind.lower()}-top1@{_GROUP}"] = _matrix(top[0], top[1])
            kinds[group][f"{kind.lower()}-total@{_GROUP}"] = _matrix("", total)
        steps[f"step{step + 1}"] = kinds
    return json.dumps(steps)


def _matrix(name: str, links: dict[str, list[PlaneTask]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for link, parts in links.items():
        size, nanoseconds = sum(part.size_bytes for part in parts), sum(part.duration for part in parts)
        on_chip = parts[0].link == "ON_CHIP"
        result[link] = {
            "Transport Type": "LOCAL" if on_chip else parts[0].link,
            "Transit Time(ms)": _ms(nanoseconds),
            "Transit Size(MB)": size / 1e6,
            "Op Name": name,
            "Bandwidth(GB/s)": round(size / nanoseconds, 4),
        }
    return result


def step_trace_time(training: Training, rank: int) -> str:
    """Parts of each step in µs; a stage's time is all but what it waits for others in receives."""
    header = (
        "Device_id", "Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication", "Free",
        "Stage", "Bubble", "Communication(Not Overlapped and Exclude Receive)", "Preparing",
    )  # fmt: skip
    lines = []
    program, times = training.program(rank), training.times[rank]
    for step in range(training.shape.steps):
        part = step_parts(program, times, training.covers[rank], step, host=True)
        length, bubble = int(times.host_length[step]), part["receive_alone"]
        begin = int(times.host_begin[step])
        starts = times.start[step]
        preparing = int(starts[starts >= begin].min()) - begin
        ticks = (
            part["computation"], part["pure_communication"], part["overlapped"], part["communication"], part["free"],
            length - bubble, bubble, part["collective_alone"], preparing,
        )  # fmt: skip
        lines.append([rank, step + 1, *(decimal(value, 2) for value in ticks)])
    return csv_text(header, lines)
