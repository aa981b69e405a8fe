"""Findings as tools have them: asked once for all pages, of steps that somebody names, and of one host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.headlines import headline
from tests.tiler.facts.findings.epochs import EPOCH_US, READING_US, write_epochs
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.facts.findings.tpu_run import Pod, write_hosts
from tests.tiler.facts.findings.tpu_run import run as run_pod
from tests.tiler.tools.test_steps import Asked
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import Answer, findings
from tilescope.tiler.tools.answer import values_of

PAGES = ("overview", "gaps", "pod", "input_pipeline")


def rows(answer: Answer) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in answer.table("findings").columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[Asked]:
    opened = Asked(tmp_path, write_hosts(run_pod(Pod(batch=(900, 9_400))), tmp_path))
    yield opened
    opened.store.close()


def counting(monkeypatch: pytest.MonkeyPatch, *names: str) -> dict[str, int]:
    """Calls of functions that findings are made of, which still do their work."""
    calls = dict.fromkeys(names, 0)

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return function(*arguments, **named)

        return call

    for name in names:
        monkeypatch.setattr(findings, name, counted(name, getattr(findings, name)))
    return calls


def test_pages_share_what_one_of_them_has_asked(pod: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch, "findings_of", "environment", "asked_operations")
    sentences = {page: headline(pod.ask(page)).text for page in PAGES}
    assert calls == {"findings_of": 1, "environment": 0, "asked_operations": 0}  # the overview has both
    for page in ("overview", "gaps", "pod"):
        assert sentences[page] == sentences["overview"]
    assert sentences["overview"] in sentences["input_pipeline"]
    pod.ask("gaps", steps=(412, 413))
    assert calls == {"findings_of": 2, "environment": 1, "asked_operations": 1}
    pod.ask("pod", steps=(412, 413))
    assert calls == {"findings_of": 2, "environment": 1, "asked_operations": 1}
    pod.ask("gaps", steps=(412, 414))
    assert calls["findings_of"] == 3


def test_findings_of_one_host_are_of_its_devices(pod: Asked) -> None:
    (whole, *_), (host, *_) = rows(pod.ask("overview")), rows(pod.ask("overview", host="node-b"))
    assert whole["class"] == host["class"] == "input"
    assert whole["where"].startswith("node-b · ")
    assert {row["class"] for row in rows(pod.ask("overview", host="node-a"))} >= {"unclear"}
    with pytest.raises(UsageError, match="node-z"):
        pod.ask("overview", host="node-z")


@pytest.mark.parametrize("name", ["input_of_a_rank", "slow_device"])
def test_a_rank_is_a_host(tmp_path: Path, name: str) -> None:
    opened = Asked(tmp_path, write_ranks(run(PLANTED[name]), tmp_path))
    rank = "rank 1 · GPU 1" if name == "input_of_a_rank" else "rank 3 · GPU 3"
    answer = rows(opened.ask("overview", host=rank))
    for row in answer:
        assert "rank" not in row["where"] or row["where"].startswith(rank), row
    assert (answer[0]["class"] == "input") == (name == "input_of_a_rank")
    assert "straggler" not in {row["class"] for row in answer if "not among these" not in row["where"]}
    opened.store.close()


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Asked]:
    opened = Asked(tmp_path, [write_epochs(tmp_path)])
    yield opened
    opened.store.close()


def test_steps_that_somebody_names(named: Asked) -> None:
    marked = rows(named.ask("overview", steps=(2, 7)))
    chosen = rows(named.ask("overview", steps=(1, 3), step_name="epoch"))
    assert marked[0]["class"] == chosen[0]["class"] == "input"
    reading = READING_US * 1_000_000 // named.reader.tick_ps
    assert chosen[0]["loss"] == pytest.approx(reading, rel=0.01)
    assert chosen[0]["share"] == pytest.approx(READING_US / EPOCH_US, rel=0.01)
    assert marked[0]["loss"] == pytest.approx(reading / 2, rel=0.01)  # every second step reads
    with pytest.raises(UsageError, match="era"):
        named.ask("overview", steps=(1, 3), step_name="era")


def test_steps_of_another_name_are_another_question(named: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch, "findings_of")
    for _ in range(2):
        named.ask("overview", steps=(1, 3), step_name="epoch")
        named.ask("overview", steps=(1, 3))
    assert calls == {"findings_of": 2}
