"""What is kept of trace-event JSON beside its events: byte for byte, however large, whatever it is called."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.store.stored import attached, built, bytes_of, entries_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.readers import attached as limits
from tilescope.tiler.readers.trace_event import blocks
from tilescope.tiler.store.attachments import find
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

EVENT = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}'


def kept_of(tmp_path: Path, text: str | bytes, name: str = "t.json") -> tuple[dict[str, bytes], list[str]]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with built([path], tmp_path / "store") as run:
        found, warnings = attached(run), run.manifest()["warnings"]
    verify_store(tmp_path / "store")
    return found, warnings


def test_the_fields_of_a_real_trace(tmp_path: Path) -> None:
    path = corpus_path("kineto/nccl_data.json.gz")
    text = gzip.decompress(path.read_bytes())
    fields = json.loads(text)
    del fields["traceEvents"]
    with built([path], tmp_path / "store") as run:
        found = attached(run)
    assert {name.removeprefix("json/"): json.loads(value) for name, value in found.items()} == fields
    for value in found.values():
        assert value in text
    assert {"json/deviceProperties", "json/distributedInfo", "json/schemaVersion", "json/traceName"} < found.keys()


def test_values_of_all_kinds_as_they_stand(tmp_path: Path) -> None:
    values = {
        "text": '"a \\" } ] , \\\\"',
        "number": "-1.50e+3",
        "word": "NaN",
        "object": '{ "a" : [1,\n2, {"b":"]"}] }',
        "list": "[[],{},[ ]]",
        "null": "null",
        "host_name": '"h 1"',
        "baseTimeNanoseconds": " 17".strip(),
    }
    members = ",".join(f'"{name}" : {value} ' for name, value in values.items())
    found, warnings = kept_of(tmp_path, f'{{{members},"traceEvents":[{EVENT}],"last":true}}')
    assert found == {f"json/{name}": value.encode() for name, value in {**values, "last": "true"}.items()}
    assert warnings == []


@pytest.mark.parametrize("compressed", [False, True])
def test_values_larger_than_blocks_of_the_file(
    compressed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks.read_blocks, "__defaults__", (1000, 3000))
    rng = random.Random(4)
    long = json.dumps({"text": "".join(rng.choice('ab \\"]}') for _ in range(700_000))})
    events = ",".join([EVENT] * 100)
    text = f'{{"first":{long},"traceEvents":[{events}],"after":[{long},{long}],"end":7}}'.encode()
    found, _ = kept_of(tmp_path, gzip.compress(text) if compressed else text, "t.json.gz" if compressed else "t.json")
    assert found == {"json/first": long.encode(), "json/after": f"[{long},{long}]".encode(), "json/end": b"7"}


def test_names_that_are_odd_or_given_twice(tmp_path: Path) -> None:
    text = f'{{"a/b ?#%":1,"a":2,"a":3,"a~2":4,"":5,"\\u00e9\\n":6,"traceEvents":[{EVENT}],"a":7}}'
    found, _ = kept_of(tmp_path, text)
    assert found == {
        "json/a/b ?#%": b"1",
        "json/a": b"2",
        "json/a~2": b"3",
        "json/a~2~2": b"4",
        "json/": b"5",
        "json/\u00e9\n": b"6",
        "json/a~3": b"7",
    }


def test_a_value_that_is_cut_short_is_left_out(tmp_path: Path) -> None:
    found, warnings = kept_of(tmp_path, f'{{"whole":1,"traceEvents":[{EVENT}],"otherData":{{"a":"b')
    assert found == {"json/whole": b"1"}
    assert "json/otherData is left out: it is cut short" in warnings


def test_an_array_of_events_has_none(tmp_path: Path) -> None:
    assert kept_of(tmp_path, f"[{EVENT}]") == ({}, [])


def test_members_of_a_large_event_are_none(tmp_path: Path) -> None:
    event = f'{{"name":"a","args":{{"x":"{"x" * (2 << 20)}"}},"ph":"X","ts":1,"dur":1}}'
    found, _ = kept_of(tmp_path, f'{event}\n{EVENT}\n{{"traceEvents":[{EVENT}],"kept":1}}')
    assert found == {"json/kept": b"1"}


def test_more_than_there_may_be_are_counted(tmp_path: Path) -> None:
    members = ",".join(f'"m{k}":{k}' for k in range(10_005))
    long = f'"{"n" * 600}":1'
    found, warnings = kept_of(tmp_path, f'{{"traceEvents":[{EVENT}],{long},{members},{long}}}')
    assert len(found) == 10_000
    assert warnings == [
        "a value beside the events is left out: its name is too long",
        "6 values beside the events are left out: 10,000 are kept of a file",
    ]


def test_more_bytes_than_there_may_be_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.readers.trace_event.fields.MAX_ATTACHED_BYTES", 1000)
    monkeypatch.setattr(limits, "MAX_ATTACHED_BYTES", 1000)
    found, warnings = kept_of(tmp_path, f'{{"a":1,"b":"{"x" * 2000}","traceEvents":[{EVENT}],"c":3}}')
    assert found == {"json/a": b"1"}
    assert warnings == [
        "json/b is left out: with it there are more than 1,000 bytes",
        "json/c is left out: with it there are more than 1,000 bytes",
    ]


def test_files_and_hosts_of_an_archive(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for host in ("h0", "h1"):
            archive.writestr(
                f"{host}.json", f'{{"host_name":"{host}","traceEvents":[{EVENT}],"otherData":"of {host}"}}'
            )
        archive.writestr("h1b.json", f'{{"host_name":"h1","traceEvents":[{EVENT}],"otherData":"other of h1","x":1}}')
    path = tmp_path / "t.zip"
    path.write_bytes(held.getvalue())
    members = [path / f"{name}.json" for name in ("h0", "h1", "h1b")]
    with built(members, tmp_path / "store") as run:
        entries = entries_of(run)
        assert bytes_of(run, find(entries, "json/otherData", "h0")) == b'"of h0"'
        assert bytes_of(run, find(entries, "json/x")) == b"1"
        with pytest.raises(UsageError, match="2 files of host 'h1' have an attachment 'json/otherData'"):
            find(entries, "json/otherData", "h1")
        with pytest.raises(UsageError, match="3 files have an attachment"):
            find(entries, "json/otherData")
        with pytest.raises(UsageError, match=r"no attachment is of a host 'h9' \(h0, h1\)"):
            find(entries, "json/otherData", "h9")
        with pytest.raises(UsageError, match="there is no attachment 'y' of host 'h0'"):
            find(entries, "y", "h0")
        files = run.manifest()["files"]
        assert [files[entry.file] for entry in entries if entry.name == "json/x"] == ["h1b.json"]
    verify_store(tmp_path / "store")
