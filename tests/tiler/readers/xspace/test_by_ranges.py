"""XSpaces that lie elsewhere, read by ranges, become the same store as the local file.

Blocks of the scratch copy are small here, and dropped as soon as nobody holds them: what is read without being held is
zeros, and shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.blobs import LocalPlace, Mirror, ScratchSpace, register, unregister
from tilescope.tiler.blobs.scratch_space import BlockOwner
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.verify.same_entries import content

BLOCK_BYTES = 4096


class ForgetfulSpace(ScratchSpace):
    """Keeps nothing that nobody holds, and has nothing read ahead."""

    def has_room(self, blocks: int) -> bool:
        return False

    def let_go(self, owner: BlockOwner, blocks: Sequence[int], present: bytearray) -> None:
        super().let_go(owner, blocks, present)
        self.drop_idle()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.blobs.scratch_space.BLOCK_BYTES", BLOCK_BYTES)
    monkeypatch.setattr("tilescope.tiler.blobs.scratch_copy.BLOCK_BYTES", BLOCK_BYTES)
    monkeypatch.setattr("tilescope.tiler.blobs.scratch_copy._PIECE_BLOCKS", 1)
    monkeypatch.setattr("tilescope.tiler.readers.xspace.reader._OUTLINE_BYTES", 3 * BLOCK_BYTES)


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    (tmp_path / "place").mkdir()
    mirror = Mirror(tmp_path / "mirror", LocalPlace(tmp_path / "place"), ForgetfulSpace(tmp_path / "scratch"))
    register(mirror)
    yield mirror
    unregister(mirror)


def records(trace: Path, store: Path) -> dict[bytes, bytes]:
    build_store((trace,), store)
    opened = open_run_store(store)
    try:
        # How hard pages are compressed depends on what the machine does beside; the manifest has the file's time.
        return {key: content(key, value) for key, value in opened.records() if not key.startswith(b"M")}
    finally:
        opened.close()


def compare(trace: Path, mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "place" / trace.name).write_bytes(trace.read_bytes())
    mirror.refresh()
    local = records(trace, tmp_path / "local.store")
    assert records(mirror.folder / trace.name, tmp_path / "remote.store") == local


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("realistic", [False, True])
def test_synthetic(mirror: Mirror, tmp_path: Path, realistic: bool) -> None:
    trace = tmp_path / "host0.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=6000, tracks=12, seed=3, realistic=realistic)
    compare(trace, mirror, tmp_path)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "name",
    [
        "xplane/gpu_mi300x8_conv.xplane.pb",
        "xplane/gpu_v100x8_bert.xplane.pb",
        "xplane/h100_jax_train.xplane.pb",
        "xplane/jax_cpu_10steps.xplane.pb",
        "xplane/jax_cpu_pytracer_400steps.xplane.pb",
        "xplane/tpu_v6e_4core.xplane.pb",
        "pod/plugins/profile/synthetic/tpu-pod-w-0.xplane.pb",
    ],
)
def test_corpus(mirror: Mirror, tmp_path: Path, name: str) -> None:
    compare(corpus_path(name), mirror, tmp_path)


def field(number: int, value: int | bytes) -> bytes:
    """A field of protobuf, whose value may have up to 2**21 - 1 bytes."""
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    return bytes([number << 3 | 2]) + varint(len(value)) + value


def varint(value: int) -> bytes:
    head = b""
    while value > 0x7F:
        head += bytes([value & 0x7F | 0x80])
        value >>= 7
    return head + bytes([value])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", [b"a", b"ab", b"abcdefgh"])
def test_metadata_between_lines_is_kept_however_small(mirror: Mirror, tmp_path: Path, name: bytes) -> None:
    """The metadata of an event fills ten bytes between two lines of many blocks, neither of which is held for it."""

    def line(number: int) -> bytes:
        events = b"".join(
            field(4, field(1, 1) + field(2, 1_000_000 * place) + field(3, 500_000)) for place in range(1000)
        )
        return field(3, field(1, number) + field(2, b"line") + field(3, 1) + events)

    metadata = field(4, field(1, 1) + field(2, field(2, name)))
    trace = tmp_path / "host0.xplane.pb"
    trace.write_bytes(field(1, field(2, b"/host:CPU") + line(1) + metadata + line(2) + line(3)))
    compare(trace, mirror, tmp_path)
