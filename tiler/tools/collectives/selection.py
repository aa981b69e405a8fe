"""The part of a run that a question about communication names: figures of files are of steps, events of any span."""

from __future__ import annotations

from tilescope.tiler.facts.ascend.communication import ChosenPart
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import Windows


def leaves_out(scope: Scope, question: FigureQuestion) -> bool:
    """True if a span leaves something of the run out."""
    return scope.span(question) != scope.run_span(question)


def chosen_part(scope: Scope, question: FigureQuestion, *, by_step: bool) -> Interruptible[ChosenPart]:
    """Steps for sources with figures of these, windows for others."""
    if by_step:
        return _steps(scope, question)
    windows = yield from scope.windows(question)
    leaves = None if question.tracks is None else frozenset(scope.leaves(question.tracks))
    nothing = Windows.from_spans([], [])
    return ChosenPart(
        lambda _host, _step: True,
        lambda track: windows.on_track(track) if leaves is None or track in leaves else nothing,
    )


def _steps(scope: Scope, question: FigureQuestion) -> ChosenPart:
    """Steps by their numbers, or those that lie in a span at least in part, on the host that recorded them."""
    hosts = None if question.tracks is None else _hosts(scope, question.tracks)
    by_host = _numbers(scope, question) if leaves_out(scope, question) else None
    if by_host is not None and not by_host:
        scope.notes.append(
            Note("warning", "the trace marks no steps: figures of files are of all steps, not of a span")
        )
        by_host = None
    everywhere = frozenset[int]().union(*(by_host or {}).values())

    def has_step(host: str, step: int | None) -> bool:
        if hosts is not None and host not in hosts:
            return False
        if question.steps is not None and (step is None or not question.steps.first <= step <= question.steps.last):
            return False
        return by_host is None or step in by_host.get(host, everywhere)

    return ChosenPart(has_step, lambda _track: Windows.from_spans([], []))


def _hosts(scope: Scope, tracks: tuple[int, ...]) -> frozenset[str]:
    tree = scope.reader.tree
    groups = [tree.groups[tree.tracks[track].group] for track in scope.leaves(tracks, SLICE_KINDS)]
    return frozenset(tree.groups[group.parent].name for group in groups if group.parent is not None)


def _numbers(scope: Scope, question: FigureQuestion) -> dict[str, frozenset[int]]:
    """Numbers of the steps of each host that lie in a span at least in part."""
    span, steps = scope.span(question), scope.reader.steps
    numbers: dict[str, frozenset[int]] = {}
    for series in steps.series:
        rows = series.rows
        is_in = (rows.start < span.stop) & (rows.stop > span.start)
        host = steps.host_name(series)
        numbers[host] = numbers.get(host, frozenset()) | frozenset(rows.number[is_in].tolist())
    return numbers
