"""Tracks, groups and manifests that are decoded: the fields of what is stored, with integers in place of text."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
from msgspec import UNSET, Struct

from tests.server.fakes import FakeStore
from tilescope.tiler import schema
from tilescope.tiler.schema import RunManifest, TreeGroup, TreeMembers, TreeTrack, decode_tracks

GROUP: Final = {"id": 0, "parent": None, "kind": "process", "name": "p", "detail": "d", "rollup": 2}
TRACK: Final[dict[str, Any]] = {
    "id": 0, "group": 0, "kind": "slice", "name": "t", "detail": "", "rows": 3, "events": "9007199254740993",
    "busy": "36893488147419103232", "first": "-1", "last": "9223372036854775807", "frames": True,
}  # fmt: skip
COUNTER: Final[dict[str, Any]] = {
    "id": 1, "group": 0, "kind": "counter", "name": "c", "detail": "", "rows": 1, "events": "0", "busy": "0",
    "min": -0.5, "max": None,
}  # fmt: skip
TREE: Final = {"groups": [GROUP], "tracks": [TRACK, COUNTER]}


def field_names(struct: type[Struct]) -> set[str]:
    return set(struct.__struct_fields__)


def texts_of(struct: type[Struct]) -> set[str]:
    """The fields of a struct that are decimal text in JSON."""
    numbers = {field.name: msgspec.json.schema(field.type) for field in msgspec.structs.fields(struct)}
    return {name for name, types in numbers.items() if "[0-9]+" in json.dumps(types)}


def test_fields_are_those_of_what_is_stored() -> None:
    assert field_names(TreeTrack) == field_names(schema.Track)
    assert field_names(TreeGroup) == field_names(schema.Group)
    assert field_names(schema.EventTotals) == field_names(schema.EventCounts)
    assert field_names(RunManifest) < field_names(schema.StoredManifest) | {"store_bytes"}


def test_text_is_decoded_where_it_stands_for_an_integer() -> None:
    assert TreeTrack.as_text == texts_of(schema.Track)
    assert TreeGroup.as_text == texts_of(schema.Group) == set()
    manifest = RunManifest.from_json(FakeStore().manifest())
    for name in field_names(RunManifest) & texts_of(schema.Manifest) - {
        "outliers",
        "steps",
        "events",
        "flows",
        "ignored",
    }:
        assert type(getattr(manifest, name)) is int, name
    assert [type(count) for count in (*msgspec.structs.astuple(manifest.events), *manifest.ignored.values())] == [
        int
    ] * 8


def test_integers_of_any_size() -> None:
    track, counter = TreeMembers.decode(json.dumps(TREE).encode()).tracks
    assert (track.events, track.busy, track.first, track.last) == (2**53 + 1, 2**65, -1, 2**63 - 1)
    assert (counter.min, counter.max, counter.first, counter.lanes) == (-0.5, None, UNSET, UNSET)


@pytest.mark.parametrize("record", [TRACK, COUNTER])
def test_fields_by_name_are_as_json_has_them(record: dict[str, Any]) -> None:
    """Tools of other packages were given dicts in version 0.2."""
    (track,) = decode_tracks(json.dumps([record]).encode())
    assert {name: track[name] for name in track} == dict(track.items()) == dict(track) == record
    assert (track.values(), len(track)) == (list(dict(track).values()), len(record))
    for name in TreeTrack.__struct_fields__:
        assert (name in track) is (name in record)
        assert track.get(name, "absent") == record.get(name, "absent")
        if name not in record:
            with pytest.raises(KeyError, match=name):
                track[name]
    with pytest.raises(KeyError, match="as_text"):
        track["as_text"]
    assert dict(TreeMembers.from_json(TREE).groups[0]) == GROUP


def test_text_that_only_python_reads() -> None:
    """A store may come from anybody: with text that no UTF-8 has, and with numbers that are none."""
    text = json.dumps(TREE).replace("-0.5", "NaN").replace('"c"', r'"c \ud800"').encode()
    counter = TreeMembers.decode(text).tracks[1]
    assert counter.name == "c \ud800"
    assert str(counter.min) == "nan"


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"[" * 100, b'{"groups": [], "tracks": [{}]}', json.dumps(TREE).replace("-1", "x").encode()]
)
def test_what_is_no_tree(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"`|JSON|line"):
        TreeMembers.decode(text)


@pytest.mark.parametrize("number", ["1.0", '"1.0"', '"1e3"', "9007199254740992.0"])
@pytest.mark.parametrize("name", ["events", "first", "rows", "group"])
def test_no_integer_passes_through_a_float(name: str, number: str) -> None:
    record = {**TRACK, name: "here"}
    text = json.dumps({"groups": [GROUP], "tracks": [record]}).replace('"here"', number)
    for read in (TreeMembers.decode, lambda text: TreeMembers.from_json(json.loads(text))):
        with pytest.raises(ValueError, match=name):
            read(text.encode())
    with pytest.raises(ValueError, match=name):
        decode_tracks(json.dumps([record]).replace('"here"', number).encode())


@pytest.mark.parametrize("number", [1.0, "1.0", "1e3"])
@pytest.mark.parametrize("name", ["start", "end", "origin_ns", "tick_ps"])
def test_no_figure_of_a_manifest_passes_through_a_float(name: str, number: object) -> None:
    with pytest.raises(ValueError, match=name):
        RunManifest.from_json({**FakeStore().manifest(), name: number})
