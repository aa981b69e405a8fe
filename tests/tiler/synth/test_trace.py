"""Synthetic traces as files: determinism, compression, replacement in one step, arguments that make no sense."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tilescope.cli import main
from tilescope.tiler.errors import UsageError
from tilescope.tiler.synth import FORMATS, totals_path, write_synthetic_trace


def write(
    path: Path, format: str, realistic: bool = False, *, events: int = 3_000, tracks: int = 9, seed: int = 5
) -> bytes:
    write_synthetic_trace(path, format=format, events=events, tracks=tracks, seed=seed, realistic=realistic)
    return path.read_bytes()


@pytest.mark.parametrize("realistic", [False, True])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, format: str, suffix: str, realistic: bool) -> None:
    first = write(tmp_path / f"first{suffix}", format, realistic=realistic)
    assert write(tmp_path / f"second{suffix}", format, realistic=realistic) == first
    assert write(tmp_path / f"third{suffix}", format, seed=6, realistic=realistic) != first


@pytest.mark.parametrize("format", FORMATS)
def test_a_compressed_trace_is_the_plain_one(tmp_path: Path, format: str) -> None:
    assert gzip.decompress(write(tmp_path / "a.gz", format)) == write(tmp_path / "a", format)


@pytest.mark.parametrize("format", FORMATS)
def test_an_interrupted_run_leaves_the_old_file_and_nothing_else(tmp_path: Path, format: str) -> None:
    def interrupt(events: int, size_bytes: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "a"
    before = write(path, format), totals_path(path).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        write_synthetic_trace(path, format=format, events=500_000, tracks=9, seed=5, progress=interrupt)
    assert (path.read_bytes(), totals_path(path).read_bytes()) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "a.totals.json"]


@pytest.mark.parametrize("format", FORMATS)
def test_progress_grows_to_the_end(tmp_path: Path, format: str) -> None:
    seen: list[tuple[int, int]] = []
    result = write_synthetic_trace(
        tmp_path / "a", format=format, events=60_000, tracks=9, seed=5, progress=lambda *now: seen.append(now)
    )
    assert seen == sorted(seen)
    assert seen[-1][1] == result.size_bytes
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"events": -1}, "-1 events"),
        ({"events": 2**40}, "1099511627776 events"),
        ({"tracks": 0}, "0 tracks"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_impossible_numbers(tmp_path: Path, numbers: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        write(tmp_path / "a", "xspace", realistic=False, **numbers)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown format 'svg'"):
        write(tmp_path / "a", "svg")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.json"
    assert main(["synth", "--format", "chrome", "--events", "1000", "--tracks", "6", "-o", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: 1,000 events, {path.stat().st_size / 1000:.0f} kB",
        f"{path}.totals.json: totals of each track",
    ]
    assert main(["synth", "--events", "1000", "--tracks", "0", "-o", str(path)]) == 2
    assert main(["synth", "-o", str(tmp_path / "absent" / "a.pb")]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "tilescope: 0 tracks: from 1 to 1,000,000 are possible",
        f"tilescope: {tmp_path}/absent/a.pb: No such file or directory",
    ]
