"""`tilescope archive`: the file that it writes, the commands that read one, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import tilescope
from tests.demo import DEMO_TRACE
from tests.tiler.store.archive.plain_archive import read_archive
from tilescope.cli import archive_site, main
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.tools import answer_json


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


@pytest.fixture
def archive(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "run.tsarc"
    assert main(["archive", str(store), "-o", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{path}: ")
    assert "records" in out
    assert "at the beginning of the file" in out
    return path


def exit_code(arguments: list[str]) -> int | str | None:
    """The code that the command ends with: its options may end it by SystemExit."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_commands_print_the_same_of_both(store: Path, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("ask", "{}", "stats", "--format", "json"), ("export", "{}"), ("attachments", "{}")):
        of_store, of_archive = (
            printed(capsys, *(word.replace("{}", str(path)) for word in command)) for path in (store, archive)
        )
        assert of_archive == of_store
        assert of_store
    infos = [json.loads(printed(capsys, "info", path, "--json")) for path in (store, archive)]
    assert infos[1].pop("store_bytes") == archive.stat().st_size < infos[0].pop("store_bytes")
    assert infos[0] == infos[1]
    assert "everything agrees" in printed(capsys, "verify", archive)
    assert "entries are equal" in printed(capsys, "verify", "--same-as", store, archive)


def test_a_program_opens_one_without_a_server(store: Path, archive: Path) -> None:
    with tilescope.connect(archive) as client, tilescope.connect(store) as other:
        run, same = client.run(), other.run()
        assert run.name == "run.tsarc"
        assert answer_json.encode(run.ask("stats").answer) == answer_json.encode(same.ask("stats").answer)
        assert [track.name for track in run.tracks()] == [track.name for track in same.tracks()]


def test_answers_are_kept(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.tsarc"
    assert main(["archive", str(store), "-o", str(path), "--answers", "stats, op_profile,overview,stats"]) == 0
    out, err = capsys.readouterr()
    assert "answers       stats, overview" in out
    assert "op_profile: no answer is kept: op_profile has no answer for this run" in err
    records = read_archive(path.read_bytes()).records
    assert json.loads(gzip.decompress(records[b"M"]))["answers"] == ["stats", "overview"]
    answer = json.loads(gzip.decompress(records[b"z\0\0\0\0"]))
    assert answer == json.loads(printed(capsys, "ask", store, "stats", "--format", "json"))
    assert "everything agrees" in printed(capsys, "verify", path)


def test_a_question_may_stand_behind_the_tool(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.tsarc"
    printed(capsys, "archive", store, "-o", path, "--answers", "stats?by=track&limit=2")
    records = read_archive(path.read_bytes()).records
    assert json.loads(gzip.decompress(records[b"M"]))["answers"] == ["stats?by=track&limit=2"]
    answer = json.loads(gzip.decompress(records[b"z\0\0\0\0"]))
    assert len(answer["tables"][0]["columns"][0]["values"]) == 2
    assert "everything agrees" in printed(capsys, "verify", path)


def test_parts_are_left_out_and_told_of(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.tsarc"
    assert "left out" in printed(capsys, "archive", store, "-o", path, "--without", "arguments")
    assert "the archive was made --without arguments" in " ".join(printed(capsys, "info", path).split())
    assert main(["verify", str(path)]) == 1
    assert "made --without arguments" in capsys.readouterr().err
    assert printed(capsys, "ask", path, "stats") == printed(capsys, "ask", store, "stats")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "name a file with -o FILE, or a folder with --site DIR"),
        (["-o", "x.tsarc", "--without", "pages"], "cannot be made without 'pages'"),
        (["-o", "x.tsarc", "--answers", "nothing"], "nothing"),
        (["-o", "x.tsarc", "--allow-origin", "https://a.example"], "--allow-origin needs --site"),
        (["--site", "site", "--allow-origin", "a.example"], "origin"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: list[str],
    reason: str,
    store: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(["archive", str(store), *arguments]) == 2
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_store_is_refused(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no trace")
    assert main(["archive", str(text), "-o", str(tmp_path / "x.tsarc")]) == 1
    assert f"{text}: " in capsys.readouterr().err
    assert main(["index", str(archive), "-o", str(tmp_path / "x.store")]) == 2
    assert "this is a store already" in capsys.readouterr().err
    (tmp_path / "cut.tsarc").write_bytes(archive.read_bytes()[:5000])
    for command in (["info"], ["verify"], ["export", "-o", str(tmp_path / "x.json")], ["archive", "-o", "y.tsarc"]):
        assert main([*command, str(tmp_path / "cut.tsarc")]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "byte 5,000: the archive is cut short" in err


def test_an_archive_of_an_archive_is_the_same(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(capsys, "archive", archive, "-o", tmp_path / "again.tsarc")
    assert (tmp_path / "again.tsarc").read_bytes() == archive.read_bytes()
    printed(capsys, "archive", archive, "-o", archive)  # in its own place
    assert (tmp_path / "again.tsarc").read_bytes() == archive.read_bytes()


def test_a_viewer_that_is_not_built_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilescope.server.http import viewer_files

    monkeypatch.setattr(viewer_files, "STATIC", tmp_path / "nothing")
    with pytest.raises(UsageError, match="this installation has no viewer"):
        archive_site.write_site(tmp_path / "site", tmp_path / "site" / "run.tsarc", [])
    assert not (tmp_path / "site").exists()
