"""Members that JSON leaves out where there is nothing."""

from __future__ import annotations

import json

import msgspec

from tilescope.tiler.schema import Group, Track, without_absent


def test_what_is_declared_as_absent_is_left_out_and_other_nulls_stay() -> None:
    group = Group(id=1, parent=None, kind="host", name="a", detail="", rollup=None)
    encoded = json.loads(msgspec.json.encode(group))
    assert without_absent(Group, {**encoded, "missing": None}) == encoded
    assert encoded["parent"] is None
    assert without_absent(Group, {**encoded, "missing": "gone"})["missing"] == "gone"
    track = Track(id=1, group=1, kind="slice", name="t", detail="", rows=1, events="3")
    encoded = json.loads(msgspec.json.encode(track))
    absent = dict.fromkeys(("busy", "first", "last", "frames", "lanes", "min", "max"))
    assert without_absent(Track, {**encoded, **absent}) == encoded
