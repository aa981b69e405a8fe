"""Kinds of what hosts do while devices wait, by the names of functions, operators and calls of runtimes.

A function without a kind of its own has that of the innermost one around it that has a kind: `poll` in `_next_data` of
a data loader provides input.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

from tilescope.tiler.facts.work.rule import OrderedPatterns
from tilescope.tiler.facts.work.user_patterns import as_bytes
from tilescope.tiler.query import Name


class HostKind(IntEnum):
    """Kinds, as far as they tell what a device waits for."""

    NONE = 0  # nothing that the name tells
    INPUT = 1  # reads, prepares or waits for the next batch
    ENQUEUE = 2  # moves a batch that is ready to a device
    OUTPUT = 3  # takes results from a device
    SYNC = 4  # waits for the device
    ALLOCATION = 5  # allocates or frees device memory
    COMPILATION = 6
    PAUSE = 7  # checkpoints, evaluation, garbage collection
    COLLECTIVE = 8  # communicates with other hosts
    LAUNCH = 9  # hands work to the device


_COLLECTIVES: Final = ("gloo:", "mpi:", "MPI_")  # what names of communication on threads of hosts begin with

# Regular expressions of RE2, the first that matches counts. Names of kernels do not occur here: these are names on
# threads of hosts.
RULES: Final = (
    (HostKind.COLLECTIVE, f"^(?:{'|'.join(_COLLECTIVES)})"),
    (
        HostKind.LAUNCH,
        r"^(?:cu|cuda|hip|musa)(?:Ext)?(?:Graph|Module|Cooperative)?Launch|^(?:AscendCL@)?acl(?:rtLaunch|opExecute)"
        r"|ExecuteThunks|LoadedExecutable(?:::|_)Execute|tpu::System::Execute|PjitFunction|ExecutorState::Process",
    ),
    (
        HostKind.ALLOCATION,
        r"^(?:cuda|hip|musa)(?:Malloc|Free)(?:$|[^H])|^cuMem(?:Alloc|Free|Map|Unmap|Create|Release)"
        r"|^aclrt(?:Malloc|Free)|\bempty_cache\b|emptyCache|EmptyCache",
    ),
    (
        HostKind.SYNC,
        r"^(?:cu|cuda|hip|musa)\w*Synchronize|^(?:AscendCL@)?aclrtSynchronize"
        r"|\baten::(?:item|_local_scalar_dense|nonzero)$|Buffer::Await|\bblock_until_ready\b|\b__array__\b|BlockHostUntil"
        r"|\bsynchronize\b|(?:^|[^u]|[^c]u)MemcpyD(?:to|2)H|\bToLiteral|AwaitReady|_value_and_dtype\b",
    ),
    (
        HostKind.COMPILATION,
        r"compile_and_write|\b_?backend_compile|CompileAndLoad|XlaCompile|CompileToBackend|RunBackend\b"
        r"|(?:^|: )_?compile_fx(?:$|[^.])|: \w*codegen_and_compile\b|convert_frame"
        r"|\blower_(?:jaxpr|sharding)|CompileGraph|nvrtcCompile|RunHloPasses"
        r"|^cu(?:da)?(?:Module|Library)Load|\bcompile_or_get_cached\b|compilation_cache|::Compile\b|\btrace_to_jaxpr"
        r"|^PjRt\w*Client::Compile",
    ),
    (HostKind.ENQUEUE, r"InfeedEnqueue|InfeedQueue/enqueue|TransferToInfeed"),
    (HostKind.OUTPUT, r"OutfeedDequeue|WriteHistograms|SummaryWriter|[Oo]utfeed"),
    (
        HostKind.INPUT,
        r"DataLoader|\b_next_data\b|utils/data/|torchvision/(?:datasets|transforms|io)|^Iterator::|IteratorGetNext"
        r"|TFRecord|\bnext_batch\b|\bget_next\b|\bgrain\b|ArrayRecord|^PIL/|\b(?:read|load|get|fetch)_batch\b"
        r"|(?i:\bdata_?(?:loader|sets?|source|iter|pipe|feed)\b|[a-z]dataset\b|\bdatasets?/)|webdataset|nvidia/dali"
        r"|[Ii]nput_?[Pp]ipeline|\bcollate|\bminddata\b|GetNext\b|\bQueueDequeue|prefetch_to_device"
        r"|^(?:\$?\S+?[:(]\d+\)?:? )?(?:input|batch|load_data|read_data|data_loading)$",
    ),
    (
        HostKind.PAUSE,
        r"(?i)serializ|\bsave\b|\bmaybe_save\b|\bsavez?\b|\bgc\b.*collect|garbage.?collect|built-in.*\bcollect\b"
        r"|\bevaluate\b|\bvalidat(?:e|ion)\b|\borbax\b",
    ),
    (
        HostKind.NONE,  # checkpoints of activations
        r"(?i)utils/checkpoint\.py|checkpoint_wrapper|activation_?checkpoint|checkpoint_activations"
        r"|tensor_parallel/random\.py|checkpointFunction|checkpoint_sequential",
    ),
    (HostKind.PAUSE, r"(?i)checkpoint"),
)


@cache
def _patterns() -> OrderedPatterns[HostKind]:
    """The rules, compiled when they are first needed."""
    return OrderedPatterns(RULES)


def is_host_collective(name: Name) -> bool:
    """True for the name of communication on a thread of a host: those of `HostKind.COLLECTIVE`."""
    return name.text.startswith(_COLLECTIVES)


def host_kinds(names: Sequence[Name]) -> list[int]:
    """The kind of each name on a thread of a host."""
    return [kind or HostKind.NONE for kind in _patterns().kinds([as_bytes(name.text) for name in names])]
