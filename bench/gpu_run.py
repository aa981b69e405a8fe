"""A synthetic capture of GPUs: XSpace planes whose streams run kernels of many names and launches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.pod_run.wire import Cells, message, messages, number, numbers, text

_START_NS = 1_767_225_600_000_000_000
_DETAILS, _CORRELATION, _FIRST_LAUNCH = 1, 2, 1000  # ids of stats; each launch is the value of one of its own
_EVENTS_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True)
class GpuShape:
    """The same shape gives the same bytes."""

    gpus: int = 8
    streams: int = 2  # of a GPU
    kernels: int = 625_000  # of a stream
    names: int = 300
    launches: int = 3  # of a name
    seed: int = 18
    launches_on_host: bool = False  # a thread for each stream; numbers of launches are those of the file then


def write_gpus(folder: Path, shape: GpuShape) -> Path:
    """Writes the capture into the folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "gpus.xplane.pb"
    rng = np.random.default_rng(shape.seed)
    with path.open("wb") as out:
        for gpu in range(shape.gpus):
            out.write(_plane(rng, shape, gpu))
        if shape.launches_on_host:
            out.write(_host(shape))
    return path


def _plane(rng: np.random.Generator, shape: GpuShape, gpu: int) -> bytes:
    parts = [number(1, gpu + 1), text(2, f"/device:GPU:{gpu}")]
    parts += [_line(rng, shape, gpu, stream) for stream in range(shape.streams)]
    for name in range(shape.names):
        metadata = message(2, number(1, name + 1), text(2, kernel_name(name)))
        parts.append(message(4, number(1, name + 1), metadata))
    named = {_DETAILS: "kernel_details", _CORRELATION: "correlation_id"}
    for launch in range(shape.names * shape.launches):
        named[_FIRST_LAUNCH + launch] = _details(launch)
    parts += [
        message(5, number(1, key), message(2, number(1, key), text(2, name_text))) for key, name_text in named.items()
    ]
    return message(1, *parts)


def kernel_name(name: int) -> str:
    """Every third one uses tensor cores, as its name says."""
    tile = f"{16 << name % 4}x{32 << name % 3}"
    if name % 3:
        return f"void at::native::vectorized_elementwise_kernel<4, op_{name}, std::array<char*, 3ul> >(int, op_{name})"
    return f"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize{tile}_stage{name}_warpgroupsize2x1x1"


def _details(launch: int) -> str:
    return (
        f"regs:{32 + launch % 200} static_shared:{launch % 7 * 1024} dynamic_shared:0 "
        f"grid:{1 + launch},1,1 block:{64 << launch % 4},1,1 occ_pct:{12.5 * (1 + launch % 8)}"
    )


def _host(shape: GpuShape) -> bytes:
    """A thread launches the kernels of a stream, one every 5 µs."""
    parts = [number(1, shape.gpus + 1), text(2, "/host:CPU")]
    for thread in range(shape.gpus * shape.streams):
        events = [number(1, thread + 1), text(2, f"launcher/{thread + 1}"), number(3, _START_NS)]
        for first in range(0, shape.kernels, _EVENTS_AT_ONCE):
            count = min(_EVENTS_AT_ONCE, shape.kernels - first)
            kernel = np.arange(first, first + count)
            correlation = _first_number(shape, *divmod(thread, shape.streams)) + kernel
            stat = Cells.constant(count, number(1, _CORRELATION)).then(numbers(3, correlation))
            event = Cells.constant(count, number(1, 1)).then(
                numbers(2, kernel * 5_000_000), numbers(3, np.full(count, 3_000_000)), messages(4, stat, count)
            )
            events.append(messages(4, event, count).joined())
        parts.append(message(3, *events))
    parts.append(message(4, number(1, 1), message(2, number(1, 1), text(2, "cuLaunchKernel"))))
    named = message(2, number(1, _CORRELATION), text(2, "correlation_id"))
    parts.append(message(5, number(1, _CORRELATION), named))
    return message(1, *parts)


def _first_number(shape: GpuShape, gpu: int, stream: int) -> int:
    """The correlation of the first kernel of a stream."""
    return 1 + (gpu * shape.streams + stream) * shape.kernels if shape.launches_on_host else 1


def _line(rng: np.random.Generator, shape: GpuShape, gpu: int, stream: int) -> bytes:
    parts = [number(1, stream + 1), text(2, f"Stream #{stream}(Compute)"), number(3, _START_NS)]
    now = 0
    for first in range(0, shape.kernels, _EVENTS_AT_ONCE):
        count = min(_EVENTS_AT_ONCE, shape.kernels - first)
        # Some kernels run far more often than others do.
        name = np.minimum(rng.geometric(8 / shape.names, count) - 1, shape.names - 1)
        launch = _FIRST_LAUNCH + name * shape.launches + rng.integers(0, shape.launches, count)
        duration = rng.integers(1_000, 80_000, count) * 1000
        begin = now + np.cumsum(duration + rng.integers(200, 4_000, count) * 1000) - duration
        now = int(begin[-1] + duration[-1])
        correlation = _first_number(shape, gpu, stream) + np.arange(first, first + count)
        details = messages(4, Cells.constant(count, number(1, _DETAILS)).then(numbers(7, launch)), count)
        correlated = messages(4, Cells.constant(count, number(1, _CORRELATION)).then(numbers(3, correlation)), count)
        events = numbers(1, name + 1).then(numbers(2, begin), numbers(3, duration), details, correlated)
        parts.append(messages(4, events, count).joined())
    return message(3, *parts)
