from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.fingerprint import Fingerprint, stamps_digest, take_fingerprint, take_fingerprints

MIB = 1024 * 1024


def write(path: Path, content: bytes) -> Path:
    """Writes the file and gives it a time that never changes."""
    path.write_bytes(content)
    os.utime(path, ns=(5, 5))
    return path


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, 2 * MIB, 3 * MIB])
def test_every_byte_of_head_and_tail_counts(tmp_path: Path, size: int) -> None:
    file = tmp_path / "a.pb"
    taken = {take_fingerprint(write(file, bytes(size)))}
    places = {at for at in (0, MIB - 1, size - MIB, size - 1) if 0 <= at < size}
    for at in places:
        content = bytearray(size)
        content[at] = 1
        taken.add(take_fingerprint(write(file, bytes(content))))
    assert len(taken) == 1 + len(places)
    assert {(print.size_bytes, print.modified_ns) for print in taken} == {(size, 5)}


def test_the_middle_of_a_large_file_is_not_read_but_its_time_tells(tmp_path: Path) -> None:
    file = tmp_path / "a.pb"
    before = take_fingerprint(write(file, bytes(3 * MIB)))
    file.write_bytes(bytes(3 * MIB // 2) + b"\1" + bytes(3 * MIB // 2 - 1))
    after = take_fingerprint(file)
    assert before.digest == after.digest
    assert before != after


def test_an_unchanged_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "a.pb", b"abc")
    first = take_fingerprint(file)
    monkeypatch.setattr(Path, "open", None)  # whatever opens a file now fails
    assert take_fingerprint(file) == first


def test_it_survives_the_manifest(tmp_path: Path) -> None:
    (taken,) = take_fingerprints([write(tmp_path / "a.pb", b"abc")])
    assert Fingerprint.from_json(taken.to_json()) == taken


def test_a_member_is_as_its_archive(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("deep/host0.json", "[]")
    member = take_fingerprint(archive / "deep" / "host0.json")
    whole = take_fingerprint(archive)
    assert member.name == "host0.json"
    assert (member.digest, member.size_bytes, member.modified_ns) == (whole.digest, whole.size_bytes, whole.modified_ns)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"a\.pb: cannot be opened: No such file"):
        take_fingerprints([tmp_path / "a.pb"])
    with pytest.raises(FileNotFoundError):
        stamps_digest([tmp_path / "a.pb"])
