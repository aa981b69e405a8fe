"""Use of tensor cores, by kernels and by operations that could: by their names, for traces do not say."""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.caches import Memo

# Of instructions of tensor cores, and of templates that are made of these: CUDA's by their generations, then AMD's
# matrix cores (Tensile says which matrix instruction, as in MI16x16x16x1).
_TENSOR_KERNEL: Final = re.compile(
    r"16816|c1688|conv1x1|conv2d_c1_k1|dgrad_1x1_stride_2x2|direct_group|first_layer_wgrad_kernel|h1688|h884|hmma|i16832"
    r"|i8816|s884|s1688|xmma_(gemm|implicit_gemm|sparse_conv|sparse_gemm|warp_specialized_implicit_gemm)"
    r"|wgmma|(?:^|[^a-z])sm(90|100|120)a?_|cutlass.*(tensorop|tensor_op)"
    r"|mfma|wmma|cijk_.*_mi[0-9]+x[0-9]+",
    re.IGNORECASE,
)
_TENSOR_OPERATION: Final = re.compile(
    r"(^|/)(Conv2D\w*|Conv3D\w*|DepthwiseConv2dNative\w*|MatMul|FusedMatMul|CudnnRNN|XlaDot(V2)?|[Ee]insum"
    r"|dot_general|conv_general_dilated)$"
    r"|BatchMatMul|CudnnRNN(V[0-9]|Forward|Backprop)"
)
_MOST: Final = 4096  # characters of a name: what tells stands near its beginning, and the search stays short


def _matches_tensor_kernel(kernel: str) -> bool:
    """True for the name of a kernel that uses tensor cores."""
    return _TENSOR_KERNEL.search(kernel[:_MOST]) is not None


# Asked of each kind of kernels, of which many have the same name.
uses_tensor_cores: Final = Memo("tensor_kernels", "Kernels that use tensor cores, by name", 190).remembered(
    _matches_tensor_kernel, 1 << 14
)


def could_use_tensor_cores(operation: str) -> bool:
    """True if kernels of an operation of the framework with this name could."""
    return _TENSOR_OPERATION.search(operation[-_MOST:]) is not None
