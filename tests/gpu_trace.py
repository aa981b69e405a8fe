"""An XSpace of GPUs that run kernels, as plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tests.tpu_trace import stat

STATS = ("hlo_op", "hlo_module", "program_id", "kernel_details", "tf_op")
LAUNCH_STATS = ("correlation_id", "cuda_graph_id")  # in planes with kernels that have them


@dataclass(frozen=True)
class Kernel:
    """Runs for an instruction of a program, by its id or else its name, or for none. Times in ps."""

    name: str
    start: int
    duration: int
    op: str = ""
    program: int | None = None
    module: str = "jit_f"
    correlation: int | None = None
    graph: int | None = None
    details: str = ""


def gpu_plane(
    device: int, streams: Mapping[str, Sequence[Kernel]], stats: Mapping[str, int | str] | None = None
) -> bytes:
    """A GPU with these streams; `stats` are its own."""
    stats = stats or {}
    has_launches = any(
        kernel.correlation is not None or kernel.graph is not None for entries in streams.values() for kernel in entries
    )
    ids = {name: place + 1 for place, name in enumerate((*STATS, *stats, *(LAUNCH_STATS if has_launches else ())))}
    names = {
        name: place + 1
        for place, name in enumerate(dict.fromkeys(k.name for entries in streams.values() for k in entries))
    }
    parts = [data(2, f"/device:GPU:{device}")]
    for place, (line, kernels) in enumerate(streams.items()):
        events = [message(4, *_event(kernel, names, ids)) for kernel in kernels]
        parts.append(message(3, number(1, place + 1), data(2, line), *events))
    parts += [event_metadata(key, name) for name, key in names.items()]
    parts += [stat_metadata(key, name) for name, key in ids.items()]
    return message(1, *parts)


def _event(kernel: Kernel, names: Mapping[str, int], ids: Mapping[str, int]) -> Iterator[bytes]:
    yield number(1, names[kernel.name])
    yield number(2, kernel.start)
    yield number(3, kernel.duration)
    if kernel.op:
        yield stat(4, ids["hlo_op"], kernel.op)
        yield stat(4, ids["hlo_module"], kernel.module)
        if kernel.program is not None:
            signed = kernel.program < 0
            yield message(4, number(1, ids["program_id"]), number(4 if signed else 3, kernel.program))
    if kernel.details:
        yield stat(4, ids["kernel_details"], kernel.details)
    for name, value in zip(LAUNCH_STATS, (kernel.correlation, kernel.graph), strict=True):
        if value is not None:
            yield message(4, number(1, ids[name]), number(3, value))
