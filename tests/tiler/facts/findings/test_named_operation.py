"""Words about copies between the memories of hosts and devices, by XLA's text of them."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.findings.named_operation import _host_memory

DEVICE, HOST = "f32[5,1024]{1,0:T(8,128)}", "f32[5,1024]{1,0:T(8,128)S(5)}"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (f"%copy-done = {DEVICE} copy-done(({DEVICE}, {HOST}, u32[]{{:S(2)}}) %copy-start)", "from the host's memory"),
        (f"%copy-done.1 = {HOST} copy-done(({HOST}, {DEVICE}, u32[]{{:S(2)}}) %copy-start.1)", "to the host's memory"),
        (f"%copy.7 = {HOST} copy({DEVICE} %fusion)", "to the host's memory"),
        (f"%copy.8 = {DEVICE} copy({HOST} %param)", "from the host's memory"),
        (f"%copy.9 = {DEVICE} copy({DEVICE} %param)", ""),
        ("", ""),
    ],
)
def test_the_memory_of_the_host_is_told_by_layouts(expression: str, words: str) -> None:
    assert _host_memory(expression) == (f"it copies {words}" if words else "")
