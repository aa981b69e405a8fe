"""The tree of programs, categories and instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Reason, Values

TOOL = "op_profile"
PEER = ("op_profile", "op_profile.by_category", "op_profile.by_provenance")

_COPIES = "and its duplicates"
_BY = ("program", "category", "provenance")
_IN_LOOPS = "xprof leaves a loop's own time out, and counts what runs in it twice"
_LEFT_OUT = "xprof has no rows of loops and of idle time"
ENDS = "xprof takes the ends of operations from the events' clock, their begins from the device's"
MORE = "kernels that run for no instruction"
OVERLAP = "operations on streams of one GPU overlap: together with idle time they take more than the device's time"
KERNELS = "xprof counts each kernel as an occurrence of its instruction, with all its costs, and knows less of memories"
GRAPHS = "xprof has no instruction that a CUDA graph runs"
NAMESAKES = "xprof takes instructions of one name in several programs for one"
OF_EVENTS = "xprof takes FLOPs and bytes of custom calls from metadata; their events say other ones"

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
            # Where one of them alone runs outside of graphs, xprof knows of no duplicates.
            alone = (*paths[-1][:-2], row["name"])
            is_copy = len(paths[-1]) > 1 and paths[-1][-2].endswith(_COPIES)
            ours[alone if is_copy and paths[-1] not in theirs and alone in theirs else paths[-1]] = row
    around = _above(ours, lambda name: name.startswith("while"))
    did = _did(case, ours)
    custom = {name for _, name in expected.counting_themselves(case.truth)} if case.truth else set()

    def figure(
        name: str,
        of_theirs: Callable[[Any], Any],
        of_ours: Callable[[Any], Any],
        of_truth: Callable[[expected.Did], Any],
        *reasons: Reason,
    ) -> Figure:
        return Figure(
            TOOL,
            f"by {by}: {name}",
            {path: of_theirs(node["metrics"]) for path, node in theirs.items()},
            {path: of_ours(row) for path, row in ours.items()},
            reasons,
            {path: of_truth(sums) for path, sums in did.items()} if case.truth else None,
            more=Reason(MORE) if case.is_gpu else Reason(_LEFT_OUT, around | {("idle",)}),
        )

    whole = root["metrics"]["rawTime"]
    span = sum(row["self"] * case.tick_ps for path, row in ours.items() if len(path) == 1)
    true_span = expected.span(case.truth) if case.truth else 0
    times = [Reason(OVERLAP)] if case.is_gpu else [Reason(ENDS)] if case.truth else []
    costs = Reason(KERNELS) if case.is_gpu else Reason(OF_EVENTS, _above(ours, lambda name: name in custom))
    yield Figure(
        TOOL,
        f"by {by}: whole time (ps)",
        {"": whole},
        {"": span},
        times,
        {"": true_span} if case.truth else None,
    )
    loops = Reason(_IN_LOOPS, around)
    beyond = [path for path in ours if path not in theirs] if case.runs_graphs else []
    graphs = Reason(GRAPHS, frozenset(path[:length] for path in beyond for length in range(1, len(path))))
    namesakes = Reason(NAMESAKES, _namesakes(ours))
    yield figure(
        "self time (ps)",
        lambda node: node["rawTime"],
        lambda row: row["self"] * case.tick_ps,
        lambda did: did.own,
        loops,
        graphs,
        namesakes,
    )
    yield figure(
        "share",
        lambda node: node["rawTime"] / whole,
        lambda row: row["share"],
        lambda did: did.own / true_span,
        *times,
        loops,
    )
    yield figure("FLOPs", lambda node: node["bf16Flops"], lambda row: row["flops"], lambda did: did.flops, costs)
    yield figure(
        "HBM bytes",
        lambda node: node["rawBytesAccessedArray"][0],
        lambda row: None if row["bytes"] is None else float(row["bytes"]),
        lambda did: float(did.hbm),
        costs,
    )


def _namesakes(paths: Values) -> frozenset[Path]:
    """The paths of instructions whose names several programs have, and all above them."""
    programs: dict[str, set[str]] = {}
    for path in paths:
        programs.setdefault(path[-1], set()).add(path[0])
        # Side by side, all but the first have their programs in their names.
        name = path[-1].partition(" (")[0]
        if name != path[-1] and (*path[:-1], name) in paths:
            programs.setdefault(name, set()).add(path[-1])
    return _above(paths, lambda name: len(programs[name]) > 1)


def _above(paths: Values, is_meant: Callable[[str], bool]) -> frozenset[Path]:
    """The paths that end with such names, and all above them."""
    meant = [path for path in paths if is_meant(path[-1])]
    return frozenset(path[:length] for path in meant for length in range(len(path) + 1))


def _did(case: Case, ours: Values) -> dict[Path, expected.Did]:
    """Sums that are true of each path: of an instruction its own, of others those of all below them."""
    if not case.truth:
        return {}
    instructions = {name: did for (_, name), did in expected.instructions(case.truth).items()}
    totals: dict[Path, expected.Did] = {}
    for path in ours:
        if path[-1] in instructions:
            for length in range(1, len(path) + 1):
                totals[path[:length]] = totals.get(path[:length], expected.Did()) + instructions[path[-1]]
    worked = sum(did.own for did in instructions.values())
    return totals | {("idle",): expected.Did(own=expected.span(case.truth) - worked)}


def _nodes(node: Mapping[str, Any], *path: str) -> Iterator[tuple[Path, Any]]:
    """Nodes of a tree of xprof that are no parts of fusions."""
    for child in node.get("children", []):
        if child["name"] != "IDLE":
            here = (*path, child["name"].replace("and its duplicate(s)", _COPIES))
            yield here, child
            if not child.get("xla") or child["name"].endswith("duplicate(s)"):
                yield from _nodes(child, *here)
