"""Times, names, ids and arguments as they are written in the wild."""

from __future__ import annotations

import pytest

from tests.tiler.readers.trace_event.trace_event_file import array, event, read
from tilescope.tiler.columns import EventFlag, Phase, TrackKind


@pytest.mark.parametrize(
    ("ts", "picoseconds"),
    [
        ("0", 0),
        ("-0", 0),
        ("1712195495519689.047", 1712195495519689047000),
        ("1712195495519689.123456", 1712195495519689123456),
        ('"1704161511420306.491"', 1704161511420306491000),
        ('" 12.5\\t"', 12500000),
        ("1.5e3", 1500000000),
        ("15E-1", 1500000),
        ("1e-6", 1),
        ("0.0000005", 1),
        ("0.00000049999", 0),
        ("0.9999999", 1000000),
        ("1.0000000000000000000000000001", 1000000),
        ("-1.000001", -1000001),
        ("-0.0000005", -1),
        ("9223372036854775.807", 9223372036854775807000),
        ("-5", -5000000),
    ],
)
def test_times_are_exact(ts: str, picoseconds: int) -> None:
    (row,) = read(array(event(ts=ts, dur="0"))).rows
    assert row.time_ps == picoseconds


@pytest.mark.parametrize(
    ("ts", "reason"),
    [
        ("+100", "bad_ts"),
        ("050", "bad_ts"),
        ("1.", "bad_ts"),
        (".5", "bad_ts"),
        ("1e", "bad_ts"),
        ("0x10", "bad_ts"),
        ("NaN", "bad_ts"),
        ("Infinity", "bad_ts"),
        ("-Infinity", "bad_ts"),
        ("true", "bad_ts"),
        ('"soon"', "bad_ts"),
        ('""', "bad_ts"),
        ("[1]", "bad_ts"),
        ("null", "missing_ts"),
        ("12345678901234567890", "ts_out_of_range"),
        ("9223372036854775.808", "ts_out_of_range"),
        ("1e999999999999999999999", "ts_out_of_range"),
    ],
)
def test_times_that_are_none_are_counted(ts: str, reason: str) -> None:
    result = read(array(event(ts=ts), event(name="b")))
    assert result.names == ["b"]
    assert result.summary.ignored == {reason: 1}
    assert result.summary.counts.total == 2
    assert result.summary.counts.slices == 1


@pytest.mark.parametrize(
    ("dur", "duration_ps", "flags"),
    [
        ("2", 2000000, EventFlag.NONE),
        ("0.063", 63000, EventFlag.NONE),
        ('"4.25"', 4250000, EventFlag.NONE),
        ("-1", 0, EventFlag.CLAMPED),
        ("-0.000001", 0, EventFlag.CLAMPED),
        ("null", 0, EventFlag.NO_DURATION),
    ],
)
def test_durations(dur: str, duration_ps: int, flags: EventFlag) -> None:
    (row,) = read(array(event(dur=dur))).rows
    assert (row.duration_ps, row.flags) == (duration_ps, flags)


def test_a_complete_event_without_duration_is_a_slice_of_length_0() -> None:
    (row,) = read('[{"ph":"X","name":"a","ts":1}]').rows
    assert (row.kind, row.phase, row.duration_ps, row.flags) == (
        TrackKind.SLICE,
        Phase.COMPLETE,
        0,
        EventFlag.NO_DURATION,
    )


@pytest.mark.parametrize(
    ("ts", "dur", "reason"),
    [
        ("1", "NaN", "bad_dur_nan"),
        ("1", "-Infinity", "bad_dur_nan"),
        ("1", "+2", "bad_dur"),
        ("1", "+inf", "bad_dur_nan"),
        ("1", "02", "bad_dur"),
        ("1", '"long"', "bad_dur"),
        ("1", "99999999999999999999", "dur_out_of_range"),
        ("9000000000000000", "900000000000000", "dur_out_of_range"),
    ],
)
def test_durations_that_are_none_are_counted(ts: str, dur: str, reason: str) -> None:
    result = read(array(event(ts=ts, dur=dur), event(name="b")))
    assert result.names == ["b"]
    assert result.summary.ignored == {reason: 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ('"plain"', "plain"),
        ('""', "[no name]"),
        ('"a\\"b\\\\c\\/d\\n"', 'a"b\\c/d\n'),
        ('"\\u00e9\\ud83d\\ude00"', "é😀"),
        ('"\\ud83d alone \\ude00"', "\ufffd alone \ufffd"),
        ('"\\ud83d\\u0041"', "\ufffdA"),
        ('"torch\\cuda"', "torch\\cuda"),
        ('"\\u12"', "\\u12"),
        ('"\\uXYZW"', "\\uXYZW"),
        ('"raw\ttab\nline\x01"', "raw\ttab\nline\x01"),
        ('"日本語"', "日本語"),
        ("null", "[no name]"),
        ("NaN", "[no name]"),
        ("12", "12"),
    ],
)
def test_names(name: str, expected: str) -> None:
    result = read(array(f'{{"ph":"X","ts":1,"dur":1,"name":{name}}}'))
    assert result.names == [expected]
    assert result.summary.ignored == {}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\xffb", "a\ufffdb"),
        (b"\xe6\x97", "\ufffd"),
        (b"\xc0\xaf", "\ufffd\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"\xf4\x90\x80\x80", "\ufffd" * 4),
        (b"\\n\xff", "\n\ufffd"),
    ],
)
def test_invalid_utf8_is_replaced_as_python_does(raw: bytes, expected: str) -> None:
    result = read(b'[{"ph":"X","ts":1,"dur":1,"name":"' + raw + b'"}]')
    assert result.names == [expected]


def test_a_missing_name() -> None:
    assert read('[{"ph":"X","ts":1,"dur":1},{"ph":"E","ts":1}]').names == ["[no name]", None]
    assert read('[{"ph":"B","ts":1,"name":"a"},{"ph":"E","ts":1,"name":""}]').names == ["a", None]


def test_names_that_decode_alike_are_one() -> None:
    result = read(array(event(name="A"), event(name="\\u0041")))
    assert result.summary.names == ["A"]


@pytest.mark.parametrize(
    ("cat", "category"),
    [
        ("", ""),
        (',"cat":""', ""),
        (',"cat":null', ""),
        (',"cat":NaN', ""),
        (',"cat":"x"', "x"),
        (',"cat":"X"', "X"),
        (',"cat":"x,y"', "x,y"),
        (',"cat":"x","cat":"y"', "y"),
        (',"cat":"\\u0078\\/ü"', "x/ü"),
        (',"cat":7', "7"),
        (',"cat":true', "true"),
        (',"cat":["x", "y"]', '["x", "y"]'),
    ],
)
def test_an_events_category_is_its_own(cat: str, category: str) -> None:
    text = array(event(',"cat":"other"'), event(cat), event(',"args":{"n":1}' + cat), event(), event(cat, name="b"))
    result = read(text)
    assert [row.category for row in result.rows] == ["other", category, category, "", category]
    assert [row.decoded_args for row in result.rows] == [[], [], [("n", 1)], [], []]
    assert len(set(zip(result.summary.names, result.summary.categories, strict=True))) == len(result.summary.names)


def test_the_category_of_ends_instants_and_flows() -> None:
    phases = "BEiIPRnTpbeSFstf"
    result = read(array(*(event(f',"id":1,"cat":"{k}"', ph=phase) for k, phase in enumerate(phases))))
    assert [row.category for row in result.rows] == [str(k) for k in range(len(phases))]


def test_an_end_without_a_name_has_no_category() -> None:
    (row,) = read(array('{"ph":"E","ts":1,"pid":1,"cat":"x"}')).rows
    assert (row.name, row.category, row.decoded_args) == (None, None, [])


def test_the_category_of_a_counter_stays_with_its_arguments() -> None:
    row, other, plain = read(
        array(event(',"cat":"x","args":{"v":1,"w":2}', ph="C"), event(',"args":{"v":1}', ph="C"))
    ).rows
    assert row.decoded_args == [("v", 1), ("w", 2), ("tid", 2), ("cat", "x")]
    assert (other.decoded_args, plain.decoded_args) == ([], [("v", 1), ("tid", 2)])


@pytest.mark.parametrize(
    ("written", "detail", "name"),
    [
        ("7", "", "Thread 7"),
        ('"7"', "", "Thread 7"),
        ("7.0", "", "Thread 7"),
        ("7.5", "tid 7.5", "7.5"),
        ("-247463936", "tid -247463936", "Thread"),
        ("18446744073709551615", "tid 18446744073709551615", "18446744073709551615"),
        ("9007199254740993", "", "Thread 9007199254740993"),
        ('"stream 7"', "tid stream 7", "stream 7"),
        ('"007"', "tid 007", "007"),
        ("null", "no tid", "Thread"),
    ],
)
def test_thread_ids(written: str, detail: str, name: str) -> None:
    (row,) = read(f'[{{"ph":"X","ts":1,"dur":1,"pid":1,"tid":{written}}}]').rows
    assert (row.detail, row.track) == (detail, name)


def test_ids_of_all_kinds_are_distinct() -> None:
    ids = ["1", "-1", "4294967297", "1.5", '"x"', "null", "9007199254740992", "9007199254740993", '"1 "']
    result = read(array(*(f'{{"ph":"X","ts":1,"dur":1,"pid":{pid},"tid":0}}' for pid in ids)))
    assert len(result.summary.tracks) == len(ids)
    assert len(result.summary.processes) == len(ids)


def test_args_stay_as_they_are_written() -> None:
    text = event(',"args":{"x":NaN,"y":[1,{"z":"}"}],"y":2},"bp":"c","id":"0x1","tts":3')
    (row,) = read(array(text)).rows
    assert row.args == b'{"args":{"x":NaN,"y":[1,{"z":"}"}],"y":2},"bp":"c","id":"0x1","tts":3}'
    assert row.decoded_args == [
        ("x", "NaN"),
        ("y", [1, {"z": "}"}]),
        ("y", 2),
        ("bp", "c"),
        ("id", "0x1"),
        ("tts", 3),
    ]


def test_of_repeated_members_the_last_one_counts() -> None:
    (row,) = read('[{"ph":"X","ts":1,"name":"a","ts":2,"dur":1,"name":"b"}]').rows
    assert (row.name, row.time_ps) == ("b", 2_000_000)


def test_events_may_be_unsorted_and_repeated() -> None:
    result = read(array(event(ts="9"), event(ts="1"), event(ts="1")))
    assert [row.time_ps for row in result.rows] == [9_000_000, 1_000_000, 1_000_000]
