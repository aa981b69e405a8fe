"""Tools answer about an archive as about its store; where parts are left out, they say so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.client.tool_questions import Material, Values, questions
from tests.run_kinds import build_run_kinds
from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.store.archive.test_archive_opening import archive_of
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_store
from tilescope.tiler.tools import AnyTool, Scope, answer_json, ask, from_values, tool, tools
from tilescope.tiler.tools.references import BuildRef, references

pytestmark = pytest.mark.slow

QUESTIONS = 4  # to each tool about each run
KINDS = ("busy", "devices")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("kinds")
    build_store([write_trace(folder / "busy.json", busy_events(4, calls=400))], folder / "busy.store")
    return {"busy": folder / "busy.store", **build_run_kinds(folder)}


@pytest.fixture(scope="module")
def readers(stores: Mapping[str, Path]) -> Iterator[Mapping[str, tuple[QueryReader, QueryReader]]]:
    """The reader of the store of each run, and that of its archive."""
    pairs = {}
    for name, store in stores.items():
        archive = archive_of(store, store.with_suffix(".tsarc"))
        pairs[name] = QueryReader(open_store(store)), QueryReader(open_store(archive))
    yield pairs
    for pair in pairs.values():
        for reader in pair:
            reader.store.close()


def answered(reader: QueryReader, other: QueryReader, asked_tool: AnyTool, values: Values) -> bytes | str:
    """The answer as JSON, or why there is none. Other builds are `other`."""
    question = from_values(asked_tool.question, values)
    others = dict.fromkeys(references(question, BuildRef).values(), other)
    try:
        return answer_json.encode(finish(ask(asked_tool, Scope(reader, others), question)))
    except (NotAvailable, UsageError) as error:
        return str(error)


@pytest.mark.parametrize("name", tools())
def test_answers_are_those_of_the_store(name: str, readers: Mapping[str, tuple[QueryReader, QueryReader]]) -> None:
    asked_tool = tool(name)
    count = 0
    for store, archive in readers.values():
        for values in list(questions(asked_tool, Material(store, ["other"])))[:QUESTIONS]:
            answer = answered(store, store, asked_tool, values)
            assert answered(archive, archive, asked_tool, values) == answer, values
            count += isinstance(answer, bytes)
    assert count, "no run has an answer of this tool"


@pytest.mark.parametrize("name", tools())
def test_what_was_left_out_is_never_taken_for_absent(name: str, stores: Mapping[str, Path], tmp_path: Path) -> None:
    """An answer of an archive without parts equals that of the store, or says what is left out."""
    asked_tool = tool(name)
    for kind in KINDS:
        small = archive_of(stores[kind], tmp_path / f"{kind}.tsarc", without=["arguments", "operations"])
        store, archive = QueryReader(open_store(stores[kind])), QueryReader(open_store(small))
        for values in list(questions(asked_tool, Material(store, ["other"])))[:1]:
            answer = answered(archive, archive, asked_tool, values)
            if not (isinstance(answer, str) and "the archive was made --without" in answer):
                assert without_notes(answer) == without_notes(answered(store, store, asked_tool, values))
        store.store.close()
        archive.store.close()


def without_notes(answer: bytes | str) -> object:
    """An answer without notes and headline: they repeat warnings of the manifest."""
    if isinstance(answer, str):
        return answer
    members = json.loads(answer)
    return members["tables"], members["series"]


def test_events_say_why_they_have_no_arguments(stores: Mapping[str, Path], tmp_path: Path) -> None:
    whole = event_details(open_store(stores["busy"]), 1, 2)
    small = archive_of(stores["busy"], tmp_path / "small.tsarc", without=["arguments"])
    details = event_details(open_store(small), 1, 2)
    assert whole is not None
    assert details is not None
    ((argument,),) = (details.pop("args"),)
    assert argument["name"] == "[unreadable]"
    assert "made --without arguments" in argument["value"]
    assert whole.pop("args") != []
    assert details == whole
