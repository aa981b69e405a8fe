"""The stamp of the native sources: it is of what is compiled, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import native_stamp


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tiler" / "native" / "base"
    folder.mkdir(parents=True)
    for name in (
        "CMakeLists.txt",
        ".clang-tidy",
        "tiler/native/base/a.cpp",
        "tiler/native/base/a.hpp",
        "tiler/native/README.md",
    ):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_each_source_counts(root: Path) -> None:
    digests = {native_stamp.digest(root)}
    for name in ("CMakeLists.txt", ".clang-tidy", "tiler/native/base/a.cpp"):
        (root / name).write_text("another")
        digests.add(native_stamp.digest(root))
    (root / "tiler/native/base/a.hpp").rename(root / "tiler/native/base/b.hpp")
    digests.add(native_stamp.digest(root))
    assert len(digests) == 5
    (root / "tiler/native/README.md").write_text("another")
    assert native_stamp.digest(root) in digests


def test_the_stamp(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = root / "CHECKED"
    monkeypatch.setattr(native_stamp, "STAMP", stamp)
    assert not native_stamp.is_checked()
    stamp.write_text("0" * 64)
    assert not native_stamp.is_checked()
    stamp.write_text(f"{native_stamp.digest()}\n")
    assert native_stamp.is_checked()


def test_all_native_code_is_among_the_sources() -> None:
    named = {path.name for path in native_stamp.sources()}
    assert {"CMakeLists.txt", "packed_texts.cpp", "module.hpp"} <= named
    assert len(named) > 150
