"""Stores of the same trace have the same entries, whatever made them; what differs is named."""

from __future__ import annotations

import json
import zlib
from itertools import islice, product
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.cli import main
from tilescope.tiler.errors import DamagedStore, StoresDiffer
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES, build_store
from tilescope.tiler.pages import Part, compress, decompress, join_parts, part_of
from tilescope.tiler.pages.compress import MEMBER_HEADER
from tilescope.tiler.records.catalogue import describe
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.synth.trace import write_synthetic_trace
from tilescope.tiler.verify import compare_stores

pytestmark = pytest.mark.slow


def many_kinds_of_arguments(folder: Path) -> Path:
    """More of them than there is room for while a trace is read, on many threads, and each of them three times."""
    kinds = ["".join(letters) for letters in islice(product("abcdefghijklmnop", repeat=4), 36_000)]
    return write_trace(
        folder / "trace.json",
        [
            {
                "ph": "X",
                "name": "op",
                "pid": 1,
                "tid": k % 9,
                "ts": k,
                "dur": 1,
                "args": {kinds[k // 3]: k, "of": "x" * 90},
            }
            for k in range(3 * len(kinds))
        ],
    )


def traces(folder: Path) -> dict[str, Path]:
    return {
        "xspace": write_synthetic_trace(folder / "xspace", format="xspace", events=60_000, tracks=12, seed=5).path,
        "chrome": write_synthetic_trace(folder / "chrome", format="chrome", events=60_000, tracks=12, seed=5).path,
        "demo": DEMO_TRACE,
        "arguments": many_kinds_of_arguments(folder),
    }


@pytest.mark.parametrize("name", ["xspace", "chrome", "demo", "arguments"])
def test_memory_and_cores_do_not_change_what_is_stored(tmp_path: Path, name: str) -> None:
    trace = traces(tmp_path)[name]
    build_store([trace], tmp_path / "store")
    for memory_bytes, workers in ((100_000, None), (DEFAULT_MEMORY_BYTES, 1), (300_000, 7)):
        other = tmp_path / f"{workers} workers"
        build_store([trace], other, workers=workers, memory_bytes=memory_bytes)
        assert compare_stores(tmp_path / "store", other).entries > 5


def otherwise_compressed(value: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = decompress(value)
    return MEMBER_HEADER + packer.compress(data) + packer.flush() + value[-8:]


def test_equal_data_in_other_compressed_bytes_is_counted(
    built_store: Path, altered: AlteredStore, capsys: pytest.CaptureFixture[str]
) -> None:
    key, value = next(iter(altered.records(b"P").items()))
    page, residual = part_of(value, Part.PAGE), part_of(value, Part.RESIDUAL)
    assert page is not None
    recompressed = join_parts(otherwise_compressed(page), residual or b"")
    (shape_key, shape), *_ = altered.records(b"S").items()
    altered.put({key: recompressed, TRACKS.key(): otherwise_compressed(altered.records(b"T")[b"T"])})
    assert compare_stores(built_store, altered.path).recompressed == 2
    altered.put({shape_key: otherwise_compressed(shape)})
    assert compare_stores(built_store, altered.path).recompressed == 3
    assert main(["verify", "--same-as", str(built_store), str(altered.path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(" entries are equal, but for the build id and the time of creation")
    assert second == "3 of them hold the same, compressed in other bytes"


def test_what_differs_is_named(built_store: Path, altered: AlteredStore, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads(decompress(altered.records(b"M")[b"M"]))
    manifest["public"] |= {"build": "f" * 24, "created_ns": "17"}
    altered.put({b"M": compress(json.dumps(manifest).encode())})
    assert compare_stores(built_store, altered.path).recompressed == 0
    manifest["public"]["source_bytes"] = "17"
    with (
        altered.replaced({b"M": compress(json.dumps(manifest).encode())}),
        pytest.raises(StoresDiffer, match=f"{altered.path}: differs from {built_store}: the manifest"),
    ):
        compare_stores(built_store, altered.path)
    names = NAMES.key(0)
    with altered.replaced({names: compress(decompress(altered.records(names)[names]) + b" ")}):
        assert main(["verify", "--same-as", str(built_store), str(altered.path)]) == 1
        out, err = capsys.readouterr()
        assert (out, err) == ("", f"tilescope: {built_store}: differs from {altered.path}: the page of names 0\n")
    with altered.replaced({TRACKS.key(): b"no member"}), pytest.raises(StoresDiffer, match="the track tree"):
        compare_stores(built_store, altered.path)
    with (
        altered.replaced({TRACKS.key(): MEMBER_HEADER + b"no member"}),
        pytest.raises(DamagedStore, match=f"{altered.path}: the track tree"),
    ):
        compare_stores(built_store, altered.path)


def test_an_entry_that_is_not_there_is_named(built_store: Path, altered: AlteredStore) -> None:
    last = max(altered.records(b""))
    for key in (min(altered.records(b"P")), last):
        with altered.replaced({key: None}):
            for pair in ((built_store, altered.path), (altered.path, built_store)):
                with pytest.raises(StoresDiffer) as raised:
                    compare_stores(*pair)
                assert str(raised.value) == f"{altered.path}: lacks {describe(key)}, which {built_store} has"


def test_a_file_is_no_store(built_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.touch()
    assert main(["verify", "--same-as", str(file), str(built_store)]) == 1
    assert f"{file}: is empty" in capsys.readouterr().err
