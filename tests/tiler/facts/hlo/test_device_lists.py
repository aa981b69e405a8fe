"""Lists of devices in the text of instructions, as XLA prints them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.hlo.device_lists import listed_devices


@pytest.mark.parametrize(
    ("listed", "count"),
    [
        ("channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true", 8),
        ("replica_groups=[1,16]<=[16], to_apply=%add", 16),
        ("replica_groups={{0,1},{2,3}}, to_apply=%add", 4),
        ("replica_groups={{0,4},{1,5}}", 6),
        ("replica_groups={{ 0, 1 }}", 2),
        ("replica_groups={}, to_apply=%add", 0),
        ("replica_groups=mesh['axis_0'=2,'axis_1'=4] {'axis_1'}", 8),
        ("replica_groups=mesh[]", 0),
        ("source_target_pairs={{0,1},{1,2},{2,0}}", 3),
        ("dimensions={17}", 0),
        ("not_replica_groups=[8,8]<=[64]", 0),
        ("", 0),
    ],
)
def test_lists_as_xla_prints_them(listed: str, count: int) -> None:
    assert listed_devices(f"%all-reduce.1 = f32[1024]{{0:T(1024)}} all-reduce(%bn), {listed}") == count


@given(groups=st.integers(1, 6), size=st.integers(1, 8), order=st.randoms())
@settings(max_examples=examples(100), deadline=None)
def test_groups_and_grids_say_the_same(groups: int, size: int, order: random.Random) -> None:
    ids = list(range(groups * size))
    order.shuffle(ids)
    text = ",".join("{" + ",".join(map(str, ids[k * size : (k + 1) * size])) + "}" for k in range(groups))
    assert listed_devices(f"replica_groups={{{text}}}") == groups * size
    assert listed_devices(f"replica_groups=[{groups},{size}]<=[{groups * size}]") == groups * size


@given(st.text(alphabet="replica_groups=[]{}<,0123456789 mesh'", max_size=300))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_has_an_answer(text: str) -> None:
    assert listed_devices(f"replica_groups={text}") >= 0
