"""Groups of devices in the text of instructions, in each form that XLA prints, against plain Python."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.hlo.replica_groups import ReplicaGroups, UnreadGroups, groups_text, replica_groups


def instruction(listed: str) -> str:
    return f"%all-reduce.1 = f32[1024]{{0:T(1024)}} all-reduce(%bn), {listed}, to_apply=%add"


def parsed_groups(expression: str) -> ReplicaGroups | None:
    return replica_groups(groups_text(expression))


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
        ("replica_groups=mesh['x'=2, 'y'=4] {}", [0, 1, 2, 3, 4, 5, 6, 7]),
        # One group alone.
        ("replica_groups={{0,1,2,3}}", None),
        ("replica_groups={}", None),
        ("replica_groups=[1,16]<=[16]", None),
        ("replica_groups=mesh['x'=2,'y'=4] {'x','y'}", None),
        ("source_target_pairs={{0,1},{1,2},{2,0}}", None),
        ("", None),
    ],
)
def test_groups_as_xla_prints_them(listed: str, group: list[int] | None) -> None:
    assert groups_of(parsed_groups(instruction(listed))) == group


@pytest.mark.parametrize(
    "listed",
    [
        "[4,2]<=[9]",
        "[2,2]<=[2,2]T(0,0)",
        "[2,2]<=[4]T(0",
        "[0,0]<=[0]",
        "[1024,1024]<=[1048576]",
        "{{0},{999999999}}",
        "{{0,1},{2,3",
        "{{0,1},x}",
        "mesh[]",
        "mesh['x'=0] {'x'}",
        "mesh['x'=4,'y'=2] {'x':(2)2}",
        "mesh['x'=4,'y'=2], device_ids=([8]) {'x'}",
        "mesh[x=4,y=2] {x}",
        "mesh['x'=4,'y'=2] {'z'}",
        "mesh['x'=4,'x'=2] {'x'}",
        "groups",
    ],
)
def test_what_is_not_understood_is_not_one_group(listed: str) -> None:
    with pytest.raises(UnreadGroups):
        parsed_groups(instruction(f"replica_groups={listed}"))


def test_equal_groups_have_equal_texts() -> None:
    """Whatever the instructions are called: groups are kept by these."""
    listed = "channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true"
    assert groups_text(f"%a = f32[1] all-reduce(%x), {listed}") == groups_text(f"%b = f32[2] all-reduce(%y), {listed}")
    assert groups_text(f"%a, {listed}") != groups_text(f"%a, {listed.removesuffix(', use_global_device_ids=true')}")


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
    parsed = parsed_groups(instruction(ids))
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
    grid = parsed_groups(instruction(f"replica_groups=[{groups},{each}]<=[{dimensions}]T({transposed})"))
    assert groups_of(grid) == groups_of(parsed_groups(instruction(f"replica_groups={{{listed}}}")))
    assert (grid is None) == (groups == 1)


@given(st.text(alphabet="replica_groups=[]{}<,0123456789 mesh'T()", max_size=300))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_has_an_answer(text: str) -> None:
    try:
        parsed = parsed_groups(f"replica_groups={text}")
    except UnreadGroups:
        return
    assert parsed is None or parsed.group.max() > 0
