"""Instructions as text, as programs have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.elementwise import ELEMENTWISE
from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction

_MOST_CHARACTERS: Final = 4000


def expression(module: HloModule, within: Computation, instruction: Instruction) -> str:
    """Such as "%add.3 = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %b)"; a long one is cut."""
    operands = [within.instructions[operand] for operand in instruction.operands[:_MOST_CHARACTERS]]
    operand_texts = ", ".join(f"{operand.shape.text} %{operand.name}" for operand in operands)
    attributes = "".join(f", {part}" for part in _attributes(module, instruction))
    text = f"%{instruction.name} = {instruction.shape.text} {instruction.opcode}({operand_texts}){attributes}"
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def category(instruction: Instruction) -> str:
    """Category in which XLA counts an instruction."""
    if instruction.is_fusion:
        return f"{instruction.fusion_kind.removeprefix('k').lower() or 'loop'} fusion"
    if instruction.opcode in ("transpose", "copy", "reshape", "dynamic-reshape"):
        return "data formatting"
    if instruction.opcode in ELEMENTWISE:
        return "non-fusion elementwise"
    if instruction.opcode == "convolution":
        window = _window(instruction)
        dilated = [
            name for name in ("base", "window") if any(getattr(along, f"{name}_dilation") > 1 for along in window)
        ]
        return " ".join([instruction.opcode, *(f"{name}-dilated" for name in dilated)])
    return instruction.opcode


def _attributes(module: HloModule, instruction: Instruction) -> list[str]:
    attributes = []
    if window := _window(instruction):
        attributes.append(f"window={{{_window_text(window)}}}")
    if instruction.dimension_numbers:
        attributes.append(_dimension_numbers(instruction))
    elif instruction.dimensions:
        attributes.append(f"dimensions={{{','.join(map(str, instruction.dimensions))}}}")
    if instruction.opcode == "get-tuple-element":
        attributes.append(f"index={instruction.tuple_index}")
    if instruction.feature_groups > 1:
        attributes.append(f"feature_group_count={instruction.feature_groups}")
    if instruction.batch_groups > 1:
        attributes.append(f"batch_group_count={instruction.batch_groups}")
    if instruction.fusion_kind:
        attributes.append(f"kind={instruction.fusion_kind}")
    if instruction.channel:
        attributes.append(f"channel_id={instruction.channel}")
    if instruction.custom_call_target:
        attributes.append(f'custom_call_target="{instruction.custom_call_target}"')
    names = [f"%{module.computations[called].name}" for called in instruction.called]
    if instruction.opcode == "while" and len(names) == 2:
        attributes.append(f"condition={names[1]}, body={names[0]}")
    elif names:
        label = "calls" if instruction.is_fusion else "to_apply"
        attributes.append(f"{label}={names[0]}" if len(names) == 1 else f"{label}={{{', '.join(names)}}}")
    return attributes


def _window(instruction: Instruction) -> Sequence[pb.WindowDimension]:
    if not instruction.window:
        return ()
    try:
        dimensions: Sequence[pb.WindowDimension] = pb.Window.FromString(instruction.window).dimensions
    except DecodeError:
        return ()
    return dimensions


def _window_text(window: Sequence[pb.WindowDimension]) -> str:
    def by(values: list[str]) -> str:
        return "x".join(values)

    parts = [f"size={by([str(dimension.size) for dimension in window])}"]
    if any(dimension.stride != 1 for dimension in window):
        parts.append(f"stride={by([str(dimension.stride) for dimension in window])}")
    if any(dimension.padding_low or dimension.padding_high for dimension in window):
        parts.append(f"pad={by([f'{dimension.padding_low}_{dimension.padding_high}' for dimension in window])}")
    if any(dimension.base_dilation > 1 for dimension in window):
        parts.append(f"lhs_dilate={by([str(dimension.base_dilation) for dimension in window])}")
    if any(dimension.window_dilation > 1 for dimension in window):
        parts.append(f"rhs_dilate={by([str(dimension.window_dilation) for dimension in window])}")
    return " ".join(parts)


def _dimension_numbers(instruction: Instruction) -> str:
    try:
        if instruction.opcode == "dot":
            dot = pb.DotDimensionNumbers.FromString(instruction.dimension_numbers)
            dimensions_by_name = {
                "lhs_batch_dims": dot.lhs_batch_dimensions,
                "lhs_contracting_dims": dot.lhs_contracting_dimensions,
                "rhs_batch_dims": dot.rhs_batch_dimensions,
                "rhs_contracting_dims": dot.rhs_contracting_dimensions,
            }
            return ", ".join(
                f"{name}={{{','.join(map(str, dimensions))}}}"
                for name, dimensions in dimensions_by_name.items()
                if dimensions
            )
        numbers = pb.ConvolutionDimensionNumbers.FromString(instruction.dimension_numbers)
    except DecodeError:
        return "dimension numbers that make no sense"
    image = _labels(
        {numbers.input_batch_dimension: "b", numbers.input_feature_dimension: "f"}, numbers.input_spatial_dimensions
    )
    kernel = _labels(
        {numbers.kernel_input_feature_dimension: "i", numbers.kernel_output_feature_dimension: "o"},
        numbers.kernel_spatial_dimensions,
    )
    result = _labels(
        {numbers.output_batch_dimension: "b", numbers.output_feature_dimension: "f"}, numbers.output_spatial_dimensions
    )
    return f"dim_labels={image}_{kernel}->{result}"


def _labels(batch_and_feature: dict[int, str], spatial: Sequence[int]) -> str:
    label_of_dimension = {**{dimension: str(place) for place, dimension in enumerate(spatial)}, **batch_and_feature}
    return "".join(label_of_dimension[dimension] for dimension in sorted(label_of_dimension))
