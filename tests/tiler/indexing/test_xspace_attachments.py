"""What is kept of an XSpace beside its events, against a decoder of these tests' own."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers import wire_writer as w
from tests.tiler.store.stored import attached, built, entries_of
from tilescope.tiler.details.typed_stats import StatType, plane_stats
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.lookup.arguments import event_metadata
from tilescope.tiler.query import Names
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify import verify_store

XPLANES = (
    "xplane/tpu_v6e_4core.xplane.pb",
    "xplane/jax_cpu_10steps.xplane.pb",
    "xplane/gpu_mi300x8_conv.xplane.pb",
    "pod/plugins/profile/synthetic/tpu-pod-w-0.xplane.pb",
)
Fields = list[tuple[int, Any]]
PB = "h.xplane.pb"


def decoded(message: bytes) -> Fields:
    """(number, value) of each field: as little of protobuf as these files have."""
    out: Fields = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            out.append((tag >> 3, varint()))
            continue
        size = 8 if tag & 7 == 1 else varint()
        out.append((tag >> 3, message[at : at + size]))
        at += size
    return out


def of(fields: Fields, number: int) -> list[Any]:
    return [value for field, value in fields if field == number]


def entries(plane: Fields, number: int) -> Iterator[tuple[int, Fields]]:
    for entry in of(plane, number):
        fields = decoded(entry)
        yield (of(fields, 1) or [0])[0], decoded((of(fields, 2) or [b""])[0])


def expected_stat(raw: bytes, names: dict[int, str]) -> tuple[str, str, object]:
    fields = decoded(raw)
    (number, value), *_ = [field for field in fields if field[0] != 1]
    kind = ("", "", "double", "uint64", "int64", "string", "bytes", "ref")[number]
    if kind == "double":
        value = struct.unpack("<d", value)[0]
    elif kind == "int64" and value >= 1 << 63:
        value -= 1 << 64
    elif kind == "string":
        value = value.decode()
    elif kind == "ref":
        value = names[value]
    return names[of(fields, 1)[0]], kind, value


def planes_of(path: Path) -> Iterator[tuple[str, Fields, dict[int, str]]]:
    for plane in of(decoded(path.read_bytes()), 1):
        fields = decoded(plane)
        names = {key: (of(metadata, 2) or [b""])[0].decode() for key, metadata in entries(fields, 5)}
        yield of(fields, 2)[0].decode(), fields, names


def tables_of(run: RunStore) -> XStatTables:
    tables = event_metadata(run, 0)
    assert tables is not None
    return tables


@pytest.mark.parametrize("name", XPLANES)
def test_hlo_protos_byte_for_byte(name: str, tmp_path: Path) -> None:
    path = corpus_path(name)
    protos = {}
    for plane, fields, names in planes_of(path):
        for _, metadata in entries(fields, 4) if plane == "/host:metadata" else ():
            for stat in of(metadata, 5):
                if names[of(decoded(stat), 1)[0]] == "Hlo Proto":
                    program = of(metadata, 2)[0].decode().rpartition("(")[2].rstrip(")")
                    protos[f"hlo/{program}"] = of(decoded(stat), 6)[0]
    assert len(protos) == {"tpu_v6e": 4, "jax_cpu": 14, "gpu_mi3": 8, "tpu-pod": 2}[path.name[:7]]
    with built([path], tmp_path / "store") as run:
        found = {key: value for key, value in attached(run).items() if key.startswith("hlo/")}
        assert found == protos
        labels = {entry.label for entry in entries_of(run) if entry.name.startswith("hlo/")}
        assert all(label.endswith(")") for label in labels)
    verify_store(tmp_path / "store")


@pytest.mark.parametrize("name", XPLANES)
def test_stats_of_planes_with_their_types(name: str, tmp_path: Path) -> None:
    path = corpus_path(name)
    with built([path], tmp_path / "store") as run:
        kept = attached(run)
        for plane, fields, names in planes_of(path):
            expected = [expected_stat(raw, names) for raw in of(fields, 6)]
            message = kept.get(f"plane/{plane}/stats", b"")
            assert [(stat.name, str(stat.type), stat.value) for stat in plane_stats(message)] == expected
            if message:
                again = decoded(message)
                assert of(again, 2) == [plane.encode()]
                assert of(again, 6) == of(fields, 6)


@pytest.mark.parametrize("name", XPLANES)
def test_stats_of_event_metadata_with_and_without_events(name: str, tmp_path: Path) -> None:
    path = corpus_path(name)
    with built([path], tmp_path / "store") as run:
        tables = tables_of(run)
        names_of_run = [Names(run)[k].text for k in range(run.manifest()["names"]["count"])]
        found: dict[tuple[int, int], Any] = {}
        for number in range(len(tables)):
            entry = tables.entry(number)
            found[entry.plane, entry.id] = [(s.name, str(s.type), s.value) for s in tables.stats(number)]
            name_id = int(tables.name[number])
            if name_id >= 0:
                assert entry.name == ""
                assert names_of_run[name_id]
            assert number in tables.of_plane(entry.plane)
        without_events = 0
        for index, (plane, fields, names) in enumerate(planes_of(path)):
            assert tables.planes[index].name == plane
            used = {of(decoded(event), 1)[0] for line in of(fields, 3) for event in of(decoded(line), 4)}
            for key, metadata in entries(fields, 4):
                stats = [expected_stat(raw, names) for raw in of(metadata, 5)]
                stats = [stat for stat in stats if stat[0] != "Hlo Proto"]
                signed = key - (1 << 64) if key >= 1 << 63 else key
                if stats or key in used:
                    assert found.pop((index, signed)) == stats
                    without_events += bool(stats) and key not in used
        assert all(not stats for stats in found.values())
        if "tpu_v6e" in name:
            assert without_events == 3  # of the plane of the HLO protos


def _space(*more: bytes) -> bytes:
    line = w.message(3, w.data(2, "ops"), w.message(4, w.number(1, 1), w.number(3, 5)))
    device = w.message(1, w.data(2, "/device:TPU:0"), line, w.event_metadata(1, "fusion.1"))
    return device + b"".join(more)


HLO_NAME = w.stat_metadata(7, "Hlo Proto")


def _hlo(key: int, name: str, proto: bytes, *more: bytes) -> bytes:
    return w.event_metadata(key, name, "", w.message(5, w.number(1, 7), w.data(6, proto)), *more)


def _metadata(*parts: bytes) -> bytes:
    return w.message(1, w.data(2, "/host:metadata"), HLO_NAME, *parts)


def kept_of(tmp_path: Path, *planes: bytes) -> dict[str, bytes]:
    path = tmp_path / PB
    path.write_bytes(_space(*planes))
    with built([path], tmp_path / "store") as run:
        kept = attached(run)
    verify_store(tmp_path / "store")
    return kept


def test_program_ids_beyond_signed_numbers_and_without_a_name(tmp_path: Path) -> None:
    large = (1 << 64) - 5
    kept = kept_of(tmp_path, _metadata(_hlo(1, f"jit_f({large})", b"a"), _hlo(-3, "nameless", b"b")))
    assert kept == {f"hlo/{large}": b"a", f"hlo/{(1 << 64) - 3}": b"b"}


def test_protos_of_one_program_have_names_of_their_own(tmp_path: Path) -> None:
    kept = kept_of(tmp_path, _metadata(*(_hlo(k, "f(7)", b"proto %d" % k) for k in range(1, 4))))
    assert kept == {"hlo/7": b"proto 1", "hlo/7~2": b"proto 2", "hlo/7~3": b"proto 3"}


def test_a_proto_on_an_event_as_earlier_profilers_wrote_it(tmp_path: Path) -> None:
    event = w.message(4, w.number(1, 5), w.message(4, w.number(1, 7), w.data(6, b"proto")))
    line = w.message(3, w.data(2, "l"), event)
    kept = kept_of(tmp_path, _metadata(line, w.event_metadata(5, "jit_g(12)")))
    assert kept == {"hlo/12": b"proto"}


def test_a_proto_that_is_an_empty_message(tmp_path: Path) -> None:
    assert kept_of(tmp_path, _metadata(_hlo(1, "f(1)", b""))) == {"hlo/1": b""}


def test_a_proto_larger_than_many_chunks(tmp_path: Path) -> None:
    proto = bytes(range(256)) * 12_345
    kept = kept_of(tmp_path, _metadata(_hlo(1, "f(1)", proto, w.message(5, w.number(1, 9), w.number(3, 4)))))
    assert kept == {"hlo/1": proto}


def test_other_planes_have_no_protos(tmp_path: Path) -> None:
    plane = w.message(1, w.data(2, "/host:other"), HLO_NAME, _hlo(1, "f(1)", b"bytes"))
    assert kept_of(tmp_path, plane) == {}


def test_large_metadata_without_events_is_kept_apart(tmp_path: Path) -> None:
    stat = w.message(5, w.number(1, 7), w.data(5, "x" * 70_000))
    entry = w.event_metadata(4, "large", "", stat)
    kept = kept_of(tmp_path, w.message(1, w.data(2, "p/q"), w.stat_metadata(7, "text"), entry))
    assert list(kept) == ["metadata/p/q/4"]
    assert of(decoded(kept["metadata/p/q/4"]), 5) == [w.number(1, 7) + w.data(5, "x" * 70_000)]


def test_damage_in_what_no_event_uses_is_no_reason_to_refuse(tmp_path: Path) -> None:
    damaged = w.map_entry(4, 3, w.number(1, 3), b"\x2a\xff\x01")  # a stat that reaches beyond
    bad_stat = w.event_metadata(4, "s", "", w.message(5, b"\x08"))
    kept = kept_of(tmp_path, _metadata(damaged, bad_stat, _hlo(1, "f(1)", b"a")), w.message(1, w.message(6, b"\x08")))
    assert kept["hlo/1"] == b"a"
    assert of(decoded(kept["plane//stats"]), 6) == [b"\x08"]


def test_values_of_every_type(tmp_path: Path) -> None:
    names = b"".join(w.stat_metadata(k, f"s{k}") for k in range(1, 9))
    values = [
        w.double(2, float("inf")),
        w.number(3, (1 << 64) - 1),
        w.number(4, -5),
        w.data(5, "text"),
        w.data(5, b"\xff"),
        w.data(6, b"\x00\xff"),
        w.number(7, 8),
        b"",
    ]
    stats = b"".join(w.message(6, w.number(1, k), value) for k, value in enumerate(values, 1))
    kept = kept_of(tmp_path, w.message(1, w.data(2, "p"), names, stats))
    found = [(stat.name, stat.type, stat.value) for stat in plane_stats(kept["plane/p/stats"])]
    assert found == [
        ("s1", StatType.DOUBLE, float("inf")),
        ("s2", StatType.UINT64, (1 << 64) - 1),
        ("s3", StatType.INT64, -5),
        ("s4", StatType.STRING, "text"),
        ("s5", StatType.STRING, b"\xff"),
        ("s6", StatType.BYTES, b"\x00\xff"),
        ("s7", StatType.REF, "s8"),
        ("s8", StatType.NONE, None),
    ]


def test_more_than_there_may_be_are_counted(tmp_path: Path) -> None:
    path = tmp_path / PB
    path.write_bytes(_space(_metadata(*(_hlo(k, f"f({k})", b"x") for k in range(10_003)))))
    with built([path], tmp_path / "store") as run:
        assert len(entries_of(run)) == 10_000
        assert run.manifest()["warnings"] == ["3 values beside the events are left out: 10,000 are kept of a file"]
