"""Steps of a training loop as PyTorch's profiler records them: two threads of the host, and a stream of a GPU.

Times are integers of nanoseconds here, and decimal numbers of microseconds in the file.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROCESS = "trainer#main"
MAIN_THREAD = "pt_main_thread"  # in the file `thread 4100 (pt_main_thread)`
BACKWARD_THREAD = "pt_autograd_0"
FIRST_STEP, STEPS = 101, 5

START_NS = 1_767_225_600_123_456_789
STEP_NS = 110_000_000
CALLS_OF_A_STEP = 1000  # so many that most of a whole run is drawn as bins
HOST, GPU, MAIN, BACKWARD, STREAM = 4100, 0, 4100, 4200, 7
FORWARD = ("aten::conv2d", "aten::convolution", "aten::cudnn_convolution")
GRADIENTS = (
    "autograd::engine::evaluate_function: ConvolutionBackward0",
    "ConvolutionBackward0",
    "aten::convolution_backward",
)
LONG_TYPE = "at::native::(anonymous namespace)::OpaqueType<4u>"
KERNELS = (
    "volta_sgemm_128x64_nn",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTensorStruct, float const*)",
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig"
    f"<{LONG_TYPE}, unsigned int, 1, 128, 1>({LONG_TYPE}*, "
    f"at::native::(anonymous namespace)::CatArrInputTensorMetadata<{LONG_TYPE}, unsigned int, 128, 1>, "
    "at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int, unsigned int, "
    "at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>)",
)


@dataclass
class _Recording:
    """The events so far; the stream runs what has been launched, one kernel after the other."""

    rng: random.Random = field(default_factory=lambda: random.Random(11))
    events: list[dict[str, Any]] = field(default_factory=list)
    launches: int = 0
    stream_free_ns: int = 0

    def slice(self, category: str, name: str, tid: int, start_ns: int, duration_ns: int, pid: int = HOST) -> None:
        args = {"External id": len(self.events), "Ev Idx": len(self.events)}
        on = {"pid": pid, "tid": tid, "ts": _us(START_NS + start_ns), "dur": _us(duration_ns)}
        self.events.append({"ph": "X", "cat": category, "name": name, **on, "args": args})

    def flow(self, phase: str, pid: int, tid: int, at_ns: int) -> None:
        end = {"bp": "e"} if phase == "f" else {}
        on = {"pid": pid, "tid": tid, "ts": _us(START_NS + at_ns)}
        self.events.append({"ph": phase, "id": self.launches, "cat": "ac2g", "name": "ac2g", **on, **end})

    def launch(self, tid: int, start_ns: int, duration_ns: int) -> None:
        """A call that hands a kernel to the stream, and the kernel."""
        self.launches += 1
        self.slice("cuda_runtime", "cudaLaunchKernel", tid, start_ns, duration_ns)
        self.flow("s", HOST, tid, start_ns)
        begin_ns = max(start_ns + duration_ns + 3_001, self.stream_free_ns)
        length_ns = self.rng.randrange(2_001, 90_000)
        self.slice("kernel", self.rng.choice(KERNELS), STREAM, begin_ns, length_ns, pid=GPU)
        self.flow("f", GPU, STREAM, begin_ns)
        self.stream_free_ns = begin_ns + length_ns + self.rng.randrange(500)

    def calls(self, tid: int, names: tuple[str, ...], begin_ns: int, end_ns: int) -> None:
        """One call after the other, each with calls in it and a launch innermost."""
        room_ns = (end_ns - begin_ns) // CALLS_OF_A_STEP
        for number in range(CALLS_OF_A_STEP):
            start_ns = begin_ns + number * room_ns + self.rng.randrange(room_ns // 4)
            duration_ns = self.rng.randrange(room_ns // 3, room_ns // 2)
            for name in names:
                self.slice("cpu_op", name, tid, start_ns, duration_ns)
                start_ns += duration_ns // 8
                duration_ns -= duration_ns // 4
            self.launch(tid, start_ns, duration_ns // 2)


def write_training(path: Path) -> Path:
    recording = _Recording()
    events = [_named("process_name", HOST, 0, PROCESS), _named("process_name", GPU, 0, PROCESS)]
    events += [{**_named("process_labels", HOST, 0), "args": {"labels": "CPU"}}]
    events += [{**_named("process_labels", GPU, 0), "args": {"labels": "GPU 0"}}]
    events += [
        _named("thread_name", HOST, tid, f"thread {tid} ({name})")
        for tid, name in ((MAIN, MAIN_THREAD), (BACKWARD, BACKWARD_THREAD))
    ]
    events += [_named("thread_name", GPU, STREAM, "stream 7 ")]
    for number in range(STEPS):
        begin_ns = 20_000_000 + number * STEP_NS
        recording.slice("user_annotation", f"ProfilerStep#{FIRST_STEP + number}", MAIN, begin_ns, STEP_NS - 70_001)
        recording.calls(MAIN, FORWARD, begin_ns + 100_000, begin_ns + STEP_NS * 3 // 5)
        recording.calls(BACKWARD, GRADIENTS, begin_ns + STEP_NS * 3 // 5, begin_ns + STEP_NS * 4 // 5)
    mark = {"pid": HOST, "tid": MAIN, "ts": _us(START_NS), "s": "g"}
    events += [*recording.events, {"ph": "i", "name": "Record Window Start", **mark}]
    text = json.dumps({"schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": events})
    path.write_text(re.sub(r'"(ts|dur)": "([0-9.]+)"', r'"\1": \2', text))
    return path


def _named(kind: str, pid: int, tid: int, name: str = "") -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}


def _us(ns: int) -> str:
    """Digits, of which the file's numbers are made: a float could not hold them."""
    return f"{ns // 1000}.{ns % 1000:03}"
