"""Holds what was seen of a case against what is accepted."""

from __future__ import annotations

import re

from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.running import Ended, Outcome

_PROGRESS = re.compile(r"[a-z ]+: \d+%(, .*)?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]")
_LONGEST_LINE = 2000


def complaints(case: Case, outcome: Outcome) -> list[str]:
    """What is wrong, in words; empty if the outcome is an accepted one."""
    wrong = _manners("index", case, outcome.index)
    wrong += [complaint for name, ended in outcome.after.items() for complaint in _manners(name, case, ended)]
    wrong += [
        f"{name} exits with {ended.code}: {ended.err[-300:]}" for name, ended in outcome.after.items() if ended.code
    ]
    wrong += [f"left behind: {name}" for name in outcome.left]
    differences: list[list[str]] = [_differences(accepted, outcome) for accepted in case.accepted]
    return wrong + sorted(differences, key=lambda each: len(each))[0]


def _manners(name: str, case: Case, ended: Ended) -> list[str]:
    """What holds for every command whatever the input is."""
    wrong = []
    if ended.code < 0:
        wrong.append(f"{name} was ended by signal {-ended.code}")
    elif ended.code not in (0, 1, 2):
        wrong.append(f"{name} exits with {ended.code}")
    lines = [line for line in ended.err.split("\n") if line and not _PROGRESS.fullmatch(line)]
    errors = [line for line in lines if line.startswith("tilescope: ")]
    wrong += [f"{name} says on stderr: {line[:300]}" for line in lines if line not in errors]
    if len(errors) != (1 if ended.code in (1, 2) else 0):
        wrong.append(f"{name} exits with {ended.code} and {len(errors)} lines of error")
    wrong += [f"{name} prints control characters: {line[:200]!r}" for line in _lines(ended) if _CONTROL.search(line)]
    wrong += [
        f"{name} prints a line of {len(line):,} characters" for line in _lines(ended) if len(line) > _LONGEST_LINE
    ]
    wrong += [f"{name}: {line[:300]}" for line in errors if "internal error" in line]
    if ended.cpu_seconds > case.cpu_seconds:
        wrong.append(f"{name} takes {ended.cpu_seconds:.1f} s of processor time, more than {case.cpu_seconds:g} s")
    return wrong


def _lines(ended: Ended) -> list[str]:
    return [*ended.out.split("\n"), *ended.err.split("\n")]


def _differences(accepted: Indexed | Refused, outcome: Outcome) -> list[str]:
    ended = outcome.index
    if isinstance(accepted, Refused):
        said = ended.err.strip().rpartition("\n")[2]
        if ended.code == 0:
            return [f"was indexed, and should be refused with {accepted.message!r}: {_summary(outcome)}"]
        if ended.code == accepted.code and re.search(accepted.message, said):
            return []
        return [f"exits with {ended.code}, {said[:400]!r} instead of {accepted.code}, {accepted.message!r}"]
    if ended.code != 0:
        return [f"should be indexed, but: {ended.err.strip()[-400:]!r}"]
    facts = outcome.facts
    if "failed" in facts:
        return [f"the store cannot be looked into: {facts['failed'][-300:]}"]
    wrong = []
    if facts["events"] != accepted.events:
        wrong.append(f"{facts['events']:,} events instead of {accepted.events:,}")
    if accepted.tracks is not None and facts["tracks"] != accepted.tracks:
        wrong.append(f"{facts['tracks']:,} tracks instead of {accepted.tracks:,}")
    if accepted.spans is not None and [tuple(span) for span in facts["spans"] or ()] != sorted(accepted.spans):
        wrong.append(f"spans {facts['spans']} instead of {sorted(accepted.spans)}")
    if accepted.hosts is not None and tuple(facts["hosts"]) != accepted.hosts:
        wrong.append(f"hosts {facts['hosts']} instead of {list(accepted.hosts)}")
    return wrong if accepted.said is None else wrong + _unsaid(accepted.said, _said(outcome))


def _said(outcome: Outcome) -> list[str]:
    notes = [line.split("note", 1)[1].strip() for line in outcome.index.out.split("\n") if line.startswith("  note ")]
    return [*outcome.facts["said"], *notes]


def _unsaid(expected: tuple[str, ...], said: list[str]) -> list[str]:
    """Expressions that nothing meets, and what is said though nothing expects it."""
    wrong = [
        f"nobody says {wanted!r}, only {said}" for wanted in expected if not any(re.search(wanted, s) for s in said)
    ]
    more = [s for s in said if not any(re.search(wanted, s) for wanted in expected)]
    return wrong + [f"says {s!r}" for s in more]


def _summary(outcome: Outcome) -> str:
    facts = outcome.facts
    return f"{facts.get('events')} events, {facts.get('tracks')} tracks, said {facts.get('said')}"
