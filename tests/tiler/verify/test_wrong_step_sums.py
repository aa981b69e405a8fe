"""Sums of operations in steps that are other ones than the operations say are noticed, whichever column is wrong."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.verify.altered_store import AlteredStore
from tests.tpu_trace import Instruction, Run, plane, random_core, write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.device.step_sums import STEP_SUMS, StepSums
from tilescope.tiler.verify import verify_store


@pytest.fixture(scope="module")
def tpu(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("run")
    rng = random.Random(5)
    reducing = [Instruction("all-reduce.1", {"hlo_category": "all-reduce"}), Instruction("7")]
    lines = {"XLA Ops": [Run(0, 3 * k, 4, reduce=k % 2) for k in range(9)], "Steps": [Run(1, 1, 8), Run(1, 7, 12)]}
    without = {"XLA Ops": [Run(0, 3 * k, 4) for k in range(9)]}
    planes = [random_core(rng, 0), random_core(rng, 1), plane("/device:TPU:2", reducing, lines)]
    write_trace(folder / "t.xplane.pb", [*planes, plane("/device:TPU:3", reducing, without)])
    build_store([folder / "t.xplane.pb"], folder / "store")
    return AlteredStore(folder / "store")


def record(store: AlteredStore) -> tuple[bytes, int, StepSums]:
    """That of the third device, whose operations are all-reduces."""
    key, value = list(store.records(b"Z").items())[-1]
    track = int.from_bytes(key[1:], "big")
    return key, track, StepSums.decode(decompress(value), track)


def test_lines_of_operations_of_devices_that_have_steps(tpu: AlteredStore) -> None:
    assert verify_store(tpu.path).operations
    assert len(tpu.records(b"Z")) == 3
    _, _, found = record(tpu)
    assert found.categories == ("all-reduce",)
    assert list(zip(found.start.tolist(), found.stop.tolist(), strict=True)) == [(1, 7), (7, 19)]
    assert len(found.reduce_id) == 4


@pytest.mark.parametrize(
    "column", [name for name in StepSums.__slots__ if name not in ("categories", "reduce_category", "counts")]
)
def test_sums_that_are_others(tpu: AlteredStore, column: str) -> None:
    key, track, sums = record(tpu)
    values = getattr(sums, column).copy()
    values[0] += -1 if column == "stop" else 1
    wrong = dataclasses.replace(sums, **{column: values})
    with (
        tpu.replaced({key: compress(wrong.encode(track))}),
        pytest.raises(DamagedStore, match=rf"sums in steps of the operations of track {track} are other ones"),
    ):
        verify_store(tpu.path)


def test_other_counts(tpu: AlteredStore) -> None:
    key, track, sums = record(tpu)
    assert sums.counts is not None
    counts = [sums.counts.step.tolist(), sums.counts.kind.tolist(), sums.counts.count.tolist()]
    assert counts == [[0, 1], [0, 0], [2, 4]]
    for name in ("step", "kind", "count"):
        values = getattr(sums.counts, name).copy()
        values[-1] += -1 if name == "step" else 1
        wrong = dataclasses.replace(sums, counts=structs.replace(sums.counts, **{name: values}))
        with tpu.replaced({key: compress(wrong.encode(track))}), pytest.raises(DamagedStore, match="are other ones"):
            verify_store(tpu.path)
    wrong = dataclasses.replace(sums, counts=None)
    with tpu.replaced({key: compress(wrong.encode(track))}), pytest.raises(DamagedStore, match="are other ones"):
        verify_store(tpu.path)


def test_other_categories(tpu: AlteredStore) -> None:
    key, track, sums = record(tpu)
    wrong = dataclasses.replace(sums, categories=("all-gather",))
    with tpu.replaced({key: compress(wrong.encode(track))}), pytest.raises(DamagedStore, match="are other ones"):
        verify_store(tpu.path)


def test_sums_that_are_missing_or_of_nothing(tpu: AlteredStore) -> None:
    key, track, sums = record(tpu)
    with tpu.replaced({key: None}), pytest.raises(DamagedStore, match=rf"of track {track} are missing"):
        verify_store(tpu.path)
    more = {STEP_SUMS.key(track + 1): compress(sums.encode(track + 1))}
    with tpu.replaced(more), pytest.raises(DamagedStore, match="should not be there"):
        verify_store(tpu.path)
    assert np.count_nonzero(sums.own) == len(sums.own)
