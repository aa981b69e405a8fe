"""Programs of PyTorch with a cause that was put in, and the same programs without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.tiler.facts.findings.pytorch_run import COPIES, GLOO, LOADER, NETWORK, Rank, all_reduce, mean_step

FIRST_STEP: Final = 31
STEPS: Final = 9

MATMUL: Final = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn"
GELU: Final = "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl>(int)"

# One step of all ranks; `planted`: with the cause.
Program = Callable[[Sequence[Rank], int, bool], None]


@dataclass(frozen=True)
class Planted:
    """A program, and the answer about it: class, a pattern in `where`, and the steps that have the cause, if few."""

    program: Program
    cause: str
    where: str
    world: int = 1
    steps: tuple[int, ...] = ()


def run(planted: Planted, *, has_cause: bool = True, origin: int = 3_000_000) -> list[Rank]:
    """The ranks after all steps. `origin`: ns at which the program begins."""
    ranks = [Rank(number, planted.world, origin=origin) for number in range(planted.world)]
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        planted.program(ranks, number, has_cause)
    for rank in ranks:
        rank.wait("cudaDeviceSynchronize")
    return ranks


def loss_ns(planted: Planted) -> float:
    """By how much the mean step is shorter without the cause."""
    return mean_step(run(planted)) - mean_step(run(planted, has_cause=False))


def layers(
    rank: Rank, count: int = 16, kernel_us: int = 410, host_us: int = 22, factor: float = 1, blocks: int = 96
) -> None:
    """Operators that launch a kernel each."""
    for layer in range(count):
        with rank.frame("aten::addmm" if layer % 2 else "aten::gelu", "cpu_op"):
            rank.spend(host_us)
            grid = [blocks + layer, 1, 1]
            rank.launch(MATMUL if layer % 2 else GELU, round(kernel_us * factor), grid=grid)


def loop_of_loader(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A data set that decodes in the loop itself, more slowly than the device computes."""
    for rank in ranks:
        with rank.step(number):
            name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
            with rank.frame(name, "user_annotation"), rank.frame("speech/corpus.py(61): __getitem__"):
                rank.call("torchaudio/_backend/utils.py(205): load", 8_300 if planted else 150)
            layers(rank)


def loader_workers(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Workers that are too slow: the loop waits in the queue."""
    for rank in ranks:
        with rank.step(number):
            with (
                rank.frame("torch/utils/data/dataloader.py(1492): _next_data"),
                rank.frame("torch/utils/data/dataloader.py(1455): _get_data"),
                rank.frame("multiprocessing/connection.py(424): _poll"),
            ):
                rank.call("<built-in method poll of select.poll object at 0x7f>", 10_900 if planted else 40)
            layers(rank)


def input_of_a_rank(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """One rank of three whose loader is slow: the others wait for it in the all-reduce."""
    for rank in ranks:
        with rank.step(number):
            with rank.frame("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation"):
                rank.call("speech/corpus.py(61): __getitem__", 9_100 if planted and rank.number == 1 else 120)
            layers(rank)
    all_reduce(ranks, 300)
    end_of_step(ranks, number)


def end_of_step(ranks: Sequence[Rank], number: int) -> None:
    """The marks of steps ended before the collective was launched: these steps end with it."""
    for rank in ranks:
        rank.step_ends[number] = rank.idle_from
        mark = next(event for event in rank.events if event["name"] == f"ProfilerStep#{number}")
        whole, rest = divmod(rank.now, 1000)
        start_us, start_rest = str(mark["ts"]).split(".")
        length = rank.now - (int(start_us) * 1000 + int(start_rest))
        mark["dur"] = f"{length // 1000}.{length % 1000:03}"
        rank.now = whole * 1000 + rest + 1_000


def slow_host(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Operators that take the host longer than their kernels take the device."""
    for rank in ranks:
        with rank.step(number):
            layers(rank, 24, kernel_us=70, host_us=190 if planted else 12)


def short_kernels(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Kernels of 2 us, each launched by itself; without the cause they are one."""
    for rank in ranks:
        with rank.step(number):
            if planted:
                layers(rank, 700, kernel_us=2, host_us=6)
            else:
                layers(rank, 1, kernel_us=1_400, host_us=6)


def value_in_the_step(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A value that is read in the middle of a step; the host then needs a while to launch again."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
            if planted:
                with rank.frame("metrics.py(17): perplexity"), rank.frame("aten::item", "cpu_op"):
                    rank.wait()
            rank.call("lamb.py(90): group_parameters", 2_700)
            layers(rank, 6)


def freed_memory(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A cache that is emptied in the step: the call waits for the device."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
            if planted:
                with rank.frame("torch/cuda/memory.py(222): empty_cache"):
                    rank.wait("cudaFree")
                    rank.call("cudaFree", 900, "cuda_runtime")
                rank.call("cudaMalloc", 1_300, "cuda_runtime")
            layers(rank, 6)


def new_shapes(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Two steps in which a graph is compiled."""
    for rank in ranks:
        with rank.step(number):
            if planted and number in (34, 38):
                with rank.frame("torch/_dynamo/convert_frame.py(1221): __call__"):
                    rank.call("torch/_inductor/compile_fx.py(1503): compile_fx", 61_000)
            layers(rank)
            rank.wait()


def saved_states(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A step in which the states are saved, at its end: the device waits at the begin of the next one."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
            rank.wait()
            if planted and number == 36:
                with rank.frame("runner.py(310): save_checkpoint"):
                    rank.call("safetensors/torch.py(290): save_file", 83_000)


def drawn_charts(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A step in which the host does what no rule has a name for."""
    for rank in ranks:
        with rank.step(number):
            if planted and number == 35:
                with rank.frame("callbacks.py(44): on_interval"):
                    rank.call("seaborn/axisgrid.py(2119): pairplot", 47_000)
            layers(rank)
            rank.wait()


def exposed_collective(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """An all-reduce behind all computation."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
    all_reduce(ranks, 2_900 if planted else 1)
    end_of_step(ranks, number)


def gloo_collective(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """An all-reduce on threads of the hosts, after which they go on."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
            rank.wait()
    stop = max(rank.now for rank in ranks) + (5_200_000 if planted else 10_000)
    for rank in ranks:
        rank.slice("gloo:all_reduce", "cpu_op", rank.now, stop, tid=GLOO)
        rank.slice("c10d::allreduce_", "cpu_op", rank.now, stop)
        rank.now = stop
        layers(rank, 2, kernel_us=50)
    end_of_step(ranks, number)


def slow_device(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A device that takes 1.35 times as long for the same grids."""
    for rank in ranks:
        with rank.step(number):
            layers(rank, factor=1.35 if planted and rank.number == 3 else 1)
    all_reduce(ranks, 350)
    end_of_step(ranks, number)


def longer_batches(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A rank whose grids are 1.6 times as large; without the cause all have the mean."""
    for rank in ranks:
        size = (1.6 if rank.number == 2 else 1.0) if planted else 1.15
        with rank.step(number):
            layers(rank, factor=size, blocks=round(1000 * size))
    all_reduce(ranks, 350)
    end_of_step(ranks, number)


def batch_to_device(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A copy of the batch before all computation."""
    for rank in ranks:
        with rank.step(number):
            name, call = "Memcpy HtoD (Pageable -> Device)", "cudaMemcpyAsync"
            rank.launch(name, 3_600 if planted else 1, category="gpu_memcpy", call=call, bytes=90_000_000)
            layers(rank)


def states_to_host(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A copy to the host behind all computation, for which the host waits."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
            if planted:
                with rank.frame("aten::copy_", "cpu_op"):
                    name = "Memcpy DtoH (Device -> Pageable)"
                    rank.launch(name, 4_100, category="gpu_memcpy", call="cudaMemcpyAsync", bytes=50_000_000)
                    rank.wait()


def stages(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Three stages of a pipeline with five micro-batches, forth and back; without the cause all have the last's."""
    name = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
    for direction in (1, -1):
        ready = [0] * 5
        for place, rank in enumerate(ranks[::direction]):
            for batch in range(5):
                if place:
                    start = max(rank.idle_from, rank.now + 8_000)
                    stop = max(start, ready[batch]) + 60_000
                    rank.place(
                        name, start, stop if planted else start + 1_000, NETWORK, "kernel", "cudaLaunchKernelExC"
                    )
                before = rank.idle_from
                _, ready[batch] = rank.launch(MATMUL, 700 * (1 if direction > 0 else 2), not_before=before)
    for rank in ranks:
        with rank.step(number):
            rank.wait()


def hidden_collective(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """An all-reduce beside computation."""
    for rank in ranks:
        with rank.step(number):
            layers(rank, 8)
    all_reduce(ranks, 2_000, overlapped=True)
    for rank in ranks:
        layers(rank, 12)
    end_of_step(ranks, number)


def healthy(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """Waits, copies and a loader that hurt nobody: the device has work meanwhile."""
    for rank in ranks:
        with rank.step(number):
            rank.slice("DataLoader worker: collate", "python_function", rank.now, rank.now + 3_000_000, tid=LOADER)
            rank.launch("Memcpy HtoD (Pinned -> Device)", 900, COPIES, "gpu_memcpy", "cudaMemcpyAsync")
            layers(rank, 8)
            before = rank.idle_from
            layers(rank, 24)
            with rank.frame("aten::item", "cpu_op"):
                stop = max(rank.now, before) + 3_000
                rank.slice("cudaEventSynchronize", "cuda_runtime", rank.now, stop)
                rank.now = stop


PLANTED: Final = {
    planted.program.__name__: planted
    for planted in (
        Planted(loop_of_loader, "input", r"corpus\.py.*load"),
        Planted(loader_workers, "input", r"dataloader\.py.*_next_data"),
        Planted(input_of_a_rank, "input", r"rank 1 · .*corpus\.py", world=3),
        Planted(slow_host, "launch", r"aten::(addmm|gelu)"),
        Planted(short_kernels, "tiny_kernels", ""),
        Planted(value_in_the_step, "sync", r"perplexity|aten::item"),
        Planted(freed_memory, "allocator", r"empty_cache|cudaMalloc"),
        Planted(new_shapes, "recompile", r"compile_fx", steps=(34, 38)),
        Planted(saved_states, "host_pause", r"save_checkpoint", steps=(36,)),
        Planted(drawn_charts, "host_pause", r"on_interval.*pairplot", steps=(35,)),
        Planted(exposed_collective, "collective", r"all 4 devices · ncclDevKernel_AllReduce", world=4),
        Planted(gloo_collective, "collective", r"gloo:all_reduce", world=2),
        Planted(slow_device, "straggler", r"^rank 3 · GPU 3$", world=5),
        Planted(longer_batches, "uneven_work", r"^rank 2 · GPU 2$", world=4),
        Planted(batch_to_device, "copy_h2d", r"Memcpy HtoD"),
        Planted(states_to_host, "copy_d2h", r"Memcpy DtoH"),
        Planted(stages, "pipeline_bubble", r"SendRecv", world=3),
        Planted(healthy, "none", r"gemm|Gelu"),
        Planted(hidden_collective, "none", r"gemm|Gelu", world=2),
    )
}
