"""Words about the operation that a finding names: others that take as much, and copies by XLA's text of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import reading
from tests.tiler.facts.findings.tpu_run import Pod, run, write_hosts
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.findings.named_operation import _host_memory, named_operation_text
from tilescope.tiler.facts.operations.operation import Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpTable

DEVICE, HOST = "f32[5,1024]{1,0:T(8,128)}", "f32[5,1024]{1,0:T(8,128)S(5)}"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (f"%copy-done = {DEVICE} copy-done(({DEVICE}, {HOST}, u32[]{{:S(2)}}) %copy-start)", "from the host's memory"),
        (f"%copy-done.1 = {HOST} copy-done(({HOST}, {DEVICE}, u32[]{{:S(2)}}) %copy-start.1)", "to the host's memory"),
        (f"%copy.7 = {HOST} copy({DEVICE} %fusion)", "to the host's memory"),
        (f"%copy.8 = {DEVICE} copy({HOST} %param)", "from the host's memory"),
        (f"%copy-start = ({HOST}, {DEVICE}, u32[]{{:S(2)}}) copy-start({DEVICE} %fusion)", "to the host's memory"),
        (f"ROOT %copy-start.1 = ({DEVICE}, {HOST}, u32[]) copy-start({HOST} %param)", "from the host's memory"),
        (f"%copy.9 = {DEVICE} copy({DEVICE} %param)", ""),
        ("", ""),
    ],
)
def test_the_memory_of_the_host_is_told_by_layouts(expression: str, words: str) -> None:
    assert _host_memory(expression) == (f"it copies {words}" if words else "")


NOTHING = (None, None, None, (), "", "", "", "")  # of the figures and places of an operation


def copies(name: str, own: int, count: int = 1, expression: str = "") -> list[Operation]:
    """Copies of one name, each in a program of its own."""
    return [
        Operation(OperationMetadata(str(k), k, name, expression, "copy-done", "", *NOTHING), own=own)
        for k in range(count)
    ]


@pytest.mark.parametrize(
    ("operations", "words"),
    [
        (copies("copy.1", 100), ""),
        ([*copies("copy.1", 100), *copies("copy.2", 79)], ""),
        ([*copies("copy.1", 100), *copies("copy.2", 80)], "1 other operation takes about as much"),
        # The one with the longest slice is not always that of most time.
        ([*copies("copy.1", 100), *copies("copy.2", 900)], "1 other operation takes about as much or more"),
        # Programs have instructions of one name.
        ([*copies("copy.1", 100), *copies("copy.1", 9), *copies("copy.2", 20)], ""),
        ([*copies("copy.1", 100, 2), *copies("copy.2", 20)], "1 other operation takes about as much"),
        # As many as are looked at take as much: nobody knows how many more.
        ([*copies("copy.1", 100), *copies("copy.2", 90, 99)], "at least 63 other operations take about as much"),
        ([*copies("copy.1", 100), *copies("copy.2", 90, 63)], "63 other operations take about as much"),
        (
            [*copies("copy.1", 100), *copies("copy.2", 90, 3), *copies("a", 1, 99)],
            "3 other operations take about as much",
        ),
        (
            [*copies("copy.1", 9, 1, f"%copy.1 = {HOST} copy({DEVICE} %a)"), *copies("copy.2", 8)],
            "it copies to the host's memory, and 1 other operation takes about as much",
        ),
        (
            [
                *copies("copy.1", 9, 1, f"%copy.1 = {HOST} copy({DEVICE} %a)"),
                *copies("copy.1", 1, 1, f"%copy.1 = {DEVICE} copy({HOST} %a)"),
            ],
            "",
        ),
    ],
)
def test_operations_that_take_as_much_are_counted(tmp_path: Path, operations: Sequence[Operation], words: str) -> None:
    with reading(write_hosts(run(Pod(hosts=1, chips=1)), tmp_path), tmp_path) as reader:
        assert named_operation_text(reader, OpTable(operations, 1, 1, []), TimePart.COPY, "copy.1") == words
