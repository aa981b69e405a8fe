"""Modules and annotations of PyTorch as trees: the truth of a synthetic run, plain Python, a real trace."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading, x
from tilescope.tiler.facts.stacks.chains import DEEPEST
from tilescope.tiler.facts.stacks.frame_kinds import ANNOTATIONS, frame_names
from tilescope.tiler.facts.stacks.frames_at import runs_with
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.tools import Answer

FIGURES = ("calls", "self", "device_self")


def by_name(answered: Answer) -> dict[str, Counter[str]]:
    """Figures that add up, by name."""
    sums: dict[str, Counter[str]] = {}
    for row in rows(answered, "frames"):
        sums.setdefault(row["name"], Counter()).update({figure: row[figure] for figure in FIGURES})
    return sums


def check_tree(answered: Answer) -> None:
    """Totals are own figures and those of the parts."""
    table = rows(answered, "frames")
    for place, row in enumerate(table):
        parts = [part for part in table if part["parent"] == place]
        assert row["total"] == row["self"] + sum(part["total"] for part in parts)
        assert row["device_total"] == row["device_self"] + sum(part["device_total"] for part in parts)
        assert row["parent"] < place
    tops = [row for row in table if row["parent"] < 0]
    totals = answered.table("frames").totals
    assert totals is not None
    assert totals["self"] == sum(row["total"] for row in tops)
    outside = answered.fact("outside").value
    assert sum(row["device_total"] for row in tops) + int(str(outside)) == answered.fact("busy").value


def check_halves(reader: QueryReader, by: str) -> None:
    whole = by_name(answer(reader, "op_profile", by=by, limit=1000))
    middle = reader.end // 3
    halves = [
        by_name(answer(reader, "op_profile", by=by, limit=1000, start=start, end=end))
        for start, end in ((0, middle), (middle, reader.end + 1))
    ]
    for name, figures in whole.items():
        assert sum((half.get(name, Counter()) for half in halves), Counter()) == +figures


@pytest.mark.parametrize(
    ("by", "category", "prefix"), [("module", "python_function", "nn.Module: "), ("annotation", "user_annotation", "")]
)
def test_frames_are_those_of_the_truth(tmp_path: Path, by: str, category: str, prefix: str) -> None:
    truth: Any = write_job(tmp_path / "traces", KinetoShape(ranks=1, hosts=1, slow_rank=-1, cycles=1))
    (path,) = (tmp_path / "traces").iterdir()
    sums: Mapping[str, Mapping[str, int]] = truth["ranks"][0][0]["sums"][category]
    expected = {
        name.removeprefix(prefix): Counter(calls=row["calls"], self=row["host_self"], device_self=row["device_self"])
        for name, row in sums.items()
        if name.startswith(prefix)
    }
    with reading(path, tmp_path) as reader:
        answered = answer(reader, "op_profile", by=by)
        check_tree(answered)
        check_halves(reader, by)
        if by == "module":
            by_program = answer(reader, "op_profile")
            assert by_program.tables == answered.tables
            assert "by program: these are by module" in by_program.notes[0].text
    assert by_name(answered) == expected


def plain_modules(path: Path) -> dict[str, Counter[str]]:
    """Calls and own time of modules, thread by thread, with a stack."""
    events: Sequence[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()), parse_float=str)["traceEvents"]
    spans = [
        (event["tid"], ns(event["ts"]), ns(event["dur"]), event["name"].removeprefix("nn.Module: "))
        for event in events
        if event.get("name", "").startswith("nn.Module: ")
    ]
    sums: dict[str, Counter[str]] = {}
    around: list[tuple[int, int, str]] = []
    for thread, start, duration, name in sorted(spans, key=lambda span: (span[0], span[1], -span[2])):
        while around and (around[-1][0] != thread or around[-1][1] <= start):
            around.pop()
        sums.setdefault(name, Counter()).update(calls=1, self=duration)
        if around:
            sums[around[-1][2]]["self"] -= duration
        around.append((thread, start + duration, name))
    return sums


def ns(microseconds: str | int) -> int:
    whole, _, fraction = str(microseconds).partition(".")
    return int(whole) * 1000 + int(fraction.ljust(3, "0"))


def test_modules_of_a_real_trace(tmp_path: Path) -> None:
    path = corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")
    expected = plain_modules(path)
    with reading(path, tmp_path) as reader:
        answered = answer(reader, "op_profile", by="module")
        check_tree(answered)
        check_halves(reader, "module")
        check_tree(answer(reader, "op_profile", by="annotation"))
    assert (answered.fact("calls").value, answered.fact("names").value) == (180, 45)
    ours = by_name(answered)
    assert {name: (row["calls"], row["self"]) for name, row in ours.items()} == {
        name: (row["calls"], row["self"]) for name, row in expected.items()
    }


def test_a_run_without_modules_says_what_to_record(tmp_path: Path) -> None:
    with reading(corpus_path("kineto/nccl_data.json.gz"), tmp_path) as reader:
        answered = answer(reader, "op_profile", by="module")
        assert rows(answered, "frames") == []
        assert answered.headline is not None
        assert "with_modules=True" in answered.headline.text
        assert {row["name"] for row in rows(answer(reader, "op_profile"), "frames")} > {"nccl:all_reduce"}


def test_modules_too_deep_in_others_are_counted_and_their_time_is_that_of_those_around_them(tmp_path: Path) -> None:
    depth = DEEPEST + 100
    events = [
        x(f"nn.Module: M_{level}", 1, 1, level, 2 * (depth - level), cat="python_function") for level in range(depth)
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with reading(trace, tmp_path) as reader:
        answered = answer(reader, "op_profile", by="module")
    table = rows(answered, "frames")
    assert [row["name"] for row in table] == [f"M_{level}" for level in range(DEEPEST - 1)]
    assert [row["self"] for row in table[:-1]] == [2000] * (DEEPEST - 2)
    assert table[-1]["self"] == table[-1]["total"] == 2000 * (depth - (DEEPEST - 2))
    (note,) = [note.text for note in answered.notes if "left out" in note.text]
    assert note.startswith("101 calls of modules")


def test_annotations_are_read_from_pages_that_have_them(tmp_path: Path) -> None:
    """Frames reach over pages without any, and into windows that begin on such a page."""
    events = [x("around", 1, 1, 0, 200_001, cat="user_annotation")]
    events += [x(f"call {number % 7}", 1, 1, 1 + 2 * number, 1, cat="python_function") for number in range(100_000)]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with reading(trace, tmp_path) as reader:
        (whole,) = rows(answer(reader, "op_profile", by="annotation"), "frames")
        (part,) = rows(answer(reader, "op_profile", by="annotation", start=90_000_000, end=170_000_000), "frames")
        (track,) = reader.tree.leaves(None)
        plan = reader.plan(track, EVERYTHING)
        runs = runs_with(reader, plan, finish(frame_names(reader, ANNOTATIONS)))
        assert 1 <= len(runs) < len(plan.leaf_runs)
    assert (whole["calls"], whole["total"]) == (1, 200_001_000)
    assert (part["calls"], part["total"]) == (0, 80_000_000)
