"""Kernels by name: each row of the table with its examples, names of libraries, and names that only look like them."""

from __future__ import annotations

from typing import Final

import pytest
import re2

from tilescope.tiler.facts.work import KERNELS, Origin, Work, classifier, work_of
from tilescope.tiler.facts.work.kernel_function import kernel_function
from tilescope.tiler.facts.work.other_rules import ASCEND, ASCEND_TYPES, GPU_COPIES, XLA
from tilescope.tiler.facts.work.rule import Rule
from tilescope.tiler.query import Name
from tilescope.tiler.work_rules import NO_WORK_RULES

RULES: Final = classifier(NO_WORK_RULES)

# As traces and the sources of the libraries have them, beyond the examples of the table.
COMMUNICATION: Final = """
ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)
ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)
ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)
ncclDevKernel_Broadcast_RING_LL(ncclDevComm*, unsigned long, ncclWork*)
ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)
ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]
ncclKernel_Generic.kd
_Z23ncclDevKernel_Generic_1P11ncclDevComm
void mscclKernel_Sum_hip_bfloat16_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)
mscclpp::collective::allreduceNvls<__half>(int)
void allreduce7<__half>(__half*, int)
mscclpp::alltoall0(int)
nvshmemi_proxy_rma_entrypoint(void*, void*, int)
void nvshmemi_init_array_kernel<float>(float*, int, float)
nvshmemx_signal_op_kernel
void rdxn_on_stream_kernel<int, (rdxn_ops)4>(int, int*, int const*, unsigned long)
void sync_on_stream_kernel_threadgroup<(threadgroup_t)2>(int)
nvshmemi_signal_wait_until_on_stream_kernel(unsigned long volatile*, int, unsigned long)
roc_shmem::ro_net_kernel
rocshmem::ipc_kernel(int)
void deep_ep::internode::combine<4, __nv_bfloat16>(int4*, float*)
void deep_ep::internode::notify_dispatch<false, 4>(int*)
void deep_ep::intranode::dispatch<8, 768>(int4*, float*)
void deep_ep::internode_ll::combine<true, 7168, 8>(void*)
void deep_ep::internode_ll::clean_low_latency_buffer<32>(int*, int)
void deep_ep::intranode::barrier<8>(int**, int)
deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)
_ZN7deep_ep12internode_ll8dispatchILb1ELb0ELi7168EEEvPvS1_
_ZN7deep_ep9internode7combineILi4E13__nv_bfloat16Li9EEEvP4int4
void ep::internode::dispatch<4>(int*)
void dsv3::ep::intranode::combine(int*)
uccl::internode::dispatch<false>(int)
primus_turbo::deep_ep::intranode::cached_notify_combine<8>(int)
void vllm::cross_device_reduce_2stage<c10::BFloat16, 8>(vllm::RankData*, vllm::RankSignals, int, int)
_ZN4vllm26cross_device_reduce_1stageI13__nv_bfloat16Li8EEEvPNS_8RankDataE
cross_device_reduce_1stage
void aiter::cross_device_reduce_2stage_naive<float, 8>(int)
void aiter::allreduce_fusion_kernel_2stage<float>(int)
void aiter::qknorm_allreduce_fusion_kernel_2stage<float>(int)
void aiter::allgather_lastdim<float, 8>(int)
void trt_llm::oneShotAllReduceKernel<__half, 8>(trt_llm::AllReduceParams)
void trt_llm::twoShotAllReduceKernel<__nv_bfloat16, 4>(trt_llm::AllReduceParams)
void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<4>(int)
void tensorrt_llm::kernels::reduce_fusion::lamport_style_one_shot_all_reduce_norm_kernel<float>(int)
void tensorrt_llm::kernels::lamport_initialize_kernel<float>(float*, unsigned long)
void tensorrt_llm::kernels::lowPrecisionTwoShotAllReduceKernel<float>(int)
void tensorrt_llm::kernels::twoshot_allreduce_kernel<8, float>(float*)
flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_twoshot_sync<4>(int)
flashinfer::trtllm_moe_allreduce_fusion::moereduce_allreduce_fusion_kernel_oneshot_lamport<4>(int)
flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<8>(float*)
flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<4>(float*)
tensorrt_llm::kernels::moeAllToAllKernel(int)
tensorrt_llm::kernels::mnnvl_throughput::moeA2ACombineKernel(int)
flashinfer::helixAllToAllKernel(int)
flashinfer::trtllm_alltoall::moe_comm::allToAllMetadataDevice(int)
quickreduce::allreduce_prototype_oneshot<float>(float*)
quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half, CodecQ4<__half,4>, true>, __half>
quick_reduce_kernel
userbuffers_fp16_sum_inplace_gpu_mc_rs_oop<4>(int, int)
void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_stride_atomic_fp8<2>(int)
_Z36userbuffers_fp16_sum_inplace_gpu_rr_agILi8EEviii
kuserbuffers_pushsend(int*, int*, int4*)
kuserbuffers_inc(int*)
void tensorrt_llm::kernels::ub::userbuffers_fp16_sum_inplace_gpu_mc_rmsnorm<8>(int)
one_shot_all_reduce_kernel
void c10d::symmetric_memory::(anonymous namespace)::two_shot_all_reduce_kernel<float, 16, 8>(float**)
void (anonymous namespace)::multimem_all_gather_kernel<16>(char*)
void (anonymous namespace)::multimem_all_reduce_kernel<float, 16>(float*)
void c10d::intra_node_comm::oneShotAllReduceKernel<8u, true>(c10::BFloat16*, unsigned long)
c10d::symmetric_memory::put_signal_kernel(unsigned int**, int)
stream_executor::gpu::AllReduceKernelImpl<float, 0>(void*)
void xla::gpu::RaggedAllToAllKernelImpl<4l>(int)
all_reduce_kernel
_allgather_kernel_triton
reduce_scatter_kernel
mori::moe::EpCombineIntraNodeKernel<float>(int)
EpDispatchInterNodeV1KernelLowLatency_fp8
pplx::combineKernel<float>(int)
hipLaunchKernel->_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataE (Synthetic Op)
oneccl_allreduce_small
typeinfo name for ccl::v1::allreduce_kernel<float>
local_reduce_kernel_2_float32_sum
read_write_monolithic_kernel_2_float32_sum
hcclAllReduceKernel
cncl_allreduce
ucc_allreduce_kernel
ucx_put
void nccl_p2p::send(int)
collective_permute_kernel
void all2all_kernel<float>(float*)
fused_allreduce_rmsnorm_kernel
custom_all_reduce
sglang_all_reduce_one_shot
meta::comms::ddaAllReduceFlatIpc<float>(float*)
torchcomms::allToAllvKernel(int)
void lmdeploy::turbomind::comm::AllreduceResidualBiasRMSnorm_Simple_Pull<float>(int)
void sgl_kernel::all_reduce_two_shot_push_kernel<float>(float*)
custom_all_reduce_pull_one_shot
ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)
void myNcclKernel<float>(float*)
"""

# These compute on one device, whatever words they have.
COMPUTATION: Final = """
sm90_gemm
void at::native::reduce_kernel<512, 1>(ReduceOp)
flash_fwd_splitkv_combine_kernel
void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64>, 8, 4, true>(Flash_fwd_params)
void flash::FlashAttnFwdCombine<float>(float*)
moe_dispatch_sort_kernel
moe_align_block_size_kernel
void vllm::moe::topkGatingSoftmax<4, 64>(float*)
void vllm::moe::moe_sum_kernel<float, 2>(float*)
void at::native::vectorized_elementwise_kernel<4, at::native::nccl_functor<float>>(int)
void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)
void at::native::(anonymous namespace)::indexSelectLargeIndex<float>(int)
void at::native::_scatter_gather_elementwise_kernel<128, 4>(int)
void cub::DeviceReduceSingleTileKernel<float>(float*)
void cub::CUB_200400_900_NS::DeviceReduceKernel<float>(float*)
void cub::DeviceScanKernel<float>(float*)
void scatter_reduce_kernel<float>(float*)
scatter_reduce_mxfp4_kernel
segment_reduce_kernel
small_gather_kernel
call_reduce_kernel
smallreduce
void foo<ncclDevKernel>(int)
void cutlass::device_kernel<AllReduceEpilogue>(int)
triton_red_fused_all_reduce_add_native_layer_norm_4
triton_poi_fused_reduce_scatter_tensor_view_1
triton_per_fused__c10d_functional_all_gather_0
splitkreduce_kernel
void splitKreduce_kernel<float>(float)
paged_attention_ll4mi_reduce_kernel
kn_mla_reduce_v1
streamk_reduce_kernel
combine_attn_states
merge_attn_states_kernel
MergeStatesKernel
tensorrt_llm::kernels::finalizeMoeRoutingKernel<float>(float*)
tensorrt_llm::kernels::expandInputRowsKernel<float>(float*)
broadcast_kernel
gather_topk_values_kernel
barrier_kernel_local
dispatch_kernel
combine_kernel
groupnorm_kernel_dispatch_down
void c10d::checkForNaN<float, 8>(float*, unsigned long)
reduce_bf16_cuda
warp_allreduce_kernel
block_all_reduce
blockAllReduceSum
step_kernel
sleep_kernel
rep::kernel
deep_gemm::sm90_fp8_gemm_1d2d_impl
moe_permute_kernel
moe_unpermute_kernel
local_device_load_rmsnorm
receive_embedding_kernel
accl_scale
gather_accel_kernel
success_clamp
void success_kernel<int>(int)
Epilogue_kernel
ragged_kernel
void kernel_mha<Rank>(RankData*)
cumulative_barrier_kernel
parallel_reduce_kernel
allocate_kernel
all_kernel
overall_reduce
scalar_broadcast
void syncCluster_kernel<float>(float*)
asyncClear
kernel_gemm_allreduce_fused
"""


def kernel(text: str) -> int:
    return RULES.pytorch_event(Name(text, "kernel"))


@pytest.mark.parametrize("text", COMMUNICATION.strip().split("\n"))
def test_communication(text: str) -> None:
    assert work_of(kernel(text)) is Work.COMMUNICATION
    assert RULES.gpu_stream(Name(text, "")) == kernel(text)


@pytest.mark.parametrize("text", COMPUTATION.strip().split("\n"))
def test_computation(text: str) -> None:
    assert work_of(kernel(text)) is Work.COMPUTATION
    assert RULES.gpu_stream(Name(text, "")) == kernel(text)


@pytest.mark.parametrize("rule", KERNELS, ids=lambda rule: rule.library)
def test_each_row_of_kernels_has_its_examples(rule: Rule) -> None:
    assert rule.examples
    for text in rule.examples:
        assert re2.search(rule.pattern, kernel_function(text)), text
        assert work_of(kernel(text)) is rule.kind, text


@pytest.mark.parametrize(
    ("rule", "code_of_name"),
    [
        *((rule, RULES.xla_operation) for rule in XLA),
        *((rule, RULES.gpu_stream) for rule in GPU_COPIES),
        *((rule, RULES.ascend_stream) for rule in ASCEND),
    ],
)
def test_each_other_row_has_its_examples(rule: Rule, code_of_name: object) -> None:
    assert callable(code_of_name)
    for text in rule.examples:
        assert work_of(code_of_name(Name(text, ""))) is rule.kind, text


@pytest.mark.parametrize("rule", ASCEND_TYPES)
def test_each_type_of_task_has_its_examples(rule: Rule) -> None:
    for text in rule.examples:
        assert work_of(RULES.ascend_stream(Name("Default/network/Conv2D-op1", text))) is rule.kind, text


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("volta_sgemm_128x32_nt", Origin.TABLE),
        ("ncclDevKernel_AllGather_RING_LL", Origin.TABLE),
        ("flash_fwd_splitkv_combine_kernel", Origin.TABLE),
        ("my_kernel", Origin.DEFAULT),
        ("combine_kernel", Origin.DEFAULT),
    ],
)
def test_what_nothing_names_is_told_from_what_is_known_to_compute(text: str, origin: Origin) -> None:
    assert kernel(text) >> 4 == origin


def test_a_foreign_program_of_xla_is_not_known() -> None:
    assert RULES.xla_operation(Name("custom-call.3", "")) >> 4 == Origin.DEFAULT
    assert RULES.xla_operation(Name("fusion.3", "convolution fusion")) >> 4 == Origin.TABLE
