"""How kernels were launched, and what their names say: as profilers write it, and anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.kernels.launch import KernelLaunch, launch_of_details, launch_of_values
from tilescope.tiler.facts.tensor_cores import could_use_tensor_cores, uses_tensor_cores


@pytest.mark.parametrize(
    ("details", "launch", "occupancy"),
    [
        ("regs:38 shm:0 grid:160,1,1 block:1024,1,1", KernelLaunch(38, 0, "1024,1,1", "160,1,1"), None),
        (
            "regs:32\nstatic_shared:1024\ndynamic_shared:16\ngrid:2,3,4\nblock:8,8,1\nocc_pct:62.5",
            KernelLaunch(32, 1040, "8,8,1", "2,3,4"),
            0.625,
        ),
        (
            " grid:6240,1,1 block:256,1,1 private_mem:0 group_mem:2112 occ_pct:0",
            KernelLaunch(None, 2112, "256,1,1", "6240,1,1"),
            None,
        ),
        ("", KernelLaunch(), None),
        ("regs:-1 shm:x grid:1,1,1,1 block: occ_pct:101", KernelLaunch(), None),
        (f"regs:{'9' * 5000} occ_pct:{'9' * 400}", KernelLaunch(), None),
    ],
)
def test_details_of_an_xspace(details: str, launch: KernelLaunch, occupancy: float | None) -> None:
    assert launch_of_details(details) == (launch, occupancy)


@given(st.text())
def test_any_details(details: str) -> None:
    launch, occupancy = launch_of_details(details)
    assert launch.registers is None or launch.registers >= 0
    assert occupancy is None or 0 < occupancy <= 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda of: st.lists(of, max_size=4) | st.dictionaries(st.text(max_size=2), of, max_size=2),
    max_leaves=5,
)


@given(st.lists(anything, min_size=5, max_size=5))
def test_any_values(values: list[object]) -> None:
    launch, occupancy = launch_of_values(values)
    assert launch.registers in (None, values[0])
    assert launch.shared_bytes in (None, values[1])
    assert occupancy is None or 0 < occupancy <= 1


def test_values_of_a_pytorch_trace() -> None:
    assert launch_of_values([40, 400, [512, 1, 1], [24], 75]) == (KernelLaunch(40, 400, "512,1,1", "24"), 0.75)
    assert launch_of_values([True, 1.5, [1, -1], [1] * 4, True]) == (KernelLaunch(), None)


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("volta_h884gemm_64x64_ldg8_nn", True),
        ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", True),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute", True),
        ("void cutlass::Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>", True),
        ("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_nn_align8", True),
        ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_1LDSB0", True),
        ("Cijk_Ailk_Bljk_SB_MT128x64x16_SN_1LDSB0", False),
        ("volta_sgemm_128x64_nn", False),
        ("void cutlass::Kernel<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>", False),
        ("void Eigen::internal::EigenMetaKernel<Eigen::half>", False),
        ("input_transpose_fusion.kd", False),
    ],
)
def test_names_of_kernels(name: str, uses: bool) -> None:
    assert uses_tensor_cores(name) is uses


@pytest.mark.parametrize(
    ("operation", "could"),
    [
        ("model/dense/MatMul", True),
        ("model/conv/Conv2DBackpropFilter", True),
        ("model/attention/BatchMatMulV2", True),
        ("gradients/CudnnRNNBackprop", True),
        ("jit(step)/jvp(main)/dot_general", True),
        ("jit(forward)/conv_general_dilated", True),
        ("model/MatMul/ReadVariableOp", False),
        ("model/add", False),
        ("", False),
    ],
)
def test_names_of_operations(operation: str, could: bool) -> None:
    assert could_use_tensor_cores(operation) is could


def test_hostile_names_take_little_time() -> None:
    for name in ("cijk_" * 100_000, "cutlass" * 100_000, "a" * 1_000_000):
        uses_tensor_cores(name)
        could_use_tensor_cores(name)
