"""Asks an archive as the viewer does that has no server: by `ArchiveHost` of the TypeScript client, in Node."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.absence import find_program
from tilescope.cli.archive_site import question_fields
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.archive.writer import write_archive

CLIENT: Final = Path(__file__).parents[2] / "viewer" / "client" / "dist" / "tilescope-client.js"

_SCRIPT: Final = """
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
const { client, archive, paths, questions } = JSON.parse(readFileSync(0, "utf8"));
const { ArchiveHost } = await import(client);
const file = await open(archive);
let requests = 0;
const readRanges = () => async ({ start, stop }) => {
  requests += 1;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(stop - start), 0, stop - start, start);
  return { bytes: new Uint8Array(buffer).slice(0, bytesRead), etag: "1" };
};
const fullAddress = (address) => `https://files.example/${address}`;
const loadTools = async () => [];
const loadQuestions = async () => questions;
const host = new ArchiveHost("run.tsarc", { readRanges, fullAddress, loadTools, loadQuestions });
const { runs } = await (await host.fetch("/api/v1/runs")).json();
const base = `/api/v1/runs/run.tsarc/builds/${runs[0].build}`;
const answers = [];
for (const path of paths) {
  const before = requests;
  const response = await host.fetch(base + path);
  answers.push({ status: response.status, body: await response.json(), requests: requests - before });
}
process.stdout.write(JSON.stringify({ runs, answers }));
"""


def ask_archive(archive: Path, paths: Sequence[str]) -> list[dict[str, Any]]:
    """Status and JSON of each path below the build of an archive, and how many ranges of it were read for it."""
    node = find_program("node")
    if node is None or not CLIENT.exists():
        pytest.skip("needs Node and the built client: make viewer")
    request = json.dumps(
        {
            "client": str(CLIENT),
            "archive": str(archive),
            "paths": list(paths),
            "questions": json.loads(question_fields()),
        }
    )
    command = [node, "--input-type=module", "--eval", _SCRIPT]
    done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)["answers"]
    return answers


def archive_of(store_path: Path, folder: Path, without: tuple[str, ...] = ()) -> Path:
    """The archive of a store, in a folder."""
    output = io.BytesIO()
    store = open_run_store(store_path)
    write_archive(store, output, without=without)
    store.close()
    path = folder / f"{store_path.stem}.tsarc"
    path.write_bytes(output.getvalue())
    return path
