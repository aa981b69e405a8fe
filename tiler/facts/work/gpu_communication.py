"""Kernels that communicate between devices, by the libraries that launch them."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.rule import Rule


def _communication(library: str, pattern: str, source: str, *examples: str) -> Rule:
    return Rule(library, Work.COMMUNICATION, pattern, source, examples)


# Libraries of collectives, exchanges of experts, all-reduces of engines; then words that tell of any.
COMMUNICATION: Final = (
    _communication(
        "NCCL, RCCL",
        r"(?i:(?:^|[^a-z])[nr]ccl)|[a-z]N(?:ccl|CCL)",  # not in syncCluster
        "NVIDIA/nccl src/device, ROCm/rccl src/device: ncclKernel_…, ncclDevKernel_…, ncclSymkDevKernel_…",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
        "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymkDevWorkArgs4K)",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
        "nccldevkernel_allgather_ring_ll",
        "void rccl::ReduceKernel<float>(float*)",
    ),
    _communication(
        "NCCL",
        r"(?:^|::)oneRankReduce$",
        "NVIDIA/nccl src/device/onerank.cu: a collective of one rank",
        "void oneRankReduce<FuncPreMulSum<float> >(void*, void*, unsigned long, unsigned long, bool)",
    ),
    _communication(
        "MSCCL, MSCCL++",
        r"(?i)(?:^|[^a-z])msccl",
        "microsoft/mscclpp src, ROCm/rccl src/device/msccl_kernel_impl.h: mscclKernel_…, namespace mscclpp",
        "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
        "void mscclpp::executionKernel<__half, mscclpp::LL16Packet>(int)",
        "_ZN7mscclpp10collective15allreducePacketIfEEvPT_",
    ),
    _communication(
        "NVSHMEM, rocSHMEM, Intel SHMEM",
        r"(?i)(?:nv|roc|roc_|i)shmem"
        r"|(?:^|::|_)(?:barrier|sync|alltoall|broadcast|fcollect|reducescatter|rdxn|wait_until|put|get|signal)(?:_[a-z]+)?_on_stream",
        "NVIDIA/nvshmem src/host: nvshmemi_…_kernel, …_on_stream_kernel; ROCm/rocSHMEM src",
        "void nvshmemi_reduce_kernel<int, (rdxn_ops)4>(int, int, int, int*)",
        "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int)",
        "nvshmemi_proxy_quiet_entrypoint()",
        "rocshmem::rocshmem_barrier_all_kernel",
        "wait_until_on_stream_and_reset(unsigned long*, unsigned long, unsigned long)",
    ),
    _communication(
        "oneCCL",
        r"(?i)(?:^|[^a-z])(?:one)?ccl(?:::|_)"
        r"|monolithic_kernel_|reduce_(?:single_)?local_(?:in|outof)place_kernel|reduce_read_write_kernel"
        r"|(?:^|_)local_reduce_kernel_[0-9]",
        "uxlfoundation/oneCCL src/kernels, src/coll/algorithms",
        "reduce_monolithic_kernel_2_float32_sum",
        "typeinfo name for oneccl_allreduce_large_read<float>",
        "_ZTSN3ccl2v115barrier_kernelE",
        "reduce_local_outofplace_kernel_int32_sum",
    ),
    _communication(
        "HCCL, CNCL, BKCL, MCCL, XCCL and others named so",
        r"(?:^|::|[^A-Za-z])(?:[ehltmvx]ccl|ixccl|bkcl|cncl)(?:[A-Z_:]|$)",
        "libraries of other vendors, after NCCL's names: Ascend and Habana HCCL, Cambricon CNCL, Kunlun BKCL",
        "hcclKernel_AllReduce",
        "mcclDevKernel_AllGather_RING",
        "cnclKernelAllReduce",
        "hccl_all_gather",
    ),
    _communication(
        "gloo, UCX, UCC, MPI",
        r"(?:^|::|[^A-Za-z])(?:gloo(?:::|:|_)|uc[pctsx]_|uc[xc]::|P?MPIX?_[A-Z]|MPI[RD]I?_)",
        "pytorch/gloo, openucx/ucx, openucx/ucc, MPI's own prefix",
        "gloo::cudaRingAllreduce",
        "gloo:all_reduce",
        "ucp_device_put_single_kernel",
        "MPI_Allreduce",
    ),
    _communication(
        "DeepEP and forks",
        r"(?:^|::)(?:deep_ep|ep|hybrid_ep|uccl)::"
        r"|(?:^|::)(?:intra|inter)node(?:_ll)?::"
        r"|(?i)(?:intra|inter)_?node_?(?:ll_?|v[0-9]+_?)?(?:dispatch|combine|notify)|low_latency_(?:dispatch|combine)"
        r"|(?:^|::)(?:cached_)?notify_(?:dispatch|combine)",
        "deepseek-ai/DeepEP csrc/kernels, uccl-project/uccl ep, AMD-AGI/Primus-Turbo: namespaces deep_ep, ep",
        "void deep_ep::internode::dispatch<false, 8, 4>(int4*)",
        "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(__nv_bfloat16*)",
        "void deep_ep::internode_ll::dispatch<true, 3>(void*)",
        "void deep_ep::intranode::cached_notify_combine<8>(void**, int*, int)",
        "void (anonymous namespace)::ep::intranode::combine<8>(int*)",
        "_ZN7deep_ep9intranode15notify_dispatchILi8EEEvPKiPi",
        "deep_ep::elastic::hybrid_dispatch_impl<7168>(void*)",
        "hybrid_ep::device_sync_kernel<8>(unsigned int*)",
        "cached_notify_dispatch",
    ),
    _communication(
        "MORI",
        r"(?:^|::)mori::|(?:^|::)Ep(?:Dispatch|Combine)",
        "ROCm/mori src/ops/dispatch_combine: EpDispatchIntraNodeKernel, EpCombineInterNodeV1Kernel",
        "void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(mori::moe::EpDispatchCombineArgs<hip_bfloat16>)",
        "EpCombineInterNodeV1Kernel_bf16",
    ),
    _communication(
        "pplx-kernels",
        r"(?:^|::)pplx::",
        "perplexityai/pplx-kernels csrc/all_to_all: namespace pplx",
        "void pplx::dispatchKernel<8, true>(int*)",
    ),
    _communication(
        "TensorRT-LLM, FlashInfer",
        r"(?i)lamport|(?-i:moeA2A|[a-z]A2A[A-Z]|allToAllMetadata)|_rsag|(?:^|::|_)push_(?:one|two)shot|ipc_tp[0-9]+_remote_push",
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/kernels, flashinfer-ai/flashinfer include/flashinfer/comm",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport"
        "<(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, false, false>"
        "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionParams<__nv_bfloat16>)",
        "tensorrt_llm::kernels::mnnvl::rmsNormLamport<256>(float*)",
        "void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(int)",
        "ipc_topo_rsag8_push_param_kernel",
    ),
    _communication(
        "vLLM, SGLang, aiter",
        r"(?i)cross_device_(?:reduce|store|load|sync|barrier|gather)|(?:^|::)(?:ag|ar|rs)(?:_ll)?_gfx[0-9]+",
        "vllm-project/vllm csrc/custom_all_reduce.cuh, sgl-project/sglang sgl-kernel/csrc/allreduce, ROCm/aiter "
        "csrc/include/custom_all_reduce.cuh",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "void sglang::cross_device_reduce_2stage<__half, 4>(RankData*)",
        "void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>(RankData*)",
        "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataENS_11RankSignalsEjiii",
        "void aiter::ag_gfx1250_naive_vec<__hip_bfloat16, 8>(RankData*)",
    ),
    _communication(
        "quickreduce",
        r"(?i)quick_?reduce",
        "mk1-project/quickreduce, vllm-project/vllm csrc/quickreduce",
        "void quickreduce::allreduce_prototype_twoshot<half>(half*)",
    ),
    _communication(
        "TransformerEngine, TensorRT-LLM",
        r"(?i)userbuffers",
        "NVIDIA/TransformerEngine transformer_engine/common/comm_gemm_overlap/userbuffers/userbuffers.cu",
        "void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int)",
        "userbuffers_fp16_sum_inplace_gpu_mc_ag<4>(int, int, int)",
        "kuserbuffers_pushrecv",
        "kuserbuffers_pushsendrecv_multiatomic(int*, int*)",
    ),
    _communication(
        "PyTorch symmetric memory",
        r"(?:^|::)c10d::|(?:^|::)multimem_|(?:^|::)(?:put|wait)_signal_kernel|exchangeSplitAndOffset",
        "pytorch/pytorch torch/csrc/distributed/c10d: symmetric_memory, intra_node_comm, nvshmem_extension.cu",
        "void c10d::symmetric_memory::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16**)",
        "void c10d::symmetric_memory::barrier_kernel(unsigned int**, int, unsigned long, unsigned long)",
        "multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>",
        "c10d::nvshmem_extension::(anonymous namespace)::exchangeSplitAndOffset(long*, long*, long*)",
    ),
    _communication(
        "turbomind, Mooncake",
        r"(?:^|::)(?:turbomind::comm|mooncake)::",
        "InternLM/lmdeploy src/turbomind/comm, kvcache-ai/Mooncake mooncake-ep",
        "void turbomind::comm::LocalBroadcast_Simple_Push<int>(int*)",
        "mooncake::dispatch<true, 3>(void*)",
    ),
    _communication(
        "XLA",
        r"(?i)multi_?gpu_?barrier",
        "openxla/xla xla/stream_executor/gpu: barriers around kernels that read the memory of other devices",
        "void stream_executor::gpu::MultiGpuBarrierKernelImpl<8>(long)",
    ),
    _communication(
        "any",
        r"(?:^|[^A-Za-z]|[Ss]hot)all_?(?:reduce|gather|to_?all|2all)"
        r"|(?:^|[^A-Z])All_?(?:[Rr]educe|[Gg]ather|[Tt]o_?[Aa]ll|2[Aa]ll)"
        r"|(?:^|[^A-Za-z])all(?:Reduce|Gather|ToAll|2All)"
        r"|(?:^|[^A-Z])ALL_?(?:REDUCE|GATHER|TO_?ALL)",
        "kernels that are called after the collective: XLA (AllReduceKernelImpl), TensorRT-LLM "
        "(oneShotAllReduceKernel), MSCCL++ (allreduce7), aiter, FlashInfer",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true, false>(AllReduceParams)",
        "void stream_executor::gpu::AllReduceKernelImpl<float>(void*)",
        "stream_executor::gpu::RaggedAllToAllKernelImpl<8l>",
        "allgather5",
        "two_shot_all_reduce",
        "allToAllV_2d(void*, void*, long*)",
        "void aiter::allreduce_fusion_kernel_1stage<float>(float*)",
    ),
    _communication(
        "any",
        r"(?:^|[^A-Za-z])reduce_?scatter|[a-z]?Reduce_?[Ss]catter|(?:^|[^A-Z])REDUCE_?SCATTER"
        r"|(?i:collective_?permute)|(?:^|[^A-Za-z0-9])a2a_",
        "the same of reduce-scatter, permutations and exchanges (a2a)",
        "fused_reducescatter_allreduce_kernel",
        "reduce_scatter_split_lastdim",
        "ulysses_a2a_kernel",
        "a2a_dispatch_send_kernel",
    ),
)
