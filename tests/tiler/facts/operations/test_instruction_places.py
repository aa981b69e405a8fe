"""What is looked for in the names of instructions is found in each by itself, whatever they are called."""

from __future__ import annotations

from pathlib import Path

from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store


def test_names_with_any_characters_are_told_apart(tmp_path: Path) -> None:
    names = ["a\0b", "psum.1", "c", "\0", "d psum"]
    runs = {"XLA Ops": [Run(k, 20 * k, 10) for k in range(len(names))]}
    trace = plane("/device:TPU:0", [Instruction(name, {"program_id": 3}) for name in names], runs)
    build_store([write_trace(tmp_path / "t.xplane.pb", [trace])], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    (track,) = (number for number, told in enumerate(reader.tree.tracks) if told.name == "XLA Ops")
    kinds = track_kinds(reader, track)
    assert kinds is not None
    places = instruction_places(reader)
    found = finish(places.places(track, kinds))
    assert found is not None
    said = [places[at].name for at in found.tolist()]
    assert sorted(said) == sorted(names)
    has = places.are_saying("psum")[found].tolist()
    assert [name for name, is_said in zip(said, has, strict=True) if is_said] == ["psum.1", "d psum"]
    store.close()
