"""Every tool, asked whenever something new is stored of a run that is being indexed: nothing is mistaken for the end.

The process that indexes is this one: whenever it has stored something, it asks, and goes on when it has the answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

from bench.pod_run import PodShape, write_pod
from tests.client.tool_questions import Material, Values, questions
from tests.flagged_traces import write_xspace
from tests.run_kinds import RUN_KINDS, trace_files
from tilescope.tiler.errors import NoStore
from tilescope.tiler.indexing import build as build_module
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading import read as read_module
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store import open_growing, open_run_store
from tilescope.tiler.store.lmdb_writer import LmdbWriter
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.tools import (
    Answer,
    BuildRef,
    Scope,
    answer_json,
    ask,
    from_values,
    references,
    tool,
    tools,
    values_of,
)

pytestmark = pytest.mark.slow

EVERY: Final = 8  # of the questions that can be made of a tool's description, so many at even distances
Asked = tuple[str, str]  # a tool and its question


def _json(folder: Path) -> Path:
    """Threads on several blocks, some with steps, counters on the last one, flows across, an event far before all."""
    events: list[dict[str, Any]] = [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "long before"}]
    for tid in range(1, TRACKS_PER_BLOCK * 2 + 5):
        events.append({"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": f"thread {tid}"}})
        for k in range(6):
            on = {"pid": 1, "tid": tid, "ts": 10**12 + 100 * k + tid % 7}
            name = f"Iteration {k}" if tid == 1 else f"op {k % 3}"
            events.append({"ph": "X", **on, "dur": 50 + k, "name": name, "cat": "cat", "args": {"bytes": k}})
            if tid % 9 == 0:
                events.append({"ph": "s", "id": f"{tid}.{k}", "name": "flow", "cat": "f", **on})
                events.append({**on, "ph": "f", "bp": "e", "id": f"{tid}.{k}", "name": "flow", "cat": "f", "tid": 2})
    for k in range(40):
        for counter in ("memory", "queue"):
            on = {"pid": 2, "ts": 10**12 + 15 * k}
            events.append({"ph": "C", **on, "name": counter, "args": {"v": k % 11}})
    path = folder / "trace.json"
    path.write_text(json.dumps(events))
    return path


def _synthetic(folder: Path) -> Path:
    write_synthetic_trace(folder / "synthetic.pb", format="xspace", events=3_000, tracks=70, seed=3)
    return folder / "synthetic.pb"


def _flagged(folder: Path) -> Path:
    write_xspace(folder / "flagged.pb")
    return folder / "flagged.pb"


TRACES: Final[Mapping[str, Callable[[Path], Path]]] = {
    **RUN_KINDS,
    "json": _json,
    "synthetic": _synthetic,
    "flagged": _flagged,
}


@dataclass
class Asker:
    """Asks of a build whatever a question can be made for, and compares with what is said in the end."""

    store: Path
    asked: Mapping[Asked, Values]
    end: Mapping[Asked, bytes | Exception]
    moments: int = 0
    complete: int = 0
    counts: dict[Asked, int] = field(default_factory=dict)

    def ask_all(self, build: str) -> None:
        """Of the build as it is now; nothing as long as there is nothing to be seen of it."""
        with suppress(NoStore):
            store = open_growing(self.store, build)
            try:
                self.moments += 1
                for asked, values in self.asked.items():
                    self._compare(asked, answer_of(asked[0], values, QueryReader(store)))
            finally:
                store.close()

    def _compare(self, asked: Asked, answer: Answer | Exception) -> None:
        end = self.end[asked]
        if isinstance(answer, Exception):
            assert isinstance(end, Exception), f"{asked} is refused for good, though there is an answer: {answer!r}"
            assert (type(answer), str(answer)) == (type(end), str(end)), asked
            return
        if answer.is_complete:
            self.complete += 1
            assert answer_json.encode(answer) == end, f"{asked} has a complete answer that is not the last"
        count = counted(answer)
        assert count >= self.counts.get(asked, 0), f"{asked}: what it counts has fallen"
        self.counts[asked] = count


def answer_of(name: str, values: Values, reader: QueryReader) -> Answer | Exception:
    asked = tool(name)
    try:
        question = from_values(asked.question, values)
        others = dict.fromkeys(references(question, BuildRef).values(), reader)
        return finish(ask(asked, Scope(reader, others), question))
    except Exception as error:
        return error


def counted(answer: Answer) -> int:
    """How many events the answer of a search or of sums is about."""
    return sum(int(fact.value or 0) for fact in answer.facts if fact.id in ("count", "events") and fact.kind == "count")


def asked_of(reader: QueryReader) -> Iterator[tuple[Asked, Values]]:
    """Questions to all tools; those that a run has no answer for are asked as well."""
    for name, each in tools().items():
        try:
            every = list(questions(each, Material(reader, ["run/build"])))
        except LookupError:  # a question names a track or a step, and there is none
            continue
        for values in islice(every, 0, None, max(1, len(every) // EVERY)):
            yield (name, json.dumps(values)), values


@pytest.fixture
def shows_small_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a large one is shown: while it is read, and while it is built."""
    monkeypatch.setattr(build_module, "_PREVIEW_EVENTS", 0)
    monkeypatch.setattr(read_module, "_SNAPSHOT_SECONDS", 0)
    monkeypatch.setattr(read_module, "_WAIT_PER_SUMMARY", 0)


def ask_while_stored(
    traces: Sequence[Path], folder: Path, ask_build: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> int:
    """Indexes a run, and asks of its build whenever there is more of it; the number of these moments."""
    puts = LmdbWriter.put_many
    seen: list[tuple[int, ...]] = []

    def put_many(writer: LmdbWriter, entries: Any) -> None:
        puts(writer, entries)
        (part,) = folder.glob("gen-*.part")
        build = part.stem.removeprefix("gen-")
        with suppress(NoStore):
            store = open_growing(folder, build)
            manifest = store.manifest()
            done = [block for block in range(manifest["blocks"]) if store.get(SHAPE, block) is not None]
            state = (manifest["revision"], len(done), int(store.get(ATTACHMENTS) is not None))
            store.close()
            if state not in seen:
                seen.append(state)
                ask_build(build)

    monkeypatch.setattr(LmdbWriter, "put_many", put_many)
    build_store(traces, folder, workers=1)
    monkeypatch.setattr(LmdbWriter, "put_many", puts)
    return len(seen)


@pytest.mark.usefixtures("shows_small_runs")
@pytest.mark.parametrize(
    "write",
    [
        pytest.param(write, id=name, marks=pytest.mark.deep if name == "synthetic" else ())
        for name, write in TRACES.items()
    ],
)
def test_what_says_complete_is_the_end_and_what_is_so_far_never_falls(
    write: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = trace_files(write(tmp_path))
    build_store(files, tmp_path / "end", workers=1)
    finished = open_run_store(tmp_path / "end")
    reader = QueryReader(finished)
    asked = dict(asked_of(reader))
    answers = {key: answer_of(key[0], values, reader) for key, values in asked.items()}
    end = {key: of if isinstance(of, Exception) else answer_json.encode(of) for key, of in answers.items()}
    assert all(of.is_complete for of in answers.values() if isinstance(of, Answer))
    asker = Asker(tmp_path / "store", asked, end)
    moments = ask_while_stored(files, tmp_path / "store", asker.ask_all, monkeypatch)
    assert moments > 1
    assert asker.moments == moments
    published = open_run_store(tmp_path / "store")
    for key, values in asked.items():
        answer = answer_of(key[0], values, QueryReader(published))
        assert isinstance(answer, Exception) or answer_json.encode(answer) == end[key]
    published.close()
    finished.close()


@pytest.mark.usefixtures("shows_small_runs")
def test_cores_are_shown_before_it_is_stored_how_many_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting is not told from computing until then: the last answer could differ."""
    shape = PodShape()
    cores: list[int] = []
    are_split: list[bool] = []

    def ask_pod(build: str) -> None:
        with suppress(NoStore):
            store = open_growing(tmp_path / "store", build)
            answer = answer_of("pod", {}, QueryReader(store))
            assert isinstance(answer, Answer)
            blocks = range(store.manifest()["blocks"])
            if any(store.get(SHAPE, block) is not None for block in blocks):
                cores.append(len(answer.table("cores")))
                are_split.append(answer.fact("all_reduce_sync").value is not None)
                (words,) = [note.text for note in answer.notes if "not separable" in note.text]
                assert words.endswith("how many take part is not stored yet.") != are_split[-1]
                share = answer.fact("all_reduce_unsplit" if not are_split[-1] else "all_reduce_sync")
                assert share.value
                assert store.get(ATTACHMENTS) is not None or share.note == "how many take part is not stored yet"
                unsplit = values_of(answer.table("cores").column("tpu_all_reduce_unsplit"))
                assert all(bool(ps) != are_split[-1] for ps in unsplit)
            store.close()

    pod = write_pod(tmp_path / "pod", shape)
    ask_while_stored(pod.files, tmp_path / "store", ask_pod, monkeypatch)
    assert cores == sorted(cores)
    assert cores[-1] == len(pod.truth["steps"][-1]["cores"])
    assert not are_split[0]
    assert are_split[-1]
