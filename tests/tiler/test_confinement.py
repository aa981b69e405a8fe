from __future__ import annotations

from pathlib import Path

from tilescope.tiler.confinement import is_within


def test_links_are_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (inside / "out").symlink_to(outside)
    (inside / "back").symlink_to(outside / ".." / "inside")
    (inside / "loop").symlink_to("loop")
    within = (inside, inside / "not there yet" / "file", inside / "back" / "file", inside / "x" / ".." / "file")
    beyond = (tmp_path, outside, inside / "out", inside / "out" / "not there yet", inside / ".." / "file")
    assert [is_within(path, [inside]) for path in within] == [True] * 4
    assert [is_within(path, [inside]) for path in beyond] == [False] * 5
    assert is_within(inside / "out" / "file", [inside, outside])
    assert not is_within(tmp_path / "inside2", [inside])
    assert not is_within(inside, [])
