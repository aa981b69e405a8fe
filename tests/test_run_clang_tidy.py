"""Which files clang-tidy looks at again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run_clang_tidy import Unit, read_clean, units, write_clean


@pytest.fixture
def native(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "deep.hpp").write_text("int deep();\n")
    (tmp_path / "room" / "direct.hpp").write_text('#include "room/deep.hpp"\n')
    (tmp_path / "room" / "one.cpp").write_text('#include <vector>\n#include "room/direct.hpp"\n')
    (tmp_path / "room" / "other.cpp").write_text("int other;\n")
    return tmp_path


def all_units(native: Path, settings: str = "checks", command: str = "c++ -c") -> list[Unit]:
    commands = [{"file": str(native / "room" / name), "command": command} for name in ("one.cpp", "other.cpp")]
    commands.append({"file": "/elsewhere/nanobind.cpp", "command": command})
    return list(units(commands, settings, native))


def keys(native: Path, settings: str = "checks", command: str = "c++ -c") -> dict[str, str]:
    return {unit.file.name: unit.key for unit in all_units(native, settings, command)}


def test_only_our_own_files_are_looked_at(native: Path) -> None:
    assert set(keys(native)) == {"one.cpp", "other.cpp"}


@pytest.mark.parametrize("changed", ["one.cpp", "direct.hpp", "deep.hpp"])
def test_a_file_is_looked_at_again_when_it_or_a_header_of_it_changes(native: Path, changed: str) -> None:
    before = keys(native)
    path = native / "room" / changed
    path.write_text(path.read_text() + "// more\n")
    after = keys(native)
    assert after["one.cpp"] != before["one.cpp"]
    assert after["other.cpp"] == before["other.cpp"]


def test_all_are_looked_at_again_with_other_settings(native: Path) -> None:
    before = keys(native)
    for after in (keys(native, settings="other checks"), keys(native, command="c++ -O3 -c")):
        assert not set(before.values()) & set(after.values())


def test_what_the_quick_checks_passed_is_passed_over_on_another_machine(native: Path) -> None:
    stamp = native / "CLEAN"
    assert not read_clean(stamp)
    write_clean(all_units(native), stamp, native)
    assert stamp.read_text().split()[1::2] == ["room/one.cpp", "room/other.cpp"]
    moved = native.rename(native.parent / "moved")
    elsewhere = all_units(moved, command="another c++ -c")
    assert {unit.digest for unit in elsewhere} == read_clean(moved / "CLEAN")
    (moved / "room" / "deep.hpp").write_text("int deeper();\n")
    left = [unit.file.name for unit in all_units(moved) if unit.digest not in read_clean(moved / "CLEAN")]
    assert left == ["one.cpp"]
    assert not {unit.digest for unit in all_units(moved, settings="others")} & read_clean(moved / "CLEAN")
