"""`tilescope serve` and `tilescope view` as processes: what they print, how they end."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import grpc
import pytest
import trustme

import tilescope
import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.demo import DEMO_TRACE
from tilescope.cli import main, server_options, view
from tilescope.server import serving
from tilescope.tiler.store import cached_traces
from tilescope.v1 import tiles_pb2 as pb

pytestmark = pytest.mark.slow


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(DEMO_TRACE, folder / "host0.xplane.pb")
    # One that was written less than half a second before a server looks may be about to grow: these start in that time.
    os.utime(folder / "host0.xplane.pb", (time.time() - 60,) * 2)
    return folder


def place_of(url: str) -> tuple[str, str]:
    """The server of a printed address, and the run that it opens."""
    base, _, query = url.partition("?")
    return base, parse_qs(query)["run"][0]


@contextmanager
def started(tmp_path: Path, *arguments: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `tilescope` process, and the URL in the one line that it prints."""
    options = ["--port", str(port), "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-P", "-m", "tilescope", *arguments, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    late = threading.Timer(120, process.kill)  # or what waits for a line that does not come waits for ever
    late.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"https?://\S+", line)
        assert found is not None, line or process.communicate()[1]
        yield process, found.group()
    finally:
        late.cancel()
        process.kill()
        process.communicate()


def get_json(url: str, method: str = "GET") -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=10) as answer:
        return json.load(answer)


def wait_for_run(url: str, state: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        runs = get_json(f"{url}api/v1/runs")["runs"]
        if [run["state"] for run in runs] == [state]:
            return dict(runs[0])
        time.sleep(0.05)
    raise AssertionError(runs)


@pytest.mark.parametrize("kind", [pytest.param(signal.SIGINT, marks=pytest.mark.deep), signal.SIGTERM])
def test_view_serves_at_once_indexes_and_ends_in_order(tmp_path: Path, logs: Path, kind: signal.Signals) -> None:
    with started(tmp_path, "view", "logs", "--no-browser") as (process, url):
        base, run_id = place_of(url)
        run = wait_for_run(base, "ready")
        assert run["id"] == run_id
        assert get_json(f"{base}api/v1/runs/{run_id}/manifest")["events"]["total"] == "5673"
        process.send_signal(kind)
        out, err = process.communicate(timeout=10)
        assert (process.returncode, out) == (0, "")
        # A machine that is busy takes longer than the three seconds after which there is a line about progress.
        told = [line for line in err.splitlines() if not re.match(r"host0\.xplane\.pb: [a-z]+: [0-9]+%", line)]
        assert told == ["tilescope: host0.xplane.pb: indexing", "tilescope: host0.xplane.pb: indexed"]


def test_view_of_a_log_directory_opens_the_newest_run(tmp_path: Path, logs: Path) -> None:
    trace = (logs / "host0.xplane.pb").read_bytes()
    for day in (28, 30, 29):  # by the time of the capture, not of the file
        run = tmp_path / "many" / "plugins" / "profile" / f"2026_11_{day}_10_00_00"
        run.mkdir(parents=True)
        (run / "host0.xplane.pb").write_bytes(trace)
    with started(tmp_path, "view", "many", "--no-browser") as (_, url):
        base, run_id = place_of(url)
        names = {run["id"]: run["name"] for run in get_json(f"{base}api/v1/runs")["runs"]}
    assert names[run_id] == "2026_11_30_10_00_00"
    assert len(names) == 3


def test_view_of_one_table_names_the_folder_of_its_training(tmp_path: Path) -> None:
    (folder := tmp_path / "profiler").mkdir()
    steps = "step_num,start_point,end_point,total,fp_point,bp_point\n1,10,20,10,11,15\n"
    (folder / "step_trace_raw_0_detail_time.csv").write_text(steps)
    (folder / "min_cycle_counter_0.txt").write_text("10")
    with started(tmp_path, "view", "profiler/step_trace_raw_0_detail_time.csv", "--no-browser") as (process, url):
        wait_for_run(url.partition("?")[0], "ready")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    words = "note: step_trace_raw_0_detail_time.csv is of a training with files beside it: open their folder, profiler"
    assert words in err


def test_view_of_nothing_but_files_that_fail_ends(tmp_path: Path) -> None:
    (tmp_path / "types.json").write_text('{"a": 1}')
    (tmp_path / "more.json").write_text("[1, 2]")
    with started(tmp_path, "view", "types.json", "more.json", "--no-browser") as (process, _):
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert sorted(line for line in err.splitlines() if "not a trace" in line) == [
        'tilescope: more.json: more.json: is JSON, but not a trace: none of its 2 values has a "ph" '
        "(Tilescope reads an array of trace events, or an object with such an array as its traceEvents)",
        "tilescope: types.json: types.json: is JSON, but not a trace: it has no traceEvents "
        "(Tilescope reads an array of trace events, or an object with such an array as its traceEvents)",
    ]
    assert "Traceback" not in err


@pytest.mark.deep
def test_view_goes_on_when_one_of_the_files_can_be_shown(tmp_path: Path, logs: Path) -> None:
    (tmp_path / "types.json").write_text('{"a": 1}')
    with started(tmp_path, "view", "types.json", "logs/host0.xplane.pb", "--no-browser") as (process, url):
        base = url.partition("?")[0]
        deadline = time.monotonic() + 60
        states: list[str] = []
        while sorted(states) != ["failed", "ready"]:
            assert time.monotonic() < deadline
            states = [run["state"] for run in get_json(f"{base}api/v1/runs")["runs"]]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
        assert process.returncode == 0


@pytest.mark.deep
def test_view_of_a_folder_waits_for_runs_to_come(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.trace.json").write_text('{"a": 1}')
    with started(tmp_path, "view", "logs", "--no-browser") as (process, url):
        wait_for_run(url.partition("?")[0], "failed")
        assert process.poll() is None


def test_ending_takes_the_indexing_process_along(tmp_path: Path, logs: Path) -> None:
    with started(tmp_path, "view", "logs", "--no-browser") as (process, _):
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
        assert process.returncode == 0
    assert not [pid for pid in Path("/proc").glob("[0-9]*") if str(tmp_path) in _working_folder(pid)]


def test_a_killed_server_takes_the_indexing_process_along(tmp_path: Path, logs: Path) -> None:
    with started(tmp_path, "view", "logs", "--no-browser") as (process, _):
        process.kill()
        process.communicate()
    deadline = time.monotonic() + 10
    while any(str(tmp_path) in _working_folder(pid) for pid in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < deadline, "the indexing process lives on"
        time.sleep(0.05)


def _working_folder(process: Path) -> str:
    """The working directory of a process, by which the tests know their own."""
    try:
        return str((process / "cwd").readlink())
    except OSError:
        return ""


def test_serve_waits_until_somebody_asks_for_an_index(tmp_path: Path, logs: Path) -> None:
    with started(tmp_path, "serve", "logs") as (_, url):
        run = wait_for_run(url, "new")
        get_json(f"{url}api/v1/runs/{run['id']}/index", "POST")
        wait_for_run(url, "ready")
    store = next(path for path in (tmp_path / "cache").glob("*/*") if path.name != cached_traces.FILE)
    with started(tmp_path, "serve", str(store)) as (_, url):
        assert wait_for_run(url, "ready")["hosts"] == ["demo"]


def status_of(url: str, authorization: str = "") -> int:
    request = urllib.request.Request(url, headers={"Authorization": authorization} if authorization else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("command", [("serve",), ("view", "--no-browser")])
def test_an_address_that_others_can_reach_demands_the_token_in_the_printed_address(
    tmp_path: Path, logs: Path, command: tuple[str, ...]
) -> None:
    with started(tmp_path, *command, "logs", "--host", "0.0.0.0") as (process, printed):
        address = urllib.parse.urlsplit(printed)
        (token,) = urllib.parse.parse_qs(address.query)["token"]
        assert len(token) == 48
        base = f"http://127.0.0.1:{address.port}"
        assert status_of(f"{base}/api/v1/runs") == 401
        assert status_of(f"{base}/api/v1/runs", f"Bearer {token}") == 200
        process.send_signal(signal.SIGTERM)
        assert "without TLS" in process.communicate(timeout=10)[1]


def test_a_token_that_was_given_is_demanded_and_not_printed(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "given-by-the-environment"
    monkeypatch.setenv("TILESCOPE_TOKEN", token)
    with started(tmp_path, "serve", "logs") as (process, url):
        assert "token" not in url
        assert status_of(f"{url}api/v1/runs") == 401
        assert status_of(f"{url}api/v1/runs", f"Bearer {token}") == 200
        process.send_signal(signal.SIGTERM)
        assert token not in "".join(process.communicate(timeout=10))


def test_tls_and_a_log_of_what_was_asked(tmp_path: Path, logs: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "chain.pem")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    token = "given-on-the-command-line"
    options = ["--certificate", "chain.pem", "--private-key", "key.pem", "--access-log", "access.log", "--token", token]
    with started(tmp_path, "serve", "logs", *options) as (process, url):
        assert url.startswith("https://127.0.0.1:")
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=trusting), NoRedirect())
        with pytest.raises(urllib.error.HTTPError) as way_on:
            opener.open(f"{url}?token={token}", timeout=10)
        with way_on.value as redirect:
            assert redirect.code == 303
            assert "Secure" in redirect.headers["Set-Cookie"]
        request = urllib.request.Request(f"{url}api/v1/runs", headers={"Authorization": f"Bearer {token}"})
        with opener.open(request, timeout=10) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        assert "without TLS" not in process.communicate(timeout=15)[1]
    lines = [json.loads(line) for line in (tmp_path / "access.log").read_text().splitlines()]
    assert [(line["path"], line["status"]) for line in lines] == [("/", 303), ("/api/v1/runs", 200)]
    assert token not in (tmp_path / "access.log").read_text()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Raises for a redirect, so that it can be looked at."""

    def redirect_request(self, *_: object) -> None:
        return None


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--token", "short"], "at least 16"),
        (["--token-file", "/does/not/exist"], "cannot be read"),
        (["--certificate", "/does/not/exist"], "both"),
        (["--certificate", "/does/not/exist", "--private-key", "/does/not/exist"], "cannot be read"),
        (["--allow-origin", "*"], "an origin is"),
        (["--allow-host", "http://a"], "a host name"),
        (["--allow-host", "a", "--host", "0.0.0.0"], "--allow-host has no effect with --host 0.0.0.0"),
        (["--allow-frame", "https://a.example.org/page"], "an origin is"),
        (["--allow-frame", "https://a.example.org; script-src *"], "an origin is"),
        (["--perfetto-url", "javascript:alert(1)"], "the address of Perfetto"),
        (["--perfetto-url", "https://user@perfetto.example.org"], "the address of Perfetto"),
    ],
)
def test_rules_that_make_no_sense_are_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    assert main(["serve", str(tmp_path), *options]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_a_store_of_another_version_ends_view_as_it_ends_info(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tilescope.index(DEMO_TRACE, tmp_path / "demo.store"))
    monkeypatch.setattr("tilescope.tiler.store.run_store.STORE_VERSION", 10**6)
    assert main(["info", store]) == 1
    said = capsys.readouterr().err
    assert "written as store version" in said
    assert main(["view", store, "--no-browser", "--port", "0"]) == 1
    assert capsys.readouterr() == ("", said)


def test_serve_says_which_stores_it_cannot_show_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bad.store").mkdir()
    (tmp_path / "bad.store" / "CURRENT").write_text("gen-gone")
    tilescope.index(DEMO_TRACE, tmp_path / "demo.store")
    with started(tmp_path, "serve", "demo.store", "bad.store") as (process, url):
        assert sorted(run["state"] for run in get_json(f"{url}api/v1/runs")["runs"]) == ["failed", "ready"]
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=10)
    lines = [line for line in err.splitlines() if line.startswith("tilescope: bad.store: ")]
    assert [line for line in lines if "names a generation that is not there" in line]


def test_a_port_that_is_in_use_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", str(tmp_path), "--port", str(port)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"tilescope: port {port} of 127.0.0.1 is in use")
    assert error.count("\n") == 1


def test_a_grpc_port_that_is_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "tilescope", "serve", str(tmp_path), "--port", "0", "--grpc-port", str(port)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"tilescope: cannot listen on port {port} of 127.0.0.1 for gRPC")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_number(port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", str(tmp_path), "--port", port])
    assert ended.value.code == 2
    assert "argument --port: a port is a number from 0 to 65535" in capsys.readouterr().err


def test_a_log_that_cannot_be_written_does_not_keep_a_server_from_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with server_options.log_to_stderr(), Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(full, write_through=True))
        logging.getLogger("tilescope.server.runs.indexer").info("host0: indexing")


def test_more_connections_than_there_may_be_files_are_refused_in_few_lines(tmp_path: Path) -> None:
    """As by a client that opens connections and says nothing."""
    (tmp_path / "logs").mkdir()
    files = 400
    with ExitStack() as stack:
        process, url = stack.enter_context(limited(tmp_path, files))
        host, port = url.split("/")[2].split(":")
        idle = [stack.enter_context(socket.create_connection((host, int(port)), timeout=10)) for _ in range(files + 50)]
        with pytest.raises(urllib.error.HTTPError) as refused:
            get_json(f"{url}healthz")
        assert refused.value.code == 429
        refused.value.close()
        for connection in idle:
            connection.close()
        deadline = time.monotonic() + 30
        while True:
            try:
                assert get_json(f"{url}healthz")["status"] == "ok"
                break
            except urllib.error.HTTPError as error:
                error.close()
                assert time.monotonic() < deadline
                time.sleep(0.1)
        process.terminate()
        _, log = process.communicate(timeout=30)
    assert "Traceback" not in log
    assert f"ulimit -n is {files}: at most 100 connections are accepted, 50 of one address" in log
    assert 1 <= log.count("a connection of 127.0.0.1 was refused") <= 10


@contextmanager
def limited(tmp_path: Path, files: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server that may have so many files open."""
    serve = [sys.executable, "-P", "-m", "tilescope", "serve", "logs", "--port", "0", "--no-grpc"]
    command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *serve, "--cache-dir", str(tmp_path / "cache")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"https?://\S+", line)
            assert found is not None, line
            yield process, found.group()
        finally:
            process.kill()


def test_a_folder_without_traces_shows_those_that_come(tmp_path: Path) -> None:
    """Also one that is written slowly: it is there at once, and is indexed when it is complete."""
    folder = tmp_path / "logs" / "plugins" / "profile" / "2026_01_31_10_00_00"
    folder.mkdir(parents=True)
    content = DEMO_TRACE.read_bytes()
    with started(tmp_path, "view", "logs", "--no-browser") as (process, url):
        url = url.partition("?")[0]
        assert process.stderr is not None
        assert "logs: there are no traces here yet" in process.stderr.readline()
        assert get_json(f"{url}api/v1/runs")["runs"] == []
        with (folder / "host0.xplane.pb").open("wb") as file:
            told: list[dict[str, Any]] = []
            for at in range(0, len(content), len(content) // 1000):
                file.write(content[at : at + len(content) // 1000])
                file.flush()
                if not any(run["growing"] for run in told):
                    told = get_json(f"{url}api/v1/runs")["runs"]
                    time.sleep(0.01)
        assert [(run["state"], run["growing"]) for run in told] == [("queued", True)]
        ready = wait_for_run(url, "ready")
    assert (ready["growing"], int(ready["size_bytes"])) == (False, len(content))


def test_a_file_that_is_no_trace_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader")
    assert main(["view", str(tmp_path / "letter.txt"), "--no-browser", "--port", "0"]) == 1
    error = capsys.readouterr().err
    assert "letter.txt" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value"), [("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0"), ("BROWSER", "firefox")]
)
def test_a_browser_is_started_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(variable, raising=False)
    assert not view.has_screen()
    monkeypatch.setenv(name, value)
    assert view.has_screen()


def test_the_default_port_in_the_help_is_the_real_one() -> None:
    assert server_options._DEFAULT_PORT == serving.DEFAULT_PORT


def test_the_addresses_that_are_printed_can_be_opened() -> None:
    with serving.bind("127.0.0.1", 0) as listening:
        assert serving.url_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with serving.bind("0.0.0.0", 0) as listening:
        assert serving.url_of(listening).startswith(f"http://{socket.gethostname()}:")


def before_a_free_one() -> int:
    """A free port, and the next one is free too: with port 0 the system may choose one just before a port in use."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first, suppress(OSError):
            port = int(first.getsockname()[1])
            with socket.create_server(("127.0.0.1", port + 1)):
                return port


def test_serve_has_grpc_on_the_next_port_and_ends_in_order_with_a_call_open(tmp_path: Path, logs: Path) -> None:
    with started(tmp_path, "serve", "logs", port=before_a_free_one()) as (process, url):
        assert process.stdout is not None
        found = re.fullmatch(r"gRPC at 127\.0\.0\.1:(\d+)\n", process.stdout.readline())
        assert found is not None
        assert int(found[1]) == (urllib.parse.urlsplit(url).port or 0) + 1
        with grpc.insecure_channel(f"127.0.0.1:{found[1]}") as channel:
            tiles = tiles_pb2_grpc.TilesStub(channel)
            (run,) = tiles.ListRuns(pb.ListRunsRequest(), timeout=10).runs
            assert run.state == "new"
            call = tiles.Watch(pb.WatchRequest(run=run.id))
            assert next(call).progress.state == "new"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0
            with pytest.raises(grpc.RpcError):
                list(call)


def test_serve_goes_on_alone_when_the_next_port_is_taken_unless_one_was_asked_for(tmp_path: Path, logs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-P", "-m", "tilescope", "serve", "logs", "--port", "0", "--grpc-port", port]
        refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=20)
        assert refused.returncode == 2
        assert f"port {port} of 127.0.0.1 for gRPC" in refused.stderr
    with started(tmp_path, "serve", "logs", "--no-grpc") as (process, url):
        assert get_json(f"{url}healthz")["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=10)[0] == ""
