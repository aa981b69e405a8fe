"""Messages of `make chroots` where it can make none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.portable import chroots


@pytest.fixture(autouse=True)
def nothing_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(chroot: chroots.Chroot) -> None:
        raise AssertionError(f"{chroot.name} cannot be made")

    monkeypatch.setattr(chroots, "FOLDER", tmp_path)
    monkeypatch.setattr(chroots, "make", make)


def test_who_is_not_root(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert chroots.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{chroot.name}: skipped, debootstrap needs root" for chroot in chroots.CHROOTS]


def test_without_the_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("tests.portable.chroots.shutil.which", lambda name, path: None)
    monkeypatch.setattr("tests.portable.chroots.platform.machine", lambda: "x86_64")
    assert chroots.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        "bullseye-x86_64: skipped, not installed: debootstrap, dpkg-deb, unshare",
        "bookworm-aarch64: skipped, not installed: debootstrap, dpkg-deb, unshare, qemu-aarch64-static",
        "trixie-aarch64: skipped, not installed: debootstrap, dpkg-deb, unshare, qemu-aarch64-static",
    ]


def test_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for chroot in chroots.CHROOTS:
        (tmp_path / chroot.name).mkdir()
    assert chroots.main() == 0
    assert capsys.readouterr().out.splitlines() == [f"{chroot.name}: is there" for chroot in chroots.CHROOTS]
