"""`tilescope attachments`, and what `info` says of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tiler.json_traces import write_trace
from tilescope.cli import main
from tilescope.tiler.indexing import build_store

EVENT = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("attachments")
    files = [
        write_trace(folder / f"{host}.json", [EVENT], host_name=host, otherData={"of": host}, **{"a\nb\x1b[1m": [1]})
        for host in ("h0", "h1")
    ]
    files.append(write_trace(folder / "many.json", [EVENT], host_name="h2", **{f"m{k}": k for k in range(600)}))
    build_store(files, folder / "t.store")
    return str(folder / "t.store")


def test_the_list_of_a_host(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attachments", store, "--host", "h0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[3] for line in lines[:2]] == ["json/host_name", "json/otherData"]
    assert len(lines) == 3
    assert "\x1b" not in "".join(lines)


def test_long_lists_end_with_a_count(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attachments", store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 501
    assert lines[-1] == "and 107 more attachments (--json lists all)"
    assert main(["attachments", store, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["attachments"]) == 607


def test_a_content_in_a_pipe_and_in_a_file(
    store: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["attachments", store, "json/otherData", "--host", "h1"]) == 0
    assert capfdbinary.readouterr().out == b'{"of": "h1"}'
    assert main(["attachments", store, "1", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == b'{"of": "h0"}'
    assert capfdbinary.readouterr().out == b""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["json/otherData"], "several hosts have an attachment 'json/otherData': say which (h0, h1)"),
        (["nothing", "--host", "h0"], "there is no attachment 'nothing' of host 'h0'"),
        (["json/otherData", "--host", "h9"], "no attachment is of a host 'h9' (h0, h1, h2)"),
        (["1", "--host", "h1"], "attachment 1 is of host 'h0', not of 'h1'"),
        (["json/m1", "-o", "/"], "/: cannot be written"),
    ],
)
def test_what_makes_no_sense(
    store: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["attachments", store, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_there_is_not_replaced(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("mine")
    assert main(["attachments", store, "json/m1", "-o", str(tmp_path / "out")]) == 2
    assert "File exists" in capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "mine"


def test_info_names_the_first(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", store]) == 0
    out = capsys.readouterr().out
    assert "607 attachments, " in out
    assert "json/otherData" in out
    assert "and 587 more attachments" in out
    assert main(["info", store, "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["attachments"] == 607
    assert info["attached_bytes"] > 600
