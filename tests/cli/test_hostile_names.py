"""Names that would change a terminal or forge lines of a log: whatever is printed shows them, and none takes effect."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tilescope.tiler.printable_text import printable, printable_json

pytestmark = pytest.mark.slow

NASTY = "a\x1b]0;x\x07[red]\r\nb\u202ec\x7f\x9b1m"
SHOWN = r"a\x1b]0;x\x07[red]\r\nb\u202ec\x7f\x9b1m"
# What no terminal may get from a name, even where bars and colours are drawn.
EFFECTS = ["\x1b]0;", "\x07", "\u202e", "\x7f", "\x9b", "b'\\xff'"]


def write_traces(folder: Path) -> dict[str, Path]:
    """Traces whose host, process, thread, event, category and file names are nasty; a file that is no trace."""
    on = {"pid": 1, "tid": 1}
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": NASTY}},
        {"ph": "M", "name": "thread_name", **on, "args": {"name": NASTY}},
        {"ph": "X", "name": NASTY, "cat": NASTY, "ts": 1, "dur": 2, "args": {NASTY: NASTY}, **on},
        {"ph": NASTY, "name": NASTY, "ts": 3, **on},
        {"ph": "\x1b", "name": NASTY, "ts": 3, **on},
        {"ph": "C", "name": NASTY, "ts": 3, "args": {NASTY: 1}, **on},
    ]
    text = json.dumps({"host_name": NASTY, "traceEvents": events})
    name = f"{NASTY}\udcff.json"  # with a byte that is no UTF-8
    paths = {
        "trace": folder / name,
        "cut": folder / f"cut {name}",
        "bad": folder / f"bad {name}",
        "zip": folder / f"{NASTY}.zip",
        "two": folder / "two",
    }
    paths["trace"].write_text(text)
    paths["cut"].write_text(text[:-20])
    paths["bad"].write_text("<html>\x1b]0;x\x07")
    with zipfile.ZipFile(paths["zip"], "w") as archive:
        archive.writestr(f"{NASTY}.json", text)
        archive.writestr(f"not {NASTY}.json", "<html>")
    paths["two"].mkdir()
    for k in range(2):
        (paths["two"] / f"{k}{name}").write_text(text)
    return paths


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    try:
        return write_traces(tmp_path)
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", errno.EILSEQ) != errno.EILSEQ:
            raise
        pytest.skip(f"this file system takes no such names: {error}")


def commands(paths: dict[str, Path], folder: Path) -> list[list[str]]:
    store = str(folder / f"{NASTY}\udcff.store")
    of_zip = f"{store}2"
    cut = f"{store}3"
    damaged = folder / f"{NASTY}.store" / "CURRENT"
    damaged.parent.mkdir()
    damaged.write_text(NASTY)
    return [
        ["index", str(paths["trace"]), "-o", store],
        ["index", str(paths["trace"]), "-o", store],
        ["index", str(paths["zip"]), "-o", of_zip],
        ["index", str(paths["cut"]), "-o", cut],
        ["index", str(paths["bad"]), "-o", f"{store}4"],
        ["--debug", "index", str(paths["bad"]), "-o", f"{store}4"],
        ["index", str(paths["two"]), "-o", f"{store}4"],
        ["index", f"{paths['trace']} which is not there", "-o", f"{store}4"],
        ["info", store],
        ["info", of_zip],
        ["info", cut],
        ["info", store, "--json"],
        ["info", str(paths["trace"])],
        ["info", str(damaged.parent)],
        ["verify", store],
        ["verify", str(damaged.parent)],
        ["--debug", "verify", str(damaged.parent)],
        ["gc", store, "--dry-run"],
        ["gc", str(folder / NASTY)],
        ["gc", "--cache-dir", str(folder / NASTY)],
        ["synth", str(folder / f"{NASTY}.xplane.pb"), "--events", "100"],
        ["view", str(paths["bad"]), "--no-browser", "--port", "0"],
        ["serve", str(folder / NASTY)],
        ["serve", str(folder), "--access-log", str(folder / NASTY / "log")],
        ["info", store, NASTY],
        ["info", store, f"--{NASTY}"],
        ["index", store, "-o", store, "--memory", NASTY],
        [NASTY],
    ]


def commands_again(paths: dict[str, Path], folder: Path) -> list[str]:
    """The first command: its store is there, and known to be of these files whatever is in their names."""
    return ["index", str(paths["trace"]), "-o", str(folder / f"{NASTY}\udcff.store")]


def run(arguments: list[str], cwd: Path) -> tuple[int, bytes]:
    command = [sys.executable, "-P", "-m", "tilescope", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, timeout=60, check=False)
    return done.returncode, done.stdout


def check_plain(output: bytes) -> str:
    """Text alone, in lines; returns it."""
    text = output.decode()
    for character in text:
        assert character == "\n" or printable(character) == character, (hex(ord(character)), text)
    return text


def test_nothing_but_text_is_printed(paths: dict[str, Path], tmp_path: Path) -> None:
    seen = 0
    for arguments in commands(paths, tmp_path):
        code, output = run(arguments, tmp_path)
        text = check_plain(output)
        assert "internal error" not in text, (arguments, text)
        assert code in ((1, 2) if "bad" in repr(arguments) else (0, 1, 2)), (arguments, text)
        if arguments[0] != "info" and code:
            assert len(text.splitlines()) == 1 or "Traceback" in text or "usage:" in text, text
        seen += SHOWN in text
    assert seen > 15
    code, output = run(commands_again(paths, tmp_path), tmp_path)
    assert (code, b"up to date already" in output) == (0, True)


@pytest.mark.deep
def test_escape_sequences_of_names_reach_no_terminal(paths: dict[str, Path], tmp_path: Path) -> None:
    for number, arguments in enumerate(commands(paths, tmp_path)):
        if number and arguments[0] not in ("--debug", "info", "verify", "gc"):
            continue
        text = on_terminal(arguments, tmp_path)
        assert not [effect for effect in EFFECTS if effect in text], (arguments, text)
        assert "\r\nb" not in text, (arguments, text)


def on_terminal(arguments: list[str], cwd: Path) -> str:
    """What a command writes to a terminal."""
    main, side = pty.openpty()
    command = [sys.executable, "-P", "-m", "tilescope", *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "400"}
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, cwd=cwd, env=environment)
    os.close(side)
    output = b""
    try:
        while True:
            ready, _, _ = select.select([main], [], [], 60)
            assert ready, (arguments, output)
            try:
                part = os.read(main, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            output += part
    finally:
        process.kill()
        process.wait()
        os.close(main)
    return output.decode()


@contextmanager
def serving(arguments: list[str], cwd: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    command = [sys.executable, "-P", "-m", "tilescope", *arguments, "--port", "0", "--no-grpc"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd)
    try:
        assert process.stdout is not None
        found = re.search(rb"http://\S+?:(\d+)", process.stdout.readline())
        assert found is not None
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def test_what_a_server_logs(paths: dict[str, Path], tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    options = ["--cache-dir", str(tmp_path / "cache"), "--access-log", str(log)]
    with serving(["serve", str(paths["trace"]), str(paths["bad"]), *options], tmp_path) as (process, port):
        api = f"http://127.0.0.1:{port}/api/v1"
        deadline = time.monotonic() + 60
        asked: set[str] = set()
        while True:
            with urllib.request.urlopen(f"{api}/runs", timeout=20) as answer:
                runs = json.load(answer)["runs"]
            for listed in runs:
                if listed["id"] not in asked:
                    asked.add(listed["id"])
                    urllib.request.urlopen(
                        urllib.request.Request(f"{api}/runs/{listed['id']}/index", method="POST"), timeout=20
                    )
            if all(listed["state"] in ("ready", "failed") for listed in runs):
                break
            assert time.monotonic() < deadline, (runs, asked)
            time.sleep(0.05)
        for head in (
            b"GET /\xff%1b%5d0;x%07%0a%e2%80%ae HTTP/1.1\r\nHost: a\r\nUser-Agent: u\x7f\x9b\xff\r\n",
            b"GET\x1b]0;x\x07 / HTTP/1.1\r\nHost: a\r\n",
            b"\x1b]0;x\x07\r\n",
        ):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
                client.sendall(head + b"Connection: close\r\n\r\n")
                while client.recv(65536):
                    pass
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    text = check_plain(out) + check_plain(err)
    assert f"{SHOWN}\\xff.json: indexed" in text
    # On a busy machine indexing takes long enough for lines of progress.
    progress = re.compile(r".*: [a-z]+: [0-9]+%.*")
    lines_of_others = [line for line in err.decode().splitlines() if not line.startswith("tilescope: ")]
    assert not [line for line in lines_of_others if not progress.fullmatch(line)]
    lines = [json.loads(line) for line in check_plain(log.read_bytes()).splitlines()]
    assert len(lines) > 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode, 日本語 \u3000, 😀 × …", "plain, ünïcode, 日本語 \u3000, 😀 × …"),
        (NASTY, SHOWN),
        ("\udcff\ud800\u2028\U000e0001", r"\xff\ud800\u2028\U000e0001"),
        ("", ""),
    ],
)
def test_what_is_not_to_be_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert json.loads(printable_json({text: [text]})) == {text: [text]}
    assert check_plain(printable_json([text]).encode())
