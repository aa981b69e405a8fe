"""Words of XLA programs: which program and instruction a kernel runs for, and what names and categories say."""

from __future__ import annotations

from tilescope.tiler.records.device.operations import OperationKind
from tilescope.tiler.records.device.xla_words import (
    is_control,
    is_feed,
    is_outside,
    is_recomputed,
    is_start,
    is_wait,
)


def test_a_kernel_names_its_program_by_id_or_else_by_name() -> None:
    stats = {"hlo_op": "fusion.3", "hlo_module": "jit_step", "program_id": "-1"}
    assert OperationKind(0, stats).instruction == (str((1 << 64) - 1), "fusion.3")
    del stats["program_id"]
    kind = OperationKind(0, stats)
    assert (kind.instruction, kind.module_name) == (("jit_step", "fusion.3"), "jit_step")
    assert OperationKind(0, {"hlo_module": "jit_step", "program_id": "7"}).instruction == ("", "")


def test_categories_of_operations() -> None:
    assert [is_control(category) for category in ("while", "call", "fusion")] == [True, True, False]
    assert [is_feed(category) for category in ("infeed", "outfeed", "copy")] == [True, True, False]
    assert (is_start("copy-start"), is_wait("copy-start")) == (True, False)
    assert (is_start("all-reduce-done"), is_wait("all-reduce-done")) == (False, True)


def test_names_of_what_is_recomputed_or_runs_on_the_host() -> None:
    assert is_recomputed("fusion.3.remat2", "")
    assert is_recomputed("fusion.3", "jit(f)/rematted_computation/add")
    assert not is_recomputed("rematch", "jit(f)/add")
    assert is_outside("f/send:XlaSendToHost", "")
    assert is_outside("", "send(x), is_host_transfer=true")
    assert not is_outside("f/send:XlaSendToHost:0", "is_host_transfer=false")
