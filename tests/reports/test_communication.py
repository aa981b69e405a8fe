"""Which kernels communicate, whichever library launches them."""

from __future__ import annotations

from tests.reports.traces import Open, answer


def test_communication_without_nccl(open_by_name: Open) -> None:
    found = answer(open_by_name("communication_without_nccl.json"), "overlap")
    facts = {fact.id: fact.value for fact in found.facts}
    us = 1000  # ticks
    assert (facts["computation"], facts["busy"]) == (600 * us, 1100 * us)
    assert facts["exposed_communication"] == 500 * us
    assert facts["overlap"] == 0.5
    (communication,) = [column for column in found.table("devices").columns if column.id == "communication"]
    assert communication.values == [1000 * us]
