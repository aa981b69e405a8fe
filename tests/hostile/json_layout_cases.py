"""Trace-event JSON: layouts, cuts, and damage between and around events."""

from __future__ import annotations

from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.json_text import BOTH, SPAN_A, US, A, B, array, case, kept

EMPTY = Indexed(0, 0, ("empty",), ())
NO_TRACE = Refused(
    "is JSON, but not a trace|is JSON, but its traceEvents is not an array|neither a JSON object nor an array"
)
CUT = r"the file ends inside an event \(byte [\d,]+\): the trace was cut short, and 1 whole event kept"
ONE = kept((CUT,), 1, (SPAN_A,))

# Both events are read, and nothing is said: writers do this all the time.
_TOLERATED = {
    "array": array(A, B),
    "object": '{"traceEvents":[' + A + "," + B + "]}",
    "trailing-comma": f"[{A},{B},]",
    "doubled-comma": f"[{A},,{B}]",
    "leading-comma": f"[,{A},{B}]",
    "no-comma": f"[{A}{B}]",
    "lines": f"{A}\n{B}\n",
    "lines-crlf": f"{A}\r\n{B}\r\n",
    "lines-blank-between": f"{A}\n\n \n{B}",
    "lines-with-commas": f"{A},\n{B},\n",
    "two-arrays": f"[{A}][{B}]",
    "two-objects": '{"traceEvents":[' + A + ']}\n{"traceEvents":[' + B + "]}",
    "array-then-object": f"[{A}]" + '{"traceEvents":[' + B + "]}",
    "list-twice": '{"traceEvents":[' + A + '],"traceEvents":[' + B + "]}",
    "list-empty-then-full": '{"traceEvents":[],"traceEvents":[' + A + "," + B + "]}",
    "members-around": '{"otherData":{"x":"]}"},"traceEvents":[' + A + "," + B + '],"stackFrames":{"1":{"name":"{["}}}',
    "braces-in-strings": f"[{A},{B[:-1]}" + ',"args":{"x":"}],{[\\"","y":"\\\\"}}]',
    "byte-order-mark": "\ufeff" + array(A, B),
    "white-space-before": " \t\r\n" * 9000 + array(A, B),
    "trailing-empty-object": f"[{A},{B},{{}}]",
    "trailing-empty-object-jax": '{"displayTimeUnit":"ns","traceEvents":[' + A + "," + B + ",{}]}",
    "duplicate-members": "[" + A[:-1] + ',"name":"z","name":"a"},' + B + "]",
    "space-everywhere": array(A, B).replace(",", " ,\t").replace(":", "\n: "),
    "args-deep": f"[{A[:-1]}" + ',"args":{"x":' + "[" * 40 + "]" * 40 + "}}," + B + "]",
    "member-deep": '{"x":' + "[" * 200 + "]" * 200 + ',"traceEvents":[' + A + "," + B + "]}",
    "unit-milliseconds": '{"displayTimeUnit":"ms","traceEvents":[' + A + "," + B + "]}",
    "unit-nonsense": '{"displayTimeUnit":[1,{}],"traceEvents":[' + A + "," + B + "]}",
}

# The same; what is not shown is said.
_SAMPLES = '{"samples":[{"cpu":1,"ts":5}],"traceEvents":[' + A + "," + B + "]}"

# Both events are read, and what was left out is counted.
_COUNTED = {
    "null-event": (f"[{A},null,{B}]", "^1 × null_event"),
    "numbers-as-events": (f'[{A},1,"x",[2],true,{B}]', "^4 × not_an_event"),
    "empty-object-between": (f"[{A},{{}},{B}]", "^1 × missing_ph"),
    "phase-missing": (f'[{A},{{"name":"x","ts":3}},{B}]', "^1 × missing_ph"),
    "phase-null": (f'[{A},{{"ph":null,"ts":3}},{B}]', "^1 × (missing|bad)_ph"),
    "trace-inside": (f'[{A},{{"traceEvents":[]}},{B}]', "^1 × (not_an_event|missing_ph|damaged_event)"),
    "trailing-nuls": (array(A, B) + "\0" * 700, "^700 × trailing_bytes"),
    "trailing-garbage": (array(A, B) + "\x01\x02\x03", "^3 × trailing_bytes"),
    "member-garbage": ('{"traceEvents":[' + A + "," + B + "],%%}", "^1 × damaged_member"),
}

# One event among two whole ones has quotes that are not escaped: what was meant is guessed, and said to be a guess.
_REPAIRED = {
    "quotes-in-name": ('{"name":"say "hi"","ph":"X","ts":3}', 'say "hi"'),
    "quote-in-argument": ('{"args":{"k":"a"b"},"ph":"X","ts":3}', "[no name]"),
}

# One event among two whole ones is broken as JSON.
_BROKEN = {
    "single-quotes": "{'ph':'X','ts':3}",
    "comment": '{"ph":"X",/*no*/"ts":3}',
    "no-colon": '{"ph" "X","ts":3}',
    "no-comma": '{"ph":"X" "ts":3}',
    "percent": "{%}",
    "bracket-swapped": '{"ph":"X","args":[1},"ts":3}',
    "brace-missing": '{"ph":"X","ts":3',
}

_BAD_PHASES = {"empty": '""', "long": '"XX"', "number": "7", "bare-word": "X", "object": "{}"}

_EMPTY = {
    "white-space": " \n\t ",
    "array": "[]",
    "object": '{"traceEvents":[]}',
    "byte-order-mark": "\ufeff",
    "array-of-nothing": "[ , ]",
    "only-metadata": '[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]',
}

_NO_TRACE = {
    "object": "{}",
    "package": '{"name":"x","version":"1.0.0","dependencies":{}}',
    "types": '[{"id":1,"kind":"t"},{"id":2}]',
    "numbers": "[1,2,3]",
    "list-is-object": '{"traceEvents":{}}',
    "list-is-text": '{"traceEvents":"[]"}',
    "nested-list": '{"data":{"traceEvents":[' + A + "]}}",
    "word": "true",
    "number": "12345",
    "geo": '{"type":"FeatureCollection","features":[]}',
}

_WHOLE_CUTS: dict[str, tuple[str, Indexed | Refused]] = {
    "after-event": (f"[{A},{B}", kept((r"the closing \] is missing: .*2 whole events kept",))),
    "after-comma": (f"[{A},{B},", kept((r"the closing \] is missing: .*2 whole events kept",))),
    "object-after-list": ('{"traceEvents":[' + f"{A},{B}]", kept((r"the closing \} is missing: .*2 whole events",))),
    "object-in-list": ('{"traceEvents":[' + f"{A},{B}", kept((r"the closing \] is missing: .*2 whole events",))),
    "object-in-member-behind": (
        '{"traceEvents":[' + f"{A},{B}]" + ',"otherData":{"x":[1',
        kept(
            (
                "the file ends inside a member of its outer object: .*2 whole events kept",
                "json/otherData is left out: it is cut short",
            )
        ),
    ),
    "object-in-key-behind": (
        '{"traceEvents":[' + f"{A},{B}]" + ',"other',
        kept(("the file ends inside a member|the closing } is missing",)),
    ),
    "object-before-list": ('{"otherData":{"x":[1', NO_TRACE),
    "lines-in-event": (f"{A}\n{B[:20]}", ONE),
}


def _event_cuts() -> list[Case]:
    """The second event ends at every kind of token, in all layouts that have an end."""
    places = {
        "brace": B[:1],
        "key": B[:4],
        "colon": B[:6],
        "phase": B[: B.index('X"')],
        "behind-comma": B[: B.index(',"pid"') + 1],
        "number": B[: B.index("dur") + 6],
        "string": '{"ph":"X","name":"torn',
        "escape": '{"ph":"X","name":"torn\\',
        "unicode-escape": '{"ph":"X","name":"torn\\u00',
        "surrogate": '{"ph":"X","name":"\\ud83d',
        "args": '{"ph":"X","ts":5,"args":{"x":[1,{"y":',
        "word": '{"ph":"X","ts":5,"args":{"x":tru',
    }
    cuts = [
        case(f"json-cut/{layout}-{place}", f"cut inside an event: {place}", begin + A + "," + part, ONE)
        for layout, begin in (("array", "["), ("object", '{"traceEvents":['))
        for place, part in places.items()
    ]
    torn = (f"[{A}," + '{"ph":"X","name":"é').encode()[:-1]
    return [*cuts, case("json-cut/utf8", "cut inside a character", torn, ONE)]


CASES = [
    *(case(f"json-layout/{name}", "tolerated", text, kept()) for name, text in _TOLERATED.items()),
    *(
        case(f"json-layout/{name}", "left out and counted", text, kept((why,)))
        for name, (text, why) in _COUNTED.items()
    ),
    *(
        case(
            f"json-broken/{name}-{how}",
            "a broken event is skipped",
            f"[{A}{between}{text}{between}{B}]",
            kept(("^1 × ", "damaged JSON in 1 place")),
        )
        for name, text in _BROKEN.items()
        for how, between in (("commas", ","), ("lines", "\n"))
    ),
    case(
        "json-layout/list-of-samples", "samples of a profiler", _SAMPLES, kept(("^1 sample of a profiler: not shown",))
    ),
    *(
        case(
            f"json-broken/{name}-{how}",
            "a broken event is repaired",
            f"[{A}{between}{text}{between}{B}]",
            kept(
                ("^1 × unescaped_quotes", "^1 event has quotes that are not escaped"),
                events=3,
                spans=tuple(sorted((*BOTH, (meant, 2 * US, 0)))),
                tracks=2,  # it names no thread
            ),
        )
        for name, (text, meant) in _REPAIRED.items()
        for how, between in (("commas", ","), ("lines", "\n"))
    ),
    case("json-empty/nothing", "no bytes at all", "", Refused("is empty")),
    *(case(f"json-empty/{name}", "an empty trace, said so", text, EMPTY) for name, text in _EMPTY.items()),
    *(case(f"json-other/{name}", "JSON, but no trace", text, NO_TRACE) for name, text in _NO_TRACE.items()),
    *(case(f"json-cut/{name}", "cut between events", text, accepted) for name, (text, accepted) in _WHOLE_CUTS.items()),
    *_event_cuts(),
    *(
        case(
            f"json-layout/phase-{name}",
            "a phase that is none",
            f'[{A},{{"ph":{ph},"ts":3}},{B}]',
            kept(("^1 × bad_ph",), 3),
        )
        for name, ph in _BAD_PHASES.items()
    ),
    case(
        "json-layout/escaped-key",
        "a key written with an escape",
        array(A.replace('"ph"', '"\\u0070h"'), B),
        kept(),
        Indexed(1, 1, ("^1 × missing_ph",)),
    ),
    case(
        "json-layout/escaped-list",
        "the list's key written with an escape",
        '{"\\u0074raceEvents":[' + A + "]}",
        NO_TRACE,
        Indexed(1, 1),
    ),
    case("json-other/list-is-null", "no list", '{"traceEvents":null}', NO_TRACE, EMPTY),
    case("json-other/string", "a text", '"traceEvents"', Refused("line 1, column 1")),
    case("json-other/single-quotes", "refused with the place", "{'traceEvents':[]}", Refused(r"line 1, column 2")),
    case("json-other/comment", "refused with the place", "\n// a trace\n[]", Refused(r"line 2, column 1")),
    case(
        "json-other/comment-inside",
        "refused with the place",
        '{"a":1,\n/* x */"traceEvents":[]}',
        Refused(r"line 2, column 1"),
        Indexed(0, 0, ("",), ()),
    ),
    case(
        "json-layout/list-after-100-members",
        "members before the list",
        "{" + "".join(f'"m{k}":{{"x":[{k}]}},' for k in range(100)) + f'"traceEvents":[{A},{B}]}}',
        kept(),
    ),
    case("json-layout/exact-duplicates", "both are kept", array(A, A, B), kept((), 3, (SPAN_A, *BOTH))),
]
