"""The rows of the table that are about no kernels: operations of XLA, copies of GPUs, tasks of Ascend."""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.rule import Rule

# Categories of HLO operations, which their names begin with. Asynchronous ones end in -start and -done.
XLA: Final = (
    Rule(
        "XLA",
        Work.COMMUNICATION,
        r"^(?:(?:ragged-)?(?:all-(?:reduce|gather|to-all)|reduce-scatter|collective-(?:permute|broadcast))"
        r"|async-collective|cross-replica-sum|(?:send|recv)(?:-done)?\b)",
        "openxla/xla xla/hlo/ir/hlo_opcode.h",
        ("all-reduce.1", "all-gather-start.3", "ragged-all-to-all.1", "collective-permute-done.2", "send-done.1"),
    ),
    Rule(
        "XLA",
        Work.COPY,
        r"^(?:(?:infeed|outfeed)\b|(?:copy|(?:dynamic-(?:update-)?)?slice)-(?:start|done)\b|async-(?:copy|slice)"
        r"|host (?:send|recv))",
        "openxla/xla xla/hlo/ir/hlo_opcode.h",
        ("infeed.1", "copy-done.4", "async-copy", "dynamic-slice-start.2", "host send"),
    ),
    Rule(
        "XLA",
        Work.CONTROL,
        r"^(?:while|conditional|call)\b",
        "openxla/xla xla/hlo/ir/hlo_opcode.h: runs others",
        ("while.2", "call.2"),
    ),
)

# A program of somebody else's, of which HLO says nothing. Others are operations of HLO, which compute.
XLA_FOREIGN: Final = re.compile(r"custom[-_ ](?:call|fusion)|tpu_custom_call")

GPU_COPIES: Final = (
    Rule(
        "CUDA, ROCm",
        Work.COPY,
        r"(?i)^(?:(?:hip)?memcpy|copy(?:host|device)to)",
        "openxla/xla xla/backends/profiler/gpu, ROCm/roctracer",
        ("MemcpyH2D", "hipMemcpyAsync", "CopyHostToDevice", "Memcpy DtoD (Device -> Device)"),
    ),
)

_ASCEND_COPIES: Final = Rule(
    "CANN",
    Work.COPY,
    r"^(?:MEMCPY|SDMA|PCIE_DMA)_[A-Z0-9_]+$",
    "Ascend/msprof analysis: copies; on a stream with notices they are parts of communication kernels",
    ("MEMCPY_ASYNC", "SDMA_SQE", "PCIE_DMA_SQE"),
)

# Tasks of a stream by their names. Those of communication kernels have the type of others.
ASCEND: Final = (
    Rule(
        "CANN",
        Work.COMMUNICATION,
        r"(?i)MoeDistribute(?:Dispatch|Combine)|^(?:aiv_?)?(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?)(?:Aiv|Aicpu)?(?:Kernel|_|$)",
        "Ascend's operators of communication on a stream (cann-ops-adv, hccl)",
        ("aclnnMoeDistributeDispatch_MoeDistributeDispatch_MoeDistributeDispatch", "allreduceAicpuKernel"),
    ),
    _ASCEND_COPIES,
    Rule(
        "CANN",
        Work.NONE,
        r"^(?:(?:REDUCE|NOTIFY|EVENT|RDMA|STREAM)_[A-Z0-9_]+|hcom_.*)$",
        "Ascend's msprof: tasks that wait, or are parts of a communication kernel, which has its own track",
        ("REDUCE_ASYNC_V2", "NOTIFY_WAIT", "EVENT_WAIT_SQE", "hcom_allReduce__123_0"),
    ),
)

# The `Task Type` of tasks, which the names of communication alone precede.
ASCEND_TYPES: Final = (
    Rule(
        "CANN",
        Work.COMPUTATION,
        r"^(?:(?:KERNEL_)?(?:AI_?CORE|AI_VECTOR_CORE|AIVEC|AI_?CPU|MIX_AI[CV])|AIV_SQE|FFTS_PLUS|DSA_SQE|DVPP|(?:VPC|JPEG[DE])_SQE)$",
        "Ascend/msprof analysis: cores, AI CPUs, random numbers and images",
        ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_CPU", "DSA_SQE"),
    ),
    Rule(
        "CANN",
        Work.COMMUNICATION,
        r"^(?:HCCL(?:_AI_CPU)?|COMMUNICATION)$",
        "Ascend/msprof analysis: communication operators",
        ("HCCL", "HCCL_AI_CPU", "COMMUNICATION"),
    ),
    _ASCEND_COPIES,
    Rule(
        "CANN",
        Work.NONE,
        r"^(?:(?:REDUCE|NOTIFY|EVENT|RDMA|ROCCE|STREAM|MODEL)_[A-Z0-9_]+|PLACE_HOLDER_SQE?|WRITE_(?:VALUE_SQE|BACK)|(?:CDQM|C_CORE|HOST_CPU|VQ6|TOF)_SQE)$",
        "Ascend/msprof analysis: waits, notices, and parts of communication kernels",
        ("NOTIFY_WAIT", "EVENT_RECORD", "REDUCE_ASYNC_V2", "PLACE_HOLDER_SQE", "WRITE_VALUE_SQE"),
    ),
)
