"""Reading records by position: the verbs, against LMDB itself, and damage of every sort."""

from __future__ import annotations

import os
import random
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import lmdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError, StoreVersion
from tilescope.tiler.pages import compress
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.catalogue import describe
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.histogram import HISTOGRAM
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.steps import STEPS
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.checksum import sealed
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.lmdb_writer import LmdbWriter

pytestmark = pytest.mark.slow

PAGE_BYTES = 4096


def _key(number: int) -> bytes:
    """Long keys make trees deep."""
    return b"%0120d" % number


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[LmdbWriter]:
    writer = LmdbWriter(tmp_path)
    yield writer
    writer.close()


@pytest.fixture
def reader(writer: LmdbWriter, tmp_path: Path) -> Iterator[LmdbReader]:
    """Sees what is written after it was opened."""
    reader = LmdbReader(tmp_path, growing=True)
    yield reader
    reader.close()


def test_get_and_put(writer: LmdbWriter, reader: LmdbReader) -> None:
    assert reader.get(b"a") is None
    writer.put_many([(b"a", b"1"), (b"b", b"")])
    assert reader.get(b"a") == b"1"
    assert reader.get(b"b") == b""
    assert reader.get(b"c") is None
    assert reader.get(b"") is None
    assert reader.count() == 2


def test_either_all_entries_are_written_or_none(writer: LmdbWriter, reader: LmdbReader) -> None:
    def entries() -> Iterator[tuple[bytes, bytes]]:
        yield b"a", b"1"
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        writer.put_many(entries())
    assert reader.get(b"a") is None
    with pytest.raises(StoreError, match="cannot write"):
        writer.put_many([(b"a", b"1"), (b"", b"no key")])
    assert reader.get(b"a") is None


def test_a_scan_is_in_key_order_and_ends_with_its_prefix(writer: LmdbWriter, reader: LmdbReader) -> None:
    many = [(b"p" + k.to_bytes(2, "big"), str(k).encode()) for k in range(300)]
    writer.put_many([*reversed(many), (b"o", b""), (b"q", b"")])
    assert list(reader.scan(b"p", b"p")) == many
    assert list(reader.scan(many[250][0], b"p")) == many[250:]
    assert [key for key, _ in reader.scan(b"")][::301] == [b"o", b"q"]
    assert list(reader.scan(b"r")) == []


@pytest.mark.parametrize(
    ("key", "found"),
    [(b"p3", b"p2"), (b"p2", b"p2"), (b"p1", None), (b"p9", b"p5"), (b"\xff", b"p5"), (b"a", None)],
)
def test_the_last_entry_at_most(writer: LmdbWriter, reader: LmdbReader, key: bytes, found: bytes | None) -> None:
    writer.put_many([(b"o9", b""), (b"p2", b"x"), (b"p5", b"x")])
    entry = reader.last_at_most(key, b"p")
    assert entry == (None if found is None else (found, b"x"))


def test_no_entry_at_all(reader: LmdbReader) -> None:
    assert reader.last_at_most(b"a", b"") is None
    assert list(reader.scan(b"")) == []
    assert reader.count() == 0


def test_reading_needs_a_finished_environment(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        LmdbReader(tmp_path)


def test_a_closed_reader_says_so(writer: LmdbWriter, reader: LmdbReader) -> None:
    reader.close()
    with pytest.raises(StoreError, match="closed"):
        reader.get(b"a")


def test_what_is_no_environment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(DamagedStore, match="byte 0: this is no head of an index"):
        LmdbReader(tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "folder", "empty"])
def test_what_is_no_file_of_records_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    data = tmp_path / "data.mdb"
    match kind:
        case "pipe":
            os.mkfifo(data)
        case "folder":
            data.mkdir()
        case "empty":
            data.touch()
    with pytest.raises(StoreError, match=r"data\.mdb"):
        LmdbReader(tmp_path)


def test_values_that_were_written_over_by_shorter_ones_and_removed(writer: LmdbWriter, reader: LmdbReader) -> None:
    writer.put_many((b"%04d" % k, bytes([k % 256]) * 50_000) for k in range(50))
    writer.put_many((b"%04d" % k, bytes([k % 256]) * 9_000) for k in range(0, 50, 2))
    writer.remove(b"%04d" % k for k in range(0, 50, 5))
    expected = [(b"%04d" % k, bytes([k % 256]) * (50_000 if k % 2 else 9_000)) for k in range(50) if k % 5]
    assert list(reader.scan(b"")) == expected


_KEYS = st.binary(min_size=1, max_size=40)
_STEPS = st.lists(
    st.tuples(st.dictionaries(_KEYS, st.integers(0, 9000), max_size=60), st.lists(_KEYS, max_size=5)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=examples(60), deadline=None)
@given(steps=_STEPS, wanted=st.lists(st.tuples(_KEYS, st.binary(max_size=2)), max_size=10), width=st.integers(1, 500))
def test_it_reads_what_lmdb_reads(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[dict[bytes, int], list[bytes]]],
    wanted: list[tuple[bytes, bytes]],
    width: int,
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    writer = LmdbWriter(folder)
    growing = LmdbReader(folder, growing=True)
    kept: dict[bytes, bytes] = {}
    for added, removed in steps:
        # Long keys make trees deep.
        put = {key.ljust(width, b"\x07"): bytes([len(key)]) * size for key, size in added.items()}
        writer.put_many(put.items())
        kept |= put
        writer.remove(removed)
        for key in removed:
            kept.pop(key, None)
        assert dict(growing.scan(b"")) == kept
    writer.put_many([(b"\x00", b"")])
    kept[b"\x00"] = b""
    writer.sync()
    writer.close()
    growing.published(folder)
    settled = LmdbReader(folder)
    in_order = sorted(kept.items())
    for reader in (growing, settled):
        assert list(reader.scan(b"")) == in_order
        assert reader.count() == len(kept)
        for key, prefix in [*wanted, *((key, key[:1]) for key in kept)]:
            assert reader.get(key) == kept.get(key)
            before = [entry for entry in in_order if entry[0] <= key]
            expected = before[-1] if before and before[-1][0].startswith(prefix) else None
            assert reader.last_at_most(key, prefix) == expected
            assert list(reader.scan(key, prefix)) == [
                entry for entry in in_order if entry[0] >= key and entry[0].startswith(prefix)
            ] or not key.startswith(prefix)
        reader.close()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of three levels, with values in leaves and on pages of their own."""
    folder = tmp_path_factory.mktemp("tree")
    writer = LmdbWriter(folder)
    writer.put_many((_key(k), b"%d" % k * (3000 if k % 50 == 0 else 3)) for k in range(5_000))
    writer.put_many([(b"last", b"one")])
    writer.sync()
    writer.close()
    with lmdb.open(str(folder), readonly=True, lock=False) as env:
        assert env.stat()["depth"] == 3
    return folder


def _copy(tree: Path, to: Path, data: bytes) -> Path:
    to.mkdir(exist_ok=True)
    (to / "data.mdb").write_bytes(data)
    return to


def test_a_file_that_was_cut_short_is_not_opened(tree: Path, tmp_path: Path) -> None:
    data = (tree / "data.mdb").read_bytes()
    for size in (0, 1, 151, 4096, 8192, 20_000, len(data) - 4096, len(data) - 1):
        with pytest.raises(DamagedStore, match=r"data\.mdb: byte [\d,]+: the file ends here"):
            LmdbReader(_copy(tree, tmp_path / "cut", data[:size]))


def test_a_file_that_is_cut_short_while_it_is_open_is_damaged_and_no_more(tree: Path, tmp_path: Path) -> None:
    folder = _copy(tree, tmp_path / "cut", (tree / "data.mdb").read_bytes())
    reader = LmdbReader(folder)
    assert len(list(reader.scan(b""))) == 5_001
    os.truncate(folder / "data.mdb", 20_000)
    for read in (
        lambda: reader.get(_key(4_900)),
        lambda: list(reader.scan(_key(2_000))),
        lambda: reader.last_at_most(_key(4_900), b""),
    ):
        with pytest.raises(DamagedStore, match="it was cut short"):
            read()
    os.truncate(folder / "data.mdb", 0)
    with pytest.raises(DamagedStore):
        reader.get(_key(1))


def test_no_flipped_bit_of_a_page_of_the_tree_is_worse_than_damage(tree: Path, tmp_path: Path) -> None:
    whole = (tree / "data.mdb").read_bytes()
    with LmdbReaderOf(tree) as reader:
        true = dict(reader.scan(b""))
    keys = sorted(true)
    rng = random.Random(7)
    outcomes = {"same": 0, "damaged": 0, "other": 0}
    folder = _copy(tree, tmp_path / "flipped", whole)
    for _ in range(200):
        at = _byte_of_the_tree(rng, whole)
        with (folder / "data.mdb").open("r+b", buffering=0) as file:
            os.pwrite(file.fileno(), bytes([whole[at] ^ 1 << rng.randrange(8)]), at)
        try:
            with LmdbReaderOf(folder) as reader:
                found = list(reader.scan(b""))
                assert [key for key, _ in found] == sorted({key for key, _ in found})
                for key in rng.sample(keys, 20):
                    assert reader.get(key) in (None, true[key])
                    reader.last_at_most(key, b"")
        except DamagedStore:
            outcomes["damaged"] += 1
        else:
            outcomes["same" if dict(found) == true else "other"] += 1
        finally:
            with (folder / "data.mdb").open("r+b", buffering=0) as file:
                os.pwrite(file.fileno(), whole[at : at + 1], at)
    assert outcomes["damaged"] > 50
    assert outcomes["same"] + outcomes["other"] > 10


class LmdbReaderOf:
    """A reader that is closed again."""

    def __init__(self, folder: Path) -> None:
        self._reader = LmdbReader(folder)

    def __enter__(self) -> LmdbReader:
        return self._reader

    def __exit__(self, *_: object) -> None:
        self._reader.close()


def _byte_of_the_tree(rng: random.Random, data: bytes) -> int:
    """A byte of the heads, or of a branch or leaf."""
    while True:
        page = rng.randrange(len(data) // PAGE_BYTES)
        flags = struct.unpack_from("<H", data, page * PAGE_BYTES + 10)[0]
        if flags & 8:
            return page * PAGE_BYTES + rng.randrange(152)
        if flags in (1, 2):
            return page * PAGE_BYTES + rng.randrange(16 if rng.random() < 0.3 else PAGE_BYTES)


_WRITER = """
import sys
from pathlib import Path
from tilescope.tiler.store.lmdb_writer import LmdbWriter

writer = LmdbWriter(Path(sys.argv[1]))
for turn in range(int(sys.argv[2])):
    # The values of a turn are the same in every key: whoever sees two turns at once has seen half of one.
    mark = b"%08d" % turn
    writer.put_many((b"%04d" % k, mark * (1 + (k * 7919 + turn) % 2000)) for k in range(turn % 7, 300, 7))
    writer.put_many((b"%04d" % k, mark * (1 + (k * 7919 + turn) % 2000)) for k in range(300))
    if turn % 10 == 0:  # whoever reads sees each of these turns, however busy the machine is
        print("ready", flush=True)
        sys.stdin.readline()
writer.sync()
writer.close()
"""


def _has_more(stream: IO[str]) -> bool:
    return bool(select.select([stream], [], [], 0)[0])


def test_what_a_process_writes_meanwhile_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    """Every transaction gives pages of the last but one a new content, in a file that hardly grows."""
    turns = 150
    command = [sys.executable, "-c", _WRITER, str(tmp_path), str(turns)]
    seen: set[bytes] = set()
    reads = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        reader = LmdbReader(tmp_path, growing=True)
        last: dict[bytes, bytes] = {}
        is_waiting = True
        while child.poll() is None:
            is_waiting = is_waiting or (_has_more(child.stdout) and child.stdout.readline() == "ready\n")
            key = b"%04d" % (reads * 31 % 300)
            value = reader.get(key)
            assert value is not None
            mark = value[:8]
            assert value == mark * (1 + (int(key) * 7919 + int(mark)) % 2000)
            entry = reader.last_at_most(key + b"x", b"")
            assert entry is not None
            assert entry[0] == key
            assert entry[1][:8] >= mark >= last.get(key, b"")
            last[key] = mark
            seen.add(mark)
            some = [value[:8] for _, _, value in reader._tree.scan(b"0100", b"", 20)]
            assert max(some) <= b"%08d" % (int(min(some)) + 1)
            reads += 1
            if is_waiting:
                is_waiting = False
                child.stdin.write("\n")
        assert child.returncode == 0
    reader.published(tmp_path)
    assert {value[:8] for _, value in reader.scan(b"")} == {b"%08d" % (turns - 1)}
    reader.close()
    assert len(seen) > 10


def _stored(folder: Path, records: dict[bytes, bytes]) -> LmdbReader:
    with lmdb.open(str(folder), map_size=1 << 24) as env, env.begin(write=True) as transaction:
        for key, value in records.items():
            transaction.put(key, value)
    return LmdbReader(folder)


def test_a_value_that_was_altered_or_moved_to_another_key_is_told_by_its_checksum(tmp_path: Path) -> None:
    page, shape = PAGE.key(1, 2, 77, 3), SHAPE.key(4)
    records = {
        page: sealed(page, b"page")[:-1] + b"E",
        shape: sealed(page, b"page"),
        b"T": b"\0\0",
        b"M": sealed(b"M", b""),
    }
    reader = _stored(tmp_path, records)
    assert reader.get(b"M") == b""
    with pytest.raises(DamagedStore, match=r"track 35, level 2, tile 77: the page .* altered"):
        reader.get(page)
    with pytest.raises(DamagedStore, match=r"shape record of block 4: .* altered"):
        reader.last_at_most(SHAPE.key(5), b"S")
    with pytest.raises(DamagedStore, match="too short"):
        reader.get(b"T")
    with pytest.raises(DamagedStore):
        list(reader.scan(b"P"))
    reader.close()


def test_records_of_earlier_versions_have_no_checksum(tmp_path: Path) -> None:
    reader = _stored(tmp_path, {b"M": compress(b"{}")})
    with pytest.raises(StoreVersion, match="earlier version"):
        reader.get(b"M")
    reader.close()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (MANIFEST.key(), "the manifest"),
        (TRACKS.key(), "the track tree"),
        (NAMES.key(3), "the page of names 3"),
        (HISTOGRAM.key(40, 2, 7), "track 40, level 2, tile 7: its histogram"),
        (STEPS.key(40, 9), "track 40: steps from event 9 on"),
        (ARGUMENTS.key(40, 8192), "track 40: arguments from event 8192 on"),
        (FLOW_ENDS.key(40, 8192), "track 40: flows from event 8192 on"),
        (b"P123", "a record of an unknown kind, b'P123'"),
        (b"?", "a record of an unknown kind, b'?'"),
    ],
)
def test_a_record_is_named_for_people(key: bytes, text: str) -> None:
    assert describe(key) == text


def test_several_threads_read_at_once(tree: Path) -> None:
    wrong: list[object] = []
    with LmdbReaderOf(tree) as reader:

        def read(seed: int) -> None:
            rng = random.Random(seed)
            for _ in range(500):
                k = rng.randrange(5_000)
                value = reader.get(_key(k))
                if value != b"%d" % k * (3000 if k % 50 == 0 else 3):
                    wrong.append(k)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_the_size_of_a_file_whose_folder_is_renamed_before_anybody_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "gen-1.part"
    folder.mkdir()
    writer = LmdbWriter(folder)
    writer.put_many([(b"a", b"b")])
    writer.close()
    reader = LmdbReader(folder, growing=True)
    size = reader.size_bytes()
    assert size > 0
    folder.rename(tmp_path / "gen-1")
    assert reader.size_bytes() == size
    reader.published(tmp_path / "gen-1")
    assert reader.size_bytes() == size
    reader.close()


def _mapped_bytes(file: Path) -> int:
    """How much of a file that is mapped is in the memory of this process."""
    lines = iter(Path("/proc/self/smaps").read_text(encoding="ascii", errors="replace").splitlines())
    sizes = (next(line for line in lines if line.startswith("Rss:")) for line in lines if line.endswith(str(file)))
    return sum(int(size.split()[1]) << 10 for size in sizes)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says what is mapped")
def test_a_file_that_is_written_takes_little_memory(writer: LmdbWriter, reader: LmdbReader, tmp_path: Path) -> None:
    pages, blocks = 1000, 40
    most = 0
    for block in random.Random(5).sample(range(blocks), blocks):
        begin = block * pages
        writer.put_many((_key(number), bytes(6000)) for number in range(begin, begin + pages))
        most = max(most, _mapped_bytes(tmp_path / "data.mdb"))
    numbers = range(pages * blocks)
    # 8 MB where it stays mapped from the beginning to the end, 2 MB as it is
    assert 0 < most < 4 << 20
    assert reader.count() == len(numbers)
    assert all(reader.get(_key(number)) == bytes(6000) for number in numbers[::1000])
