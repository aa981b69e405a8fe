"""Files of n things, by what these are: steps of a saved pod, operations of a program, events, long names."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, shape
from tests.memory_trace import random_plane
from tests.tpu_trace import Instruction, Run, plane
from tilescope.graph import graph_pb2 as pb

F32: Final = shape("f32", 8, 128)
TIMES: Final = {"totalDurationUs": 2.5, "highFlopsComputeUs": 1.25, "sendDurationUs": 0.5}


def _written(path: Path, content: Any) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def _saved_pod(cores: int) -> Callable[[Path, int], Path]:
    """So many cores in each step, n together, with a channel and an all-reduce; 0: another core in each step."""

    def write(folder: Path, n: int) -> Path:
        steps = [
            {
                "stepNum": step,
                "podStatsPerCore": {str(core + (0 if cores else step)): TIMES for core in range(max(cores, 1))},
                "channelDb": [{"channelId": step % 100, "srcCoreId": "0", "dstCoreId": "1", "durationUs": 3}],
                "allReduceOpDb": [{"name": f"all-reduce.{step}", "durationUs": 3}],
            }
            for step in range(n // max(cores, 1))
        ]
        return _written(folder / "page.json", {"podStatsSequence": {"podStatsMap": steps}})

    return write


def _saved_profile(folder: Path, n: int) -> Path:
    metrics = {"time": 0.5, "flops": 0.1}
    nodes = [{"name": f"op.{k}", "metrics": metrics, "xla": {"expression": "f32[] add()"}} for k in range(n)]
    return _written(folder / "page.json", {"byCategory": {"name": "all", "metrics": metrics, "children": nodes}})


def _saved_table(folder: Path, n: int) -> Path:
    columns = [{"id": key, "label": key, "type": "number"} for key in ("stepnum", "inputTimeMs", "percent")]
    rows = [{"c": [{"v": k}, {"v": 1.5}, {"v": 0.25}]} for k in range(n)]
    return _written(folder / "page.json", [{"cols": columns, "rows": rows, "p": {"steptime_ms_average": "3.5"}}])


def _saved_columns(folder: Path, n: int) -> Path:
    columns = [{"id": f"column{k}"} for k in range(n)]
    return _written(folder / "page.json", [{"cols": [{"id": "stepnum"}, *columns], "rows": [{"c": []}] * n}])


def _saved_buffers(folder: Path, n: int) -> Path:
    buffers = [{"id": str(k), "size": "512", "definedAt": {"instructionName": f"op.{k}"}} for k in range(n)]
    events = [{"kind": kind, "bufferId": str(k)} for k in range(n) for kind in ("ALLOC", "FREE")]
    assignment = {"logicalBuffers": buffers, "heapSimulatorTraces": [{"events": events}]}
    wide = {"elementType": "F32", "dimensions": ["2"] * n}  # one shape of all buffers
    instructions = [{"name": f"op.{k}", "opcode": "add", "shape": wide if k == 0 else {}} for k in range(n)]
    module = {"name": "m", "computations": [{"instructions": instructions}]}
    return _written(folder / "page.json", {"bufferAssignment": assignment, "hloModule": module})


def _program(folder: Path, n: int) -> Path:
    """A program of n operations, each of which uses the one before, that a core runs in n / 100 steps."""
    operations = [instruction(1, "op.1", "parameter", F32)]
    operations += [
        instruction(k, f"op.{k}", "add", F32, k - 1, 1, op_name=f"jit(f)/part{k % 7}/add") for k in range(2, n)
    ]
    program = hlo_proto("jit_f", computation(1, "main", *operations, root=n - 1))
    shared: dict[str, int | str] = {
        "program_id": 7,
        "hlo_category": "loop fusion",
        "flops": 1000,
        "bytes_accessed": 4096,
    }
    ran = [Instruction(f"op.{k}", {**shared, "symbol_id": k}) for k in range(1, n)]
    runs = [Run(k, 1000 * k, 900) for k in range(n - 1)]
    steps = [Run(n - 1 + k, 100_000 * k, 99_000) for k in range(n // 100)]
    ran += [Instruction(str(k)) for k in range(n // 100)]
    core = plane("/device:TPU:0", ran, {"Steps": steps, "XLA Ops": runs})
    return _written(folder / "t.xplane.pb", hlo_plane({"jit_f(7)": program}) + core)


def _long_name(folder: Path, n: int) -> Path:
    """An instruction whose name has n characters, and that n / 100 others use."""
    operations = [instruction(1, "a" * n, "parameter", F32)]
    operations += [instruction(k, f"op.{k}", "negate", F32, 1) for k in range(2, 2 + n // 100)]
    program = hlo_proto("jit_f", computation(1, "main", *operations, root=1))
    return _written(folder / "t.xplane.pb", hlo_plane({"jit_f(7)": program}))


def _kernels(folder: Path, n: int) -> Path:
    names = [Instruction(f"kernel_{k}") for k in range(n // 10)]
    details = "regs:32 static_shared:0 dynamic_shared:64 grid:2,1,1 block:32,1,1 occ_pct:37.5"
    runs = [Run(k % len(names), 4000 * k, 3000, stats=(("kernel_details", details),)) for k in range(n)]
    return _written(folder / "t.xplane.pb", plane("/device:GPU:0", names, {"Stream #7(Compute)": runs}))


def _memory(folder: Path, n: int) -> Path:
    return _written(folder / "t.xplane.pb", random_plane(random.Random(3), n))


def _events(folder: Path, n: int) -> Path:
    """Slices on three threads in slices of steps, with arguments and flows, and a counter."""
    events: list[dict[str, Any]] = []
    for k in range(n):
        common = {"pid": 1, "tid": k % 3, "ts": 10 * k}
        events.append({**common, "ph": "X", "name": f"op {k % 500}", "cat": "kernel", "dur": 8, "args": {"n": k}})
        if k % 10 == 0:
            events.append({**common, "ph": "s", "id": k, "name": "flow", "ts": 10 * k + 1})
            events.append(
                {"pid": 1, "tid": (k + 1) % 3, "ph": "f", "bp": "e", "id": k, "name": "flow", "ts": 10 * k + 12}
            )
            events.append({"ph": "C", "pid": 1, "name": "bytes", "ts": 10 * k, "args": {"v": k}})
        if k % 100 == 0:
            name = f"ProfilerStep#{k // 100}"
            events.append({"ph": "X", "pid": 1, "tid": 9, "name": name, "ts": 10 * k, "dur": 990})
    return _written(folder / "t.json", {"traceEvents": events})


def _model(folder: Path, n: int) -> Path:
    nodes = [pb.NodeDef(name="layer0/op0", op="Placeholder").SerializeToString()]
    nodes += [
        pb.NodeDef(name=f"layer{k % 50}/op{k}", op="Relu", input=[f"layer{(k - 1) % 50}/op{k - 1}"]).SerializeToString()
        for k in range(1, n)
    ]
    return _written(folder / "graph.pb", bytes(pb.GraphDef(node=nodes).SerializeToString()))


INPUTS: Final[Mapping[str, Callable[[Path, int], Path]]] = {
    "saved steps": _saved_pod(1),
    "saved cores": _saved_pod(4),
    "saved core of each step": _saved_pod(0),
    "saved profile": _saved_profile,
    "saved table": _saved_table,
    "saved columns": _saved_columns,
    "saved buffers": _saved_buffers,
    "program": _program,
    "long name": _long_name,
    "kernels": _kernels,
    "memory": _memory,
    "events": _events,
    "model": _model,
}
