"""Instructions as text, as programs have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.elementwise import ELEMENTWISE
from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction

_MOST_CHARACTERS: Final = 4000


def expression(module: HloModule, within: Computation, of: Instruction) -> str:
    """Such as "%add.3 = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %b)"; a long one is cut."""
    operands = [within.instructions[operand] for operand in of.operands[:_MOST_CHARACTERS]]
    told = ", ".join(f"{operand.shape.text} %{operand.name}" for operand in operands)
    found = (
        f"%{of.name} = {of.shape.text} {of.opcode}({told}){''.join(f', {part}' for part in _attributes(module, of))}"
    )
    return found if len(found) <= _MOST_CHARACTERS else f"{found[:_MOST_CHARACTERS]}…"


def category(of: Instruction) -> str:
    """What XLA counts an instruction among."""
    if of.is_fusion:
        return f"{of.fusion_kind.removeprefix('k').lower() or 'loop'} fusion"
    if of.opcode in ("transpose", "copy", "reshape", "dynamic-reshape"):
        return "data formatting"
    if of.opcode in ELEMENTWISE:
        return "non-fusion elementwise"
    if of.opcode == "convolution":
        window = _window(of)
        dilated = [
            name for name in ("base", "window") if any(getattr(along, f"{name}_dilation") > 1 for along in window)
        ]
        return " ".join([of.opcode, *(f"{name}-dilated" for name in dilated)])
    return of.opcode


def _attributes(module: HloModule, of: Instruction) -> list[str]:
    found = []
    if window := _window(of):
        found.append(f"window={{{_window_text(window)}}}")
    if of.dimension_numbers:
        found.append(_dimension_numbers(of))
    elif of.dimensions:
        found.append(f"dimensions={{{','.join(map(str, of.dimensions))}}}")
    if of.opcode == "get-tuple-element":
        found.append(f"index={of.tuple_index}")
    if of.feature_groups > 1:
        found.append(f"feature_group_count={of.feature_groups}")
    if of.batch_groups > 1:
        found.append(f"batch_group_count={of.batch_groups}")
    if of.fusion_kind:
        found.append(f"kind={of.fusion_kind}")
    if of.channel:
        found.append(f"channel_id={of.channel}")
    if of.custom_call_target:
        found.append(f'custom_call_target="{of.custom_call_target}"')
    names = [f"%{module.computations[called].name}" for called in of.called]
    if of.opcode == "while" and len(names) == 2:
        found.append(f"condition={names[1]}, body={names[0]}")
    elif names:
        label = "calls" if of.is_fusion else "to_apply"
        found.append(f"{label}={names[0]}" if len(names) == 1 else f"{label}={{{', '.join(names)}}}")
    return found


def _window(of: Instruction) -> Sequence[pb.WindowDimension]:
    if not of.window:
        return ()
    try:
        found: Sequence[pb.WindowDimension] = pb.Window.FromString(of.window).dimensions
    except DecodeError:
        return ()
    return found


def _window_text(window: Sequence[pb.WindowDimension]) -> str:
    def by(values: list[str]) -> str:
        return "x".join(values)

    parts = [f"size={by([str(of.size) for of in window])}"]
    if any(of.stride != 1 for of in window):
        parts.append(f"stride={by([str(of.stride) for of in window])}")
    if any(of.padding_low or of.padding_high for of in window):
        parts.append(f"pad={by([f'{of.padding_low}_{of.padding_high}' for of in window])}")
    if any(of.base_dilation > 1 for of in window):
        parts.append(f"lhs_dilate={by([str(of.base_dilation) for of in window])}")
    if any(of.window_dilation > 1 for of in window):
        parts.append(f"rhs_dilate={by([str(of.window_dilation) for of in window])}")
    return " ".join(parts)


def _dimension_numbers(of: Instruction) -> str:
    try:
        if of.opcode == "dot":
            dot = pb.DotDimensionNumbers.FromString(of.dimension_numbers)
            told = {
                "lhs_batch_dims": dot.lhs_batch_dimensions,
                "lhs_contracting_dims": dot.lhs_contracting_dimensions,
                "rhs_batch_dims": dot.rhs_batch_dimensions,
                "rhs_contracting_dims": dot.rhs_contracting_dimensions,
            }
            return ", ".join(f"{name}={{{','.join(map(str, of))}}}" for name, of in told.items() if of)
        numbers = pb.ConvolutionDimensionNumbers.FromString(of.dimension_numbers)
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


def _labels(known: dict[int, str], spatial: Sequence[int]) -> str:
    of = {**{dimension: str(place) for place, dimension in enumerate(spatial)}, **known}
    return "".join(of[dimension] for dimension in sorted(of))
