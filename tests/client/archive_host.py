"""Asks an archive as the viewer does that has no server: by `ArchiveHost` of the TypeScript client, in Node."""

from __future__ import annotations

import io
import json
import subprocess
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.absence import find_program
from tilescope.cli.archive_site import question_fields
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.archive.writer import write_archive
from tilescope.tiler.tools import Scope, answer_json, ask, from_text, tool

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


SOME_TRACES: Final = (
    "xplane/gpu_v100x8_bert.xplane.pb",
    "xplane/tpu_v6e_4core.xplane.pb",
    "chrome/devtools_116.json",
    "chrome/viztracer_multi_process_pool.json",
    "kineto/h100_gpt_stack.pt.trace.json.gz",
)


def as_python_has_it(store_path: Path, questions: Sequence[Mapping[str, str]], name: str) -> list[dict[str, Any]]:
    """Answers of a tool to questions about a store."""
    chosen = tool(name)
    store = open_run_store(store_path)
    reader = QueryReader(store)
    answers = [
        json.loads(answer_json.encode(finish(ask(chosen, Scope(reader, {}), from_text(chosen.question, question)))))
        for question in questions
    ]
    store.close()
    return answers


def answers_of_both(
    store_path: Path, folder: Path, questions: Sequence[Mapping[str, str]], name: str
) -> Iterator[tuple[Mapping[str, str], dict[str, Any], dict[str, Any]]]:
    """Each question to a tool, with the answer that is made of an archive, and the tool's own."""
    paths = [f"/tools/{name}?{urllib.parse.urlencode(question)}" for question in questions]
    answers = ask_archive(archive_of(store_path, folder), paths)
    expected = as_python_has_it(store_path, questions, name)
    for question, answer, of_tool in zip(questions, answers, expected, strict=True):
        assert answer["status"] == 200, (question, answer["body"])
        yield question, answer["body"], of_tool


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Without sentences, which a server writes; equal rows stand in no order."""
    tables = [
        {**table, "columns": None, "rows": sorted(zip(*(c["values"] for c in table["columns"]), strict=True), key=str)}
        | {"heads": [{**column, "values": None} for column in table["columns"]]}
        for table in answer["tables"]
    ]
    return {**answer, "headline": None, "notes": None, "tables": tables}


def archive_of(store_path: Path, folder: Path, without: tuple[str, ...] = ()) -> Path:
    """The archive of a store, in a folder."""
    output = io.BytesIO()
    store = open_run_store(store_path)
    write_archive(store, output, without=without)
    store.close()
    path = folder / f"{store_path.stem}.tsarc"
    path.write_bytes(output.getvalue())
    return path
