"""Kernels that compute, by library: so that what no rule names can be told from what is known to compute.

Coarse on purpose: all that is not named is computation, too.
"""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.rule import Rule


def _computation(library: str, pattern: str, source: str, *examples: str) -> Rule:
    return Rule(library, Work.COMPUTATION, pattern, source, examples)


COMPUTATION: Final = (
    _computation(
        "PyTorch",
        r"(?:^|::)(?:at|at_cuda_detail|c10|fbgemm_gpu)::|^split_embedding_|(?:^|::)(?:cunn_|vectorized_|unrolled_)"
        r"|(?:^|::)(?:bounds_check_indices|linearize_index)_kernel",
        "pytorch/pytorch aten/src/ATen/native, pytorch/FBGEMM",
        "void at::native::reduce_kernel<512, 1>(ReduceOp)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3>>"
        "(int, float)",
        "void at::native::_scatter_gather_elementwise_kernel<128, 4, float>(int)",
    ),
    _computation(
        "TensorFlow, Eigen",
        r"(?:^|::)(?:tensorflow|Eigen|stream_executor)::|(?:^|::)(?:EigenMetaKernel|BiasNHWC)",
        "tensorflow/tensorflow tensorflow/core/kernels, Eigen",
        "void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::UniformDistribution<float>>(int)",
        "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<float>, int>(int)",
    ),
    _computation(
        "CUB, Thrust, rocPRIM",
        r"(?:^|::)(?:cub|thrust|hipcub|rocprim|cooperative_groups)::",
        "NVIDIA/cccl, ROCm/rocPRIM",
        "void cub::DeviceReduceKernel<cub::DeviceReducePolicy<float>::Policy600, float*>(float*)",
        "void cub::DeviceRadixSortOnesweepKernel<int>(int*)",
    ),
    _computation(
        "cuBLAS, CUTLASS, hipBLASLt, Composable Kernel",
        r"(?i)gemm|gemv|matmul|split_?k_?reduce|^nvjet_|(?:^|::)cutlass|(?:^|::)ck(?:_tile)?::|^cijk_|cublas"
        r"|(?:^|::)epilogue::impl|(?:^|::)(?:scal|axpy|dot)_kernel",
        "NVIDIA/cutlass, ROCm/composable_kernel, Tensile's Cijk_…",
        "volta_sgemm_128x32_nt",
        "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT",
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>(int)",
        "Cijk_Ailk_Bljk_SB_MT128x64x16_MI32x32x2x1",
    ),
    _computation(
        "cuDNN, MIOpen",
        r"(?i)cudnn|miopen|xmma|winograd|[dw]grad|fprop|conv(?:olution|olve|2d|3d|_)|nchw|nhwc|fft|(?:^|::)cask|igemm|im[23]d?2col"
        r"|batch_?norm|bn_(?:fw|bw)",
        "kernels of cuDNN and ROCm/MIOpen",
        "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)",
        "volta_scudnn_128x128_stridedB_splitK_medium_nn_v1",
        "igemm_fwd_gtcx3_nhwc_fp16",
    ),
    _computation(
        "attention",
        r"(?i)flash_?(?:fwd|bwd|attn|attention|infer::(?:batch|single|merge))|fmha|attention|attn|softmax"
        r"|(?:^|[^a-z])(?:mha|mla|gqa)_",
        "Dao-AILab/flash-attention csrc/flash_attn, flashinfer-ai/flashinfer, ROCm/aiter",
        "flash_fwd_splitkv_combine_kernel",
        "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>, 4>(Flash_fwd_params)",
        "fmha",
        "fmha_fwd_d64_bf16_combine",
    ),
    _computation(
        "mixture of experts",
        r"(?i)(?:moe|expert|topk|top_k|router?)[a-z0-9_]*(?:sort|align|permute|gate|gating|softmax|finalize|quant|sum|fused|silu)"
        r"|(?:grouped|fused)_?(?:topk|moe)|moe_(?:dispatch|combine)_(?:sort|align|permute)",
        "vllm-project/vllm csrc/moe, sgl-project/sglang, ROCm/aiter: tokens are sorted on one device",
        "moe_dispatch_sort_kernel",
        "void vllm::moe::moe_align_block_size_kernel<int>(int*)",
        "fused_moe_kernel",
        "mxfp4_moe_sort_kernel",
        "moe_permute_kernel",
    ),
    _computation(
        "layers",
        r"(?i)(?:layer|rms|group|instance|l2)_?norm|elementwise|element_wise|activation|silu|gelu|relu|sigmoid|tanh"
        r"|embedding|dropout|rotary|rope|adamw?_|_adam|multi_tensor|cross_?entropy|loss|cast_|quantiz|transpose|pool(?:ing|ed)?"
        r"|cumsum|argmax|sampling|kv_?cache|reshape_and_cache",
        "kernels that are called after what they compute",
        "void aiter::local_device_load_rmsnorm<__hip_bfloat16>(int)",
        "void vllm::rms_norm_kernel<float>(float*)",
        "void reshape_and_cache_flash_kernel<float>(float*)",
    ),
    _computation(
        "Triton, XLA, cuRAND, MAGMA, cuSOLVER, cuSPARSE",
        r"(?i)^triton_|(?:^|_)(?:loop|input|output|wrapped|fusion|fused|transpose|reduce)_(?:[a-z0-9_]+_)?fusion|^fusion(?:_[0-9]+)?$"
        r"|^wrapped_|^command_buffer|^(?:redzone_checker|RepeatBufferKernel)|_kernel_[0-9]+$|curand|magma|cusolver|cusparse|csrmv|xgboost",
        "openxla/xla (fusions of an HLO module), triton-lang/triton, NVIDIA's and ICL's libraries of mathematics",
        "loop_add_fusion_3",
        "input_reduce_fusion",
        "fusion_12",
        "triton_softmax_4",
        "void magma_sgemmEx_kernel<float, float>(int)",
    ),
    _computation(
        "CUDA, ROCm",
        r"(?i)^memset|__amd_rocclr_(?:copy|fill)|spin_kernel|(?:^|::)device_(?:fill|copy)",
        "copies and fills that ROCm runs as kernels (ROCm/clr rocclr/device/rocm/rocblit.cpp)",
        "__amd_rocclr_copyBuffer.kd",
        "__amd_rocclr_fillBufferAligned",
        "Memset (Device)",
    ),
)
