"""The comparison with xprof: what is called the same, and what needs a reason. xprof itself is not asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.xprof_compare import op_profile
from bench.xprof_compare.__main__ import COMPARISONS, compared, main, summary_line, table_lines
from bench.xprof_compare.case import CORPUS, Case, cases
from bench.xprof_compare.figures import Figure, Printed, Reason, is_same
from tests.corpus import corpus_path
from tests.tiler.readers.xspace import xspace_reference
from tests.xprof_golden import golden
from tilescope.tiler.tools import tools

pytestmark = pytest.mark.slow

# Folders of stored answers, by run.
GOLDEN = {
    "h100_jax_train": "gpu_h100_jax",
    "gpu_v100x8_bert": "gpu_v100x8_bert",
    "gpu_mi300x8_conv": "gpu_mi300x8_conv",
}


def test_verdicts() -> None:
    same = Figure("t", "f", {"a": 3, "b": 0.1, "c": ""}, {"a": 3, "b": 0.1 * (1 + 1e-9), "c": None})
    assert (same.verdict, same.is_explained) == ("agrees (3)", True)
    other = Figure("t", "f", {"a": 3, "b": 4}, {"a": 3, "b": 5})
    assert other.verdict == "DIFFERS: b: xprof 4, ours 5 (1 of 2)"
    (line,) = [line for line in table_lines({"run": [other]}) if "DIFFERS" in line]
    assert line.startswith("| run ")
    wrong = Reason("they are wrong", frozenset("b"))
    meant = Figure("t", "f", {"a": 3, "b": 4}, {"a": 3, "b": 5}, [wrong, Reason("not this", frozenset("a"))], {"b": 5})
    assert (meant.verdict, meant.whys, meant.true) == ("differs (1 of 2)", ["they are wrong"], 1)
    lines = table_lines({"run": [meant], "again": [meant]})
    assert [line[-16:] for line in lines if line.startswith("[")] == ["] they are wrong"]
    assert "2 figures: of 4 values of both 2 differ" in summary_line({"run": [meant, meant]})
    # A reason for one row is none for another.
    assert not Figure("t", "f", {"a": 3}, {"a": 4}, [wrong]).is_explained


def test_ours_must_be_true() -> None:
    wrong = [Reason("they are wrong")]
    # Where it differs, the truth must be known; where both agree they may both be wrong.
    for theirs, ours, truth in ((3, 4, {"a": 5}), (3, 4, {}), (3, 3, {"a": 4})):
        figure = Figure("t", "f", {"a": theirs}, {"a": ours}, wrong, truth)
        assert figure.verdict.startswith(f"UNTRUE: a: xprof 3, ours {ours}, truth ")
        assert not figure.is_explained
    assert not Figure("t", "f", {}, {"a": 4}, truth={}, more=Reason("they have none")).is_explained
    assert Figure("t", "f", {"a": 3}, {"a": 3}, truth={}).verdict == "agrees (1)"


def test_rows_of_one_alone_are_named() -> None:
    assert not Figure("t", "f", {"a": 3}, {"b": 3}, [Reason("they are wrong")]).is_explained
    few = Reason("theirs are few")
    figure = Figure("t", "f", {}, {("x", "b"): 3, "c": 1, "d": 1, "e": 1}, more=few)
    assert (figure.verdict, figure.whys) == ("ours alone", ["only ours has b, c, d and 1 more: theirs are few"])
    assert not Figure("t", "f", {}, {"a": 3, "b": 3}, more=Reason("no a there", frozenset("a"))).is_explained
    assert not Figure("t", "f", {"a": 3}, {}, more=few).is_explained  # nothing of theirs may be missing


def test_printed_numbers() -> None:
    for text, scale, yes, no in (
        ("3.7%", 1.0, 0.03749, 0.0376),
        ("72.65", 1e-9, 72_654_000_000, 72_660_000_000),
        ("1.30744e+06", 1.0, 1_307_443.2, 1_307_456.0),
        ("559.756", 1.0, 559.7561, 559.757),
    ):
        printed = Printed(text, scale)
        assert is_same(yes, printed)
        assert not is_same(no, printed)
    # What is not known agrees with 0, and is counted.
    unknown = Figure("t", "f", {"a": Printed("0.0%"), "b": 0.0}, {"a": None, "b": None})
    assert (unknown.verdict, unknown.unknown) == ("agrees (2)", 2)
    assert not is_same(None, Printed("-nan"))
    assert not is_same(0, Printed("-nan"))


class Zeros(dict[str, str]):
    """Properties of an xprof that says 0 of everything."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> str:
        return "0.0"


def test_our_side_of_a_synthetic_run(tmp_path: Path) -> None:
    """All figures of ours are true, also compared with an xprof that knows nothing."""
    (case,) = cases(tmp_path, None)
    case.index(tmp_path)
    empty: dict[str, Any] = {"cols": [], "rows": [], "p": Zeros()}
    environment = {**empty, "p": {"device_core_count": "6", "host_count": "3", "device_type": "", "is_training": ""}}
    index = {"rows": [{"c": []}, {"c": [{"v": "Core name"}]}]}
    tree = {"metrics": {"rawTime": 1}, "children": []}
    case.theirs = {
        "hlo_stats": empty,
        "op_profile": {"byProgram": tree},
        "op_profile.by_category": {"byCategory": tree},
        "op_profile.by_provenance": {"byProvenance": tree},
        "framework_op_stats": [empty],
        "kernel_stats": empty,
        "roofline_model": [empty],
        "overview_page": [empty, empty, environment],
        "input_pipeline_analyzer": [index, empty, empty],
    }
    held = 0
    for comparison in COMPARISONS:
        assert comparison.TOOL in tools()
        found = list(comparison.figures(case)) if not case.why_not(comparison.TOOL) else []
        assert len(found) >= 7 or comparison.TOOL == "kernels"
        for figure in found:
            # What is not known of the run, only agrees with xprof or does not.
            assert [key for key in figure.untrue if key in (figure.truth or {})] == [], figure.name
            held += figure.true or 0
        # Of frameworks and hosts, xprof may know less.
        assert not found or comparison.TOOL == "framework_ops" or not all(figure.is_explained for figure in found)
    assert held > 1500


def node(name: str, parts: list[dict[str, Any]], *, is_instruction: bool = False) -> dict[str, Any]:
    """A node of a tree of xprof; it takes 1 ps, and counts nothing."""
    metrics = {"rawTime": 1, "bf16Flops": 0, "rawBytesAccessedArray": [0.0]}
    return {"name": name, "metrics": metrics, "children": parts, "xla": {"op": "o"} if is_instruction else None}


def test_a_loop_is_not_what_runs_in_it(tmp_path: Path) -> None:
    """xprof has no loops: the category `while` in the scope `while` is not taken for the scope."""
    (case,) = cases(tmp_path, None)
    case.index(tmp_path)
    case.theirs = {"op_profile.by_provenance": {"byProvenance": node("", nodes_above(case, "provenance"))}}
    (own,) = [figure for figure in op_profile.figures(case) if figure.name == "by provenance: self time (ps)"]
    assert ("while", "while") in {path[-2:] for path in own.beyond}
    assert own.untrue == []


def nodes_above(case: Case, by: str) -> list[dict[str, Any]]:
    """The tree of ours without its leaves, and without loops."""
    rows = case.rows("op_profile", "operations", by=by)
    inner = {row["parent"] for row in rows if not row["name"].startswith("while.")} - {-1}
    nodes = {place: node(rows[place]["name"], []) for place in sorted(inner)}
    for place, made in nodes.items():
        if rows[place]["parent"] >= 0:
            nodes[rows[place]["parent"]]["children"].append(made)
    return [made for place, made in nodes.items() if rows[place]["parent"] < 0]


def test_namesakes_of_several_programs_have_a_reason(tmp_path: Path) -> None:
    """xprof adds up what instructions of one name take in all programs."""
    case = Case("h100_jax_train", [corpus_path(CORPUS["h100_jax_train"])])
    case.index(tmp_path)
    copies = node("copy.1", [], is_instruction=True)
    case.theirs = {"op_profile.by_category": {"byCategory": node("", [node("data formatting", [copies])])}}
    (own,) = [figure for figure in op_profile.figures(case) if figure.name == "by category: self time (ps)"]
    assert ("data formatting", "copy.1") in own.apart
    assert own.unexplained == []


@pytest.mark.parametrize(("name", "answers"), GOLDEN.items())
def test_differences_from_stored_answers_have_reasons(name: str, answers: str, tmp_path: Path) -> None:
    """Answers of xprof 2.24.2, so that no xprof is needed."""
    folder = corpus_path(f"golden/xprof_2.24.2/{answers}")
    theirs = {
        file.name.removesuffix(".json.gz"): golden(f"{answers}/{file.name.removesuffix('.json.gz')}")
        for file in folder.iterdir()
    }
    case = Case(name, [corpus_path(CORPUS[name])], theirs=theirs)
    case.index(tmp_path)
    figures = list(compared(case))
    assert len(figures) > 30
    assert [f"{figure.name}: {figure.verdict}" for figure in figures if not figure.is_explained] == []
    if name == "h100_jax_train":
        durations = next(figure for figure in figures if figure.name == "steps: duration (ps)")
        assert durations.whys[0].startswith("xprof's steps of GPUs last as long as the host marks them")
        assert durations.ours == durations_in_file(corpus_path(CORPUS[name]))
        assert any(figure.name == "device: self time (ps)" and figure.apart for figure in figures)


def durations_in_file(file: Path) -> dict[int, int]:
    """From the end of the last work that was launched in the step before, in whole ns; of the first, from a launch."""
    space = xspace_reference.read_space(file.read_bytes())
    marks: dict[int, tuple[int, int]] = {}
    launches: dict[int, int] = {}
    ends: dict[int, int] = {}
    for event in space.events:
        stats = {stat: value for stat, value in event.args if isinstance(value, int)}
        number = stats.get("correlation_id")
        stop = event.start_ps + event.duration_ps
        if "step_num" in stats:
            marks[stats["step_num"]] = event.start_ps, stop
        elif number is not None and space.planes[space.tracks[event.track].plane].startswith("/device:"):
            ends[number] = max(stop, ends.get(number, 0))
        elif number is not None:
            launches[number] = event.start_ps
    times = {
        step: [(time, ends[number]) for number, time in launches.items() if number in ends and first <= time < stop]
        for step, (first, stop) in sorted(marks.items())
    }
    bounds = [min(time for time, _ in times[min(times)]) // 1000]
    bounds += [max(stop for _, stop in pairs) // 1000 for pairs in times.values()]
    return dict(zip(times, (np.diff(bounds) * 1000).tolist(), strict=True))


def test_without_xprof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--xprof", sys.executable]) == 2
    assert "xprof cannot be asked" in capsys.readouterr().err
