"""Jobs of ranks, made by chance: cycles are told apart, and a run is the same however its files lie."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.readers.layouts.job_ranks import JobPlan
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import discover, find_run, join_runs
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.answer_json import encode

QUESTIONS: tuple[tuple[str, dict[str, str]], ...] = (
    ("stats", {"by": "host"}),
    ("stats", {"by": "name"}),
    ("kernels", {}),
    ("overview", {}),
    ("gaps", {}),
)


@st.composite
def plans(draw: st.DrawFn, *, most_cycles: int) -> JobPlan:
    ranks, cycles = draw(st.integers(2, 6)), draw(st.integers(1, most_cycles))
    lost_ranks = draw(st.sets(st.integers(1, ranks - 1)))  # each of which has lost one trace; the first rank has all
    lost = [(draw(st.integers(0, cycles - 1)), rank) for rank in sorted(lost_ranks)]
    clock_us = draw(st.sampled_from([0, 1000, 500_000]))  # less than what is recorded, so that ranks overlap
    return JobPlan(ranks, cycles, lost, clock_us, draw(st.integers(0, 999)))


def answers(files: Sequence[Path], store: Path, *, is_unconfirmed: bool) -> list[bytes]:
    """The answers of some tools about a store of these files."""
    build_store(files, store, is_unconfirmed=is_unconfirmed)
    with closing(open_run_store(store)) as opened:
        reader = QueryReader(opened)
        return [encode(answer(reader, name, values)) for name, values in QUESTIONS]


def answer(reader: QueryReader, name: str, values: dict[str, str]) -> Answer:
    answering = tool(name)
    return finish(ask(answering, Scope(reader), from_values(answering.question, values)))


@settings(max_examples=examples(100), deadline=None)
@given(plan=plans(most_cycles=4))
def test_cycles_are_told_apart(plan: JobPlan) -> None:
    with TemporaryDirectory() as folder:
        truth = plan.write(Path(folder))
        runs = sorted([file.name for file in run.files] for run in discover(Path(folder)))
        expected = [[trace.file.name for trace in truth.in_cycle(cycle)] for cycle in range(plan.cycles)]
        assert runs == sorted(expected)


@settings(max_examples=examples(10), deadline=None)
@given(plan=plans(most_cycles=1))
def test_a_folder_a_zip_and_several_arguments_give_the_same_answers(plan: JobPlan) -> None:
    with TemporaryDirectory() as place:
        logs, archive = Path(place, "logs"), Path(place, "logs.zip")
        files = [trace.file for trace in plan.write(logs).traces]
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
            for file in reversed(files):
                writer.write(file, f"some/{file.name}")
        runs = [find_run(logs), find_run(archive), join_runs(reversed(files))]
        assert len({tuple(file.name for file in run.files) for run in runs}) == 1
        by_run = [
            answers(run.files, Path(place, f"store{number}"), is_unconfirmed=run.is_unconfirmed)
            for number, run in enumerate(runs)
        ]
        assert by_run[0] == by_run[1] == by_run[2]


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_ranks_are_those_of_their_traces(tmp_path: Path, seed: int) -> None:
    truth = JobPlan(5, 1, [(0, 3)], seed=seed).write(tmp_path / "logs")
    build_store(find_run(tmp_path / "logs").files, tmp_path / "store", is_unconfirmed=True)
    with closing(open_run_store(tmp_path / "store")) as opened:
        assert opened.manifest()["warnings"] == ["4 of 5 ranks: 3 is missing"]
        reader = QueryReader(opened)
        by_rank = answer(reader, "stats", {"by": "host"}).table("names")
        by_name = answer(reader, "stats", {"by": "name"}).table("names")
    titles = {column.id: column.title for column in by_rank.columns}
    assert (by_rank.title, titles["host"]) == ("Ranks", "Rank")
    events = dict(zip(values_of(by_rank.column("host")), values_of(by_rank.column("count")), strict=True))
    assert events == {
        f"rank {trace.rank} · GPU {trace.rank}": 2 * trace.kernels + 1 for trace in truth.in_cycle(0)
    }  # launches, and the step
    categories, busy = values_of(by_name.column("category")), values_of(by_name.column("busy"))
    kernel_ticks = sum(
        int(str(ticks)) for category, ticks in zip(categories, busy, strict=True) if category == "kernel"
    )
    assert kernel_ticks * reader.tick_ps == sum(trace.kernel_ns for trace in truth.in_cycle(0)) * 1000
