"""What clients are told of places on the server's disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilescope.server.errors import IndexingFailed, NotFound, message_of
from tilescope.server.redaction import path_below, without_folders
from tilescope.tiler.errors import DamagedStore, DamagedTrace, DiskFull


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("/data/logs/a.json: byte 7: bad", "a.json: byte 7: bad"),
        ("/data/my logs/a.json.gz: bad", "a.json.gz: bad"),
        ("logs/a.json: bad", "logs/a.json: bad"),
        ("a.json: make room in /var/tmp, or inflate it", "a.json: make room in tmp, or inflate it"),
        ("1.2 MB / 3, and/or more", "1.2 MB / 3, and/or more"),
        ("there is no track 5", "there is no track 5"),
    ],
)
def test_folders_are_left_out(message: str, told: str) -> None:
    assert without_folders(message) == told


@pytest.mark.parametrize("kind", [DamagedStore, DiskFull, IndexingFailed])
def test_errors_of_files_name_no_folder(kind: type[Exception]) -> None:
    assert message_of(kind("/data/x.store: page 3 is missing")) == "x.store: page 3 is missing"
    assert message_of(DamagedTrace(Path("/data/x.json"), "cut", offset=9)) == "x.json: byte 9: cut"


def test_what_the_client_said_itself_is_said_back() -> None:
    assert message_of(NotFound("there is nothing at /a/b/c")) == "there is nothing at /a/b/c"


@pytest.mark.parametrize(
    ("root", "path", "told"),
    [
        ("/data/logs", "/data/logs/plugins/profile/r1", "logs/plugins/profile/r1"),
        ("/data/logs/a.json", "/data/logs/a.json", "a.json"),
        ("logs", "logs/a.json", "logs/a.json"),
        ("/data/logs", "/elsewhere/r1", "r1"),
        ("/data/logs", "/data/logs2/r1", "r1"),
        ("/", "/data/r1", "data/r1"),
        ("/logs", "/logs/r1", "logs/r1"),
    ],
)
def test_paths_begin_with_what_is_served(root: str, path: str, told: str) -> None:
    assert path_below(Path(root), path) == told
