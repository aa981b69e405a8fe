"""The used share of a matrix unit from shapes and layouts, against a plain reference."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo import Computation, HloModule, Instruction, ValueShape
from tilescope.tiler.facts.hlo.layouts import LayoutDimension, shape_of_text
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse, matrix_use, use_of_dimensions

# Image b01f, kernel 01io, result b01f.
CONVOLUTION = pb.ConvolutionDimensionNumbers(
    input_batch_dimension=0,
    input_feature_dimension=3,
    input_spatial_dimensions=[1, 2],
    kernel_input_feature_dimension=2,
    kernel_output_feature_dimension=3,
    kernel_spatial_dimensions=[0, 1],
    output_batch_dimension=0,
    output_feature_dimension=3,
    output_spatial_dimensions=[1, 2],
).SerializeToString()


def dot_numbers(left: list[int], right: list[int]) -> bytes:
    return pb.DotDimensionNumbers(lhs_contracting_dimensions=left, rhs_contracting_dimensions=right).SerializeToString()


MATRICES = dot_numbers([1], [0])

TILED = ":T(8,128)(2,1)"


def shape(text: str) -> ValueShape:
    parsed = shape_of_text(text)
    assert parsed is not None
    return parsed


def product(opcode: str, numbers: bytes, *texts: str, first: int = 1) -> list[Instruction]:
    """Two operands and their product: their shapes, the result's last."""
    left, right, result = map(shape, texts)
    return [
        Instruction(first, f"left.{first}", "parameter", left),
        Instruction(first + 1, f"right.{first}", "parameter", right),
        Instruction(first + 2, f"{opcode}.{first}", opcode, result, (first, first + 1), dimension_numbers=numbers),
    ]


def used(*instructions: Instruction) -> MatrixUse | None:
    """By the last of the instructions of a computation."""
    computation = Computation(1, "main", {each.id: each for each in instructions}, instructions[-1].id)
    return matrix_use(HloModule("module", {1: computation}, 1), computation, instructions[-1])


def fused(*products: list[Instruction]) -> MatrixUse | None:
    """By a fusion of products."""
    inside = [instruction for parts in products for instruction in parts]
    inner = Computation(1, "fused", {each.id: each for each in inside}, inside[-1].id, is_fusion=True)
    outer = Instruction(100, "fusion", "fusion", inside[-1].shape, (), (1,), fusion_kind="kOutput")
    main = Computation(2, "main", {100: outer}, 100)
    return matrix_use(HloModule("module", {1: inner, 2: main}, 2), main, outer)


def test_the_example_of_the_document() -> None:
    """Batch 16 is padded to 128 and features 3 to 8: 5 % of the matrix unit are used."""
    parts = product(
        "convolution",
        CONVOLUTION,
        f"bf16[16,32,32,64]{{0,3,2,1{TILED}}}",
        f"bf16[5,5,64,3]{{3,2,1,0{TILED}}}",
        f"bf16[16,32,32,3]{{0,3,2,1{TILED}}}",
    )
    for use in (used(*parts), fused(parts), used(parts[-1])):
        assert use is not None
        assert Fraction(use.needed, use.padded) == Fraction(16, 128) * Fraction(3, 8)
        assert f"{use.share:.0%}" == "5%"
        assert use.text.startswith("feature 3 padded to 8 × batch 16 padded to 128")
        assert use.is_of_result_alone == use.text.endswith(" (of the result alone)")
    alone = used(parts[-1])
    assert alone is not None
    assert alone.is_of_result_alone


def test_the_contracted_dimension_counts_as_the_operand_that_pads_it_more() -> None:
    parts = product(
        "dot", MATRICES, f"bf16[256,64]{{1,0{TILED}}}", f"bf16[64,256]{{1,0{TILED}}}", f"bf16[256,256]{{1,0{TILED}}}"
    )
    use = used(*parts)
    assert use is not None
    assert (use.share, use.text) == (1 / 2, "contracted 64 padded to 128")


def test_the_features_of_groups_are_those_of_the_kernel() -> None:
    parts = product(
        "convolution",
        CONVOLUTION,
        f"bf16[128,8,8,256]{{3,0,2,1{TILED}}}",
        f"bf16[3,3,4,256]{{3,2,1,0{TILED}}}",
        f"bf16[128,8,8,256]{{3,0,2,1{TILED}}}",
    )
    use = used(*parts)
    assert use is not None
    assert (use.share, use.text) == (4 / 8, "contracted 4 padded to 8")


def test_products_of_a_fusion_count_by_their_multiplications() -> None:
    full = f"bf16[128,128]{{1,0{TILED}}}"
    small = product("dot", MATRICES, full, f"bf16[128,1]{{0,1{TILED}}}", f"bf16[128,1]{{0,1{TILED}}}", first=1)
    large = product("dot", MATRICES, full, full, full, first=4)
    use = fused(small, large)
    assert use is not None
    assert Fraction(use.needed, use.padded) == Fraction(128 * 128 + 128**3, 8 * 128 * 128 + 128**3)
    assert use.text == "1 padded to 8, and 1 more product"
    full_use = fused(large)
    assert full_use is not None
    assert (full_use.share, full_use.text) == (1, "nothing is padded")


@pytest.mark.parametrize(
    "texts",
    [
        ("bf16[8,8]{1,0}", "bf16[8,8]{1,0}", "bf16[8,8]{1,0}"),  # no tiles, as on GPUs
        (f"bf16[0,8]{{1,0{TILED}}}", f"bf16[8,8]{{1,0{TILED}}}", f"bf16[0,8]{{1,0{TILED}}}"),  # nothing to multiply
    ],
)
def test_what_layouts_do_not_say_is_not_known(texts: tuple[str, str, str]) -> None:
    parts = product("dot", MATRICES, *texts)
    assert used(*parts) is None
    assert fused(parts) is None


def test_other_operations_use_no_matrix_unit() -> None:
    value = shape(f"bf16[8,8]{{1,0{TILED}}}")
    assert used(Instruction(1, "add", "add", value)) is None
    assert fused([Instruction(1, "add", "add", value)]) is None


def test_numbers_that_make_no_sense_leave_the_result() -> None:
    text = f"bf16[8,64]{{1,0{TILED}}}"
    for numbers in (
        dot_numbers([7], [0]),
        dot_numbers([-1], [0]),
        dot_numbers([0, 1], [0]),
        dot_numbers([1] * 20_000, [0] * 20_000),
        b"\xff",
    ):
        use = used(*product("dot", numbers, text, text, text))
        assert use is not None
        assert (use.share, use.is_of_result_alone) == (1 / 2, True)


@pytest.mark.parametrize(
    "numbers",
    [
        pb.ConvolutionDimensionNumbers(kernel_input_feature_dimension=-1),
        pb.ConvolutionDimensionNumbers(input_feature_dimension=2),
        pb.ConvolutionDimensionNumbers(kernel_spatial_dimensions=[1, 1]),
        pb.ConvolutionDimensionNumbers(kernel_spatial_dimensions=[0]),  # the features are there
    ],
)
def test_a_convolution_has_each_dimension_once(numbers: pb.ConvolutionDimensionNumbers) -> None:
    text = f"bf16[8,64]{{1,0{TILED}}}"
    use = used(*product("convolution", numbers.SerializeToString(), text, text, text))
    assert use is not None
    assert use.is_of_result_alone


def test_more_dimensions_than_arrays_have_multiply_nothing() -> None:
    assert use_of_dimensions([LayoutDimension(1 << 40, 128)] * 65) is None
    assert use_of_dimensions([LayoutDimension(1 << 40, 128)] * 64) is not None


SIZES = st.integers(1, 300)
TILES = st.sampled_from([(8, 128), (16, 128), (2, 128), (128,), (1024,)])


@st.composite
def arrays(draw: st.DrawFn, sizes: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """The text of an array, and its sizes in memory, counted up."""
    order, tile = draw(st.permutations(range(len(sizes)))), draw(TILES)
    padded = list(sizes)
    for place, by in zip(order, reversed(tile), strict=False):
        while padded[place] % by:
            padded[place] += 1
    tiles = ",".join(map(str, tile))
    return f"f32[{','.join(map(str, sizes))}]{{{','.join(map(str, order))}:T({tiles})}}", tuple(padded)


@given(rows=SIZES, columns=SIZES, contracted=SIZES, data=st.data())
@settings(max_examples=examples(200), deadline=None)
def test_the_share_is_elements_over_padded_elements(
    rows: int, columns: int, contracted: int, data: st.DataObject
) -> None:
    left, left_padded = data.draw(arrays((rows, contracted)))
    right, right_padded = data.draw(arrays((contracted, columns)))
    result, result_padded = data.draw(arrays((rows, columns)))
    use = used(*product("dot", MATRICES, left, right, result))
    assert use is not None
    depth = max(left_padded[1], right_padded[0])
    assert Fraction(use.needed, use.padded) == Fraction(
        rows * columns * contracted, result_padded[0] * result_padded[1] * depth
    )
    assert 0 < use.share <= 1
    assert (use.share == 1) == (use.text == "nothing is padded")
