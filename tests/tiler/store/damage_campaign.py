"""Damages a store again and again, and lets `verify`, `info` and a server meet it: `python -m … FLIPS CUTS SEED`.

A finished store is damaged in place, by one flipped bit or by being cut short, beside one that is whole. Each time
processes of their own (forked, so that hundreds take minutes) verify it, say what it holds, and serve both: every
route of the damaged one is asked. Nothing may end by a signal or with a traceback, no answer may be another than
before, and `verify` has to name whatever changes a record. Prints a line of JSON: what came how often.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import pickle
import random
import re
import struct
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from tilescope.cli import main as cli
from tilescope.server.app import make_app
from tilescope.server.http.batch import parse_batch
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.errors import StoreError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Shape, decompress
from tilescope.tiler.readers import discover
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.generation import current
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.synth import write_synthetic_trace

PAGE_BYTES = 4096
ROUTES_AT_MOST = 60  # of pages and of events
QUESTION = re.compile(r"/(stats|find|events)(\?|$)")
QUESTIONS_EVERY = 10  # they are answered by processes, which take a second to start
Answers = dict[str, tuple[int, bytes]]


@dataclass(frozen=True)
class Damage:
    """One flipped bit, or an end that is missing."""

    at: int  # byte, or the new length
    bit: int | None = None
    while_served: bool = False

    def to(self, file: Path, whole: bytes) -> None:
        """Does it."""
        if self.bit is None:
            os.truncate(file, self.at)
        else:
            _write(file, self.at, bytes([whole[self.at] ^ 1 << self.bit]))

    def undo(self, file: Path, whole: bytes) -> None:
        """Puts back what was there."""
        if self.bit is None:
            file.write_bytes(whole)
        else:
            _write(file, self.at, whole[self.at : self.at + 1])


@dataclass
class Told:
    """What a command said."""

    code: int
    text: str


def main(flips: int, cuts: int, seed: int) -> int:
    """Runs the campaign. Returns 1 when something happened that must not."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bad, good = _stores(folder, seed)
        data = current(bad) / "data.mdb"
        whole = data.read_bytes()
        records = _records(data.parent)
        assert records is not None
        true = _in_child(lambda: asyncio.run(_serve(folder, bad, good, None, with_questions=True)))
        assert isinstance(true, dict), true
        for k, damage in enumerate([*_flips(rng, whole, flips), *_cuts(rng, len(whole), cuts)]):
            with_questions = k % QUESTIONS_EVERY == 0
            complaints = _meet(damage, folder, bad, good, whole, records, true, counts, with_questions=with_questions)
            wrong += [f"{k}: {damage}: {complaint}" for complaint in complaints]
    print(json.dumps({"counts": dict(sorted(counts.items())), "wrong": wrong}))
    return 1 if wrong else 0


def _meet(
    damage: Damage,
    folder: Path,
    bad: Path,
    good: Path,
    whole: bytes,
    records: dict[bytes, bytes],
    true: Answers,
    counts: Counter[str],
    *,
    with_questions: bool,
) -> list[str]:
    data = current(bad) / "data.mdb"
    kind = "flip" if damage.bit is not None else "cut"
    wrong: list[str] = []
    try:
        then = (lambda: damage.to(data, whole)) if damage.while_served else None
        if then is None:
            damage.to(data, whole)
        answers = _in_child(lambda: asyncio.run(_serve(folder, bad, good, then, with_questions=with_questions)))
        is_changed = _in_child(lambda: _records(data.parent)) != records
        counts[f"{kind}: {'changes' if is_changed else 'spares'} records"] += 1
        for command in ("verify", "info"):
            told = _in_child(partial(_command, command, bad))
            if not isinstance(told, Told):
                wrong.append(f"{command} {told}")
                continue
            counts[f"{kind}: {command} exits {told.code}"] += 1
            if told.code not in (0, 1) or "Traceback" in told.text or "internal error" in told.text:
                wrong.append(f"{command} exits {told.code}: {told.text}")
            elif told.code == 1 and (told.text.count("tilescope:") != 1 or str(bad) not in told.text):
                wrong.append(f"{command} does not say in one line what is wrong: {told.text}")
            elif command == "verify" and is_changed and told.code == 0:
                wrong.append("verify does not see it")
    finally:
        damage.undo(data, whole)
    if not isinstance(answers, dict):
        return [*wrong, f"serve {answers}"]
    differing = {path: answer for path, answer in answers.items() if answer != true.get(path)}
    states = Counter(_outcome(path, answer) for path, answer in differing.items())
    wrong += [f"serve answers {state}" for state in states if state not in ("bad_store", "missing", "the list")]
    counts[f"{kind}: serve answers {'bad_store' if 'bad_store' in states else 'missing' if states else 'all'}"] += 1
    return wrong


def _outcome(path: str, answer: tuple[int, bytes]) -> str:
    """What became of an answer that is another than it was."""
    status, body = answer
    if path == "/api/v1/runs":
        return "the list"  # which says that the run has failed; that of the other was looked at
    if path.startswith("good "):
        return f"{path} otherwise: {status}"
    if status == 500 and json.loads(body)["error"]["code"] == "bad_store":
        return "bad_store"
    # A key that was altered is not found, and a run that has failed has no build.
    if status in (404, 409) and json.loads(body)["error"]["code"] in ("not_found", "unknown_build", "not_indexed"):
        return "missing"
    return f"{path} otherwise: {status} {body[:300]!r}"


async def _serve(
    folder: Path, bad: Path, good: Path, damage: Callable[[], None] | None, *, with_questions: bool
) -> Answers:
    """What every route of both stores answers; the damage is done when some have been asked."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    stores = OpenStores(open_run_store)
    registry = Registry([good, bad], CacheDirectory(folder / "cache"), stores, discover, rescan_interval_s=0)
    answers: Answers = {}
    async with TestClient(TestServer(make_app(registry)), auto_decompress=False) as client:
        routes = pickle.loads((folder / "routes").read_bytes()) if (folder / "routes").exists() else None
        if routes is None:
            routes = await _routes(client, bad, good)
            (folder / "routes").write_bytes(pickle.dumps(routes))
        halfway = len(routes) // 3 if damage is not None else -1
        for k, (label, path, body) in enumerate(routes):
            if QUESTION.search(path) and not with_questions:
                continue
            if k == halfway and damage is not None:
                damage()
            answer = await (client.get(path) if body is None else client.post(path, data=body))
            answers[label] = answer.status, await answer.read()
    if "Traceback" in log.getvalue():
        raise AssertionError(log.getvalue())
    lines = [line for line in log.getvalue().splitlines() if "bad.store" in line]
    if len(lines) > 1 + (damage is not None):
        raise AssertionError(f"more than a line of the log: {lines}")
    return answers


async def _routes(client: Any, bad: Path, good: Path) -> list[tuple[str, str, bytes | None]]:
    """(label, path, body of a POST) of requests to both, those of the damaged one in no order."""
    runs = {run["name"]: run for run in (await (await client.get("/api/v1/runs")).json())["runs"]}
    routes: list[tuple[str, str, bytes | None]] = [("/api/v1/runs", "/api/v1/runs", None)]
    for path in (bad, good):
        run = runs[path.name]
        top = f"/api/v1/runs/{run['id']}"
        base = f"{top}/builds/{run['build']}"
        mark = "good " if path == good else ""
        asked: list[tuple[str, bytes | None]] = [(f"{top}/manifest", None), (f"{base}/tracks", None)]
        store = open_run_store(path)
        manifest = store.manifest()
        pages = []
        for block in range(manifest["blocks"]):
            asked.append((f"{base}/shapes/{block}", None))
            shape = Shape.decode(decompress(store.get(SHAPE, block) or b""))
            pages += [key for key, _ in shape.pages()]
        asked += [(f"{base}/names/{page}", None) for page in range(-(-manifest["names"]["count"] // 1024))]
        asked += [(f"{base}/overview/{page}", None) for page in range(4)]
        rng = random.Random(1)
        some = rng.sample(pages, min(len(pages), ROUTES_AT_MOST if path == bad else 5))
        asked += [(f"{base}/{key.text()}", None) for key in some]
        tracks = manifest["tracks"]
        for _ in range(ROUTES_AT_MOST if path == bad else 5):
            asked.append((f"{base}/events/{rng.randrange(tracks)}/{rng.randrange(400)}", None))
            asked.append((f"{base}/flows/{rng.randrange(tracks)}/{rng.randrange(12)}/0", None))
        asked += [(f"{base}/{what}", None) for what in ("stats", "find?text=a", "events?limit=100")]
        store.close()
        body = json.dumps({"pages": [list(key)[:4] for key in some[:20]]}).encode()
        assert parse_batch(body)
        routes += [(mark + path_, path_, body_) for path_, body_ in asked]
        if path == good:
            routes.append((f"{mark}batch", f"{base}/batch", body))
    bad_ones = [route for route in routes if not route[0].startswith("good ")][1:]
    random.Random(2).shuffle(bad_ones)
    return [*bad_ones, *(route for route in routes if route[0].startswith("good ")), routes[0]]


def _command(name: str, store: Path) -> Told:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = cli([name, str(store)])
    return Told(code, "" if code == 0 else said.getvalue())


def _in_child(work: Callable[[], Any]) -> Any:
    """What the work returns, done in a process of its own; a text when it fails or the process is ended."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            code = 0
            try:
                pickle.dump(work(), file)
            except BaseException:
                file.truncate(0)
                pickle.dump(traceback.format_exc(), file)
            file.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return f"was ended by signal {os.WTERMSIG(status)}"
        file.seek(0)
        return pickle.load(file)


def _records(generation: Path) -> dict[bytes, bytes] | None:
    """All that can be read; None when not all can."""
    try:
        reader = LmdbReader(generation)
        try:
            return dict(reader.scan(b""))
        finally:
            reader.close()
    except StoreError:
        return None


def _stores(folder: Path, seed: int) -> tuple[Path, Path]:
    """Arguments, flows, counters, histograms; some blocks; leaves and pages of their own."""
    events = {"bad": 60_000, "good": 2_000}
    for name, count in events.items():
        trace = write_synthetic_trace(folder / f"{name}.pb", format="xspace", events=count, tracks=40, seed=seed).path
        build_store([trace], folder / f"{name}.store")
        trace.unlink()
    return folder / "bad.store", folder / "good.store"


def _flips(rng: random.Random, whole: bytes, count: int) -> list[Damage]:
    """Half of them anywhere, half in the heads, branches and leaves, of which there are few."""
    pages = range(len(whole) // PAGE_BYTES)
    of_tree = [page for page in pages if struct.unpack_from("<H", whole, page * PAGE_BYTES + 10)[0] in (1, 2, 8)]
    found = []
    for k in range(count):
        if k % 2:
            at = rng.randrange(len(whole))
        else:
            page = rng.choice(of_tree)
            at = page * PAGE_BYTES + rng.randrange(152 if page < 2 else PAGE_BYTES)
        found.append(Damage(at, rng.randrange(8)))
    return found


def _cuts(rng: random.Random, size: int, count: int) -> list[Damage]:
    """At pages and elsewhere, before a server starts and while it serves."""
    found = []
    for k in range(count):
        at = rng.randrange(size) if k % 3 else rng.randrange(size // PAGE_BYTES) * PAGE_BYTES
        found.append(Damage(at, while_served=k % 2 == 1))
    return found


def _write(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b", buffering=0) as opened:
        os.pwrite(opened.fileno(), data, at)


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:4])))
