"""Operations of the framework among events of a host's threads, and their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilescope.tiler.facts.stacks.frame_kinds import is_operator


class OpSource(StrEnum):
    """Whose operation it is."""

    TENSORFLOW = "tensorflow"
    JAX = "jax"
    DATASET = "dataset"  # an iterator of tf.data
    COPY = "copy"  # between host and device
    STAGE = "stage"  # of an input pipeline, which says so itself
    PYTORCH = "pytorch"


DATASET_TYPE: Final = "Dataset"
COPY_TO_DEVICE: Final = "MemcpyHToD"

_COPIES: Final = {text.upper(): text for text in (COPY_TO_DEVICE, "MemcpyDToH", "MemcpyDToD", "MemcpyHToH")}
ITERATOR: Final = "Iterator"
_TENSORFLOW_NAME: Final = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_TENSORFLOW_TYPE: Final = re.compile(r"[A-Z_][A-Za-z0-9_]*")
_JAX_TYPE: Final = re.compile(r"[a-z_][a-z0-9_]*(\[.*\])?")  # "transpose[permutation=(0, 3)]"
# Nodes of autograd have two namespaces, or words around: "torch::autograd::AccumulateGrad".
_PYTORCH_NAME: Final = re.compile(r"[A-Za-z_]\w*::([A-Za-z_]\w*(?:\.\w+)?)")
_NUMBERED: Final = re.compile(r"_[0-9]+$")


@dataclass(frozen=True, slots=True)
class HostOp:
    """An operation as the framework calls it: `name` is its path, `type` what it does."""

    name: str
    type: str
    source: OpSource | None  # None: the framework is not known
    stage: int | None = None  # the number of a stage of an input pipeline
    is_eager: bool = False
    shapes: str = ""  # of its inputs, where calls are told apart by these: "[[4096, 512], [512, 2048]]"


def host_op(text: str) -> HostOp | None:
    """The operation that an event of this name is: "name:type" as a rule; None: it is none."""
    name, colon, kind = text.partition(":")
    if not colon:
        of_copies = _COPIES.get(text[: len(COPY_TO_DEVICE)].upper())
        return None if of_copies is None else HostOp(text, of_copies, OpSource.COPY)
    if name == ITERATOR:
        return HostOp(text, DATASET_TYPE, OpSource.DATASET)
    if _TENSORFLOW_TYPE.fullmatch(kind) and _TENSORFLOW_NAME.fullmatch(name):
        return HostOp(name, kind, OpSource.TENSORFLOW)
    op_type = kind or derived_type(name)
    if _JAX_TYPE.fullmatch(op_type):
        return HostOp(name, op_type.partition("[")[0], OpSource.JAX)
    return None if kind else HostOp(name, op_type, OpSource.TENSORFLOW)


def framework_op(text: str) -> HostOp:
    """The operation that an argument `tf_op` names, whatever it is called."""
    return host_op(text) or HostOp(text, pytorch_type(text), None)


def pytorch_op(text: str, category: str) -> HostOp | None:
    """The operator of PyTorch that a slice of a host is; None: it is none."""
    return HostOp(text, pytorch_type(text), OpSource.PYTORCH) if is_operator(text, category) else None


def pytorch_type(text: str) -> str:
    """Type of an operator of PyTorch, by its name: "aten::mm" does mm; empty: it is called otherwise."""
    match = _PYTORCH_NAME.fullmatch(text)
    return "" if match is None else match[1]


def launching_operator(operators: Sequence[str]) -> str:
    """The innermost operator of PyTorch; a library's call in it, as `aclnnMm` in `aten::mm`, if alone; "": none."""
    return operators[launching_place(operators)] if operators else ""


def launching_place(operators: Sequence[str]) -> int:
    """The place of `launching_operator` in operators in each other, of which there is one at least."""
    named = (place for place in reversed(range(len(operators))) if pytorch_type(operators[place]))
    return next(named, len(operators) - 1)


def derived_type(name: str) -> str:
    """Type of an operation, by its name alone: "model/layer/MatMul_1" does MatMul."""
    return _NUMBERED.sub("", name.rpartition("/")[2])
