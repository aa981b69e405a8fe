"""The shell lines of a page, and the examples of each command's help, run in a folder that has what they name."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import trustme

import tilescope
from bench.pod_run import PodShape, write_pod
from tests.capture.fake_profiler import FakeProfiler, answering
from tests.demo import DEMO_TRACE
from tests.docs.code_blocks import INDENTED, PAGES, ROOT, CodeBlock, blocks_of
from tilescope.profiler import profiler_pb2 as pb
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.slow

LIMIT_S: Final = 120

# What is no command: blocks by their first line, and single lines.
NO_COMMANDS: Final = frozenset(
    {
        "readers → columns → pyramid → pages → store → resolver → transports → client → raster",
        "_re2.cc:15:10: fatal error: absl/strings/string_view.h: No such file or directory",
        "01000000 00000000 05000000 03 1f 0000 0000000000010000",
        "GET …/tools/search?query=fusion&limit=1&totals=false&after=8123,4,17",
        "GET …/tools/search?query=fusion&limit=1&totals=false&after=8123,4,17&backward=true",
        '<iframe title="Training run 7" src="https://profiles.example.org/?run=…&embed=1#v=1&t=…" width="1100" '
        'height="520"></iframe>',
    }
)

# Lines that cannot run here, and why.
CANNOT_RUN: Final = {
    "make dist                        # in a checkout: needs Node 20 and a C++17 compiler; 1 to 3 minutes": "takes "
    "minutes: `make test-dist` runs it",
    "pip install dist/tilescope-*-cp312-abi3-*.whl    # Python 3.12 and newer": "`make test-dist` installs the wheels",
    "pip install dist/tilescope-*-cp311-cp311-*.whl   # Python 3.11": "`make test-dist` installs the wheels",
    "make portable-wheels      # in dist/portable; about 15 minutes on two cores": "`make test-portable` runs it",
    "make portable-wheels MACHINES=aarch64": "`make test-portable` builds for all machines",
    "pip install 'PATH_OF_THE_WHEEL[mcp]'": "`make test-dist` installs the wheels",
    "pip install --upgrade dist/tilescope-*.whl": "`make test-dist` installs the wheels",
    "uv venv --python 3.14 tilescope && uv pip install --python tilescope/bin/python PATH_OF_THE_WHEEL": "needs 3.14",
    "torchrun --nproc-per-node 2 train.py": "needs PyTorch and a program",
    **dict.fromkeys(
        (
            "docker build -f deploy/Dockerfile -t tilescope .",
            "docker run --read-only --tmpfs /tmp --cap-drop ALL -v /srv/traces:/traces:ro -v tilescope-cache:/cache "
            "-v ./token:/run/secrets/tilescope_token:ro -p 8808:8808 tilescope",
            "SITE=profiles.example.org TRACES=/srv/traces docker compose -f deploy/compose.yaml up -d",
            "sudo python3 -m venv /opt/tilescope",
            "sudo /opt/tilescope/bin/pip install dist/tilescope-*-cp311-cp311-*.whl",
            "sudo install -D -m 600 token /etc/tilescope/token",
            "sudo cp deploy/tilescope.service /etc/systemd/system/",
            "sudo systemctl enable --now tilescope",
            "kubectl create secret generic tilescope-token --from-file=token",
            "kubectl apply -f deploy/kubernetes/server.yaml",
            "kubectl apply -f deploy/kubernetes/dask.yaml",
            "kubectl apply -f deploy/kubernetes/index-job.yaml",
            "sbatch deploy/slurm-index.sh logs/plugins/profile/RUN pod.run",
        ),
        "tests/deploy checks the files that it is about",
    ),
    "tilescope index gs://BUCKET/logs/plugins/profile/RUN -o pod.run": "tests/remote has a bucket",
    "dask scheduler": "tests/executors has a cluster",
    "dask worker scheduler:8786 --nthreads 4 --memory-limit 4GiB --resources INDEX=1": "tests/executors has a cluster",
    "tilescope index logs/ -o pod.run --executor dask://scheduler:8786": "tests/executors has a cluster",
    "(cd viewer && npm ci && npm run build)": "`make viewer` runs it",
    "python3 -m http.server 8000 -d viewer/client": "tests/browser/test_client.py serves the page",
    "gcloud compute tpus tpu-vm describe NAME --zone ZONE --format='value(networkEndpoints[].ipAddress)'": "needs a "
    "cloud",
    "tilescope attachments run.store hlo/12190760917235803885 -o step.hlo.pb": "a program of another trace",
    "tilescope export run.store --lanes overlap.2 -o run.json": "a lane of a run with devices",
}

# Beginnings of lines that run. Lines of other programs stand above: where these are installed, they ask their services.
RUNNING: Final = ("tilescope ", "ssh ", "export ", "(umask 077; openssl ")

# What stands in the lines, and what is there in its place: patterns, tried in this order.
PLACES: Final = {
    r"\b(10(\.\d+){3}:\d+),(?!\1)10(\.\d+){3}:\d+": "{address},{other}",
    r"(localhost:9012|localhost:6009|HOST:PORT|tpu-worker-0:8466)": "{address}",
    r"ssh (-t -L \S+ )?(HOST|host) ": "",  # this machine is the other one
    r"tilescope shift pod\.run": "tilescope shift hosts.store",
    r"\bhost3=": "pod-worker-0=",
    r"\bhost4=": "pod-worker-1=",
    r"/profiles": "logs",
    r"/scratch/tilescope": "scratch",
    r"\bTRACE\b": "trace.json.gz",
    r"\bHUB\b": "hub.example.org",
    r"\| jq ": "| jq --unbuffered ",  # it is read here, and shown on no terminal
    r" --port \d+": "",
    r"tilescope (serve|view)\b": r"tilescope \1 --port 0",
    r" --view$": " --view --port 0",
    r"0000000\b": "0000",  # events: how many does not matter here
    r"--num-queries 100": "--num-queries 2",
}

# What a command says that goes on until Ctrl-C.
LASTING: Final = {
    r"tilescope (serve|view)|--view": r"(Serving|Viewing) ",
    r"tilescope monitor(?!.*--num-queries)": "",
    r"--continuous": r"\d host",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a page."""

    block: CodeBlock
    text: str


def lines_of(page: Path) -> list[Line]:
    """The commands of a page: indented blocks line by line, `sh` blocks as a whole, the examples of help texts."""
    found = []
    for block in blocks_of(page):
        if block.language == "sh":
            found.append(Line(block, block.text))
        elif block.language == INDENTED and block.first not in NO_COMMANDS:
            lines = filter(None, map(str.strip, block.text.split("\n")))
            found += [Line(block, line) for line in lines if line not in NO_COMMANDS]
        elif block.language == "text" and "\nExamples:\n\n" in block.text:
            examples = block.text.split("\nExamples:\n\n", 1)[1].split("\n\n")[0]
            found += [Line(block, line.strip()) for line in examples.split("\n")]
    return found


def _lines_by_place() -> dict[str, list[Line]]:
    """Lines that follow each other: those of a page, and the examples of each help text by themselves."""
    found = defaultdict[str, list[Line]](list)
    for line in (line for page in PAGES for line in lines_of(page)):
        place = str(line.block)
        found[place if line.block.language == "text" else place.partition(":")[0]].append(line)
    return found


LINES: Final = _lines_by_place()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the pages name."""
    folder = tmp_path_factory.mktemp("pages")
    run = folder / "logs" / "plugins" / "profile" / "2026_01_31_10_00_00"
    run.mkdir(parents=True)
    for place in (run / "host0.xplane.pb", folder / "trace.xplane.pb", folder / "host0.xplane.pb"):
        shutil.copy(DEMO_TRACE, place)
    shutil.copy(DEMO_TRACE, folder / "run.xplane.pb")
    trace = {"traceEvents": list(events()), "deviceProperties": [{"id": 0}]}
    for name in ("trace.json.gz", "host0.trace.json.gz", "trace.json.zst"):  # by content, whatever they are called
        (folder / name).write_bytes(gzip.compress(json.dumps(trace).encode()))
    for rank in range(2):
        job = {"backend": "nccl", "rank": rank, "world_size": 2}
        content = json.dumps(trace | {"distributedInfo": job}).encode()
        (folder / f"rank{rank}.json.gz").write_bytes(gzip.compress(content))
    for name in ("run", "other", "trace", "big"):
        tilescope.index(folder / "trace.json.gz", folder / f"{name}.store")
    pod = write_pod(folder / "pod", PodShape(hosts=2, chips=1, steps=2))
    build_store(pod.files, folder / "hosts.store")
    (rules,) = (b.text for b in blocks_of(ROOT / "docs" / "kinds-of-work.md") if b.language == "toml")
    (folder / "rules.toml").write_text(rules)
    (folder / "token").write_text("correct-horse-battery-staple")
    issued = trustme.CA().issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(folder / "chain.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    return folder


def events() -> Iterator[Mapping[str, object]]:
    """Ten steps in two seconds, with operations on 13 threads."""
    for step in range(10):
        at = {"ph": "X", "pid": 1, "ts": 200_000 * step}
        yield {**at, "tid": 0, "name": f"Iteration {step}", "dur": 190_000}
        for thread in range(1, 14):
            yield {**at, "tid": thread, "name": f"fusion.{thread}", "dur": 150_000, "args": {"flops": 1000}}


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """A copy, with the command on the path."""
    copy = Path(shutil.copytree(template, tmp_path / "pages"))
    shim = copy / "bin" / "tilescope"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m tilescope "$@"\n')
    shim.chmod(0o755)
    return copy


@contextmanager
def profilers() -> Iterator[dict[str, str]]:
    """Addresses of two jobs."""
    methods = {
        "Profile": answering(DEMO_TRACE.read_bytes()),
        "Monitor": lambda request, context: pb.MonitorResponse(data="TPU type: TPU v2"),
        "StartContinuousProfiling": answering(),
        "GetSnapshot": answering(DEMO_TRACE.read_bytes()),
        "StopContinuousProfiling": answering(),
    }
    with ExitStack() as stack:
        first, second = (stack.enter_context(FakeProfiler(methods).serving()) for _ in range(2))
        yield {"address": str(first), "other": str(second)}


@contextmanager
def running(text: str, folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A line in a shell, with all that it starts; killed if it takes too long."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("TILESCOPE", "DISPLAY", "BROWSER"))
    }
    path = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{folder}/cache", **variables}
    process = subprocess.Popen(
        ["bash", "-c", text],
        cwd=folder,
        env=kept | path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    late = threading.Timer(LIMIT_S, os.killpg, (process.pid, signal.SIGKILL))
    late.start()
    try:
        yield process
        out, err = process.communicate()
        interrupted = (0, 130, -signal.SIGINT) if "|" in text else (0,)  # of a pipe the others are interrupted
        assert process.returncode in interrupted, f"{text}\n{out}\n{err}"
    finally:
        late.cancel()
        process.kill()
        process.communicate()


def run_line(text: str, folder: Path) -> None:
    """Runs it; what goes on for ever until it has said what it says, and then ends it with Ctrl-C."""
    said = next((said for pattern, said in LASTING.items() if re.search(pattern, text)), None)
    is_continuous = "--continuous" in text
    text = text.replace("--interval 30", "--interval 1") if is_continuous else text
    with running(text, folder) as process:
        if said is not None:
            assert process.stdout is not None
            read = []
            for line in process.stdout:
                read.append(line)
                if re.search(said, line):
                    break
            else:
                raise AssertionError(f"{text}: {read} {process.stderr and process.stderr.read()}")
            os.killpg(process.pid, signal.SIGINT)


def placed(text: str, places: Mapping[str, str]) -> str:
    """The line with what is there in place of what it names."""
    for pattern, place in PLACES.items():
        text = re.sub(pattern, place.format(**places), text)
    return text


# A line takes a second or more. With every run those of the page that one reads first run, and short examples of the
# help; the others with the deep tests.
LARGE = {name for name in LINES if len(LINES[name]) > 3} - {"docs/install.md"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep if name in LARGE else ()) for name in LINES]
)
def test_the_lines_of_a_page_run(name: str, folder: Path) -> None:
    with profilers() as places:
        for line in LINES[name]:
            programs = [p for p in ("jq", "openssl") if re.search(rf"\b{p}\b", line.text)]
            if line.text not in CANNOT_RUN and line.block.language != "sh" and all(map(shutil.which, programs)):
                run_line(placed(line.text, places), folder)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is counted in /proc")
def test_the_line_that_counts_the_memory_of_a_server(folder: Path) -> None:
    (line,) = (line for lines in LINES.values() for line in lines if line.block.language == "sh")
    with running("exec tilescope serve logs --port 0 --no-grpc", folder) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("Serving")
        with running(line.text, folder, PID=str(server.pid)) as count:
            assert count.stdout is not None
            megabytes, unit = count.stdout.read().split()
        assert unit == "MB"
        assert 20 < float(megabytes) < 2000
        os.killpg(server.pid, signal.SIGINT)


def test_the_tables_name_lines_that_are_there() -> None:
    lines = {line.text for lines in LINES.values() for line in lines if line.block.language != "sh"}
    assert set(CANNOT_RUN) <= lines
    assert [line for line in lines if line not in CANNOT_RUN and not line.startswith(RUNNING)] == []
    assert {
        line.strip() for page in PAGES for block in blocks_of(page) for line in block.text.split("\n")
    } >= NO_COMMANDS
