"""Operations of TPU cores, by instruction and as a tree: the figures of xprof; a span is the sum of its halves."""

from __future__ import annotations

from collections import defaultdict
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.headlines import headline
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.facts.hlo.layouts import shape_of_text
from tilescope.tiler.indexing import build_store
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

pytestmark = pytest.mark.slow

FILES = {"tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb", "pod/all": "pod"}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("operations") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, which: str, **asked: Any) -> Answer:
    return finish(ask(tool(which), Scope(reader), from_values(tool(which).question, asked)))


def by_row(of: Answer) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table("operations").columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("name", FILES)
def test_instructions_as_xprof_has_them(readers: dict[str, QueryReader], name: str) -> None:
    theirs = list(rows(golden(f"{name}/hlo_stats")))
    ours = by_row(answer(readers[name], "hlo_stats"))
    assert len(ours) == len(theirs)
    assert [row["self"] for row in ours] == sorted((row["self"] for row in ours), reverse=True)
    known = {(row["program"], row["name"]): row for row in ours}
    for row in theirs:
        found = known[row["program_id"], row["hlo_op_name"]]
        assert found["category"] == row["category"]
        assert found["expression"] == row["hlo_op_expression"]
        assert found["count"] == row["occurrences"]
        assert (found["framework"] or "") == row["tf_op_name"].rstrip(":")
        assert found["core"] == row["core_type"]
        assert (found["recomputed"], found["outside"]) == (
            row["hlo_rematerialization"] == "Yes",
            row["outside_compilation"] == "Yes",
        )
        assert (found["source"] or "") in row["source_info"]
        assert (found["source_stack"] or "") in unescape(row["source_info"])
        assert found["mean_self"] == pytest.approx(row["avg_self_time"] * 1e6, abs=1)
        # Times in microseconds; ours in ticks of a picosecond.
        assert (found["total"], found["self"]) == (round(row["total_time"] * 1e6), round(row["total_self_time"] * 1e6))
        if found["bound_by"] == "async":
            # xprof has 833,333,333 GiB/s here, of bytes that move after what starts it, or before what waits.
            assert found["flop_rate"] is found["hbm_rate"] is found["byte_rate"] is found["of_peak"] is None
            assert row["category"] == "copy-start" or row["hbm_bw"] > 1e6
            continue
        gigabytes = 2**30
        for figure, theirs_of in (
            (found["share"] * 100, row["total_self_time_percent"]),
            (found["flop_rate"] / 1e9, row["normalized_flop_rate"]),
            (found["model_flop_rate"] / 1e9, row["model_flop_rate"]),
            (found["byte_rate"] / gigabytes, row["measured_memory_bw"]),
            (found["hbm_rate"] / gigabytes, row["hbm_bw"]),
            (found["intensity"], row["operational_intensity"]),
            (found["stalled"], row["dma_stall_percent"]),  # its percentages are fractions here
        ):
            assert is_close(figure, theirs_of)
        is_exchange = row["category"].startswith(("all-reduce", "all-gather", "send", "recv", "collective"))
        assert (found["bound_by"] or "Unknown") == ("Network" if is_exchange else row["bound_by"])
        assert not is_exchange or found["of_peak"] is None


# Of a core of a TPU v6e, per second.
PEAK_FLOPS, PEAK_HBM = 918e12, 1525.5 * 2**30


def nodes(node: dict[str, Any], *path: str) -> Any:
    """Those of a tree of xprof that are no parts of fusions, by their path."""
    for child in node.get("children", []):
        if child["name"] != "IDLE":
            here = (*path, child["name"].replace("and its duplicate(s)", "and its duplicates"))
            yield here, child
            if not child.get("xla") or child["name"].endswith("duplicate(s)"):
                yield from nodes(child, *here)


@pytest.mark.parametrize(
    ("name", "by", "file"),
    [
        ("tpu_v6e_4core", "program", "op_profile"),
        ("pod/all", "program", "op_profile"),
        ("pod/all", "category", "op_profile_by_category"),
        ("pod/all", "provenance", "op_profile_by_provenance"),
    ],
)
def test_trees_as_xprof_has_them(readers: dict[str, QueryReader], name: str, by: str, file: str) -> None:
    root = golden(f"{name}/{file}")[f"by{by.capitalize()}"]
    found = answer(readers[name], "op_profile", by=by)
    ours: dict[tuple[str, ...], dict[str, Any]] = {}
    fused: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    paths: list[tuple[str, ...]] = []
    for row in by_row(found):
        parent = paths[row["parent"]] if row["parent"] >= 0 else ()
        paths.append((*parent, row["name"]))
        if row["self"] is None:
            fused[parent].append(row)
        else:
            ours[paths[-1]] = row
    theirs = dict(nodes(root))
    # It has no rows for loops, whose time is that of what runs in them, and some nanoseconds of its own.
    missing = set(ours) - set(theirs) - {("idle",)}
    assert {path for path in missing if "while" not in path and "while.1" not in path} == set()
    assert set(theirs) <= set(ours)
    whole = root["metrics"]["rawTime"]
    for path, node in theirs.items():
        row, of = ours[path], node["metrics"]
        assert row["flops"] == of["bf16Flops"], path
        assert (row["bytes"] or 0) == pytest.approx(of["rawBytesAccessedArray"][0], rel=1e-12), path
        _check_fused(fused[path], row, node)
        loops = sum(row["self"] for other, row in ours.items() if other[: len(path)] == path and other[-1] == "while.1")
        if loops:
            # Of a part with a loop, but not of a program, xprof leaves out the loop's own time; of both it counts what
            # runs in the loop twice for its rates. So these are those of what the part computes, moves and takes.
            assert row["self"] == of["rawTime"] + (loops if len(path) > 1 else 0), path
            assert is_close(row["flops_used"], of["bf16Flops"] / (row["self"] / 1e12) / PEAK_FLOPS), path
            assert is_close(row["hbm_used"], row["bytes"] / (row["self"] / 1e12) / PEAK_HBM), path
            under = [one for other, one in ours.items() if other[: len(path)] == path and one["category"]]
            assert row["count"] == sum(one["count"] for one in under), path
            assert is_close(row["share"], row["self"] / whole), path
            continue
        assert row["self"] == of["rawTime"], path
        assert is_close(row["share"], of["rawTime"] / whole), path
        if of["occurrences"]:
            assert row["count"] == of["occurrences"], path
        assert is_close(row["flops_used"], of["uncappedFlops"] / (of["rawTime"] / whole)), path
        if row["hbm_used"] is not None:
            assert is_close(row["hbm_used"], of["bandwidthUtils"][0]), path
        else:
            assert of["bandwidthUtils"][0] in (0, 1), path  # nothing is known, or more than there can be
    assert ours[("idle",)]["self"] == next(c for c in root["children"] if c["name"] == "IDLE")["metrics"]["rawTime"]


def _check_fused(parts: list[dict[str, Any]], of: dict[str, Any], node: dict[str, Any]) -> None:
    """It lists what a fusion runs without figures; ours are those that compute, with their FLOPs."""
    listed = node.get("children", []) if node.get("xla") and not node["name"].endswith("duplicate(s)") else []
    theirs = {child["name"]: child["xla"]["expression"] for child in listed}
    assert {row["name"]: row["expression"] for row in parts}.items() <= theirs.items()
    for name in set(theirs) - {row["name"] for row in parts}:
        assert name.split(".")[0] in ("broadcast", "constant"), name
    assert [row["flops"] for row in parts] == sorted((row["flops"] for row in parts), reverse=True)
    for row in parts:
        products = ("convolution", "dot")
        size = shape_of_text(row["shape"])
        assert size is not None
        if not row["name"].startswith(products):
            assert row["flops"] == size.elements * of["count"]


def test_how_values_lie_in_memory(readers: dict[str, QueryReader]) -> None:
    rows = {row["name"]: row for row in by_row(answer(readers["pod/all"], "op_profile"))}
    image = rows["copy.1"]  # bf16[256,224,224,3]{0,3,2,1:T(8,128)(2,1)}
    assert image["layout"] == "224 · 224 · 3, rounded up to 8 · 256"
    assert image["padding"] == 1 - 3 / 8
    # bf16[256,112,112,64]{3,0,2,1:T(8,128)(2,1)}, made by a convolution
    made = rows["convolution.3"]
    assert made["layout"] == "112 spatial · 112 spatial · 256 batch · 64 feature, rounded up to 128"
    assert made["padding"] == 1 / 2
    assert (made["matrix_used"], made["matrix_padding"]) == (
        64 / 128 * 3 / 8,  # the image's features are its operand's, which the trace's expression only names
        "feature 64 padded to 128 × contracted 3 padded to 8",
    )
    assert (image["matrix_used"], image["matrix_padding"]) == (None, None)
    assert rows["fusion.1"]["layout"] == "56 spatial · 56 spatial · 256 batch · 1,024 feature"
    assert rows["fusion.1"]["padding"] == 0
    assert rows["fusion.1"]["matrix_used"] == rows["convolution.5"]["matrix_used"] == 1
    assert rows["fusion.1"]["stack"] == "/home/user/resnet/train.py:42:8\n/home/user/resnet/main.py:10:2"
    assert rows["infeed.1"]["padding"] is None  # the trace cuts its shape short
    assert rows["convolution.5"]["provenance"] == "jit(train_step)/jvp(main)/conv2/conv_general_dilated"


def test_what_waits_for_others_is_not_called_wasted(readers: dict[str, QueryReader]) -> None:
    """The longest is an all-reduce, in which cores wait for those of a host that gets its data late."""
    for which in ("op_profile", "hlo_stats"):
        page = answer(readers["pod/all"], which)
        longest = "all-reduce.1 takes more time than any other, 19.3 %: it moves data, or waits for"
        assert headline(page).text.startswith(longest)
        assert page.notes[0].text == (
            "The devices reach 25.9 % of their FLOPS. Look at convolution.3 first: 7.0 % of the time, "
            "and 6.7 % less at the device's peak."
        )
    rows = by_row(answer(readers["pod/all"], "op_profile", by="category"))
    waiting = {"all-reduce", "infeed", "outfeed", "send", "send-done", "recv", "recv-done", "copy-done"}
    assert {row["name"] for row in rows if row["parent"] < 0 and row["wasted"] is None} - {"idle", "while"} == waiting


def test_where_devices_are_mostly_idle_the_answer_begins_with_that(tmp_path: Path) -> None:
    """No operation is worth a look before it: all of them together take less than the half."""
    build_store([corpus_path("xplane/gpu_mi300x8_conv.xplane.pb")], tmp_path / "gpus.store")
    store = open_run_store(tmp_path / "gpus.store")
    reader = QueryReader(store)
    for which in ("op_profile", "hlo_stats"):
        page = answer(reader, which)
        idle = percent_text(float(str(page.fact("idle_share").value)))
        text = headline(page).text
        assert text.startswith(f"Devices are idle {idle} of the time (see gaps). The devices reach 0.1 % of")
    store.close()


def test_a_range_is_of_the_timeline_and_times_are_of_the_device(readers: dict[str, QueryReader]) -> None:
    reader = readers["tpu_v6e_4core"]
    said = [[note.text for note in answer(reader, "hlo_stats", **span).notes] for span in ({}, {"start": 5})]
    assert [any("timeline's clock" in text for text in texts) for texts in said] == [False, True]


def test_time_adds_up(readers: dict[str, QueryReader]) -> None:
    for reader in readers.values():
        for which in ("hlo_stats", "op_profile"):
            of = answer(reader, which)
            span, busy = of.fact("span").value, of.fact("busy").value
            assert isinstance(span, int)
            assert isinstance(busy, int)
            top = [row for row in by_row(of) if row.get("parent", -1) < 0]
            assert sum(row["self"] for row in top if row["name"] != "idle") == busy
            assert sum(row["share"] for row in top) == pytest.approx(1 if which == "op_profile" else busy / span)
            for row in by_row(of):
                below = [one for one in by_row(of) if one.get("parent") == by_row(of).index(row)]
                parts = [one["self"] for one in below if one["self"] is not None]
                assert not parts or sum(parts) == row["self"]


def figures(reader: QueryReader, **asked: Any) -> dict[tuple[str, str], tuple[int, ...]]:
    return {
        (row["program"], row["name"]): tuple(row[key] or 0 for key in ("count", "total", "self", "flops", "bytes"))
        for row in by_row(answer(reader, "hlo_stats", **asked))
    }


def test_the_greatest_parts_are_listed_until_they_cover_a_share(readers: dict[str, QueryReader]) -> None:
    whole, most = (by_row(answer(readers["pod/all"], "op_profile", cover=cover)) for cover in (100, 60))
    roots = [row for row in most if row["parent"] < 0 and row["name"] != "idle"]
    assert (
        sum(row["self"] for row in roots) == sum(row["self"] for row in whole if row["parent"] < 0) - whole[-1]["self"]
    )
    for at, row in enumerate(most):
        parts = [part for part in most if part["parent"] == at and part["self"] is not None]
        if not parts:
            continue
        assert sum(part["self"] for part in parts) == row["self"]
        assert sum(part["count"] for part in parts) == row["count"]
        if parts[-1]["name"].endswith(" more"):
            listed = [part["self"] for part in parts[:-1]]
            assert sum(listed) >= 0.6 * row["self"] > sum(listed[:-1])
    assert any(row["name"] == "12 more" for row in most)
    assert [row["query"] for row in most if row["name"] == "fusion.3"] == ['"fusion.3"']
    assert all(row["query"] is None for row in most if row["name"].endswith(" more"))


@pytest.mark.parametrize("name", FILES)
def test_a_span_is_the_sum_of_its_halves(readers: dict[str, QueryReader], name: str) -> None:
    reader = readers[name]
    end = reader.end + 1
    whole = figures(reader)
    assert figures(reader, start=0, end=end) == whole
    for cut in (1, end // 3, end // 2, end - 5):
        halves = [figures(reader, start=a, end=b) for a, b in ((0, cut), (cut, end))]
        added = {
            key: tuple(map(sum, zip(*(half[key] for half in halves if key in half), strict=True))) for key in whole
        }
        assert added == whole
        times = [answer(reader, "hlo_stats", start=a, end=b).fact("span").value for a, b in ((0, cut), (cut, end))]
        assert sum(int(time or 0) for time in times) == answer(reader, "hlo_stats").fact("span").value


OPERATION_TOOLS = ("hlo_stats", "op_profile", "framework_ops")


def test_a_range_is_on_one_clock(readers: dict[str, QueryReader]) -> None:
    """Here operations take twice as long on the device as their events do on the timeline."""
    span = {"start": 38_406_360_974_622, "end": 38_415_317_668_067}
    reader = readers["tpu_v6e_4core"]
    for which in OPERATION_TOOLS:
        of = answer(reader, which, **span)
        assert of.fact("idle_share").value == 0.0
        assert of.fact("span").value == of.fact("busy").value
    assert sum(row["share"] for row in by_row(answer(reader, "hlo_stats", **span))) == pytest.approx(1)
    assert answer(reader, "overview", **span).fact("device_idle").value == 0.0
    lanes = answer(reader, "gaps", **span).table("lanes").totals
    assert lanes is not None
    assert lanes["idle"] == 0


def test_ranges_of_any_length_have_no_more_time_than_they_have(readers: dict[str, QueryReader]) -> None:
    for reader in readers.values():
        cuts = [reader.end * part // 97 for part in range(98)]
        whole, parts = answer(reader, "hlo_stats"), []
        for a, b in pairwise([*cuts, reader.end + 1]):
            parts.append(answer(reader, "hlo_stats", start=a, end=b))
            idle = parts[-1].fact("idle_share").value
            assert idle is None or 0 <= float(idle) <= 1
        for name in ("span", "busy"):
            assert sum(int(str(of.fact(name).value)) for of in parts) == whole.fact(name).value


def test_what_an_operation_does_belongs_to_where_it_runs(readers: dict[str, QueryReader]) -> None:
    reader = readers["pod/all"]
    span = {"start": 25_000_000_000, "end": 26_000_000_000}  # nothing starts there
    rows = {row["name"]: row for row in by_row(answer(reader, "hlo_stats", **span))}
    roofline = answer(reader, "roofline", **span)
    assert not any("HLO protos" in note.text for note in roofline.notes)
    assert {row["name"] for row in by_row(roofline)} == {"Program", *rows}
    whole = figures(reader)
    cuts = [reader.end * part // 8 for part in range(8)]
    added = [figures(reader, start=a, end=b) for a, b in pairwise([*cuts, reader.end + 1])]
    for key, row in whole.items():
        assert tuple(map(sum, zip(*(part[key] for part in added if key in part), strict=True))) == row
    infeeds = [of for of in rows.values() if of["category"] == "infeed"]
    assert infeeds
    assert all(of["count"] == 0 for of in infeeds)


def test_steps_are_parts_of_the_run(readers: dict[str, QueryReader]) -> None:
    reader = readers["pod/all"]
    each = [figures(reader, steps=f"{step}") for step in range(100, 106)]
    together = figures(reader, steps="100-105")
    for key, row in together.items():
        assert tuple(map(sum, zip(*(step[key] for step in each if key in step), strict=True))) == row
    assert all(step["6840123409045700335", "all-reduce.1"][0] == 16 for step in each)


def test_what_names_tell(tmp_path: Path) -> None:
    shared: list[dict[str, int | str]] = [
        {"tf_op": "jit(step)/transpose/rematted_computation/dot:", "hlo_category": "fusion"},
        {"tf_op": "outside:XlaSendToHost", "hlo_category": "send"},
        {"hlo_category": "copy-start", "bytes_accessed": 1 << 40, "flops": 5},
        {"hlo_category": "copy-done", "bytes_accessed": 1 << 10},
    ]
    names = ("fusion.2", "send.1", "copy-start.1", "copy-done.1", "fusion.3.remat")
    instructions = [
        Instruction(name, {"program_id": 3, "symbol_id": k + 1, **(shared[k] if k < len(shared) else {})})
        for k, name in enumerate(names)
    ]
    runs = [Run(k, 20 * k, 10) for k in range(len(names))]
    trace = plane("/device:TPU:0", instructions, {"XLA Ops": runs})
    build_store([write_trace(tmp_path / "t.xplane.pb", [trace])], tmp_path / "store")
    found = {row["name"]: row for row in by_row(answer(QueryReader(open_run_store(tmp_path / "store")), "hlo_stats"))}
    assert [name for name in names if found[name]["recomputed"]] == ["fusion.2", "fusion.3.remat"]
    assert [name for name in names if found[name]["outside"]] == ["send.1"]
    start, done = found["copy-start.1"], found["copy-done.1"]
    assert (start["bound_by"], start["byte_rate"], start["flop_rate"], start["bytes"]) == ("async", None, None, 1 << 40)
    assert (done["bound_by"], done["byte_rate"]) == (None, (1 << 10) / 10e-12)


def test_what_is_not_recorded_is_said(tmp_path: Path) -> None:
    bare = [Instruction("op.1", {"program_id": 3, "symbol_id": 1}), Instruction("op.2", {"program_id": 3})]
    trace = plane("/device:TPU:0", bare, {"XLA Ops": [Run(0, 0, 10), Run(1, 20, 5)]})
    build_store([write_trace(tmp_path / "t.xplane.pb", [trace])], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    of = answer(reader, "hlo_stats")
    (row,) = by_row(of)  # an operation without a symbol is none of a program
    assert (row["count"], row["total"], row["self"]) == (1, 10, 10)
    assert all(row[key] is None for key in ("category", "bound_by", "of_peak", "source", "framework", "flops", "bytes"))
    assert of.fact("flops_utilisation").value is None
    assert "does not record" in of.fact("flops_utilisation").note
    (leaf, *_) = [row for row in by_row(answer(reader, "op_profile")) if row["name"] == "op.1"]
    assert leaf["flops_used"] is leaf["hbm_used"] is leaf["wasted"] is None
