"""Groups of devices in the text of instructions, in each form that XLA prints, against plain Python."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.hlo.replica_groups import ReplicaGroups, replica_groups


def instruction(listed: str) -> str:
    return f"%all-reduce.1 = f32[1024]{{0:T(1024)}} all-reduce(%bn), {listed}, to_apply=%add"


def groups_of(parsed: ReplicaGroups | None) -> list[int] | None:
    return None if parsed is None else parsed.group.tolist()


@pytest.mark.parametrize(
    ("listed", "group"),
    [
        ("replica_groups={{0,1},{2,3}}", [0, 0, 1, 1]),
        ("replica_groups={{0,4},{1,5}}", [0, 1, -1, -1, 0, 1]),
        ("replica_groups={{ 0, 1 }, {}, {2}}, dimensions={7}", [0, 0, 1]),
        ("replica_groups=[2,2]<=[4]", [0, 0, 1, 1]),
        ("replica_groups=[4,2]<=[2,4]T(1,0)", [0, 1, 2, 3, 0, 1, 2, 3]),
        ("replica_groups=mesh['x'=2,'y'=4] {'y'}", [0, 0, 0, 0, 1, 1, 1, 1]),
        ("replica_groups=mesh['x'=2,'y'=4] {'x'}", [0, 1, 2, 3, 0, 1, 2, 3]),
        # One group alone, and what makes no sense.
        ("replica_groups={{0,1,2,3}}", None),
        ("replica_groups={}", None),
        ("replica_groups=[1,16]<=[16]", None),
        ("replica_groups=mesh['x'=2,'y'=4] {'x','y'}", None),
        ("replica_groups=[4,2]<=[9]", None),
        ("replica_groups=[2,2]<=[2,2]T(0,0)", None),
        ("replica_groups=[0,0]<=[0]", None),
        ("replica_groups=mesh[]", None),
        ("replica_groups={{0},{999999999}}", None),
        ("source_target_pairs={{0,1},{1,2},{2,0}}", None),
        ("", None),
    ],
)
def test_groups_as_xla_prints_them(listed: str, group: list[int] | None) -> None:
    assert groups_of(replica_groups(instruction(listed))) == group


@pytest.mark.parametrize(
    ("ids", "of_device"),
    [
        # Two replicas of two partitions: of groups of replicas each partition has its own.
        ("replica_groups={{0},{1}}", [0, 1, 2, 3]),
        ("channel_id=1, replica_groups={{0},{1}}", [0, 0, 1, 1]),
        ("channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true", [0, 1, 1, 0]),
    ],
)
def test_ids_are_of_replicas_or_of_all_devices(ids: str, of_device: list[int]) -> None:
    parsed = replica_groups(instruction(ids))
    assert parsed is not None
    places = [(replica, partition) for replica in range(2) for partition in range(2)]
    assert [parsed.group_of(*place, 2) for place in places] == of_device
    assert parsed.group_of(-1, 0, 2) == -1
    assert parsed.group_of(7, 0, 2) == -1


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4), order=st.randoms(use_true_random=False), cut=st.data()
)
@settings(max_examples=examples(100), deadline=None)
def test_grids_and_lists_say_the_same(sizes: list[int], order: random.Random, cut: st.DataObject) -> None:
    count = math.prod(sizes)
    axes = list(range(len(sizes)))
    order.shuffle(axes)
    places: list[tuple[int, ...]] = [()]
    for size in [sizes[axis] for axis in axes]:
        places = [(*place, index) for place in places for index in range(size)]
    ids = []
    for place in places:
        of_axis = dict(zip(axes, place, strict=True))
        number = 0
        for axis, size in enumerate(sizes):
            number = number * size + of_axis[axis]
        ids.append(number)
    groups = cut.draw(st.sampled_from([number for number in range(1, count + 1) if count % number == 0]))
    each = count // groups
    listed = ",".join("{" + ",".join(map(str, ids[k * each : (k + 1) * each])) + "}" for k in range(groups))
    dimensions, transposed = ",".join(map(str, sizes)), ",".join(map(str, axes))
    grid = replica_groups(instruction(f"replica_groups=[{groups},{each}]<=[{dimensions}]T({transposed})"))
    assert groups_of(grid) == groups_of(replica_groups(instruction(f"replica_groups={{{listed}}}")))
    assert (grid is None) == (groups == 1)


@given(st.text(alphabet="replica_groups=[]{}<,0123456789 mesh'T()", max_size=300))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_has_an_answer(text: str) -> None:
    parsed = replica_groups(f"replica_groups={text}")
    assert parsed is None or parsed.group.max() > 0
