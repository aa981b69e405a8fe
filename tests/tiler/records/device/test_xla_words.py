"""Words of XLA programs: stats, and what names and categories say."""

from __future__ import annotations

import re

import pytest

from tilescope.tiler.details.instruction_stats import CATEGORY
from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.facts.work.other_rules import XLA
from tilescope.tiler.records.device.xla_words import (
    ALL_REDUCE_ID,
    CUSTOM_CALL,
    DMA_STALL,
    is_control,
    is_exchange,
    is_feed,
    is_outside,
    is_recomputed,
    is_start,
    is_wait,
)


def test_words_are_those_of_xla() -> None:
    """Makers of records and their proof share these, so that neither would notice a wrong one."""
    assert CATEGORY == "hlo_category"
    assert ALL_REDUCE_ID == "all_reduce_unique_id"
    assert DMA_STALL == "dma_stall_duration_ps"
    assert CUSTOM_CALL == "custom-call"


def test_categories_of_operations() -> None:
    assert [is_control(category) for category in ("while", "call", "fusion")] == [True, True, False]
    assert [is_feed(category) for category in ("infeed", "outfeed", "copy")] == [True, True, False]
    assert (is_start("copy-start"), is_wait("copy-start")) == (True, False)
    assert (is_start("all-reduce-done"), is_wait("all-reduce-done")) == (False, True)


@pytest.mark.parametrize("end", ["", "-start", "-done", " fusion"])
@pytest.mark.parametrize(
    "name", ["all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-permute", "send"]
)
def test_what_moves_values_between_devices_is_communication(name: str, end: str) -> None:
    """The rules by which kinds of work are told say the same of it."""
    assert is_exchange(name + end)
    assert [rule.kind for rule in XLA if re.search(rule.pattern, name + end)] == [Work.COMMUNICATION]


@pytest.mark.parametrize("category", ["host send", "host recv-done", "infeed", "loop fusion", "copy-start", "sendto"])
def test_what_stays_on_a_device_or_goes_to_its_host_is_not(category: str) -> None:
    assert not is_exchange(category)
    assert not [rule.kind for rule in XLA if re.search(rule.pattern, category) and rule.kind is Work.COMMUNICATION]


def test_names_of_what_is_recomputed_or_runs_on_the_host() -> None:
    assert is_recomputed("fusion.3.remat2", "")
    assert is_recomputed("fusion.3", "jit(f)/rematted_computation/add")
    assert not is_recomputed("rematch", "jit(f)/add")
    assert is_outside("f/send:XlaSendToHost", "")
    assert is_outside("", "send(x), is_host_transfer=true")
    assert not is_outside("f/send:XlaSendToHost:0", "is_host_transfer=false")
