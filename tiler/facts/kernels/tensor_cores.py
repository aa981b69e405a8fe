"""Which kernels use tensor cores, and which operations could: by their names, for traces do not say."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

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


# Asked of each kind of kernels, of which many have the same name.
@lru_cache(1 << 14)
def uses_tensor_cores(kernel: str) -> bool:
    """Whether a kernel of this name does."""
    return _TENSOR_KERNEL.search(kernel[:_MOST]) is not None


def could_use_tensor_cores(operation: str) -> bool:
    """Whether kernels of an operation of the framework with this name could."""
    return _TENSOR_OPERATION.search(operation[-_MOST:]) is not None
