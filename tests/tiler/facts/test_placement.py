"""Placements of a model's operations: what is placed on no TPU by hand is not judged, whatever it is."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.model_graph import ModelNode, Placement, placement

ELSEWHERE = (
    "/device:CPU:0",
    "/job:worker/replica:0/task:1/device:GPU:2",
    "/cpu:0",
    "/job:ps/cpu:0",
    "/device:XLA_CPU:0",
)
JUDGED = (
    "",
    "/job:worker",
    "/job:worker/replica:0/task:1",
    "/device:TPU:3",
    "/job:w/task:0/device:TPU_SYSTEM:0",
    "/tpu:0",
)


@pytest.mark.parametrize("device", ELSEWHERE)
@pytest.mark.parametrize("op", ["MatMul", "DecodeJpeg"])
def test_operations_on_other_devices_are_not_judged(device: str, op: str) -> None:
    assert placement(ModelNode("a", op, device, ())) is Placement.ELSEWHERE


@pytest.mark.parametrize("device", JUDGED)
def test_all_others_are_judged_by_their_names(device: str) -> None:
    """A job or a task alone says nothing of the kind of device."""
    assert placement(ModelNode("a", "MatMul", device, ())) is Placement.VALID
    assert placement(ModelNode("a", "DecodeJpeg", device, ())) is Placement.INVALID
