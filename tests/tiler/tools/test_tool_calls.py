"""Calls of tools, those of others among them: what they must not do is one error that says whose it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.example import Example
from tests.toy_tools import install
from tilescope.tiler.errors import NotAvailable, StoredLast, TilescopeError, ToolFailed, UsageError
from tilescope.tiler.query import finish
from tilescope.tiler.tools import Answer, BuildRef, Scope, ask, catalogue, from_values, references, tool, tools, why_not


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(install(tmp_path, faulty=True)))
    catalogue.installed_tools.cache_clear()
    yield
    catalogue.installed_tools.cache_clear()
    sys.modules.pop("toy_tools", None)


def asked(example: Example, name: str, **values: object) -> Answer:
    found = tool(name)
    question = from_values(found.question, values)
    others = dict.fromkeys(references(question, BuildRef).values(), example.reader)
    return finish(ask(found, Scope(example.reader, others), question))


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("late", ToolFailed, "the tool 'late' failed in toy_tools.py, line {line}: KeyError: 'missing'"),
        ("leaving", ToolFailed, "the tool 'leaving' failed in toy_tools.py, line {line}: SystemExit: 3"),
        ("wrong", ToolFailed, "the tool 'wrong' failed: TypeError: a value of type float is none of kind 'count'"),
        ("plain", ToolFailed, "the tool 'plain' failed: TypeError: its function returns a value of type Answer: it"),
        ("torn", ToolFailed, "the tool 'torn' failed in toy_tools.py, line {line}: ValueError: torn"),
        ("absent", NotAvailable, "absent has no answer for this run: no HLO protos in this trace: record with XLA_"),
    ],
)
def test_a_fault_is_one_error_that_says_whose_it_is(
    example: Example, name: str, kind: type[TilescopeError], message: str
) -> None:
    with pytest.raises(kind) as error:
        asked(example, name)
    line = str(error.value).partition("line ")[2].partition(":")[0]
    assert str(error.value).startswith(message.format(line=line))
    assert "\n" not in str(error.value)


def test_what_is_stored_last_is_waited_for_in_plain_words(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_self: Scope, _question: object) -> None:
        raise StoredLast("what events share is not stored yet")

    monkeypatch.setattr(Scope, "windows", missing)
    found = asked(example, "stats")
    assert (list(found.tables), found.is_complete) == ([], False)
    assert [note.text for note in found.notes if "there is an answer then" in note.text]


LACKED = {
    *("torn", "absent", "collectives", "queues", "step_trace", "flops", "operators", "dynamic_shape", "tables"),
    *("launches", "cpu", "critical_path", "op_profile", "hlo_stats", "framework_ops", "kernels", "roofline"),
    *("graph", "model_graph", "copies", "memory_profile", "memory_viewer", "imported"),
}


def test_why_there_is_no_answer(example: Example) -> None:
    reasons = {name: why_not(found, Scope(example.reader)) for name, found in tools().items()}
    assert {name for name, reason in reasons.items() if reason} == LACKED
    assert reasons["torn"].endswith("ValueError: torn")


def test_errors_of_ours_pass_as_they_are(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """What decoding raises of a damaged store is for those who know that it may be one."""
    monkeypatch.setattr(example.reader, "tree", None)
    with pytest.raises(AttributeError):
        asked(example, "stats")


def test_another_build_is_looked_at(example: Example) -> None:
    same = asked(example, "versus", against="run/build")
    assert same.fact("difference").value == 0
    fewer = asked(example, "versus", against="run/build", also="run/older", tracks=[1])
    assert len(fewer.table("runs")) == 3
    with pytest.raises(UsageError, match="missing required field against"):
        asked(example, "versus")
    with pytest.raises(UsageError, match=r"^against: a build is named by a text of 1 to 4,096 characters"):
        asked(example, "versus", against=5)


def test_a_host_is_one_of_the_run(example: Example) -> None:
    (host,) = example.store.manifest()["hosts"]
    whole, of_host = asked(example, "toy"), asked(example, "toy", host=host)
    assert of_host.table("flat").column("track").values == whole.table("flat").column("track").values
    assert of_host.fact("host").value == host
    with pytest.raises(UsageError, match=f"^host: there is no host 'spam': there are {host}$"):
        asked(example, "toy", host="spam")


def test_many_hosts_are_not_all_named(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = msgspec.structs.replace(example.reader.manifest, hosts=[f"host{k}" for k in range(1000)])
    monkeypatch.setattr(example.reader, "manifest", manifest)
    with pytest.raises(UsageError, match=r"host18, host19 and 980 more$"):
        asked(example, "toy", host="spam")
