"""Program of one rank: forward, backward, collectives and optimizer of each step, as a coroutine.

It stops at each collective, and goes on with the time at which that ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from bench.kineto_run.collective import Collective, CollectiveName, Program
from bench.kineto_run.gpu import Gpu
from bench.kineto_run.host_thread import MODULE, HostThread, Sums
from bench.kineto_run.launches import Launcher
from bench.kineto_run.memory import Block, Memory
from bench.kineto_run.shape import BASE_NS, HOST_GROUP, WORLD_GROUP, KinetoShape
from bench.kineto_run.trace_file import TraceFile

_PAUSE: Final = 2_000_000_000  # ns between two cycles
_MIB: Final = 1 << 20
_ACTIVATION: Final = 8 * _MIB
_WEIGHTS: Final = 64 * _MIB
_GRADIENT: Final = 2 * _MIB
_BATCH: Final = 32_768

_KERNELS: Final[dict[CollectiveName, str]] = {
    "allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
}
_OPERATORS: Final[dict[CollectiveName, tuple[str, str]]] = {
    "allreduce": ("c10d::allreduce_", "nccl:all_reduce"),
    "_allgather_base": ("c10d::_allgather_base_", "nccl:_all_gather_base"),
    "send": ("c10d::send", "nccl:send 0->1"),
    "recv": ("c10d::recv_", "nccl:recv 1<-0"),
}


@dataclass(slots=True)
class Activation:
    """Memory and arrow of a layer, from its forward pass to its backward pass."""

    linear: Block | None
    gelu: Block | None
    flow: int


@dataclass(slots=True)
class RankProgram:
    """One rank; `files` has what is true of each of its files, in the order of cycles."""

    shape: KinetoShape
    rank: int
    folder: Path
    files: list[dict[str, object]] = field(default_factory=list)
    random: Random = field(init=False)
    launcher: Launcher = field(init=False)
    main: HostThread = field(init=False)
    autograd: HostThread = field(init=False)
    device: Memory = field(init=False)
    host: Memory = field(init=False)
    sequences: dict[str, int] = field(default_factory=dict)
    flows: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        shape, rank = self.shape, self.rank
        self.random = Random(shape.seed * 1_000_003 + rank)
        gpu = Gpu(rank % shape.ranks_of_host)
        slow = shape.slow_percent if rank == shape.slow_rank else 0
        self.launcher = Launcher(gpu, self.random, slow)
        pid, ids, python_ids = 4000 + rank, itertools.count(1), itertools.count(1)
        begin = 1_000_000 + self.random.randrange(200_000)
        sums = Sums()
        self.main = HostThread(pid, pid, shape.offset(rank), sums, ids, python_ids, begin)
        self.autograd = HostThread(pid, pid + 60, shape.offset(rank), sums, ids, python_ids, begin)
        self.device, self.host = Memory(1, gpu.device, used=_WEIGHTS), Memory(0, -1)

    def run(self) -> Program:
        """All cycles."""
        for cycle in range(self.shape.cycles):
            self.main.sums = self.autograd.sums = Sums()
            self.device.begin_cycle()
            self.host.begin_cycle()
            self.launcher.launched = 0
            start = self.main.now
            time = (BASE_NS + start + self.main.offset) // 1_000_000
            name = f"host-{self.shape.host(self.rank)}_{self.main.pid}.{time}.pt.trace.json"
            with TraceFile(self.folder / name, self._members()) as file:
                self._names(file)
                steps = []
                for number in range(self.shape.steps):
                    step = cycle * self.shape.steps + number
                    begin = self.main.now
                    yield from self._step(file, cycle, step)
                    steps.append([step, begin + self.main.offset, self.main.now + self.main.offset])
                duration = self.main.now - start + 20_000
                begin = start - 10_000 + self.main.offset
                file.slice("Trace", "PyTorch Profiler (0)", self.main.pid, 0, begin, duration, {"Op count": 0})
            self.files.append(
                {
                    "file": name,
                    "cycle": cycle,
                    "events": file.events,
                    "steps": steps,
                    "kernels": self.launcher.launched,
                    "sums": self.main.sums.as_json(),
                    "memory": [self.device.as_json(), self.host.as_json()] if self.shape.has_memory else [],
                }
            )
            self.main.now += _PAUSE

    def _members(self) -> dict[str, object]:
        shape = self.shape
        groups = [
            {
                "pg_name": name,
                "pg_desc": "default_pg" if name == WORLD_GROUP else "host_pg",
                "backend_config": "cuda:nccl",
                "pg_size": len(shape.members(name, self.rank)),
                "ranks": shape.members(name, self.rank),
            }
            for name in (WORLD_GROUP, HOST_GROUP)
        ]
        devices = [
            {"id": number, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_017_493_504, "numSms": 132}
            for number in range(shape.ranks_of_host)
        ]
        info = {"backend": "nccl", "rank": self.rank, "world_size": shape.ranks, "pg_count": 2, "pg_config": groups}
        return {
            "schemaVersion": 1,
            "deviceProperties": devices,
            "distributedInfo": info,
            "with_stack": shape.has_stacks,
            "profile_memory": shape.has_memory,
            "record_shapes": 1,
            "cuda_runtime_version": 12080,
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": BASE_NS,
        }

    def _names(self, file: TraceFile) -> None:
        pid, thread, backward = self.main.pid, self.main.tid, self.autograd.tid
        gpu = self.launcher.gpu.device
        names: list[tuple[str, int, int, dict[str, object]]] = [
            ("process_name", pid, 0, {"name": "python3"}),
            ("process_labels", pid, 0, {"labels": "CPU"}),
            ("thread_name", pid, thread, {"name": f"thread {thread} (python3)"}),
            ("thread_name", pid, backward, {"name": f"thread {backward} (pt_autograd_0)"}),
            ("process_name", gpu, 0, {"name": "python3"}),
            ("process_labels", gpu, 0, {"labels": f"GPU {gpu}"}),
        ]
        for kind, process, tid, args in names:
            file.name_of(kind, process, tid, self.main.now + self.main.offset, args)

    def _step(self, file: TraceFile, cycle: int, step: int) -> Program:
        with (
            self.main.frame(file, "user_annotation", f"ProfilerStep#{step}", 3_000, 2_000),
            self._python(file, "train.py(42): train_step"),
        ):
            self._load(file)
            activations: list[Activation] = []
            with (
                self.main.frame(file, "user_annotation", "forward", 1_000, 1_000),
                self._python(file, f"{MODULE}Model_0"),
            ):
                for layer in range(self.shape.layers):
                    with self._python(file, f"{MODULE}Block_{layer}"):
                        activations.append(self._layer(file, layer))
                        yield from self._collective(file, self.main, "_allgather_base", _ACTIVATION, cycle, step)
                yield from self._exchange(file, cycle, step)
            self.launcher.wait_for_collectives(self.main, file)
            with self._python(file, "torch/_tensor.py(574): backward"):
                gradients = yield from self._backward(file, activations, cycle, step)
            self._optimize(file, gradients)
            if step % 2:
                self.launcher.synchronize(self.main, file, "cudaDeviceSynchronize")

    def _load(self, file: TraceFile) -> None:
        main = self.main
        with main.frame(file, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 500, 0):
            with main.frame(file, "cpu_op", "aten::stack", 9_000, 4_000):
                batch = self._allocate(self.host, _BATCH, main, file)
            if batch is not None:
                self.host.free(batch, main, file)
        with (
            main.frame(file, "cpu_op", "aten::to", 900, 700),
            main.frame(file, "cpu_op", "aten::_to_copy", 1_000, 800),
        ):
            with main.frame(file, "cpu_op", "aten::empty_strided", 900, 900):
                tokens = self._allocate(self.device, _BATCH, main, file)
            with main.frame(file, "cpu_op", "aten::copy_", 900, 600):
                copy = "Memcpy HtoD (Pageable -> Device)"
                self.launcher.kernel(main, file, copy, 3_000, "gpu_memcpy", bytes=_BATCH)
        if tokens is not None:
            self.device.free(tokens, main, file)

    def _layer(self, file: TraceFile, layer: int) -> Activation:
        main, flow = self.main, next(self.flows)
        with self._python(file, f"{MODULE}Linear_{layer}"), main.frame(file, "cpu_op", "aten::linear", 900, 700):
            shapes = [[16, 256, 768], [768, 768], [768]]
            file.flow("fwdbwd", flow, main.pid, main.tid, main.now + main.offset, is_end=False)
            with main.frame(file, "cpu_op", "aten::addmm", 2_500, 1_500, **{"Input Dims": shapes}):
                linear = self._allocate(self.device, _ACTIVATION, main, file)
                self.launcher.kernel(main, file, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", 60_000)
        with self._python(file, f"{MODULE}GELU_{layer}"), main.frame(file, "cpu_op", "aten::gelu", 1_500, 900):
            gelu = self._allocate(self.device, _ACTIVATION, main, file)
            self.launcher.kernel(main, file, "void at::native::vectorized_elementwise_kernel<4, gelu>(int)", 12_000)
        return Activation(linear, gelu, flow)

    def _backward(
        self, file: TraceFile, activations: list[Activation], cycle: int, step: int
    ) -> Generator[Collective, int, list[Block]]:
        thread, gradients = self.autograd, list[Block]()
        thread.now = max(thread.now, self.main.now + 5_000)
        for activation in reversed(activations):
            with self._node(file, "GeluBackward0"):
                with thread.frame(file, "cpu_op", "aten::gelu_backward", 1_500, 900):
                    self.launcher.kernel(
                        thread, file, "void at::native::vectorized_elementwise_kernel<4, gelu_backward>(int)", 14_000
                    )
                if activation.gelu is not None:
                    self.device.free(activation.gelu, thread, file)
            flow = activation.flow
            file.flow("fwdbwd", flow, thread.pid, thread.tid, thread.now + thread.offset, is_end=True)
            with self._node(file, "AddmmBackward0"):
                for _ in range(2):
                    with thread.frame(file, "cpu_op", "aten::mm", 2_000, 1_200):
                        gradient = self._allocate(self.device, _GRADIENT, thread, file)
                        name = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64"
                        self.launcher.kernel(thread, file, name, 55_000)
                    if gradient is not None:
                        gradients.append(gradient)
                if activation.linear is not None:
                    self.device.free(activation.linear, thread, file)
            yield from self._collective(file, thread, "allreduce", _GRADIENT, cycle, step)
        self.launcher.wait_for_collectives(thread, file)
        self.main.now = max(self.main.now, thread.now + 3_000)
        return gradients

    def _optimize(self, file: TraceFile, gradients: list[Block]) -> None:
        main = self.main
        with main.frame(file, "user_annotation", "Optimizer.step#AdamW.step", 2_000, 1_000):
            self.launcher.graph(main, file, self.shape.graph_kernels)
            with (
                main.frame(file, "cpu_op", "aten::item", 600, 500),
                main.frame(file, "cpu_op", "aten::_local_scalar_dense", 800, 600),
            ):
                copy = "Memcpy DtoH (Device -> Pageable)"
                self.launcher.kernel(main, file, copy, 1_500, "gpu_memcpy", bytes=4)
        with main.frame(file, "user_annotation", "Optimizer.zero_grad#AdamW.zero_grad", 900, 900):
            for gradient in gradients:
                self.device.free(gradient, main, file)

    def _exchange(self, file: TraceFile, cycle: int, step: int) -> Program:
        """Ranks of the first half send to those of the second."""
        if self.shape.peer(self.rank) is not None:
            name: CollectiveName = "send" if self.rank < self.shape.ranks // 2 else "recv"
            yield from self._collective(file, self.main, name, _ACTIVATION, cycle, step)

    def _collective(
        self, file: TraceFile, thread: HostThread, name: CollectiveName, size: int, cycle: int, step: int
    ) -> Program:
        shape, rank = self.shape, self.rank
        group = HOST_GROUP if name == "_allgather_base" else WORLD_GROUP
        members, count, peer = shape.members(group, rank), size // 4, shape.peer(rank)
        is_transfer = name in ("send", "recv")
        key = "p2p" if is_transfer else group
        sequence = self.sequences[key] = self.sequences.get(key, 0) + 1
        first, annotation = _OPERATORS[name]
        args: dict[str, object] = {
            "Collective name": name,
            "In msg nelems": count,
            "Out msg nelems": count * (len(members) if name == "_allgather_base" else 1),
            "Group size": len(members),
            "dtype": "Float",
            "In split size": "[]",
            "Out split size": "[]",
            "Process Group Name": group,
            "Process Group Description": "default_pg" if group == WORLD_GROUP else "host_pg",
            "Process Group Ranks": str(members),
            "Rank": rank,
        }
        meeting = tuple(members)
        if is_transfer and peer is not None:
            args |= {"Src Rank": min(rank, peer), "Dst Rank": max(rank, peer)}
            meeting = tuple(sorted((rank, peer)))
        if shape.has_sequence:
            args["Seq"] = sequence
        with (
            thread.frame(file, "cpu_op", first, 1_500, 900),
            thread.frame(file, "cpu_op", "record_param_comms", 2_000, 1_500, **args),
            thread.frame(file, "user_annotation", annotation, 700, 600),
        ):
            work = self.launcher.collective_call(thread, file)
            end = yield Collective(name, group, sequence, meeting, rank, work.start, size, step, cycle)
            self.launcher.collective_kernel(thread, file, _KERNELS[name], work, end, args)

    def _node(self, file: TraceFile, name: str) -> AbstractContextManager[object]:
        return _both(
            lambda: self.autograd.frame(file, "cpu_op", f"autograd::engine::evaluate_function: {name}", 900, 700),
            lambda: self.autograd.frame(file, "cpu_op", name, 1_100, 800),
        )

    def _python(self, file: TraceFile, name: str) -> AbstractContextManager[object]:
        if not self.shape.has_stacks:
            return nullcontext()
        return self.main.frame(file, "python_function", name, 1_200, 900)

    def _allocate(self, memory: Memory, size: int, thread: HostThread, file: TraceFile) -> Block | None:
        return memory.allocate(size, thread, file) if self.shape.has_memory else None


@contextmanager
def _both(
    outer: Callable[[], AbstractContextManager[object]], inner: Callable[[], AbstractContextManager[object]]
) -> Iterator[None]:
    with outer(), inner():
        yield
