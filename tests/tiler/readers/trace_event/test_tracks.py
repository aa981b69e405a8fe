"""Which tracks events go to, and how tracks are named and ordered."""

from __future__ import annotations

import pytest

from tests.tiler.readers.trace_event.trace_event_file import ReadFile, Row, array, event, read
from tilescope.tiler.columns import EventFlag, Phase, TrackKind


def meta(name: str, args: str, pid: str = "1", tid: str = "2") -> str:
    return f'{{"ph":"M","name":"{name}","pid":{pid},"tid":{tid},"args":{args}}}'


def rows_of(*events: str) -> list[Row]:
    return read(array(*events)).rows


def track_names(result: ReadFile) -> list[str]:
    """In screen order, as process/track."""
    order = sorted(
        range(len(result.summary.tracks)),
        key=lambda k: (
            result.summary.processes[result.summary.tracks[k].process].sort_index,
            result.summary.tracks[k].process,
            result.summary.tracks[k].sort_index,
        ),
    )
    tracks = [result.summary.tracks[k] for k in order]
    return [f"{result.summary.processes[track.process].name}/{track.name}" for track in tracks]


def test_unnamed_processes_and_threads() -> None:
    (row,) = rows_of(event())
    assert (row.process, row.track, row.detail) == ("Process 1", "Thread 2", "")


def test_metadata_may_come_last_and_the_last_name_wins() -> None:
    result = read(
        array(
            event(),
            meta("thread_name", '{"name":"first"}'),
            meta("process_name", '{"name":"trainer"}'),
            meta("process_labels", '{"labels":"CPU"}'),
            meta("thread_name", '{"name":"last"}'),
            meta("thread_name", '{"name":NaN}'),
            meta("thread_name", "{}"),
        )
    )
    assert (result.rows[0].process, result.rows[0].track) == ("trainer", "last")
    assert result.summary.processes[0].detail == "pid 1 · CPU"
    assert result.summary.counts.total == 1


def test_sort_indices_order_processes_and_threads() -> None:
    result = read(
        array(
            '{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1}',
            '{"ph":"X","ts":1,"dur":1,"pid":1,"tid":2}',
            '{"ph":"X","ts":1,"dur":1,"pid":2,"tid":3}',
            meta("process_sort_index", '{"sort_index":-5}', pid="2"),
            meta("thread_sort_index", '{"sort_index":"-1"}', tid="2"),
        )
    )
    assert track_names(result) == ["Process 2/Thread 3", "Process 1/Thread 2", "Process 1/Thread 1"]


def thread(name: str, pid: str, tid: str) -> str:
    return meta("thread_name", f'{{"name":"{name}"}}', pid, tid)


def slices(*threads: tuple[str, str]) -> list[str]:
    """An event on each of these threads (pid, tid)."""
    return [f'{{"ph":"X","ts":1,"dur":1,"pid":{pid},"tid":{tid}}}' for pid, tid in threads]


def test_numbers_stand_in_natural_order_and_the_main_thread_first() -> None:
    threads = [("10", "4"), ("9", "12"), ("9", "100"), ("9", "9"), ("9", "3")]
    names = [thread("worker 10", "9", "12"), thread("worker 9", "9", "100"), thread("zmain", "9", "9")]
    result = read(array(*slices(*threads), *names))
    assert track_names(result) == [
        "Process 9/zmain",
        "Process 9/Thread 3",
        "Process 9/worker 9",
        "Process 9/worker 10",
        "Process 10/Thread 4",
    ]


def test_ids_only_tell_namesakes_apart() -> None:
    threads = [("1", "7"), ("1", "8"), ("1", "9"), ("2", "7")]
    names = [thread("pool", "1", "7"), thread(" pool ", "1", "8"), thread("io", "1", "9"), thread("pool", "2", "7")]
    named = [meta("process_name", '{"name":"python"}', pid) for pid in "12"]
    result = read(array(*slices(*threads), *names, *named))
    assert track_names(result) == ["python 1/io", "python 1/pool 7", "python 1/pool 8", "python 2/pool"]
    assert {track.detail for track in result.summary.tracks} == {"tid 7", "tid 8", "tid 9"}


def test_instants_are_called_as_their_thread() -> None:
    instants = ['{"ph":"i","ts":1,"pid":1,"tid":7,"s":"t"}', '{"ph":"i","ts":1,"pid":1,"tid":8,"s":"t"}']
    result = read(array(*instants, thread("pool", "1", "7"), thread("pool", "1", "8")))
    assert track_names(result) == ["Process 1/pool 7 · instants", "Process 1/pool 8 · instants"]


def test_threads_and_devices_of_pytorch() -> None:
    result = read(
        array(
            *slices(("5", "5"), ("5", "6"), ("5", "-247463936"), ("0", "7")),
            '{"ph":"i","s":"g","ts":1,"pid":5,"tid":5}',
            *(meta("process_name", '{"name":"python"}', pid) for pid in "50"),
            meta("process_labels", '{"labels":"CPU"}', "5"),
            meta("process_labels", '{"labels":"GPU 0"}', "0"),
            meta("process_sort_index", '{"sort_index":5}', "5"),
            meta("process_sort_index", '{"sort_index":16777216}', "0"),
            thread("thread 5 (python)", "5", "5"),
            thread("thread 6 (pt_autograd_0)", "5", "6"),
            thread("stream 7 ", "0", "7"),
        )
    )
    assert track_names(result) == [
        "python/python",
        "python/Thread",
        "python/pt_autograd_0",
        "GPU 0/stream 7",
        "Global instants/instants",
    ]
    assert [process.detail for process in result.summary.processes] == ["pid 5 · CPU", "python · pid 0", ""]


def test_lines_of_a_device_stand_from_the_whole_to_the_parts() -> None:
    lines = ["Stream #2", "XLA Ops", "Async XLA Ops", "XLA Modules", "Stream #10", "Steps"]
    numbers = [(str(1), str(number)) for number in range(2, 8)]
    result = read(
        array(
            *slices(*numbers),
            meta("process_name", '{"name":"/device:GPU:0"}'),
            *(thread(name, pid, tid) for name, (pid, tid) in zip(lines, numbers, strict=True)),
        )
    )
    order = ["Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "Stream #2", "Stream #10"]
    assert track_names(result) == [f"/device:GPU:0/{name}" for name in order]
    assert result.summary.processes[0].is_device


def test_sections_of_a_process() -> None:
    result = read(
        array(
            '{"ph":"C","name":"mem","ts":1,"pid":1,"args":{"value":1}}',
            '{"ph":"n","cat":"net","ts":1,"pid":1,"tid":2,"id":1}',
            '{"ph":"b","cat":"net","ts":1,"pid":1,"tid":2,"id":1}',
            '{"ph":"b","cat":"gpu","ts":1,"pid":1,"tid":2,"id":1}',
            '{"ph":"i","ts":1,"pid":1,"tid":2}',
            '{"ph":"s","ts":1,"pid":1,"tid":2,"id":1}',
            event(),
            '{"ph":"i","s":"p","ts":1,"pid":1,"tid":2}',
            '{"ph":"i","s":"g","ts":1,"pid":1,"tid":2}',
        )
    )
    assert track_names(result) == [
        "Process 1/instants",
        "Process 1/Thread 2",
        "Process 1/Thread 2 · instants",
        "Process 1/Thread 2",  # the carrier of its flows
        "Process 1/gpu",
        "Process 1/net",
        "Process 1/net · instants",
        "Process 1/mem",
        "Global instants/instants",
    ]
    assert [track.kind for track in result.summary.tracks if track.name == "Thread 2"] == [
        TrackKind.FLOW,
        TrackKind.SLICE,
    ]


@pytest.mark.parametrize("phase", "iIPR")
def test_instants(phase: str) -> None:
    (row,) = rows_of(f'{{"ph":"{phase}","name":"a","ts":1.5,"pid":1,"tid":2,"s":"t"}}')
    assert (row.kind, row.phase, row.track) == (TrackKind.INSTANT, Phase.INSTANT, "Thread 2 · instants")
    assert row.time_ps == 1_500_000


def test_processes_without_events_are_left_out() -> None:
    result = read(array(meta("process_name", '{"name":"idle"}', pid="9"), event()))
    assert [process.name for process in result.summary.processes] == ["Process 1"]


# -- counters ------------------------------------------------------------------------------------------------------


def counter(args: str, extra: str = "", name: str = "mem") -> str:
    return f'{{"ph":"C","name":"{name}","ts":1,"pid":1,"tid":2,"args":{args}{extra}}}'


@pytest.mark.parametrize(
    ("args", "samples"),
    [
        ('{"value":2.5}', {"mem": 2.5}),
        ('{"mem":3}', {"mem": 3.0}),
        ('{"bytes":3}', {"mem · bytes": 3.0}),
        ('{"a":1,"b":"2.5","c":-1e3}', {"mem · a": 1.0, "mem · b": 2.5, "mem · c": -1000.0}),
        ('{"a\\u00e9":1,"value":2}', {"mem · aé": 1.0, "mem · value": 2.0}),
    ],
)
def test_each_numeric_argument_is_a_series(args: str, samples: dict[str, float]) -> None:
    result = read(array(counter(args)))
    assert {row.track: row.value for row in result.rows} == samples
    assert result.summary.counts.counter_samples == 1
    assert {row.kind for row in result.rows} == {TrackKind.COUNTER}
    assert result.rows[0].args == f'{{"args":{args},"tid": 2}}'.encode()
    assert not any(row.args for row in result.rows[1:])


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ('{"a":NaN}', "counter_value_not_finite"),
        ('{"a":-Infinity}', "counter_value_not_finite"),
        ('{"a":"NaN"}', "counter_value_not_finite"),
        ('{"a":1e999}', "counter_value_not_finite"),
        ('{"a":null}', "counter_value_null"),
        ('{"a":"high"}', "counter_value_no_number"),
        ('{"a":{"b":1}}', "counter_value_no_number"),
        ('{"a":""}', "counter_value_no_number"),
        ("null", "counter_without_series"),
        ("{}", "counter_without_series"),
    ],
)
def test_samples_that_are_none_are_counted(args: str, reason: str) -> None:
    result = read(array(counter(args), event()))
    assert result.names == ["a"]
    assert result.summary.ignored == {reason: 1}


def test_ids_split_counters() -> None:
    result = read(array(counter('{"v":1}', ',"id":"x"'), counter('{"v":2}', ',"id":"y"'), counter('{"v":3}')))
    assert [(row.track, row.detail) for row in result.rows] == [
        ("mem · v x", "id x"),
        ("mem · v y", "id y"),
        ("mem · v", ""),
    ]
    assert len(result.summary.tracks) == 3


# -- async slices --------------------------------------------------------------------------------------------------


def async_event(ph: str, extra: str, pid: int = 1, tid: int = 2, name: str = "n", ts: int = 1) -> str:
    return f'{{"ph":"{ph}","cat":"c","name":"{name}","ts":{ts},"pid":{pid},"tid":{tid}{extra}}}'


def same_identity(first: str, second: str) -> bool:
    result = read(array(first, second))
    one, two = result.rows
    assert one.process != two.process or one.track == two.track
    return bool(one.key == two.key)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (async_event("b", ',"id":1'), async_event("e", ',"id":1'), True),
        (async_event("b", ',"id":"1"'), async_event("e", ',"id":1'), True),
        (async_event("b", ',"id":1'), async_event("e", ',"id":2'), False),
        (async_event("b", ',"id":9007199254740992'), async_event("e", ',"id":9007199254740993'), False),
        (async_event("b", ',"id":1'), async_event("e", ',"id":1', tid=9, name="other"), True),
        (async_event("b", ',"id":1'), async_event("e", ',"id":1', pid=9), True),
        (async_event("b", ',"id":1'), async_event("F", ',"id":1'), False),
        (async_event("S", ',"id":1'), async_event("F", ',"id":1'), True),
        (async_event("b", ',"id2":{"local":"1"}'), async_event("e", ',"id2":{"local":"1"}'), True),
        (async_event("b", ',"id2":{"local":"1"}'), async_event("e", ',"id2":{"local":"1"}', pid=9), False),
        (async_event("b", ',"id2":{"global":"1"}'), async_event("e", ',"id2":{"global":"1"}', pid=9), True),
        (async_event("b", ',"id":1,"scope":"s"'), async_event("e", ',"id":1,"scope":"t"'), False),
        (async_event("b", ""), async_event("e", ""), True),
        (async_event("b", ""), async_event("e", "", name="other"), False),
        (async_event("b", ""), async_event("e", "", tid=9), False),
    ],
)
def test_async_identity(first: str, second: str, same: bool) -> None:
    assert same_identity(first, second) == same


def test_the_same_id_in_two_processes_is_two_slices() -> None:
    rows = rows_of(*(async_event(ph, ',"id":1', pid=pid) for ph in "be" for pid in (1, 2)))
    assert [row.process for row in rows] == [
        "Process 1",
        "Process 2",
        "Process 1",
        "Process 2",
    ]  # each has a track of its own
    assert len({row.key for row in rows}) == 1


@pytest.mark.parametrize("phase", "nTp")
def test_async_instants_are_beside_the_slices(phase: str) -> None:
    begin, step = rows_of(async_event("b" if phase == "n" else "S", ',"id":1'), async_event(phase, ',"id":1'))
    assert begin.kind is TrackKind.ASYNC
    assert (step.kind, step.track, step.key) == (TrackKind.INSTANT, "c · instants", begin.key)


def test_async_without_a_category() -> None:
    (row,) = rows_of('{"ph":"b","name":"a","ts":1,"pid":1,"id":1}')
    assert row.track == "[no category]"


# -- flows ---------------------------------------------------------------------------------------------------------


def test_flows_ride_on_their_thread() -> None:
    start, step, end = rows_of(
        async_event("s", ',"id":7'), async_event("t", ',"id":7', tid=3), async_event("f", ',"id":7,"bp":"e"', pid=4)
    )
    assert [row.phase for row in (start, step, end)] == [Phase.FLOW_START, Phase.FLOW_STEP, Phase.FLOW_END]
    assert {row.kind for row in (start, step, end)} == {TrackKind.FLOW}
    assert (start.key, step.key) == (end.key, end.key)
    assert (start.flags, end.flags) == (EventFlag.NONE, EventFlag.BIND_ENCLOSING)
    assert [row.track for row in (start, step)] == ["Thread 2", "Thread 3"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('"cat":"ac2g","id":1', '"cat":"ac2g","id":"1"', True),
        ('"cat":"ac2g","id":1', '"cat":"fwdbwd","id":1', False),
        ('"cat":"x","id":"text id"', '"cat":"x","id":"text id"', True),
        ('"cat":"x","id":9007199254740992', '"cat":"x","id":9007199254740993', False),
        ('"cat":"x","id":"0x1","name":"p"', '"cat":"x","id":"0x1","name":"q"', True),
    ],
)
def test_flow_identity(one: str, other: str, same: bool) -> None:
    start, end = rows_of(f'{{"ph":"s","ts":1,"pid":1,{one}}}', f'{{"ph":"f","ts":2,"pid":1,{other}}}')
    assert (start.key == end.key) == same


def test_an_end_without_a_start_is_kept() -> None:
    result = read(array('{"ph":"f","ts":1,"pid":1,"tid":2,"id":5}', '{"ph":"f","ts":1,"pid":1,"tid":2}'))
    assert result.rows[0].key >= 0
    assert result.rows[1].key == -1
    assert result.summary.counts.flow_ends == 2


def test_bound_slices_make_flows() -> None:
    result = read(
        array(
            event(',"bind_id":"0x9","flow_out":true'),
            event(',"bind_id":"0x9","flow_in":true,"flow_out":true'),
            event(',"bind_id":"0x9","flow_in":true'),
            event(',"bind_id":"0x9"'),
        )
    )
    slice_, start, _, step, _, end, _ = result.rows
    flows = [start, step, end]  # each behind its slice
    assert [row.phase for row in flows] == [Phase.FLOW_START, Phase.FLOW_STEP, Phase.FLOW_END]
    assert {row.track for row in flows} == {slice_.track}
    assert len({row.key for row in flows}) == 1
    assert flows[0].key >= 0
    assert result.summary.counts.flow_ends == 0
    assert result.summary.counts.slices == 4
