"""Names that differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.distinct_names import DistinctNames


def distinct(names: list[str]) -> list[str]:
    given_names = DistinctNames()
    return [given_names.add(name) for name in names]


def test_all_but_the_first_have_numbers() -> None:
    assert distinct(["vm", "b", "vm", "vm", "b", ""]) == ["vm", "b", "vm (2)", "vm (3)", "b (2)", ""]


def test_a_number_that_is_part_of_a_name_is_left_out() -> None:
    assert distinct(["vm", "vm (2)", "vm"]) == ["vm", "vm (2)", "vm (3)"]
    assert distinct(["vm", "vm", "vm (2)", "vm"]) == ["vm", "vm (2)", "vm (2) (2)", "vm (3)"]


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "a (2) (2)", "b", ""]), max_size=30))
def test_no_two_are_the_same(names: list[str]) -> None:
    assert len(set(distinct(names))) == len(names)
    assert all(given_name.startswith(name) for given_name, name in zip(distinct(names), names, strict=True))
