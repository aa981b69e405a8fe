"""Figures of a synthetic run from the truth that its generator wrote, for tools to be held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

FEEDS: Final = ("infeed", "outfeed")
_CONTROL: Final = "while"

Truth = Mapping[str, Any]
Instruction = tuple[str, str]  # its program and its name


@dataclass(frozen=True, slots=True)
class Did:
    """Sums over the executions of an instruction on all cores, or of some instructions together; times in ps."""

    count: int = 0
    total: int = 0
    own: int = 0
    flops: int = 0
    bytes: int = 0
    hbm: int = 0  # as far as memories are told apart
    near: int = 0  # bytes that were read near the core

    def __add__(self, other: Did) -> Did:
        names = self.__slots__
        return Did(*(getattr(self, name) + getattr(other, name) for name in names))

    def over(self, count: int) -> Did:
        """One of so many."""
        return Did(1, *(getattr(self, name) // count for name in self.__slots__[1:]))

    def per_ns(self, amount: int) -> float:
        """An amount per nanosecond of its total time: GFLOP/s, GB/s."""
        return amount / self.total * 1e3 if self.total else 0.0

    def gib_per_s(self, amount: int) -> float:
        """An amount per second of its total time: GiB/s."""
        return self.per_ns(amount) * 1e9 / 2**30

    @property
    def hbm_if_alone(self) -> int:
        """Bytes of the device's memory; all bytes, where nothing says to which memory they go."""
        return self.hbm if self.hbm or self.near else self.bytes

    @property
    def intensity(self) -> float:
        """FLOPs per byte."""
        return self.flops / self.bytes if self.bytes else 0.0

    def shares(self, peaks: Mapping[str, float]) -> dict[str, float]:
        """Shares of the peaks, by resource, in the order in which the first of equal ones counts."""
        return {
            "compute": self.per_ns(self.flops) / (peaks["peak_teraflops_per_second"] * 1e3),
            "hbm": self.per_ns(self.hbm_if_alone) / peaks["peak_hbm_bw_gigabytes_per_second"],
            "vmem read": self.per_ns(self.near) / peaks["peak_vmem_rd_bw_gigabytes_per_second"],
        }

    def bound_by(self, peaks: Mapping[str, float]) -> str:
        """The resource with the greatest share; "" where it uses none."""
        shares = self.shares(peaks)
        name = max(shares, key=lambda roof: shares[roof])
        return name if shares[name] else ""


def instructions(truth: Truth, *steps: int) -> dict[Instruction, Did]:
    """Sums by instruction, in the whole run or in some steps."""
    sums: dict[Instruction, Did] = {}
    for instruction in truth["instructions"]:
        key = instruction["program"], instruction["name"]
        if instruction["program"] == truth["programs"]["init"]:
            ran = [core["init"]["op"] for core in truth["cores"] if core["init"]] if not steps else []
            sums[key] = _did(instruction, len(ran), sum(ran), sum(ran))
            continue
        for place, step in enumerate(truth["steps"]):
            if steps and step["step"] not in steps:
                continue
            for core, core_step in step["cores"].items():
                did = _did(instruction, *core_step["ops"][instruction["name"]])
                if instruction["counts_itself"]:
                    moved = truth["custom_call"]["bytes"] + place
                    flops = truth["custom_call"]["flops"] + int(core)
                    did = Did(did.count, did.total, did.own, flops, moved)
                sums[key] = sums.get(key, Did()) + did
    return sums


def _did(instruction: Mapping[str, Any], count: int, total: int, own: int) -> Did:
    hbm = instruction["hbm_read"] + instruction["hbm_written"]
    near = instruction["vmem_read"]
    return Did(count, total, own, instruction["flops"] * count, (hbm + near) * count, hbm * count, near * count)


def categories(truth: Truth) -> dict[Instruction, str]:
    """The category of each."""
    return {
        (instruction["program"], instruction["name"]): instruction["category"] for instruction in truth["instructions"]
    }


def exchanging(truth: Truth) -> frozenset[Instruction]:
    """Collectives, sends and receives."""
    words = ("all-reduce", "all-gather", "send", "recv")
    return frozenset(key for key, category in categories(truth).items() if category.startswith(words))


def counting_themselves(truth: Truth) -> frozenset[Instruction]:
    """Instructions whose events say what they compute and move."""
    return frozenset(
        (instruction["program"], instruction["name"])
        for instruction in truth["instructions"]
        if instruction["counts_itself"]
    )


def by_framework(truth: Truth) -> dict[str, Did]:
    """Sums by operation of the framework: each ran as often as the instruction of it that ran most often."""
    by_name: dict[str, list[Did]] = {}
    did = instructions(truth)
    for instruction in truth["instructions"]:
        by_name.setdefault(instruction["framework"] or instruction["name"], []).append(
            did[instruction["program"], instruction["name"]]
        )
    return {
        name: Did(
            max(sums.count for sums in group), *(sum(getattr(sums, key) for sums in group) for key in Did.__slots__[1:])
        )
        for name, group in by_name.items()
    }


def host_operations(truth: Truth) -> dict[str, Did]:
    """Sums by operation of hosts: those that feed the devices, and those for which memory was allocated."""
    totals: dict[str, Did] = {}
    for host in truth["hosts"]:
        for name, (count, total, own) in host["input_ops"].items():
            key = name.partition(":InfeedEnqueue")[0]
            totals[key] = totals.get(key, Did()) + Did(count, total, own)
        for allocations in host["memory"].values():
            for row in allocations:
                key = row["framework"].rstrip(":")
                if key and not row["is_free"]:
                    totals[key] = totals.get(key, Did()) + Did(1)
    return totals


def input_operations(truth: Truth) -> dict[str, Did]:
    """Sums of operations that feed the devices."""
    names = {name.partition(":InfeedEnqueue")[0] for host in truth["hosts"] for name in host["input_ops"]}
    return {name: did for name, did in host_operations(truth).items() if name in names}


def input_category(name: str) -> str:
    """Category of an operation of a synthetic run in the analysis of input."""
    if not name.startswith("Iterator"):
        return "Enqueuing data"
    if not name.endswith("::TFRecord"):
        return "Preprocessing"
    return "Reading files in advance" if "ParallelMap" in name else "Reading files on demand"


def waiting_explained(truth: Truth, names: Iterable[str]) -> dict[str, int]:
    """Waiting for input that each category explains, ps: its share of the time between enqueues."""
    own = dict.fromkeys(names, 0)
    for name, did in input_operations(truth).items():
        own[input_category(name)] += did.own
    enqueue, ratio = own.pop("Enqueuing data"), enqueuing(truth)
    waiting, others = enqueue * (1 - ratio) / ratio, sum(own.values())
    return {"Enqueuing data": enqueue, **{name: round(duration * waiting / others) for name, duration in own.items()}}


def host_idle(truth: Truth) -> float:
    """Share of the time of threads of hosts in which they run no operations."""
    whole: int = sum(end - begin for host in truth["hosts"] for begin, end in host["threads"].values())
    return 1 - sum(did.own for did in host_operations(truth).values()) / whole


def duty_cycle(truth: Truth) -> float:
    """Share of the time of programs and operations in which others run than those that exchange data with the host."""
    category_of = categories(truth)
    busy = sum(did.own for key, did in instructions(truth).items() if category_of[key] not in FEEDS)
    whole: int = sum(
        max(core["last_op"], core["last_program"]) - min(core["first_op"], core["first_program"])
        for core in truth["cores"]
    )
    return busy / whole


def enqueuing(truth: Truth) -> Fraction:
    """Share of the time between the beginnings of enqueues that the enqueues took."""
    took = apart = 0
    for host in truth["hosts"]:
        enqueues = sorted(host["enqueues"])
        took += sum(duration for _, duration in enqueues[:-1])
        apart += enqueues[-1][0] - enqueues[0][0]
    return Fraction(took, apart)


def span(truth: Truth) -> int:
    """The time of all cores, from their first step or operation to the end of their last."""
    return sum(core["last"] - core["first"] for core in truth["cores"])


def program(truth: Truth, *steps: int, with_feeds: bool = True) -> Did:
    """The whole program, in all the time of its cores or of their steps; with infeed, outfeed and their time or not."""
    category_of, did = categories(truth), instructions(truth, *steps)
    counted = added(
        sums
        for key, sums in did.items()
        if category_of[key] != _CONTROL and (with_feeds or category_of[key] not in FEEDS)
    )
    feeding = 0 if with_feeds else sum(sums.own for key, sums in did.items() if category_of[key] in FEEDS)
    chosen = (core for step in truth["steps"] if step["step"] in steps for core in step["cores"].values())
    whole = sum(core["duration"] for core in chosen) if steps else span(truth)
    return Did(1, whole - feeding, 0, counted.flops, counted.bytes, counted.hbm, counted.near)


def added(parts: Iterable[Did]) -> Did:
    """All of them together."""
    return sum(parts, Did())


@dataclass(frozen=True, slots=True)
class Step:
    """A step over the cores that have captured it; times in ps."""

    duration: int
    compute: int
    infeed: int
    outfeed: int
    idle: int
    shares: list[float]  # that each core waits for input
    waits: tuple[int, int]  # of the core that waits longest: how long, and how long its step is
    core: int  # the number of that
    all_reduce: tuple[int, int]  # computing and waiting, of the core with most of both


def steps(truth: Truth) -> dict[int, Step]:
    """By number, as the analysis of input defines them (docs/formats.md)."""
    return {step["step"]: _step(step["cores"]) for step in truth["steps"]}


def complete_steps(truth: Truth) -> list[Step]:
    """Steps of all cores, which enter means and shares."""
    numbers = [step["step"] for step in truth["steps"] if len(step["cores"]) == len(truth["cores"])]
    by_number = steps(truth)
    return [by_number[number] for number in numbers]


def _step(cores: Mapping[str, Any]) -> Step:
    core_steps = list(cores.values())
    infeed = max(core["category"]["infeed"] for core in core_steps)
    outfeed = sum(core["category"]["outfeed"] for core in core_steps) // len(core_steps)
    compute = min(
        core["duration"] - core["idle"] - core["category"]["infeed"] - core["category"]["outfeed"]
        for core in core_steps
    )
    idle = max(0, min(core["duration"] for core in core_steps) - compute - infeed - outfeed)
    number, waits = max(cores.items(), key=lambda item: (item[1]["category"]["infeed"], item[1]["duration"]))
    reduces = max((core["all_reduce"] for core in core_steps), key=lambda reduce: reduce["compute"] + reduce["sync"])
    return Step(
        max(core["duration"] for core in core_steps),
        compute,
        infeed,
        outfeed,
        idle,
        [core["category"]["infeed"] / core["duration"] for core in core_steps],
        (waits["category"]["infeed"], waits["duration"]),
        int(number),
        (reduces["compute"], reduces["sync"]),
    )
