"""Remedies: advice about a finding, by its cause and by the framework of the run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.steps import StepSource


class Framework(StrEnum):
    """Frameworks whose words differ."""

    PYTORCH = "PyTorch"
    JAX = "JAX"
    TENSORFLOW = "TensorFlow"
    OTHER = ""


# Pages of names that are looked through for words of a framework.
_PAGES: Final = 4

_REMEDIES: Final[Mapping[Cause, Mapping[Framework, str]]] = {
    Cause.INPUT: {
        Framework.PYTORCH: "give DataLoader more num_workers and prefetch_factor, pin_memory and persistent_workers",
        Framework.JAX: "prepare batches in more threads or processes (num_parallel_calls, grain workers), and prefetch",
        Framework.TENSORFLOW: "give map and interleave num_parallel_calls=tf.data.AUTOTUNE, end with prefetch, cache",
        Framework.OTHER: "prepare batches in more threads or processes, ahead of time",
    },
    Cause.LAUNCH: {
        Framework.PYTORCH: "use torch.compile or CUDA graphs, fewer and larger operators, larger batches",
        Framework.JAX: "put more of the step into one jit, donate_argnums, and keep Python out of the loop",
        Framework.OTHER: "launch more work at once: compiled or captured graphs, larger batches",
    },
    Cause.TINY_KERNELS: {
        Framework.PYTORCH: "fuse them: torch.compile, foreach or fused optimizers, CUDA graphs",
        Framework.OTHER: "fuse kernels, or launch them as one graph",
    },
    Cause.SYNC: {
        Framework.PYTORCH: "take .item(), .cpu(), print and synchronize out of the step, or do them every n-th step",
        Framework.JAX: "do not read values in a step: block_until_ready, float and np.asarray wait for the device",
        Framework.OTHER: "do not wait for the device within a step: read values later, or every n-th step",
    },
    Cause.COLLECTIVE: {
        Framework.PYTORCH: "overlap it with the backward pass (bucket_cap_mb of DDP, prefetch of FSDP), nccl or "
        "hccl instead of gloo, accumulate gradients",
        Framework.JAX: "shard so that less is exchanged, and let XLA overlap it (latency-hiding scheduler)",
        Framework.OTHER: "overlap it with computation, exchange less, or less often",
    },
    Cause.STRAGGLER: {Framework.OTHER: "look at clocks, temperature and other jobs of that device, or replace it"},
    Cause.UNEVEN_WORK: {Framework.OTHER: "divide the work evenly: batches of as many tokens, packing, balanced shards"},
    Cause.COPY_TO_DEVICE: {
        Framework.PYTORCH: "pin_memory=True and .to(device, non_blocking=True) on another stream, one batch ahead",
        Framework.JAX: "device_put the next batch while the step runs, in smaller types",
        Framework.OTHER: "copy the next batch while the device computes, from pinned memory",
    },
    Cause.COPY_TO_HOST: {
        Framework.PYTORCH: "copy with non_blocking=True into pinned memory, and less often",
        Framework.JAX: "copy_to_host_async, and read the values a step later, or less often",
        Framework.OTHER: "copy asynchronously, and less often",
    },
    Cause.COPY: {
        Framework.OTHER: "keep what is used often in the device's memory; see layouts, and what waits for these copies"
    },
    Cause.RECOMPILATION: {
        Framework.PYTORCH: "pad inputs to a few shapes, or mark_dynamic; TORCH_LOGS=recompiles says why",
        Framework.JAX: "keep shapes, types and static arguments the same; jax_log_compiles says what was compiled",
        Framework.OTHER: "keep shapes the same",
    },
    Cause.HOST_PAUSE: {
        Framework.PYTORCH: "do it in another thread, or less often; checkpoints with distributed.checkpoint.async_save",
        Framework.JAX: "do it in another thread, or less often; checkpoints with orbax AsyncCheckpointer",
        Framework.OTHER: "do it in another thread or process, or less often",
    },
    Cause.ALLOCATOR: {
        Framework.PYTORCH: "take empty_cache out of the step; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        Framework.OTHER: "keep device memory in a pool",
    },
    Cause.INEFFICIENT_OP: {
        Framework.OTHER: "look at its shapes, layout and types, and how far below its roof it is (see roofline)"
    },
    Cause.PADDING: {Framework.OTHER: "choose batch and feature sizes that are multiples of its tiles (see op_profile)"},
    Cause.MEMORY_BOUND: {
        Framework.OTHER: "use larger batches or smaller types, or fuse what follows: more work per byte (see roofline)"
    },
    Cause.PIPELINE_BUBBLE: {Framework.OTHER: "use more micro-batches, or an interleaved schedule (1F1B, zero bubble)"},
    Cause.IDLE_DEVICES: {Framework.OTHER: "start a process for each device, or shard over all of them"},
    Cause.OUTPUT: {Framework.OTHER: "write less, less often, or in another thread than the one that takes results"},
    Cause.UNCLEAR: {
        Framework.OTHER: "record all ranks and the threads of their hosts as one run: that tells which of the two it is"
    },
}

# Of steps in which the host is slow without one place for it.
SLOW_HOST: Final = "look at what else ran on the host at that time: other processes and threads, garbage collection"


def framework_of(reader: QueryReader) -> Framework:
    """The framework of a run, as far as its steps and processes tell."""
    if any(series.source is StepSource.PROFILER_STEP for series in reader.steps.series):
        return Framework.PYTORCH
    details = [group.detail for group in reader.tree.groups if group.name == "/host:metadata"]
    if any("jax" in detail for detail in details):
        return Framework.JAX
    names = {name.text for page in range(min(reader.names.pages, _PAGES)) for name in reader.names.page(page)}
    if any(name.startswith("PjitFunction") or "jax/" in name for name in names):
        return Framework.JAX
    return Framework.TENSORFLOW if any(name.startswith("ExecutorState::") for name in names) else Framework.OTHER


def remedy(cause: Cause, framework: Framework) -> str:
    """Advice about a cause; "" without any."""
    texts = _REMEDIES.get(cause, {})
    return texts.get(framework, texts.get(Framework.OTHER, ""))
