"""Kinds of names on threads of hosts, and of names that look like them."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.query import Name


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("cudaMalloc", HostKind.ALLOCATION),
        ("cudaMallocAsync", HostKind.ALLOCATION),
        ("cudaMallocHost", HostKind.NONE),
        ("cudaFreeHost", HostKind.NONE),
        ("MemcpyD2H", HostKind.SYNC),
        ("cuMemcpyDtoHAsync_v2", HostKind.NONE),
        ("aten::item", HostKind.SYNC),
        ("aten::items", HostKind.NONE),
        ("torch/_inductor/compile_fx.py(512): compile_fx", HostKind.COMPILATION),
        ("torch/_inductor/compile_fx.py(512): decorate", HostKind.NONE),
        ("train.py(7): save_checkpoint", HostKind.PAUSE),
        ("train.py(7): SAVE", HostKind.PAUSE),
        ("torch/utils/checkpoint.py(42): recompute_fn", HostKind.NONE),
        ("CheckpointFunctionBackward", HostKind.NONE),
        ("Built-in function collect: gc.collect", HostKind.PAUSE),
        ("gloo:all_reduce", HostKind.COLLECTIVE),
        ("data_loader.py(3): worker", HostKind.INPUT),
        ("Metadata_loader", HostKind.NONE),
        ("", HostKind.NONE),
    ],
)
def test_names(text: str, kind: HostKind) -> None:
    assert host_kinds([Name(text, "")]) == [kind]
