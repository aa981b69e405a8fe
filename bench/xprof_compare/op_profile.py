"""The tree of programs, categories and instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure

TOOL = "op_profile"
PEER = ("op_profile", "op_profile.by_category", "op_profile.by_provenance")

_BY = ("program", "category", "provenance")
_LOOPS = "xprof leaves a loop's own time out, and counts what runs in it twice"
ENDS = "xprof takes the ends of operations from the events' clock, their begins from the device's"
MORE = "kernels that run for no instruction"
OVERLAP = "operations on streams of one GPU overlap: together with idle time they take more than the device's time"
KERNELS = "xprof counts each kernel as an occurrence of its instruction, with all its costs, and knows less of memories"
_OF_EVENTS = "xprof takes FLOPs and bytes of custom calls from metadata; their events say other ones"

Path = tuple[str, ...]


def figures(case: Case) -> Iterator[Figure]:
    """By path in the tree."""
    for by, answer in zip(_BY, PEER, strict=True):
        root = case.theirs.get(answer, {}).get(f"by{by.capitalize()}")
        if root:
            yield from _tree(case, by, root)


def _tree(case: Case, by: str, root: dict[str, Any]) -> Iterator[Figure]:
    theirs = dict(_nodes(root))
    paths: list[Path] = []
    ours: dict[Path, dict[str, Any]] = {}
    for row in case.rows(TOOL, "operations", by=by):
        paths.append((*(paths[row["parent"]] if row["parent"] >= 0 else ()), row["name"]))
        if row["self"] is not None:  # parts of fusions have no time of their own
            ours[paths[-1]] = row
    loops = {path for path in ours if path[-1].startswith("while")}
    around = frozenset(path[:length] for path in loops for length in range(len(path) + 1))
    custom = {one["name"] for one in case.truth.get("instructions", ()) if one["counts_itself"]}
    counted = frozenset(path[:length] for path in ours if path[-1] in custom for length in range(len(path) + 1))
    # Of ours, what xprof leaves out: loops, and idle time, which has no category.
    shown = {path: row for path, row in ours.items() if path in theirs or (path not in around and path != ("idle",))}

    def figure(
        name: str, of_theirs: Callable[[Any], Any], of_ours: Callable[[Any], Any], why: str, which: frozenset[Path]
    ) -> Figure:
        return Figure(
            TOOL,
            f"by {by}: {name}",
            {path: of_theirs(node["metrics"]) for path, node in theirs.items()},
            {path: of_ours(row) for path, row in shown.items()},
            KERNELS if case.is_gpu else why,
            None if case.is_gpu and why is _OF_EVENTS else which,
            more=MORE if case.is_gpu else "",
        )

    whole = root["metrics"]["rawTime"]
    own = {path: row["self"] * case.tick_ps for path, row in ours.items()}
    span = sum(taken for path, taken in own.items() if len(path) == 1)
    known = sum(core["last"] - core["first"] for core in case.truth["cores"]) if case.truth else 0
    times = OVERLAP if case.is_gpu else ENDS
    meant = case.is_gpu or known
    yield Figure(
        TOOL,
        f"by {by}: whole time (ps)",
        {"": whole},
        {"": span},
        times if meant else "",
        truth={"": known} if known else {},
    )
    yield figure("self time (ps)", lambda of: of["rawTime"], lambda row: row["self"] * case.tick_ps, _LOOPS, around)
    yield Figure(
        TOOL,
        f"by {by}: share",
        {path: node["metrics"]["rawTime"] / whole for path, node in theirs.items()},
        {path: row["share"] for path, row in shown.items()},
        f"{_LOOPS}; {times}" if meant else _LOOPS,
        None if meant else around,
        {path: taken / known for path, taken in own.items()} if known else {},
        more=MORE if case.is_gpu else "",
    )
    yield figure("FLOPs", lambda of: of["bf16Flops"], lambda row: row["flops"] or 0, _OF_EVENTS, counted)
    yield figure(
        "HBM bytes",
        lambda of: of["rawBytesAccessedArray"][0],
        lambda row: float(row["bytes"] or 0),
        _OF_EVENTS,
        counted,
    )


def _nodes(node: Mapping[str, Any], *path: str) -> Iterator[tuple[Path, Any]]:
    """Those of a tree of xprof that are no parts of fusions."""
    for child in node.get("children", []):
        if child["name"] != "IDLE":
            here = (*path, child["name"].replace("and its duplicate(s)", "and its duplicates"))
            yield here, child
            if not child.get("xla") or child["name"].endswith("duplicate(s)"):
                yield from _nodes(child, *here)
