"""Twenty questions that people ask agents, with answers by the generator of the trace, not by our tools.

Each says which calls answer it, and reads the figure from the structure of the last. `CALLS` and `BYTES` bound what an
agent spends on one: a question that needs more has a tool that is too long.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed: pip install 'tilescope[mcp]'")

from mcp import Client, types

from tests.example import Example, PlainEvent, random_events
from tilescope.cli.mcp import run_place
from tilescope.mcp.protocol import protocol_server
from tilescope.mcp.runs import AgentRuns

CALLS: Final = 2
BYTES: Final = 16_000
SPAN: Final = (1_000_000, 1_500_000)
STEP: Final = "Iteration"

Call = tuple[str, dict[str, Any]]
Structure = dict[str, Any]
Events = Sequence[PlainEvent]


@dataclass(frozen=True)
class Question:
    """A question in words, the calls that answer it, the answer in the last of them, and by the events themselves."""

    words: str
    calls: tuple[Call, ...]
    answer: Callable[[Structure], Any]
    truth: Callable[[Events], Any]


def ask(tool: str, **question: Any) -> Call:
    return "ask", {"tool": tool, "question": question}


def fact(name: str) -> Callable[[Structure], Any]:
    def value(structure: Structure) -> Any:
        (value,) = [entry["value"] for entry in structure["facts"] if entry["id"] == name]
        return int(value)

    return value


def column(table: str, name: str) -> Callable[[Structure], list[Any]]:
    def values(structure: Structure) -> list[Any]:
        (rows,) = [entry for entry in structure["tables"] if entry["id"] == table]
        place = [column["id"] for column in rows["columns"]].index(name)
        return [row[place] for row in rows["rows"]]

    return values


def whole(table: str, name: str) -> Callable[[Structure], list[int]]:
    return lambda structure: [int(value) for value in column(table, name)(structure)]


def slices(events: Events) -> list[PlainEvent]:
    return [event for event in events if event.value is None]


def named(events: Events, name: str) -> list[PlainEvent]:
    return [event for event in slices(events) if event.name == name]


def busy_within(events: Events, start: int, end: int) -> int:
    return sum(max(0, min(event.start + event.duration, end) - max(event.start, start)) for event in events)


def starting(events: Events, start: int, end: int) -> list[PlainEvent]:
    return [event for event in events if start <= event.start < end]


def busiest(events: Events) -> list[str]:
    sums: Counter[str] = Counter()
    for event in slices(events):
        sums[event.name] += event.duration
    return [name for name, _ in sums.most_common(3)]


def step(events: Events, number: int) -> PlainEvent:
    (event,) = named(events, f"{STEP} {number}")
    return event


QUESTIONS: Final = (
    Question("How many events has the run?", (("runs", {}),), lambda s: int(s["runs"][0]["events"]), len),
    Question(
        "How often does op 7 run?", (("find", {"query": '"op 7"'}),), fact("count"), lambda e: len(named(e, "op 7"))
    ),
    Question(
        "How long does op 7 run in all?",
        (("find", {"query": '"op 7"'}),),
        fact("busy"),
        lambda e: sum(event.duration for event in named(e, "op 7")),
    ),
    Question("What takes the most time?", (ask("stats", limit=3),), column("names", "name"), busiest),
    Question(
        "How long is the longest Inner?",
        (ask("stats", limit=40),),
        lambda s: dict(zip(column("names", "name")(s), whole("names", "longest")(s), strict=True))["Inner"],
        lambda e: max(event.duration for event in named(e, "Inner")),
    ),
    Question(
        "How often does op 7 start in this half millisecond?",
        (("find", {"query": '"op 7"', "start": SPAN[0], "end": SPAN[1]}),),
        fact("count"),
        lambda e: len(starting(named(e, "op 7"), *SPAN)),
    ),
    Question(
        "The same by units?",
        (("find", {"query": '"op 7"', "start": "1ms", "end": "1.5 ms"}),),
        fact("count"),
        lambda e: len(starting(named(e, "op 7"), *SPAN)),
    ),
    Question(
        "How busy is each thread in it?",
        (ask("stats", by="track", start=SPAN[0], end=SPAN[1]),),
        lambda s: sorted(whole("names", "busy")(s)),
        lambda e: sorted(busy_within([x for x in slices(e) if x.track == f"thread {k}"], *SPAN) for k in range(4)),
    ),
    Question(
        "Where is the needle?",
        (("find", {"query": "needle"}),),
        whole("events", "start"),
        lambda e: [event.start for event in named(e, "needle")],
    ),
    Question(
        "On which thread is it?",
        (("find", {"query": "needle track:2"}),),
        fact("count"),
        lambda e: sum(event.track == "thread 2" for event in named(e, "needle")),
    ),
    Question(
        "How many slices take longer than 299 ns?",
        (("find", {"query": "dur>299ns"}),),
        fact("count"),
        lambda e: sum(event.duration > 299 for event in slices(e)),
    ),
    Question(
        "How many have category cat?",
        (("find", {"query": "cat:cat"}),),
        fact("count"),
        lambda e: sum(event.category == "cat" for event in slices(e)),
    ),
    Question(
        "When are the first five op 3 of track 0, thread 1?",
        (("events", {"name": "op 3", "limit": 5, "tracks": "0", "columns": "track,start"}),),
        whole("events", "start"),
        lambda e: sorted(event.start for event in named(e, "op 3") if event.track == "thread 1")[:5],
    ),
    Question(
        "How many steps are there?",
        (ask("steps", step_name=STEP),),
        lambda s: sorted(map(int, column("steps", "step")(s))),
        lambda e: sorted(int(x.name.split()[1]) for x in slices(e) if x.name.startswith(f"{STEP} ")),
    ),
    Question(
        "How long is step 5?",
        (ask("steps", step_name=STEP, steps="5"),),
        whole("steps", "duration"),
        lambda e: [step(e, 5).duration],
    ),
    Question(
        "What is the greatest value of the counter?",
        (("tools", {"tool": "counters"}), ask("counters")),
        lambda s: [float(value) for value in column("counters", "max")(s)],
        lambda e: [max(event.value for event in e if event.value is not None)],
    ),
    Question(
        "And how many samples has it?",
        (ask("counters"),),
        lambda s: sum(whole("counters", "n")(s)),
        lambda e: sum(event.value is not None for event in e),
    ),
    Question(
        "How many names occur?",
        (ask("stats", limit=1),),
        fact("names"),
        lambda e: len({event.name for event in slices(e)}),
    ),
    Question(
        "Are there kernels of GPUs?",
        (("tools", {}),),
        lambda s: {entry["id"]: entry["available"] for entry in s["tools"]}["kernels"],
        lambda _: False,
    ),
    Question(
        "Show it to me.",
        (("link", {"start": SPAN[0], "end": SPAN[1]}),),
        lambda s: s["link"].endswith(f"t={SPAN[0]}-{SPAN[1]}'"),
        lambda _: True,
    ),
)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return Example(tmp_path_factory.mktemp("questions"), random_events(random.Random(7)))


def answers(path: Path, calls: Sequence[Call]) -> list[types.CallToolResult]:
    async def answered() -> list[types.CallToolResult]:
        with ExitStack() as opened:
            async with AgentRuns([run_place(path, opened)]) as runs, Client(protocol_server(runs)) as client:
                return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(answered())


def test_there_are_twenty() -> None:
    assert len({question.words for question in QUESTIONS}) == 20


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.words)
def test_an_agent_learns_the_truth(example: Example, question: Question) -> None:
    results = answers(example.path, question.calls)
    assert not any(result.is_error for result in results), results
    assert question.answer(results[-1].structured_content) == question.truth(example.events)
    assert len(results) <= CALLS
    assert sum(len(str(result.content).encode()) for result in results) <= BYTES
