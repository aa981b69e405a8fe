"""Trace-event files that are JSON, or nearly so, with a few values, members or events changed."""

from __future__ import annotations

import json
import random
from typing import NewType

from tests.fuzz import values

# A member's value as it is written into the file.
Text = NewType("Text", str)
Event = list[tuple[str, Text]]

_PHASES = "XXXXXXBEBEBEiIPRCbnebneSTpFSFstfstfMMNODcvVZ"
_NUMBERS = (
    "NaN",
    "-Infinity",
    "+5",
    "050",
    "1.",
    ".5",
    "1e3",
    "1e400",
    "0x10",
    "-0",
    "1.0000005",
    "99999999999999999999",
    "null",
    "true",
)


def mutant(rng: random.Random) -> bytes:
    """One file."""
    events = _events(rng)
    for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 20))):
        _change(rng, events)
    return _layout(rng, ["{" + ",".join(f"{_quoted(name)}:{value}" for name, value in event) + "}" for event in events])


def _quoted(value: object) -> Text:
    return Text(json.dumps(value, ensure_ascii=False))


def _events(rng: random.Random) -> list[Event]:
    phases = rng.choice((_PHASES, "X", "BE", "C", "be", "XBEstf", "XiC"))
    unit = rng.choice(("", "000", "e-3", ".001", ".123456"))
    n_threads, n_names = rng.randrange(1, 5), rng.choice((1, 3, 30))
    series = rng.choice((1, 2, 40))
    events: list[Event] = []
    for start, duration in values.spans(rng, values.event_count(rng)):
        phase = rng.choice(phases)
        event: Event = [("ph", _quoted(phase)), ("name", _quoted(f"op {rng.randrange(n_names)}"))]
        event += [("pid", Text(str(rng.randrange(2)))), ("tid", Text(str(rng.randrange(n_threads))))]
        event.append(("ts", Text(f"{start}{unit}")))
        if phase == "X":
            event.append(("dur", Text(f"{duration}{unit}")))
        elif phase in "bneSTpFstf":
            event += [("id", Text(str(rng.randrange(6)))), ("cat", _quoted(rng.choice("ab")))]
            event += [("bp", _quoted("e"))] if rng.random() < 0.3 else []
        elif phase == "C":
            event.append(("args", _quoted({f"s{k}": rng.randrange(99) for k in range(rng.randrange(1, series + 1))})))
        elif phase == "M":
            event[1] = (
                "name",
                _quoted(rng.choice(("thread_name", "process_name", "thread_sort_index", "process_labels"))),
            )
            event.append(("args", _quoted({"name": rng.choice(values.TEXTS), "sort_index": rng.randrange(-3, 3)})))
        elif phase == "i":
            event.append(("s", _quoted(rng.choice("gpt"))))
        if rng.random() < 0.1:
            event.append(("args", _quoted({"x": [1, {"y": "}"}], "z": None, "t": rng.choice(values.TEXTS)})))
        events.append(event)
    return events


def _change(rng: random.Random, events: list[Event]) -> None:
    """Changes one member of one event, or the order of some."""
    if not events:
        return
    event = rng.choice(events)
    match rng.randrange(12):
        case 0:
            events.insert(rng.randrange(len(events)), list(event))
        case 1:
            events.remove(event)
        case 2:
            rng.shuffle(event)
        case 3 if event:
            event.append((rng.choice(event)[0], _value(rng, "0")))  # a member twice
        case 4:
            name = rng.choice(("id", "id2", "bind_id", "flow_in", "flow_out", "scope", "bp", "tts", "args", "s", "cat"))
            event.append((name, _value(rng, "1")))
        case 5:
            first, last = sorted((rng.randrange(len(events)), rng.randrange(len(events))))
            events[first:last] = reversed(events[first:last])
        case _ if event:
            at = rng.randrange(len(event))
            name, old = event[at]
            event[at] = (name, _value(rng, old))


def _value(rng: random.Random, old: str) -> Text:
    match rng.randrange(9):
        case 0:
            return Text(rng.choice(_NUMBERS))
        case 1:
            return _quoted(rng.choice(values.TEXTS))
        case 2:
            return _quoted({"local": rng.randrange(3), "global": "0x1"})
        case 3:
            depth = rng.choice((1, 5, 60, 300))
            return Text("[" * depth + "]" * depth)
        case 4:
            return _quoted(rng.choice("XBEiCbneSTpFstfMNODcvV"))
        case 5:
            return Text(f'"{values.integer(rng)}"')
        case 6:
            return Text(f"{values.integer(rng)}.{rng.randrange(10**9)}")
        case _:
            number = old.partition(".")[0]
            return Text(
                str(values.integer(rng, int(number) if number.lstrip("-").isdigit() and len(number) < 20 else 0))
            )


def _layout(rng: random.Random, events: list[str]) -> bytes:
    between = rng.choice((",", ",\n", "\n", ",,", " , "))
    body = between.join(events)
    base = f'"baseTimeNanoseconds":{values.integer(rng)}' if rng.random() < 0.2 else '"displayTimeUnit":"ns"'
    text = rng.choice(
        (
            f"[{body}]",
            f"[{body},{{}}]",
            f"[{body}",
            f'{{"traceEvents":[{body}]}}',
            f'{{{base},"traceEvents":[{body}],"other":{{"a":[1]}}}}',
            f'{{"traceEvents":[{body}],{base}}}',
            f'{{"traceEvents":[{body}],"traceEvents":[{body}]}}',
            f"[{body}][{body}]",
            "\n".join(events),
            f"\ufeff[{body}]\0\0",
        )
    )
    data = text.encode("utf-8", "surrogatepass")
    return data.replace(b"op 0", rng.choice(values.BYTES)) if rng.random() < 0.05 else data
