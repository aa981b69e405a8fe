"""Planes of the cores of a synthetic run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from bench.pod_run.hlo_module import SOURCE
from bench.pod_run.program import INIT_PROGRAM, TRAIN_PROGRAM, Instruction, Program, init_instruction
from bench.pod_run.schedule import CoreStep, Schedule
from bench.pod_run.shape import PodShape
from bench.pod_run.wire import Ints, Value, message, messages, number, numbers, stat, text

INIT_BEGIN_PS: Final = 10_000_000_000
INIT_PS: Final = 3_000_000_000
INIT_OP_PS: Final = (1_250, 2_000_000_000)  # its only operation, from its begin on
MODULE_PS: Final = 100_000_000  # a program begins so long after its step, and ends so long before it
CUSTOM_FLOPS: Final = 40_000_000_000
CUSTOM_BYTES: Final = 1_200_000_000
PEAKS: Final = {
    "peak_teraflops_per_second": 918.0,
    "peak_hbm_bw_gigabytes_per_second": 1640.0,
    "peak_cmem_rd_bw_gigabytes_per_second": 0.0,
    "peak_cmem_wr_bw_gigabytes_per_second": 0.0,
    "peak_vmem_rd_bw_gigabytes_per_second": 23296.0,
    "peak_vmem_wr_bw_gigabytes_per_second": 16128.0,
    "peak_sram_rd_bw_gigabytes_per_second": 23296.0,
    "peak_sram_wr_bw_gigabytes_per_second": 16128.0,
}

# Of the hardware, as they are called, and in which set.
COUNTERS: Final = (("mxu_busy_cycles", "cycles in which the matrix unit works", "core"), ("hbm_beats", "", "memory"))

_HBM, _NEAR, _READ, _WRITE = 1, 3, 1, 2
_SIGNED: Final = {"dma_stall_duration_ps": 4}  # stats that are written as int64, by the field for that
_STATS: Final = (
    "device_offset_ps",
    "device_duration_ps",
    "all_reduce_unique_id",
    "dma_stall_duration_ps",
    "flops",
    "model_flops",
    "bytes_accessed",
    "hlo_category",
    "program_id",
    "symbol_id",
    "raw_bytes_accessed",
    "memory_access_breakdown",
    "shape_with_layout",
    "tf_op",
    "source",
    "source_stack",
    "deduplicated_name",
    "run_id",
    "replica_id",
    "queue_id",
    "core_type",
    "_ct",
    "_c",
    "hlo_op",
    "_a",
    "flow",
    "id",
    "core_details",
    "device_type_string",
    "has_megacore",
    "has_merged_vmem",
    "counter_value",
    "performance_counter_id",
    "performance_counter_description",
    "performance_counter_sets",
)
_ID: Final = {name: place + 1 for place, name in enumerate([*_STATS, *PEAKS])}
_OPS_FROM: Final = 16  # numbers of metadata: instructions of the step from here on
_INIT_OP, _INIT_MODULE, _TRAIN_MODULE, _COPY_START, _BARRIER, _COUNTERS_FROM = 1, 2, 3, 4, 5, 6


class DevicePlanes:
    """Writes the plane of any core: what all of them share is made once."""

    def __init__(self, shape: PodShape, program: Program, schedule: Schedule) -> None:
        self._shape = shape
        self._program = program
        self._schedule = schedule
        self._order = np.array(program.order) + _OPS_FROM
        self._steps_from = _OPS_FROM + len(program.instructions)
        self._metadata = b"".join(self._all_metadata())

    def plane(self, core: int) -> bytes:
        """A plane, as a field of an XSpace."""
        shape, host = self._shape, self._shape.host_of(core)
        chip = core % shape.chips
        details = number(2, chip) + number(4, chip) + number(5, core) + number(6, core) + text(1, shape.host_name(host))
        stats: dict[str, Value] = {"core_details": details, "device_type_string": "TPU v6 Lite", **PEAKS}
        stats |= {"has_megacore": 0, "has_merged_vmem": 1}
        steps = {step: self._schedule.steps[step][core] for step in shape.steps_of(host)}
        lines = self._lines(core, steps)
        return message(
            1,
            number(1, shape.plane_id(core) % 1000),
            text(2, f"/device:TPU:{chip}"),
            *(
                message(3, number(1, 1 + place), text(2, name), text(11, name), events)
                for place, (name, events) in enumerate(lines)
            ),
            self._metadata,
            *(message(5, number(1, key), message(2, number(1, key), text(2, name))) for name, key in _ID.items()),
            *(stat(6, _ID[name], value) for name, value in stats.items()),
        )

    def _lines(self, core: int, steps: dict[int, CoreStep]) -> list[tuple[str, bytes]]:
        shape, clock = self._shape, self._shape.clock_ps
        began = self._schedule.began[shape.host_of(core)]
        numbers_of = np.array(list(steps))
        begin = np.array([core_step.begin for core_step in steps.values()])
        length = np.array([core_step.length for core_step in steps.values()])
        flow = np.array([flow_id(shape, core, step) for step in steps])
        flows = {"_ct": np.full(len(steps), 12), "_c": flow}
        in_steps = self._events(self._steps_from + numbers_of, begin - began, length, clock, flows)
        runs = {"run_id": numbers_of + 2, "replica_id": np.full(len(steps), core), **flows}
        modules = self._events(
            np.full(len(steps), _TRAIN_MODULE), begin + MODULE_PS - began, length - 2 * MODULE_PS, clock, runs
        )
        ops = [
            self._events(
                self._order, core_step.start - began, core_step.duration, clock, self._numbers(core, step, core_step)
            )
            for step, core_step in steps.items()
        ]
        first = INIT_BEGIN_PS - began
        if first > 0:
            single = np.array([1])
            modules = (
                self._events(single * _INIT_MODULE, single * first, single * INIT_PS, clock, {"run_id": single})
                + modules
            )
            begin_op = first + INIT_OP_PS[0]
            ops.insert(0, self._events(single * _INIT_OP, single * begin_op, single * INIT_OP_PS[1], clock, {}))
        done = self._program.order.index(self._program.names["copy-done.1"])
        copies = b"".join(
            self._copy(step, int(core_step.start[done]) + clock - began) for step, core_step in steps.items()
        )
        barrier = b"".join(
            message(
                4, number(1, _BARRIER), number(2, core_step.begin + MODULE_PS + clock - began), number(3, 40_000_000)
            )
            for core_step in steps.values()
        )
        return [
            ("Steps", in_steps),
            ("XLA Modules", modules),
            ("XLA Ops", b"".join(ops)),
            ("Async XLA Ops", copies),
            ("XLA TraceMe", barrier),
            ("Performance counters", self._counters(core, steps)),
        ]

    def _counters(self, core: int, steps: dict[int, CoreStep]) -> bytes:
        """A sample of each, at the end of each step."""
        shape = self._shape
        began = self._schedule.began[shape.host_of(core)]
        samples = []
        for step, core_step in steps.items():
            for place, (_, description, of_set) in enumerate(COUNTERS):
                stats: dict[str, Value] = {
                    "counter_value": counter_value(place, core, step),
                    "performance_counter_id": 0x100 + place,
                    "performance_counter_sets": of_set,
                }
                if description:
                    stats["performance_counter_description"] = description
                parts = [stat(4, _ID[name], value) for name, value in stats.items()]
                sampled = core_step.end + shape.clock_ps - began - (2 - place) * 2_000_000
                samples.append(
                    message(4, number(1, _COUNTERS_FROM + place), number(2, sampled), number(3, 1_000_000), *parts)
                )
        return b"".join(samples)

    def _copy(self, step: int, done: int) -> bytes:
        """A copy that began beside other work, and had ended when it was waited for."""
        stats: dict[str, Value] = {"hlo_op": "copy-done.1", "_a": 1, "flow": step * 4 + 51, "id": step}
        encoded = [stat(4, _ID[name], value) for name, value in stats.items()]
        return message(4, number(1, _COPY_START), number(2, done - 600_000_000), number(3, 580_000_000), *encoded)

    def _numbers(self, core: int, step: int, core_step: CoreStep) -> dict[str, Ints]:
        """Stats of single operations, -1 where there are none."""
        program, order = self._program, np.array(self._program.order)

        def only(name: str, value: int) -> Ints:
            return np.where(order == program.names[name], value, -1)

        own = only("custom-call.1", 0) == 0
        collective = np.full(len(order), -1)
        for place, instruction in enumerate(program.collectives):
            collective[order == instruction] = step * len(program.collectives) + place + 1
        return {
            "all_reduce_unique_id": collective,
            "dma_stall_duration_ps": np.where(order == program.names["copy-done.1"], core_step.duration // 4, -1),
            "flops": np.where(own, CUSTOM_FLOPS + core, -1),
            "model_flops": np.where(own, CUSTOM_FLOPS + core, -1),
            "bytes_accessed": np.where(own, CUSTOM_BYTES + step, -1),
        }

    def _events(self, metadata: Ints, start: Ints, duration: Ints, clock: int, stats: dict[str, Ints]) -> bytes:
        """Events of a line, from times of the device. Events measure some ps more than the device does."""
        rows = len(metadata)
        parts = [numbers(1, metadata), numbers(2, start + clock), numbers(3, duration + start % 3 * 39)]
        for name, values in {"device_offset_ps": start, "device_duration_ps": duration, **stats}.items():
            recorded = values >= 0
            if recorded.any():
                cells = numbers(1, np.full(rows, _ID[name])).then(numbers(_SIGNED.get(name, 3), np.maximum(values, 0)))
                parts.append(messages(4, cells, rows).only(recorded))
        return messages(4, parts[0].then(*parts[1:]), rows).joined()

    def _all_metadata(self) -> list[bytes]:
        program = self._program
        entries = [
            self._metadata_of(_INIT_OP, init_instruction(), INIT_PROGRAM),
            _named(_INIT_MODULE, f"jit_init_state({INIT_PROGRAM})"),
            _named(_TRAIN_MODULE, f"jit_train_step({TRAIN_PROGRAM})"),
            self._metadata_of(_COPY_START, program.async_start, TRAIN_PROGRAM),
            _named(_BARRIER, "barrier-cores"),
            *(_named(_COUNTERS_FROM + place, name) for place, (name, _, _) in enumerate(COUNTERS)),
        ]
        entries += [
            self._metadata_of(_OPS_FROM + place, instruction, TRAIN_PROGRAM)
            for place, instruction in enumerate(program.instructions)
        ]
        names = range(self._shape.first_step, self._shape.first_step + self._shape.steps)
        return entries + [_named(self._steps_from + place, str(step)) for place, step in enumerate(names)]

    def _metadata_of(self, key: int, instruction: Instruction, program: int) -> bytes:
        moved = instruction.read + instruction.written
        stats: dict[str, Value] = {
            "hlo_category": instruction.category,
            "program_id": program,
            "symbol_id": instruction.symbol,
            "flops": instruction.flops,
            "model_flops": instruction.flops,
            "bytes_accessed": moved + instruction.near,
            "raw_bytes_accessed": moved + instruction.near,
            "shape_with_layout": instruction.shape.text,
        }
        if not instruction.counts_itself:
            stats["memory_access_breakdown"] = breakdown(instruction)
        if instruction.framework:
            stats["tf_op"] = instruction.framework + ":"
            stats["source"] = f"{SOURCE}:{instruction.line}"
            stats["source_stack"] = f"{SOURCE}:{instruction.line}:8\n/home/user/net/main.py:10"
        if instruction.duplicate_of:
            stats["deduplicated_name"] = instruction.duplicate_of
        encoded = [stat(5, _ID[name], value) for name, value in stats.items()]
        return message(
            4,
            number(1, key),
            message(2, number(1, key), text(2, instruction.expression), text(4, instruction.name), *encoded),
        )


def breakdown(instruction: Instruction) -> bytes:
    """The bytes that an instruction moves, by memory."""
    moves = ((_READ, _HBM, instruction.read), (_WRITE, _HBM, instruction.written), (_READ, _NEAR, instruction.near))
    return b"".join(
        message(1, number(1, what), number(2, memory), number(3, moved)) for what, memory, moved in moves if moved
    )


def counter_value(place: int, core: int, step: int) -> int:
    """Value of a counter in a step on a core; more than 64 bits hold when cores are added up."""
    return (1 << 60) * place + 1_000_000 * (core + 1) + step


def flow_id(shape: PodShape, core: int, step: int) -> int:
    """Id of the flow from the call that starts a program."""
    return core * 1000 + step + 1


def _named(key: int, name: str) -> bytes:
    return message(4, number(1, key), message(2, number(1, key), text(2, name)))


def planes_of(shape: PodShape, writer: DevicePlanes, host: int) -> Sequence[bytes]:
    """Planes of all cores of a host."""
    return [writer.plane(core) for core in range(host * shape.chips, (host + 1) * shape.chips)]
