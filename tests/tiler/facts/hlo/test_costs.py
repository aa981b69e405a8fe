"""What instructions cost: as xprof 2.24.2 says of the same protos, or of its faults a plain count."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.hlo_protos import computation, hlo_proto, instruction, shape, tuple_of
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo import HloModule
from tilescope.tiler.facts.hlo.costs import Cost, Costs
from tilescope.tiler.facts.hlo.parsing import parse_module
from tilescope.tiler.query import finish

F = shape("f32", 100, 200)
NARROW = shape("f32", 10, 20)
SCALAR = shape("f32")
BYTES = 80_000

ADDING = computation(
    1,
    "adding",
    instruction(1, "a", "parameter", SCALAR),
    instruction(2, "b", "parameter", SCALAR, parameter_number=1),
    instruction(3, "sum", "add", SCALAR, 1, 2),
)
DOT = pb.DotDimensionNumbers(lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0]).SerializeToString()
GEMM = json.dumps({"gemm_backend_config": {"dot_dimension_numbers": {"lhs_contracting_dimensions": ["1"]}}})
IMAGE, KERNEL, RESULT = shape("f32", 8, 32, 32, 64), shape("f32", 3, 3, 64, 128), shape("f32", 8, 32, 32, 128)
CONVOLUTION = pb.ConvolutionDimensionNumbers(
    input_batch_dimension=0,
    input_spatial_dimensions=[1, 2],
    input_feature_dimension=3,
    kernel_spatial_dimensions=[0, 1],
    kernel_input_feature_dimension=2,
    kernel_output_feature_dimension=3,
    output_batch_dimension=0,
    output_spatial_dimensions=[1, 2],
    output_feature_dimension=3,
).SerializeToString()


def window(size: int, stride: int = 1, padding: int = 0, **more: int) -> bytes:
    of = pb.WindowDimension(size=size, stride=stride, padding_low=padding, padding_high=padding, **more)
    return bytes(pb.Window(dimensions=[of, of]).SerializeToString())


def module(opcode: str, result: bytes, *operands: bytes, fused: bytes = b"", **more: object) -> HloModule:
    """One instruction, `i`, of these operands."""
    ones = [instruction(k, f"p{k}", "parameter", of, parameter_number=k - 1) for k, of in enumerate(operands, 1)]
    one = instruction(99, "i", opcode, result, *range(1, len(operands) + 1), **more)  # type: ignore[arg-type]
    computations = [ADDING, *([fused] if fused else []), computation(9, "main", *ones, one)]
    return finish(parse_module(hlo_proto("f", *computations)))


def cost(*args: object, **more: object) -> Cost:
    of = module(*args, **more)  # type: ignore[arg-type]
    main = of.entry_computation
    assert main is not None
    return Costs(of).of(of.by_name["i"], main)


@pytest.mark.parametrize(
    ("opcode", "element", "flops"),
    [
        ("add", "f32", 3), ("add", "bf16", 3), ("add", "f64", 97), ("divide", "s32", 306), ("exponential", "f32", 86),
        ("power", "f32", 925), ("tanh", "f16", 212), ("negate", "s32", 3), ("copy", "f32", 0),
    ],
)  # fmt: skip
def test_elementwise(opcode: str, element: str, flops: int) -> None:
    of = shape(element, 100, 200)
    size = {"f64": 8, "f16": 2, "bf16": 2}.get(element, 4) * 20_000
    operands = 2 if opcode in ("add", "divide", "power") else 1
    assert cost(opcode, of, *[of] * operands) == Cost(flops * 20_000, operands * size, size)


def test_what_adds_up_and_what_moves() -> None:
    called = {"called_computation_ids": [1]}
    assert cost("reduce", shape("f32", 100), F, SCALAR, dimensions=[1], **called) == Cost(59_700, BYTES + 4, 400)
    assert cost("reduce-window", shape("f32", 50, 100), F, SCALAR, window=window(2, 2), **called).flops == 45_000
    assert cost("all-reduce", F, F, **called) == Cost(60_000, BYTES, BYTES)
    assert cost("reduce-scatter", shape("f32", 50, 200), F, **called) == Cost(30_000, BYTES, BYTES // 2)
    assert cost("sort", F, F) == Cost(300_000, BYTES, BYTES)
    assert cost("concatenate", shape("f32", 200, 200), F, F, dimensions=[0]).flops == 6 * 40_000
    assert cost("concatenate", shape("f32", 100, 400), F, F, dimensions=[1]).flops == 400 * 40_000
    index = shape("s32")
    assert cost("dynamic-slice", NARROW, F, index, index) == Cost(0, 800, 800)
    assert cost("dynamic-update-slice", F, F, NARROW, index, index) == Cost(0, 800, 800)
    places, rows = shape("s32", 10, 1), shape("f32", 10, 200)
    assert cost("gather", rows, F, places) == Cost(0, 8040, 8000)
    assert cost("scatter", F, F, places, rows, **called) == Cost(6000, 16_040, 8000)
    for free in ("bitcast", "tuple", "get-tuple-element", "copy-done"):
        assert cost(free, F, F) == Cost()


def test_the_memory_of_the_host_is_told_apart() -> None:
    away = shape("f32", 100, 200, space=5)
    assert cost("copy", F, away) == Cost(0, BYTES, BYTES, host_read=BYTES)
    both = tuple_of(away, F, shape("s32"))
    assert cost("copy-start", both, F) == Cost(0, BYTES, BYTES, host_written=BYTES)


def test_products() -> None:
    wide, result = shape("f32", 200, 300), shape("f32", 100, 300)
    flops = 2 * 100 * 200 * 300
    expected = Cost(flops, BYTES + 240_000, 120_000)
    assert cost("dot", result, F, wide, dot_dimension_numbers=DOT) == expected
    # Scratch memory is none of the result.
    for target, of in (("__cublas$gemm", tuple_of(result, shape("u8", 4096))), ("__cublas$lt$matmul", result)):
        call = {"custom_call_target": target, "backend_config": GEMM}
        assert cost("custom-call", of, F, wide, **call) == expected
    assert cost("custom-call", result, F, wide, custom_call_target="somebody") == Cost(is_known=False)
    assert cost("custom-call", result, F, wide, custom_call_target="__cublas$gemm", backend_config="{") == Cost(
        0, BYTES + 240_000, 120_000
    )


def test_convolutions_count_no_padding() -> None:
    more = {"window": window(3, 1, 1), "convolution_dimension_numbers": CONVOLUTION}
    expected = Cost(1_158_152_192, 8 * 32 * 32 * 64 * 4 + 3 * 3 * 64 * 128 * 4, 8 * 32 * 32 * 128 * 4)
    assert cost("convolution", RESULT, IMAGE, KERNEL, **more) == expected
    grouped = shape("f32", 3, 3, 16, 128)
    assert cost("convolution", RESULT, IMAGE, grouped, feature_group_count=4, **more).flops == 289_538_048
    scratch = shape("u8", 100)
    for kind, operands, result in (
        ("Forward", (IMAGE, KERNEL), RESULT),
        ("BackwardInput", (RESULT, KERNEL), IMAGE),
        ("BackwardFilter", (IMAGE, RESULT), KERNEL),
    ):
        call = {"custom_call_target": f"__cudnn$conv{kind}", **more}
        assert cost("custom-call", tuple_of(result, scratch), *operands, **call).flops == expected.flops


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [-1, 0, 1, 3])
@pytest.mark.parametrize(("dilation", "base"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_places_of_a_window_that_are_no_padding(size: int, stride: int, padding: int, dilation: int, base: int) -> None:
    """Against a plain count."""
    image = 7
    reach = (image - 1) * base + 1
    count = max(0, (reach + 2 * padding - (size - 1) * dilation - 1) // stride + 1)
    along = [
        sum(
            0 <= (at := place * stride + k * dilation - padding) < reach and at % base == 0
            for place in range(count)
            for k in range(size)
        )
    ]
    of = cost(
        "convolution",
        shape("f32", 1, count, count, 1),
        shape("f32", 1, image, image, 1),
        shape("f32", size, size, 1, 1),
        window=window(size, stride, padding, window_dilation=dilation, base_dilation=base),
        convolution_dimension_numbers=CONVOLUTION,
    )
    assert of.flops == 2 * along[0] ** 2


def fused(*instructions: bytes) -> bytes:
    return computation(5, "fused", *instructions, is_fusion=True)


def test_fusions_cost_what_their_values_need() -> None:
    p, q = instruction(1, "p", "parameter", F), instruction(2, "q", "parameter", F, parameter_number=1)
    more = {"called_computation_ids": [5], "fusion_kind": "kLoop"}
    product, power = instruction(3, "c", "multiply", F, 1, 2), instruction(4, "d", "exponential", F, 3)
    last = instruction(5, "e", "add", F, 4, 1)
    chain = fused(p, q, product, power, last)
    assert cost("fusion", F, F, F, fused=chain, **more) == Cost(1_840_000, 2 * BYTES, BYTES)
    both = fused(p, q, product, power, instruction(5, "e", "tuple", tuple_of(F, F), 3, 4))
    assert cost("fusion", tuple_of(F, F), F, F, fused=both, **more) == Cost(1_780_000, 2 * BYTES, 2 * BYTES)
    # Only what is looked at is made, and read.
    cut = fused(p, instruction(2, "n", "negate", F, 1), instruction(3, "s", "slice", NARROW, 2))
    assert cost("fusion", NARROW, F, fused=cut, **more) == Cost(600, 800, 800)
    # What is needed in two orders is made twice.
    turned = fused(
        p,
        instruction(2, "x", "exponential", F, 1),
        instruction(3, "m", "multiply", F, 2, 2),
        instruction(4, "t", "transpose", shape("f32", 200, 100), 2),
        instruction(5, "r", "reshape", F, 4),
        instruction(6, "a", "add", F, 3, 5),
    )
    assert cost("fusion", F, F, fused=turned, **more) == Cost(3_560_000, BYTES, BYTES)
    # An update in place reads and writes what is new.
    place = instruction(3, "i", "parameter", shape("s32"), parameter_number=2)
    update = instruction(2, "u", "parameter", NARROW, parameter_number=1)
    updated = fused(p, update, place, instruction(4, "d", "dynamic-update-slice", F, 1, 2, 3, 3))
    assert replace(cost("fusion", F, F, NARROW, shape("s32"), fused=updated, **more), read=800) == Cost(0, 800, 800)

    of = module("fusion", F, F, F, fused=chain, **more)
    assert [(one.name, flops) for one, flops in Costs(of).fused(of.by_name["i"])] == [
        ("d", 1_720_000),
        ("c", 60_000),
        ("e", 60_000),
    ]


def test_costs_of_calls_that_grow_without_end() -> None:
    """Each computation calls the one before twice: 2^300 additions."""
    calls = [ADDING]
    for number in range(2, 302):
        one = instruction(1, f"p{number}", "parameter", SCALAR)
        twice = [
            instruction(k, f"c{number}.{k}", "call", SCALAR, 1, called_computation_ids=[number - 1]) for k in (2, 3)
        ]
        calls.append(computation(number, f"c{number}", one, *twice))
    of = finish(parse_module(hlo_proto("f", *calls)))
    main = of.entry_computation
    assert main is not None
    assert Costs(of).of(main.root_instruction, main).flops == 1 << 62
