"""An XSpace of TPU cores that run operations, and of GPUs that run kernels; what is in it as plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata

NUMBERS = ("device_offset_ps", "device_duration_ps", "dma_stall_duration_ps", "flops", "all_reduce_unique_id")


@dataclass(frozen=True)
class Instruction:
    """Operations of one instruction; `shared`: stats of its metadata; `expression`: its HLO text."""

    name: str
    shared: Mapping[str, int | str] = field(default_factory=dict)
    expression: str = ""


@dataclass(frozen=True)
class Run:
    """One time that an instruction runs. Times in ps: on the timeline, and on the device where that is known."""

    instruction: int
    start: int
    duration: int
    device: tuple[int, int] | None = None  # begin and duration
    stall: int | None = None
    reduce: int | None = None  # which all-reduce of the program it is
    stats: tuple[tuple[str, int | str], ...] = ()  # of the event itself

    @property
    def end(self) -> int:
        return self.start + self.duration

    @property
    def taken(self) -> int:
        """Its duration on the device."""
        return self.duration if self.device is None else self.device[1]


def stat(field_number: int, key: int, value: int | str | bytes) -> bytes:
    """A stat as a field of a message."""
    if isinstance(value, int):
        return message(field_number, number(1, key), number(3, value))
    return message(field_number, number(1, key), data(5 if isinstance(value, str) else 6, value))


def plane(
    name: str,
    instructions: Sequence[Instruction],
    lines: Mapping[str, Sequence[Run]],
    facts: Mapping[str, int | str | bytes] | None = None,
) -> bytes:
    """A plane with these lines, and facts of its own."""
    facts = facts or {}
    of_events = (key for runs in lines.values() for run in runs for key, _ in run.stats)
    names = sorted({*NUMBERS, *facts, *of_events, *(key for one in instructions for key in one.shared)})
    ids = {key: place + 1 for place, key in enumerate(names)}
    parts = [data(2, name)]
    for place, (line, runs) in enumerate(lines.items()):
        events = [message(4, *_event(run, ids)) for run in runs]
        parts.append(message(3, number(1, place + 1), data(2, line), *events))
    for place, one in enumerate(instructions):
        stats = [stat(5, ids[key], value) for key, value in one.shared.items()]
        parts.append(event_metadata(place + 1, one.expression or f"%{one.name} = f32[] op()", one.name, *stats))
    parts += [stat_metadata(key, text) for text, key in ids.items()]
    parts += [stat(6, ids[key], value) for key, value in facts.items()]
    return message(1, *parts)


def random_core(rng: random.Random, number: int) -> bytes:
    """A core that runs a program of some instructions in some steps; its clock is 43 ps behind."""
    categories = ("convolution fusion", "loop fusion", "all-reduce", "copy-start", "custom-call", "")
    instructions = [
        Instruction(
            f"op.{k}",
            {
                "program_id": 1 << 63 | k // 8,
                "symbol_id": k,
                "hlo_category": rng.choice(categories),
                "flops": rng.randrange(1 << 40),
                "bytes_accessed": rng.randrange(1 << 30),
                "tf_op": f"jit(step)/part{k % 3}/op:",
            },
        )
        for k in range(12)
    ]
    steps, runs, at = [], [], 0
    for step in range(5):
        begin = at
        for _ in range(rng.randrange(5, 40)):
            length = rng.randrange(1, 5000)
            runs.append(Run(rng.randrange(12), at, length, (at + 43, length), rng.choice((None, length // 3))))
            if rng.random() < 0.2 and length > 2:
                part = rng.randrange(1, length)
                runs.append(Run(rng.randrange(12), at, part, (at + 43, part)))
            at += length + rng.randrange(300)
        steps.append(Run(12 + step, begin, at - begin, (begin + 43, at - begin)))
    instructions += [Instruction(str(step)) for step in range(5)]
    others = [Run(len(instructions) + k, step.start, step.duration >> k) for step in steps for k in range(2)]
    instructions += [Instruction("Iteration"), Instruction("Inner")]
    return plane(f"/device:TPU:{number}", instructions, {"Steps": steps, "XLA Ops": runs, "XLA TraceMe": others})


def random_gpu(rng: random.Random, number: int) -> bytes:
    """A GPU that runs some kernels on a stream."""
    names = ("volta_h884gemm", "add", "reduce", "Cijk_MT_MI16x16x16x1")
    runs, at = [], 0
    for _ in range(60):
        kernel = rng.randrange(len(names))
        details = f"regs:{16 + kernel} static_shared:0 dynamic_shared:64 grid:{rng.randrange(1, 3)},1,1 block:32,1,1"
        runs.append(Run(kernel, at, rng.randrange(1, 4000), stats=(("kernel_details", f"{details} occ_pct:37.5"),)))
        at += 4000
    return plane(f"/device:GPU:{number}", [Instruction(name) for name in names], {"Stream #7(Compute)": runs})


def _event(run: Run, ids: Mapping[str, int]) -> Iterator[bytes]:
    yield number(1, run.instruction + 1)
    yield number(2, run.start)
    yield number(3, run.duration)
    if run.device is not None:
        yield stat(4, ids["device_offset_ps"], run.device[0])
        yield stat(4, ids["device_duration_ps"], run.device[1])
    if run.stall is not None:
        yield stat(4, ids["dma_stall_duration_ps"], run.stall)
    if run.reduce is not None:
        yield stat(4, ids["all_reduce_unique_id"], run.reduce)
    for key, value in run.stats:
        yield stat(4, ids[key], value)


def write_trace(path: Path, planes: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(planes))
    return path


def in_order(runs: Sequence[Run]) -> list[Run]:
    """As a track has them: by start, longer first."""
    return sorted(runs, key=lambda run: (run.start, -run.duration))


def parents(runs: Sequence[Run]) -> list[int | None]:
    """Of runs in their order: the place of the innermost one that each lies in, on the device."""
    spans = []
    shift = 0
    for run in runs:
        if run.device is not None:
            shift = run.device[0] - run.start
        begin, taken = (run.start + shift, run.duration) if run.device is None else run.device
        spans.append((begin, begin + taken))
    order = sorted(range(len(runs)), key=lambda place: (spans[place][0], -(spans[place][1] - spans[place][0]), place))
    found: list[int | None] = [None] * len(runs)
    for at, place in enumerate(order):
        begin, end = spans[place]
        around = [other for other in order[:at] if spans[other][1] >= end and spans[other][1] > begin]
        found[place] = around[-1] if around else None
    return found
