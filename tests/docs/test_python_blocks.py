"""The Python blocks of a page run one after the other, in one program, as somebody would type them in."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.cli.test_server_commands import started
from tests.docs.code_blocks import PAGES, CodeBlock, blocks_of
from tilescope.cli import main

pytestmark = pytest.mark.slow

BLOCKS: Final = {page.name: [block for block in blocks_of(page) if block.language == "python"] for page in PAGES}

# Blocks that cannot run here, by their first line, and why.
CANNOT_RUN: Final = {
    "tf.profiler.experimental.server.start(6009)": "needs TensorFlow, for which there is `make test-tensorflow`",
    "options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=1, "
    "device_tracer_level=1)": "needs TensorFlow",
    "schedule = torch.profiler.schedule(wait=100, warmup=2, active=5, repeat=1)": "needs PyTorch: see `make torch`",
    "import torch.distributed": "needs PyTorch",
    'profiler = mindspore.Profiler(start_profile=False, output_path="./data")': "needs MindSpore",
    "class ProfileSteps(mindspore.Callback):": "needs MindSpore",
}

# What a block takes for granted, by its first line: names that the reader's program has.
GIVEN: Final = {
    'run.ask("steps").table("steps").to_pandas()  # each step: when, and how long on the slowest device': "",
    "for step in range(steps):": "steps, state, batches = 3, 1.0, iter(range(100))\n"
    "train_step = lambda state, batch: jax.numpy.sin(state + batch)",
    'with tilescope.profile("logs") as profile:': "import jax, tilescope\nbatches = data = range(3)\nstate = 1.0\n"
    "train = jax.numpy.sin\ntrain_step = lambda state, batch: jax.numpy.sin(state + batch)",
    'with tilescope.profile("logs"):': "batch = 1",
    'async with tilescope.connect_async("http://localhost:8808", token=token) as client:': "token = None",
}

# Blocks that need a package which an environment for tests may lack.
NEEDS: Final = {
    "import jax": "jax",
    "for step in range(steps):": "jax",
    'with tilescope.profile("logs") as profile:': "jax",
    'with tilescope.profile("logs"):': "jax",
    "import duckdb": "polars",
    'run.ask("steps").table("steps").to_pandas()  # each step: when, and how long on the slowest device': "pandas",
}


@contextmanager
def served(folder: Path) -> Iterator[Mapping[str, str]]:
    """What stands in the blocks, and what is there instead while they run: a server, and a free port."""
    (folder / "served").mkdir()
    shutil.copy(folder / "big.xplane.pb", folder / "served")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with started(folder, "serve", "served") as (_, url):
        yield {"http://localhost:8808": url.rstrip("/"), "9012": port}


def script_of(blocks: list[CodeBlock], places: Mapping[str, str]) -> str:
    parts = []
    for block in blocks:
        text = block.text
        for written, place in places.items():
            text = text.replace(written, place)
        if re.search(r"^async ", text, re.MULTILINE):
            text = f"import asyncio\nasync def main():\n{textwrap.indent(text, '    ')}\nasyncio.run(main())"
        parts.append(f"# {block}\n{GIVEN.get(block.first, '')}\n{text}\n")
    return "\n".join(parts)


@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if blocks])
def test_the_blocks_of_a_page_run(name: str, tmp_path: Path) -> None:
    blocks = [block for block in BLOCKS[name] if block.first not in CANNOT_RUN]
    lacking = {NEEDS[b.first] for b in blocks if b.first in NEEDS and importlib.util.find_spec(NEEDS[b.first]) is None}
    blocks = [block for block in blocks if NEEDS.get(block.first) not in lacking]
    synth = ["synth", "--realistic", "--events", "400000", "--tracks", "8", "-o", str(tmp_path / "big.xplane.pb")]
    assert main(synth) == 0
    with served(tmp_path) as places:
        script = script_of(blocks, places)
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, "-c", script]
        run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, f"{run.stderr}\n{script}"


def test_the_tables_name_blocks_that_are_there() -> None:
    there = {block.first for blocks in BLOCKS.values() for block in blocks}
    assert set(CANNOT_RUN) | set(GIVEN) | set(NEEDS) <= there
