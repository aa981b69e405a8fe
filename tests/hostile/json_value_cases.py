"""Trace-event JSON: times, durations, names, ids and arguments that are wrong, odd or at a limit."""

from __future__ import annotations

from tests.hostile.case import Case, Indexed
from tests.hostile.json_text import US, A, B, Spans, array, case, event, kept

# `ts` of a slice of 1 µs beside one at 0: where it starts, in ps.
_TIMES = {
    "minus-zero": ("-0", 0),
    "picosecond": ("0.000001", 1),
    "rounded-up": ("0.0000005", 1),
    "rounded-down": ("0.00000049999", 0),
    "exponent": ("1.5e3", 1500 * US),
    "exponent-negative": ("15E-1", 1_500_000),
    "text": ('"12.5"', 12_500_000),
    "text-with-space": ('" 12.5\\t"', 12_500_000),
    "many-digits": ("1.0000000000000000000000000001", US),
    "zeros-behind": ("1." + "0" * 5000, US),
}

# `ts` that are none: the event is set aside.
_NO_TIMES = {
    "plus": ("+100", "bad_ts"),
    "zero-first": ("050", "bad_ts"),
    "point-last": ("1.", "bad_ts"),
    "point-first": (".5", "bad_ts"),
    "hexadecimal": ("0x10", "bad_ts"),
    "nan": ("NaN", "bad_ts"),
    "infinity": ("-Infinity", "bad_ts"),
    "word": ('"soon"', "bad_ts"),
    "empty-text": ('""', "bad_ts"),
    "boolean": ("true", "bad_ts"),
    "list": ("[1]", "bad_ts"),
    "object": ('{"ts":1}', "bad_ts"),
    "null": ("null", "missing_ts"),
    "missing": (None, "missing_ts"),
    "20-digits": ("12345678901234567890", "ts_out_of_range"),
    "just-too-much": ("9223372036854775.808", "ts_out_of_range"),
    "exponent-of-18-digits": ("1e999999999999999999", "ts_out_of_range"),
    "400-digits": ("9" * 400, "ts_out_of_range"),
}

_DURATIONS = {
    "zero": ("0", 0),
    "negative": ("-1", 0),
    "negative-picosecond": ("-0.000001", 0),
    "text": ('"4.25"', 4_250_000),
    "null": ("null", 0),
    "missing": (None, 0),
    "minus-zero": ("-0.0", 0),
}

_NO_DURATIONS = {
    "nan": ("NaN", "bad_dur_nan"),
    "infinity": ("Infinity", "bad_dur_nan"),
    "zero-first": ("02", "bad_dur"),
    "word": ('"long"', "bad_dur"),
    "list": ("[]", "bad_dur"),
    "20-digits": ("99999999999999999999", "dur_out_of_range"),
    "end-beyond": ("9223372036854775.7", "dur_out_of_range"),
}

# A name as it is written, and as it is shown.
_NAMES: dict[str, tuple[str | bytes, str]] = {
    "empty": ('""', "[no name]"),
    "null": ("null", "[no name]"),
    "nan": ("NaN", "[no name]"),
    "number": ("12", "12"),
    "new-line": ('"a\\nb"', "a\nb"),
    "raw-new-line": ('"a\nb"', "a\nb"),
    "escape-sequence": ('"\\u001b[2J\\u001b]0;owned\\u0007"', "\x1b[2J\x1b]0;owned\x07"),
    "raw-control": ('"a\x01\tb"', "a\x01\tb"),
    "nul": ('"a\\u0000b"', "a\0b"),
    "direction": ('"\\u202eabc"', "\u202eabc"),
    "emoji-escaped": ('"\\ud83d\\ude00"', "😀"),
    "lone-surrogate": ('"\\ud83d alone"', "\ufffd alone"),
    "swapped-surrogates": ('"\\ude00\\ud83d"', "\ufffd\ufffd"),
    "bad-escape": ('"torch\\cuda"', "torch\\cuda"),
    "short-escape": ('"\\u12"', "\\u12"),
    "markup": ('"<script>alert(1)</script>"', "<script>alert(1)</script>"),
    "format": ('"%s%n{0}[red]"', "%s%n{0}[red]"),
    "invalid-utf8": (b'"a\xffb"', "a\ufffdb"),
    "overlong-utf8": (b'"\xc0\xaf"', "\ufffd\ufffd"),
    "utf8-surrogate": (b'"\xed\xa0\x80"', "\ufffd" * 3),
    "beyond-unicode": (b'"\xf4\x90\x80\x80"', "\ufffd" * 4),
    "long": ('"' + "n" * 100_000 + '"', "n" * 100_000),
}

# Values of pid and tid that are one thread, or two, together with 2.
_IDS = {
    "text": ('"2"', 1),
    "float": ("2.0", 1),
    "negative": ("-2", 2),
    "beyond-32-bit": ("4294967298", 2),
    "beyond-64-bit": ("18446744073709551618", 2),
    "huge": ("9" * 300, 2),
    "fraction": ("2.5", 2),
    "word": ('"stream 2"', 2),
    "zero-first": ('"002"', 2),
    "empty": ('""', 2),
    "null": ("null", 2),
    "nan": ("NaN", 2),
    "object": ('{"x":2}', 2),
    "list": ("[2]", 2),
    "boolean": ("true", 2),
    "new-line": ('"a\\n\\u001b[31mb"', 2),
    "long": ('"' + "t" * 50_000 + '"', 2),
}

_ARGUMENTS = {
    "nan": '{"x":NaN,"y":-Infinity}',
    "number": "5",
    "text": '"text"',
    "list": "[1,2]",
    "null": "null",
    "empty-key": '{"":1,"":2}',
    "huge-number": '{"x":' + "1" * 5000 + ',"y":1e400,"z":-1e-400}',
    "bad-escapes": '{"path":"C:\\temp\\x\\qqq"}',
    "words": '{"x":undefined,"y":None,"z":True}',
    "args-in-args": '{"args":{"args":{"args":{}}}}',
    "members-of-events": '{"ph":"B","ts":-5,"name":"inner","pid":9}',
    "10000-members": "{" + ",".join(f'"k{k}":{k}' for k in range(10_000)) + "}",
    "long-text": '{"x":"' + "y" * 1_000_000 + '"}',
    "control-keys": '{"a\\u001b[31m":"b\\u0000c"}',
}


def _pair(second: str, start_ps: int, duration_ps: int, said: tuple[str, ...] = ()) -> Indexed:
    zero: Spans = (("zero", 0, 0), (second, start_ps, duration_ps))
    return Indexed(2, 1, said, zero)


def _named(written: str | bytes) -> bytes:
    raw = written if isinstance(written, bytes) else written.encode("utf-8", "surrogatepass")
    return b"[" + A.encode().replace(b'"a"', raw) + b"]"


ZERO = event("X", "0", dur="0", name='"zero"')


def _deep(depth: int, shape: str) -> Case:
    """Arguments that nest so deep: the event is kept whatever becomes of the value."""
    opening, closing = ("[", "]") if shape == "lists" else ('{"k":', "}")
    value = opening * depth + "1" + closing * depth
    text = array(A[:-1] + ',"args":{"before":1,"x":' + value + ',"after":2}}', B)
    said = Indexed(2, 1, ("nest|deep",), kept().spans)
    return case(
        f"json-deep/{shape}-{depth}",
        "deep arguments keep their event",
        text,
        *((kept(),) if depth < 100 else (said, kept())),
    )


CASES = [
    *(
        case(f"json-time/{name}", "read exactly", array(ZERO, event("X", ts, dur="1")), _pair("a", start, US))
        for name, (ts, start) in _TIMES.items()
    ),
    case(
        "json-time/epoch",
        "a double cannot hold it",
        array(
            event("X", "1712195495519689.047", dur="1"), event("X", "1712195495519689.047001", dur="0.063", name='"b"')
        ),
        Indexed(2, 1, (), (("a", 0, US), ("b", 1, 63_000))),
    ),
    *(
        case(
            f"json-time/{name}",
            "no time: set aside, counted",
            array(A, event("X", ts, dur="1"), B),
            kept((f"^1 × {why}",), 3),
        )
        for name, (ts, why) in _NO_TIMES.items()
    ),
    *(
        case(f"json-duration/{name}", "kept", array(ZERO, event("X", "1", dur=dur)), _pair("a", US, length))
        for name, (dur, length) in _DURATIONS.items()
    ),
    *(
        case(
            f"json-duration/{name}",
            "no duration: set aside, counted",
            array(A, event("X", "3", dur=dur), B),
            kept((f"^1 × {why}",), 3),
        )
        for name, (dur, why) in _NO_DURATIONS.items()
    ),
    *(
        case(
            f"json-name/{name}",
            "shown, and never raw on a terminal",
            _named(written),
            Indexed(1, 1, (), ((shown, 0, 2 * US),)),
        )
        for name, (written, shown) in _NAMES.items()
    ),
    *(
        case(
            f"json-name/{where}-{name}",
            f"{where}: never raw on a terminal",
            array(A, event("M", None, name=f'"{where}_name"', args=f'{{"name":{written}}}')),
            Indexed(1, 1, (), (("a", 0, 2 * US),)),
        )
        for where in ("process", "thread")
        for name, written in (
            ("new-line", '"a\\nb"'),
            ("escape-sequence", '"\\u001b[2J"'),
            ("nan", "NaN"),
            ("long", '"' + "p" * 50_000 + '"'),
        )
    ),
    *(
        case(
            f"json-thread/{which}-{name}",
            "ids of any kind are kept apart",
            array(event("X", "1", dur="2", **{which: "2"}), event("X", "5", dur="2", name='"b"', **{which: value})),
            kept((), 2, tracks=tracks),
        )
        for which in ("pid", "tid")
        for name, (value, tracks) in _IDS.items()
        if which == "pid" or name not in ("list", "boolean", "huge", "zero-first")
    ),
    *(
        case(
            f"json-args/{name}",
            "arguments of any kind keep their event",
            array(A[:-1] + f',"args":{value}}}', B),
            kept(),
        )
        for name, value in _ARGUMENTS.items()
    ),
    *(_deep(depth, shape) for depth in (48, 49, 255, 256, 512, 513, 10_000) for shape in ("lists", "objects")),
    case(
        "json-deep/name",
        "a deep value in place of a name keeps its event",
        array(A, '{"ph":"X","pid":1,"tid":2,"ts":9,"dur":2,"name":' + "[" * 600 + "]" * 600 + "}", B),
        Indexed(3, 1, None),
    ),
    case(
        "json-name/host",
        "a host's name",
        '{"host_name":"h\\n\\u001b[31m","traceEvents":[' + A + "]}",
        Indexed(1, 1, (), (("a", 0, 2 * US),)),
    ),
    case(
        "json-time/base",
        "added to all times",
        '{"baseTimeNanoseconds":1700000000000000000,"traceEvents":[' + A + "," + B + "]}",
        kept(),
    ),
    case(
        "json-time/base-word",
        "left out, counted",
        '{"baseTimeNanoseconds":"soon","traceEvents":[' + A + "," + B + "]}",
        kept(("^1 × bad_base_time",)),
    ),
    case(
        "json-time/base-too-much",
        "left out, counted",
        '{"baseTimeNanoseconds":99999999999999999999,"traceEvents":[' + A + "," + B + "]}",
        kept(("^1 × bad_base_time",)),
    ),
    case(
        "json-time/base-at-limit",
        "exact, or set aside",
        '{"baseTimeNanoseconds":9223372036854775807,"traceEvents":[' + A + "," + B + "]}",
        kept(),
        Indexed(2, 1, ("2 × .*(out_of_range|set_aside)|outside|beyond|empty|set aside",)),
        Indexed(2, 0, ("2 × .*(out_of_range|set_aside)|outside|beyond|empty|set aside",)),
    ),
]
