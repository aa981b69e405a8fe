"""Kernels whose names have the words of communication, but that compute on one device. Asked before all others."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.rule import Rule

EXCEPTIONS: Final = (
    Rule(
        "PyTorch Inductor",
        Work.COMPUTATION,
        r"^triton_[a-z]+_fused",
        "pytorch/pytorch torch/_inductor: names list the operators that are fused, collectives that they wait for too",
        ("triton_poi_fused_add_0", "triton_poi_fused_all_gather_into_tensor_copy_3"),
    ),
    Rule(
        "PyTorch",
        Work.COMPUTATION,
        r"(?:^|::)checkForNaN$",
        "pytorch/pytorch torch/csrc/distributed/c10d/cuda: looks for NaN before a collective",
        ("void c10d::checkForNaN<float>(float*, unsigned long)",),
    ),
    Rule(
        "TensorRT-LLM, FlashInfer",
        Work.COMPUTATION,
        r"(?:^|::)(?:computeSendRecv|computeCount|computeCumsum|inplaceSendRecvRankCumSum|memsetExpertIds)",
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/kernels: indices for an exchange, counted on each device",
        ("tensorrt_llm::kernels::computeSendRecvIndicesKernel(int*)",),
    ),
    Rule(
        "any",
        Work.COMPUTATION,
        r"(?i)(?:^|[^a-z])(?:block|warp|cta|cluster|thread)_?all_?reduce",
        "sums over the threads of one kernel",
        ("void block_all_reduce_sum_f32_f32_kernel<256>(float*, float*, int)", "warpAllReduce"),
    ),
    Rule(
        "any",
        Work.COMPUTATION,
        r"(?i)(?:gemm|matmul)[^:]*(?:all_?reduce|reduce_?scatter|all_?gather|all_?to_?all)"
        r"|(?:all_?reduce|reduce_?scatter|all_?gather|all_?to_?all)[^:]*(?:gemm|matmul)",
        "products that are fused with a collective (bytedance/flux, triton-distributed): they compute while they send",
        ("kernel_gemm_reduce_scatter", "allgather_gemm_kernel"),
    ),
)
