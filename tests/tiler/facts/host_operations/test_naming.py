"""How operations of hosts are told from other events."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.host_operations import HostOp, OpSource, framework_op, host_op


@pytest.mark.parametrize(
    ("text", "name", "kind", "source"),
    [
        ("model/layer/MatMul_1:MatMul", "model/layer/MatMul_1", "MatMul", "tensorflow"),
        ("n/_1:_HostRecv", "n/_1", "_HostRecv", "tensorflow"),
        ("jit(f)/jit(main)/transpose:transpose[permutation=(0, 3)]", "jit(f)/jit(main)/transpose", "transpose", "jax"),
        ("jit(f)/add:", "jit(f)/add", "add", "jax"),
        ("model/layer/MatMul_1:", "model/layer/MatMul_1", "MatMul", "tensorflow"),
        ("Iterator::Batch::Map", "Iterator::Batch::Map", "Dataset", "dataset"),
        ("MEMCPYHtoD 12", "MEMCPYHtoD 12", "MemcpyHToD", "copy"),
        ("MemcpyD2D", None, None, None),
        ("tsl::profiler::Start", None, None, None),
        ("$train.py:7 step", None, None, None),
        ("PjitFunction(f)", None, None, None),
        ("", None, None, None),
    ],
)
def test_names(text: str, name: str | None, kind: str | None, source: str | None) -> None:
    found = host_op(text)
    assert found == (None if name is None else HostOp(name, str(kind), OpSource(str(source))))


def test_what_an_argument_names_is_an_operation() -> None:
    assert framework_op("dummy") == HostOp("dummy", "", None)
    assert framework_op("a/Add:Add") == HostOp("a/Add", "Add", OpSource.TENSORFLOW)
