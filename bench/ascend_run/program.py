"""Program of a step: the operators of a pipeline stage, in the order in which a device begins them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

from bench.ascend_run.shape import AscendShape

Core = Literal["AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_CPU", "HCCL"]
Part = Literal["data", "forward", "backward", "update"]

# Streams of a device; those of communication follow.
COMPUTE_STREAM: Final = 2
CPU_STREAM: Final = 4
REDUCE_STREAM: Final = 10
RECEIVE_STREAM: Final = 12
SEND_STREAM: Final = 13

_NET: Final = "Default/network-TrainOneStepCell/network-WithLossCell/_backbone-Transformer"
_OPTIMIZER: Final = "Default/network-TrainOneStepCell/optimizer-Momentum"
_BATCH, _WIDTH, _INNER = 512, 1024, 4096


@dataclass(frozen=True, slots=True)
class Tensor:
    shape: tuple[int, ...]
    dtype: Literal["FLOAT16", "FLOAT", "INT32", "UINT8"] = "FLOAT16"

    @property
    def dims(self) -> str:
        return ",".join(map(str, self.shape))

    @property
    def size_bytes(self) -> int:
        size = {"FLOAT16": 2, "FLOAT": 4, "INT32": 4, "UINT8": 1}[self.dtype]
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator; its typical time in ticks."""

    scope: str
    name: str  # within its scope: `MatMul-op12`
    kind: str
    core: Core
    part: Part
    layer: int
    typical: int
    stream: int
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    cube_flops: int = 0  # a multiple of 1,000, as vector_flops: files round to that
    vector_flops: int = 0
    beside: bool = False  # runs at the same time as the next one

    @property
    def full_name(self) -> str:
        return f"{self.scope}/{self.name}"

    @property
    def is_kernel(self) -> bool:
        """On AI cores: what FLOPs and aicore files are about."""
        return self.core not in ("AI_CPU", "HCCL")


@dataclass(frozen=True)
class Program:
    """Operators of a stage; `order[part]`: places of the computing ones."""

    stage: int
    operators: tuple[Operator, ...]
    order: dict[Part, tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        places = enumerate(self.operators)
        order: dict[Part, list[int]] = {"data": [], "forward": [], "backward": [], "update": []}
        for place, operator in places:
            if operator.core != "HCCL":
                order[operator.part].append(place)
        object.__setattr__(self, "order", {part: tuple(places) for part, places in order.items()})

    @cached_property
    def communications(self) -> tuple[int, ...]:
        """Places of communication, in the order of their numbers."""
        return tuple(place for place, operator in enumerate(self.operators) if operator.core == "HCCL")

    @cached_property
    def layer_ends(self) -> dict[int, int]:
        """The place of the last computing operator of each layer's backward part, by layer."""
        return {self.operators[place].layer: place for place in self.order["backward"]}

    def places(self, kind: str, part: Part | None = None) -> list[int]:
        return [
            place
            for place, operator in enumerate(self.operators)
            if operator.kind == kind and part in (None, operator.part)
        ]


def stage_program(shape: AscendShape, stage: int) -> Program:
    """The operators of one step; numbers in their names go through all stages, as a compiler gives them."""
    operators = enumerate(_operators(shape, stage), stage * 10_000)
    named = (replace(operator, name=f"{operator.kind}-op{number}") for number, operator in operators)
    return Program(stage, tuple(named))


def _operators(shape: AscendShape, stage: int) -> Iterator[Operator]:
    first, last = stage == 0, stage == shape.stages - 1
    activation = Tensor((_BATCH, _WIDTH))
    yield Operator("Default", "", "GetNext", "AI_CPU", "data", 0, 30, CPU_STREAM, outputs=(activation,))
    yield _vector(_NET, "Cast", "forward", 0, 400, (Tensor((_BATCH, _WIDTH), "FLOAT"),), (activation,))
    if not first:
        yield _communication("Receive", "forward", RECEIVE_STREAM, activation)
    for layer in range(shape.layers):
        yield from _forward(f"{_NET}/layer{stage * shape.layers + layer}-Block", layer)
    if not last:
        yield _communication("Send", "forward", SEND_STREAM, activation)
        yield _communication("Receive", "backward", RECEIVE_STREAM, activation)
    for layer in reversed(range(shape.layers)):
        scope = f"Gradients/{_NET}/layer{stage * shape.layers + layer}-Block"
        yield from _backward(scope, layer)
        if layer % shape.reduce_every == 0:
            weights = Tensor((_WIDTH, _INNER * min(shape.reduce_every, shape.layers - layer)))
            yield _communication("AllReduce", "backward", REDUCE_STREAM, weights, layer)
    if not first:
        yield _communication("Send", "backward", SEND_STREAM, activation)
    for layer in range(shape.layers):
        yield from _update(layer)
    yield _vector(_OPTIMIZER, "AssignAdd", "update", shape.layers - 1, 125, (Tensor((1,), "INT32"),) * 2)


def _forward(scope: str, layer: int) -> Iterator[Operator]:
    narrow, wide = Tensor((_BATCH, _WIDTH)), Tensor((_BATCH, _INNER))
    yield _vector(f"{scope}/norm-LayerNorm", "LayerNorm", "forward", layer, 900, (narrow,), (narrow,))
    yield _cube(f"{scope}/inner-Dense", "forward", layer, 4_000, (narrow, Tensor((_WIDTH, _INNER))), wide)
    yield _vector(f"{scope}/inner-Dense", "BiasAdd", "forward", layer, 700, (wide, Tensor((_INNER,))), (wide,))
    # On a processor of its own, while the next one runs.
    mask = Tensor((_BATCH * _INNER // 8,), "UINT8")
    yield Operator(
        f"{scope}/dropout-Dropout", "", "DropoutGenMask", "AI_CPU", "forward", layer, 300, CPU_STREAM,
        outputs=(mask,), beside=True,
    )  # fmt: skip
    yield _vector(scope, "GeLU", "forward", layer, 1_100, (wide,), (wide,))
    yield _cube(f"{scope}/outer-Dense", "forward", layer, 3_900, (wide, Tensor((_INNER, _WIDTH))), narrow)
    yield _vector(f"{scope}/dropout-Dropout", "DropoutDoMask", "forward", layer, 650, (narrow, mask), (narrow,))


def _backward(scope: str, layer: int) -> Iterator[Operator]:
    narrow, wide = Tensor((_BATCH, _WIDTH)), Tensor((_BATCH, _INNER))
    weight = Tensor((_WIDTH, _INNER))
    yield _cube(f"{scope}/outer-Dense/gradMatMul", "backward", layer, 4_100, (narrow, weight), wide)
    yield _vector(f"{scope}/gradGeLU", "GeLUGrad", "backward", layer, 1_300, (wide, wide), (wide,))
    yield _cube(f"{scope}/inner-Dense/gradMatMul", "backward", layer, 4_200, (wide, weight), narrow)
    yield _cube(f"{scope}/inner-Dense/gradMatMul", "backward", layer, 4_300, (narrow, wide), weight, "MIX_AIC")
    bias = Tensor((_INNER,))
    yield _vector(f"{scope}/inner-Dense/gradBiasAdd", "BiasAddGrad", "backward", layer, 800, (wide,), (bias,))
    norm = f"{scope}/norm-LayerNorm/gradLayerNorm"
    yield _vector(norm, "LayerNormGrad", "backward", layer, 1_000, (narrow, narrow), (narrow,))


def _update(layer: int) -> Iterator[Operator]:
    weight = Tensor((_WIDTH, _INNER), "FLOAT")
    yield _vector(_OPTIMIZER, "Mul", "update", layer, 350, (weight, Tensor((), "FLOAT")), (weight,))
    yield _vector(_OPTIMIZER, "ApplyMomentum", "update", layer, 600, (weight, weight), (weight,))


def _vector(
    scope: str,
    kind: str,
    part: Part,
    layer: int,
    typical: int,
    inputs: tuple[Tensor, ...],
    outputs: tuple[Tensor, ...] = (),
) -> Operator:
    outputs = outputs or inputs[:1]
    elements = max(tensor.size_bytes for tensor in inputs) // 2
    flops = (elements * 4 // 1000 + 1) * 1000
    core: Core = "AI_VECTOR_CORE"
    return Operator(
        scope, "", kind, core, part, layer, typical, COMPUTE_STREAM, inputs, outputs, vector_flops=flops
    )  # fmt: skip


def _cube(
    scope: str,
    part: Part,
    layer: int,
    typical: int,
    inputs: tuple[Tensor, ...],
    output: Tensor,
    core: Core = "AI_CORE",
) -> Operator:
    """A product of matrices; as run, and so padded to whole cubes of 16."""
    flops = 2 * _BATCH * _WIDTH * _INNER // 1000 * 1000 + 4_096_000
    vector = 64_000 if core == "MIX_AIC" else 0
    return Operator(
        scope, "", "MatMul", core, part, layer, typical, COMPUTE_STREAM, inputs, (output,), flops, vector
    )  # fmt: skip


def _communication(kind: str, part: Part, stream: int, tensor: Tensor, layer: int = 0) -> Operator:
    return Operator("Default", "", kind, "HCCL", part, layer, 0, stream, (tensor,), (tensor,))
