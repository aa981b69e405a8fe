"""The truth about a synthetic run, as JSON: told by what made it, not read from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from bench.pod_run.array_shape import TupleShape
from bench.pod_run.device_plane import (
    COUNTERS,
    CUSTOM_BYTES,
    CUSTOM_FLOPS,
    INIT_BEGIN_PS,
    INIT_OP_PS,
    INIT_PS,
    MODULE_PS,
    PEAKS,
    counter_value,
)
from bench.pod_run.hlo_module import HloModule
from bench.pod_run.host_plane import UTILISATION, Host
from bench.pod_run.program import INIT_PROGRAM, TRAIN_PROGRAM, Instruction, Program, init_instruction
from bench.pod_run.schedule import CoreStep, Schedule
from bench.pod_run.shape import START_NS, PodShape


def truth(
    shape: PodShape, program: Program, schedule: Schedule, hosts: list[Host], modules: list[HloModule]
) -> dict[str, Any]:
    """All times in ps, of the device's clock since the first host began to record; ids as they are in the trace."""
    captured = {core: shape.steps_of(shape.host_of(core)) for core in range(shape.cores)}
    return {
        "shape": asdict(shape),
        "peaks": PEAKS,
        "programs": {"train": str(TRAIN_PROGRAM), "init": str(INIT_PROGRAM)},
        "hosts": [
            {
                "name": shape.host_name(host),
                "profile_start_ns": START_NS + schedule.began[host] // 1000,
                "late": host == shape.late_host,
                "utilisation": {name: value + host for name, value in UTILISATION.items()},
                "input_ops": recorded.input_ops(),
                "enqueues": recorded.enqueues,
                "threads": recorded.threads,
                "memory": {device: [asdict(row) for row in rows] for device, rows in recorded.memory.items()},
            }
            for host, recorded in enumerate(hosts)
        ],
        "cores": [_core(shape, schedule, core) for core in range(shape.cores)],
        "instructions": [
            _instruction_truth(instruction) for instruction in (*program.instructions, init_instruction())
        ],
        "steps": [
            {
                "step": shape.first_step + step,
                "cores": {
                    str(core): _step(program, cores[core], _collective_ps(program, cores, captured, step))
                    for core in range(shape.cores)
                    if step in captured[core]
                },
            }
            for step, cores in enumerate(schedule.steps)
        ],
        "channels": list(_transfers(shape, program, schedule, captured)),
        "counters": {
            name: {str(core): [counter_value(place, core, step) for step in captured[core]] for core in captured}
            for place, (name, _, _) in enumerate(COUNTERS)
        },
        "custom_call": {"flops": CUSTOM_FLOPS, "bytes": CUSTOM_BYTES},  # and the core's number; the step's place
        "modules": {module.name: module.truth() for module in modules},
    }


def _transfers(
    shape: PodShape, program: Program, schedule: Schedule, captured: dict[int, range]
) -> Iterator[dict[str, Any]]:
    """Transfers of each step that both hosts recorded: from when it was sent until it had been received."""
    for sent in program.instructions:
        if sent.opcode != "send":
            continue
        of_channel = {
            instruction.opcode: instruction.name
            for instruction in program.instructions
            if instruction.channel == sent.channel
        }
        places = {opcode: program.order.index(program.names[name]) for opcode, name in of_channel.items()}
        for source, destination in sent.pairs:
            for step, cores in enumerate(schedule.steps):
                if step not in captured[source] or step not in captured[destination]:
                    continue
                sender, other = cores[source], cores[destination]
                begin, done = int(sender.start[places["send"]]), places["recv-done"]
                end = int(other.start[done] + other.duration[done])
                yield {
                    "channel": sent.channel,
                    "step": shape.first_step + step,
                    "source": source,
                    "destination": destination,
                    "bytes": _value_bytes(sent),
                    "latency": end - begin,
                    "send_delay": max(0, begin - int(other.start[places["recv"]])),
                    "hlo": [of_channel["send"], of_channel["recv-done"]],
                }


def _value_bytes(sent: Instruction) -> int:
    assert isinstance(sent.shape, TupleShape)
    return sent.shape.parts[0].unpadded_bytes


def own_ps(program: Program, core_step: CoreStep) -> Any:
    """The duration of each operation without those in it."""
    own = core_step.duration.copy()
    order = np.array(program.order)
    own[order == program.loop] -= core_step.duration[np.isin(order, list(program.body))].sum()
    return own


def _core(shape: PodShape, schedule: Schedule, core: int) -> dict[str, Any]:
    host = shape.host_of(core)
    steps = [schedule.steps[step][core] for step in shape.steps_of(host)]
    has_init = schedule.began[host] < INIT_BEGIN_PS
    first = INIT_BEGIN_PS + INIT_OP_PS[0] if has_init else int(steps[0].start[0])
    last = steps[-1]
    return {
        "host": host,
        "chip": core % shape.chips,
        "steps": [core_step.length for core_step in steps],
        "first_op": min(first, int(steps[0].start[0])),
        "last_op": int((last.start + last.duration).max()),
        "first": min(INIT_BEGIN_PS + INIT_OP_PS[0] if has_init else steps[0].begin, steps[0].begin),  # of steps, too
        "last": last.end,
        "first_program": INIT_BEGIN_PS if has_init else steps[0].begin + MODULE_PS,
        "last_program": last.end - MODULE_PS,
        "init": {"module": INIT_PS, "op": INIT_OP_PS[1]} if has_init else None,
    }


def _instruction_truth(instruction: Instruction) -> dict[str, Any]:
    return {
        "name": instruction.name,
        "program": str(TRAIN_PROGRAM if instruction.name != init_instruction().name else INIT_PROGRAM),
        "symbol": instruction.symbol,
        "category": instruction.category,
        "framework": instruction.framework,
        "flops": instruction.flops,
        "hbm_read": instruction.read,
        "hbm_written": instruction.written,
        "vmem_read": instruction.near,
        "counts_itself": instruction.counts_itself,
        "shape": instruction.shape.text,
    }


def _collective_ps(
    program: Program, cores: list[CoreStep], captured: dict[int, range], step: int
) -> dict[int, int] | None:
    """The shortest time that a core spends in each collective: what it takes, without waiting for others.

    None where not all cores, which all take part, have recorded the step.
    """
    if not all(step in captured[core] for core in range(len(cores))):
        return None
    return {
        collective: min(int(core_step.duration[program.order.index(collective)]) for core_step in cores)
        for collective in program.collectives
    }


def _step(program: Program, core_step: CoreStep, collective_ps: dict[int, int] | None) -> dict[str, Any]:
    order = np.array(program.order)
    own = own_ps(program, core_step)
    count = len(program.instructions)
    total, own_of = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(total, order, core_step.duration)
    np.add.at(own_of, order, own)
    times = np.bincount(order, minlength=count)
    category: dict[str, int] = {}
    for place, instruction in enumerate(program.instructions):
        category[instruction.category] = category.get(instruction.category, 0) + int(own_of[place])
    result: dict[str, Any] = {
        "begin": core_step.begin,
        "duration": core_step.length,
        "category": category,
        "idle": core_step.length - int(own.sum()),
        "all_reduce": _all_reduce(sum(int(total[collective]) for collective in program.collectives), collective_ps),
    }
    if count <= _MAX_INSTRUCTIONS:
        result["ops"] = {
            instruction.name: [int(times[place]), int(total[place]), int(own_of[place])]
            for place, instruction in enumerate(program.instructions)
        }
    return result


def _all_reduce(total: int, collective_ps: dict[int, int] | None) -> dict[str, int]:
    """Time in collectives: computing and waiting for others, or both in one where they cannot be told apart."""
    if collective_ps is None:
        return {"compute": 0, "sync": 0, "unsplit": total}
    compute = sum(collective_ps.values())
    return {"compute": compute, "sync": total - compute, "unsplit": 0}


_MAX_INSTRUCTIONS = 500  # of larger programs single operations are left out
