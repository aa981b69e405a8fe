"""The budget of memory has a module of the name that it had in version 0.2.0, for format packages of that time."""

from __future__ import annotations

from tilescope.tiler.readers import memory_budget, room


def test_both_modules_give_the_same_room() -> None:
    assert room.Room is memory_budget.Room


def test_the_old_name_has_all_constants() -> None:
    public = {name for name in vars(memory_budget) if name.isupper() and not name.startswith("_")}
    assert {*public, "Room"} == set(room.__all__)
    assert all(getattr(room, name) is getattr(memory_budget, name) for name in public)
