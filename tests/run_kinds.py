"""Runs of several kinds: what one tool has an answer for, another lacks. A tool about new things adds a run here."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from bench.ascend_run import AscendShape
from bench.ascend_run.data_files import processors
from tests import model_graphs
from tests.communication_runs import write_communication
from tests.device_trace import Task, trace_events
from tests.hlo_protos import hlo_plane, small_program
from tests.memory_trace import random_plane
from tests.side_table_runs import write_tables
from tests.step_trace_runs import Step, write_steps
from tests.tpu_trace import random_core, random_gpu, write_trace
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, tool
from tilescope.tiler.tools.lanes import LanesQuestion


def _tpu(folder: Path) -> Path:
    planes = [random_plane(random.Random(7), 100), *(random_core(random.Random(7), number) for number in range(2))]
    planes += [random_gpu(random.Random(7), 0), hlo_plane({"jit_f(7)": small_program()})]
    return write_trace(folder / "tpu.xplane.pb", planes)


def _page(folder: Path) -> Path:
    layout = {"dimensions": [{"size": 200, "alignment": 128, "semantics": "feature"}]}
    xla = {"category": "output fusion", "op": "fusion", "expression": "%f = fusion()", "provenance": "dot"}
    metrics = {"rawTime": "4000000", "flops": 0.4, "occurrences": 3}
    leaf = {"name": "fusion.1", "metrics": metrics, "xla": {**xla, "layout": layout}, "children": []}
    tree = {"name": "byCategory", "metrics": {"rawTime": "8000000", "flops": 0.4}, "children": [leaf]}
    path = folder / "op_profile.json"
    path.write_text(json.dumps({"byCategory": tree}))
    return path


def _model(folder: Path) -> Path:
    path = folder / "model.pb"
    path.write_bytes(model_graphs.graph())
    return path


def _launches(folder: Path) -> Path:
    """A GPU, to whose stream a thread launches kernels, in steps; other threads have slices that may be steps."""
    host = [Task(500, 1, "cudaLaunchKernel", "cuda_runtime", 20 * k, 20 * k + 9) for k in range(50)]
    kernels = [Task(0, 7, "gemm", "kernel", 2000 + 30 * k, 2025 + 30 * k, k) for k in range(50)]
    names = (("ProfilerStep#", "user_annotation"), ("Inner ", "cpu_op"), ("Iteration ", "cpu_op"))
    marks = [
        Task(500, 2 + place, f"{name}{k + 1}", category, 400 * k, 400 * (k + 1))
        for place, (name, category) in enumerate(names)
        for k in range(5)
    ]
    path = folder / "launches.json"
    path.write_text(json.dumps(list(trace_events(host + marks + kernels))))
    return path


def _copies(folder: Path) -> Path:
    """A GPU to which a copy goes that says its bytes, and one that says its rate."""
    gpu = {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}}
    copy = {"ph": "X", "name": "Memcpy HtoD", "cat": "gpu_memcpy", "pid": 2, "tid": 7, "dur": 9}
    by_bytes = {**copy, "ts": 20, "args": {"bytes": 4096}}
    by_rate = {**copy, "ts": 40, "args": {"memory bandwidth (GB/s)": 3.5}}
    path = folder / "copies.json"
    path.write_text(json.dumps([gpu, by_bytes, by_rate]))
    return path


def _table(folder: Path) -> Path:
    return write_tables(folder)[1]


def _step_trace(folder: Path) -> Path:
    path = folder / "step_trace.json"
    write_steps(path, [Step(500, 100 + k, 2000, 3000 - k, 900) for k in range(20)])
    return path


def _flops(folder: Path) -> Path:
    path = folder / "flops_0.txt"
    path.write_text("full_kernel_name, FLOPs, FLOPS, FLOPS utilization\nDefault/net/MatMul-op1, 12.5, 800.25, 31.5\n")
    return path


def _dynamic_shape(folder: Path) -> Path:
    path = folder / "dynamic_shape_info_0.json"
    run = {
        "step": 1,
        "op_side": "gpu",
        "op_type": "Add",
        "op_name": "Add-op6",
        "dur": 75.616,
        "shape_info": ["[32, 1]"],
    }
    path.write_text(json.dumps({"operator": {"1": [run, run], "2": [{**run, "step": 2, "dur": 48.64}]}}))
    return path


def _processors(folder: Path) -> Path:
    path = folder / "minddata_cpu_utilization_0.json"
    path.write_text(processors(AscendShape(), 0))
    return path


def _communication(folder: Path) -> Path:
    """Files of two ranks, and a timeline with the same steps."""
    ranks = write_communication(folder / "ranks")
    write_steps(ranks / "trace_view.json", [Step(500, 100, 2000, 3000, 900)] * 5)
    return ranks


# Name of a store → what writes the trace into a folder: a file, or a folder of files.
RUN_KINDS: Final[Mapping[str, Callable[[Path], Path]]] = {
    "devices": _tpu,
    "page": _page,
    "model": _model,
    "launches": _launches,
    "copies": _copies,
    "table": _table,
    "step_trace": _step_trace,
    "flops": _flops,
    "dynamic_shape": _dynamic_shape,
    "processors": _processors,
    "communication": _communication,
}


# Tools that answer for every run, be it with nothing: questions need a run that has lanes of both kinds.
_ABOUT_LANES: Final = frozenset({"lanes", "lane_bins", "lane_events"})


def build_run_kinds(folder: Path) -> dict[str, Path]:
    """A store of each, by name."""
    stores = {name: folder / f"{name}.store" for name in RUN_KINDS}
    for name, write in RUN_KINDS.items():
        build_store(trace_files(write(folder)), stores[name])
    return stores


def trace_files(path: Path) -> list[Path]:
    """The files of what was written: itself, or all of a folder."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def first_with_answer(name: str, stores: Iterable[Path]) -> Path:
    """The first store for which a tool has an answer; the first of all where none has."""
    stores = list(stores)
    return next((path for path in stores if is_available(name, path)), stores[0])


def is_available(name: str, path: Path) -> bool:
    """Whether a tool has an answer for the run in a store."""
    store = open_run_store(path)
    try:
        scope = Scope(QueryReader(store))
        if name in _ABOUT_LANES:
            return len(finish(ask(tool("lanes"), scope, LanesQuestion(source="queues"))).tables[0]) > 0
        return not tool(name).availability(scope)
    finally:
        store.close()
