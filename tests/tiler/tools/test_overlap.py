"""What a device's time is made of, against sets of ticks in plain Python; and figures of real traces."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import HOST, DeviceTrace, Spans, both, of_kind, step_times, ticks, without
from tests.example import Example
from tests.examples import examples
from tests.headlines import headline
from tilescope.tiler.facts.device_parts import Parts
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.overlap.kinds_at_once import LABELS

FIGURES = ("span", "busy", "computation", "communication", "exposed_communication", "copies", "exposed_copies")


def overlap(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("overlap"), Scope(reader), from_values(tool("overlap").question, asked)))


def parts_in(devices: DeviceTrace, device: int, windows: Spans, first_launch: int = 1 << 40) -> Parts:
    work = devices.work(device)
    everything = of_kind(work)
    seen = both(windows, [(min(everything[0][0], first_launch), everything[-1][1])])
    c, m, y = (both(of_kind(work, kind), seen) for kind in ("computation", "communication", "copies"))
    exposed = ticks(without(m, c)), ticks(without(without(y, c), m))
    return Parts(ticks(seen), ticks(both(everything, seen)), ticks(c), ticks(m), exposed[0], ticks(y), exposed[1])


def rows(answer: Answer, table: str) -> list[Parts]:
    columns = [values_of(answer.table(table).column(name)) for name in FIGURES]
    return [Parts(*row) for row in zip(*columns, strict=True)]


SPANS = st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(lambda span: (min(span), max(span)))


@given(span=SPANS, middle=st.integers(0, 620_000))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_span_is_what_plain_python_says_and_the_sum_of_its_halves(
    devices: DeviceTrace, span: tuple[int, int], middle: int
) -> None:
    start, end = span
    answer = overlap(devices.reader, start=start, end=end)
    found = rows(answer, "devices")
    assert found == [parts_in(devices, device, [span]) for device in (0, 1)]
    for parts, idle in zip(found, values_of(answer.table("devices").column("idle")), strict=True):
        assert parts.computation + parts.exposed_communication + parts.exposed_copies + parts.idle == parts.span
        assert parts.idle == idle
    middle = min(max(middle, start), end)
    halves = [rows(overlap(devices.reader, start=a, end=b), "devices") for a, b in ((start, middle), (middle, end))]
    assert found == [one + two for one, two in zip(*halves, strict=True)]


def test_the_whole_run_and_each_step(devices: DeviceTrace) -> None:
    answer = overlap(devices.reader)
    whole = [parts_in(devices, device, [(0, 1 << 40)]) for device in (0, 1)]
    assert rows(answer, "devices") == whole
    assert answer.table("devices").column("overlap").total == "max"  # shares of several devices are no parts of a whole
    total = whole[0] + whole[1]
    assert answer.table("devices").totals == {
        **dict(zip(FIGURES, astuple(total), strict=True)),
        "idle": total.idle,
        "overlap": total.overlap,
    }
    facts = {fact.id: fact.value for fact in answer.facts}
    assert facts.items() <= {"devices": 2, **(answer.table("devices").totals or {})}.items()
    times = [step_times(devices, device) for device in (0, 1)]
    of_steps = [
        parts_in(devices, 0, [times[0][number]], times[0][7][0])
        + parts_in(devices, 1, [times[1][number]], times[1][7][0])
        for number in (7, 8, 9, 10)
    ]
    assert rows(answer, "steps") == of_steps
    assert values_of(answer.table("steps").column("step")) == [7, 8, 9, 10]
    (series,) = answer.series
    assert [values_of(y) for y in series.ys] == [
        [getattr(of, name) for of in of_steps]
        for name in ("computation", "exposed_communication", "exposed_copies", "idle")
    ]
    assert sum(of_steps, Parts()) == sum(
        (parts_in(devices, k, [(times[k][7][0], times[k][10][1])], times[k][7][0]) for k in (0, 1)), Parts()
    )


def test_steps_a_device_and_a_limit(devices: DeviceTrace) -> None:
    steps = step_times(devices, 1)
    windows = [(steps[8][0], steps[9][1])]
    answer = overlap(devices.reader, steps="8-9", tracks=[devices.track(1, 8)], limit=1)
    assert rows(answer, "devices") == [parts_in(devices, 1, windows)]
    of_steps = [parts_in(devices, 1, [steps[number]]) for number in (8, 9)]
    assert rows(answer, "steps") == of_steps[:1]
    assert (answer.table("steps").rest or {})["busy"] == of_steps[1].busy
    nothing = overlap(devices.reader, tracks=[devices.track(HOST, 1)])
    assert nothing.fact("busy").value is None
    assert "None of the tracks is one of a device" in headline(nothing).text


def test_a_run_without_devices_says_what_to_record(example: Example) -> None:
    answer = overlap(example.reader)
    assert {fact.value for fact in answer.facts} == {0, None}
    assert all("kernel of a PyTorch trace" in fact.note for fact in answer.facts if fact.value is None)


def labels_in(devices: DeviceTrace, device: int, windows: Spans) -> dict[str, int]:
    """Ticks of each label: those of one, of two, and of all three kinds."""
    work = devices.work(device)
    everything = of_kind(work)
    seen = both(windows, [(everything[0][0], everything[-1][1])])
    c, m, y = (both(of_kind(work, kind), seen) for kind in ("computation", "communication", "copies"))
    return {
        "only_computation": ticks(without(without(c, m), y)),
        "only_communication": ticks(without(without(m, c), y)),
        "only_copies": ticks(without(without(y, c), m)),
        "computation_communication": ticks(without(both(c, m), y)),
        "computation_copies": ticks(without(both(c, y), m)),
        "communication_copies": ticks(without(both(m, y), c)),
        "all_kinds": ticks(both(both(c, m), y)),
    }


def labels(answer: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in answer.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@given(span=SPANS, middle=st.integers(0, 620_000))
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_seven_labels_are_busy_time_and_the_sum_of_halves(
    devices: DeviceTrace, span: tuple[int, int], middle: int
) -> None:
    start, end = span
    middle = min(max(middle, start), end)
    whole, *halves = (
        labels(overlap(devices.reader, start=a, end=b), "at_once")
        for a, b in ((start, end), (start, middle), (middle, end))
    )
    for device, row in enumerate(whole):
        theirs = labels_in(devices, device, [span])
        assert {name: row[name] for name in LABELS} == theirs
        assert sum(theirs.values()) == row["busy"]
        assert all(row[name] == sum(half[device][name] for half in halves) for name in LABELS)
        shares = [row[f"{name}_share"] for name in LABELS]
        assert shares == [None] * 7 if not row["busy"] else sum(shares) == pytest.approx(1)


def test_labels_of_each_step_of_each_device(devices: DeviceTrace) -> None:
    answer = overlap(devices.reader, each_device=True)
    table = labels(answer, "device_steps")
    by_step = dict(zip(values_of(answer.table("steps").column("step")), rows(answer, "steps"), strict=True))
    assert len(table) == 8
    for row in table:
        device = int(row["device"].removeprefix("GPU "))
        start, stop = step_times(devices, device)[row["step"]]
        assert {name: row[name] for name in LABELS} == labels_in(devices, device, [(start, stop)])
    for number, parts in by_step.items():
        assert sum(row["busy"] for row in table if row["step"] == number) == parts.busy
    cut = overlap(devices.reader, each_device=True, limit=3)
    assert labels(cut, "device_steps") == table[:3]
    rest = cut.table("device_steps").rest or {}
    assert rest["only_copies"] == sum(row["only_copies"] for row in table[3:])


@given(span=SPANS)
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_steps_and_what_is_in_none_of_them_are_all_work_of_a_range(devices: DeviceTrace, span: tuple[int, int]) -> None:
    answer = overlap(devices.reader, start=span[0], end=span[1], each_device=True)
    steps = labels(answer, "device_steps")
    for device, row in enumerate(labels(answer, "at_once")):
        mine = [step for step in steps if step["device"] == row["device"]]
        beside = without([span], [(step["start"], step["end"]) for step in mine])
        others = [labels(overlap(devices.reader, start=a, end=b), "at_once")[device] for a, b in beside]
        for name in ("busy", *LABELS):
            assert row[name] == sum(part[name] for part in (*mine, *others))


# -- real traces: exact figures, of an independent count (span, busy, then as FIGURES has them) ------------------------

REAL = {
    "kineto/mi250_minitoy.json.gz": (8_911_887, 149_042, 110_881, 0, 0, 38_161, 38_161),
    "kineto/nccl_data.json.gz": (
        660_551_005, 157_500_014, 116_046_564, 46_876_493, 39_529_327, 2_262_781, 1_924_123,
    ),
    "kineto/ns_resolution.pt.trace.json.gz": (480_029_179, 472_454_441, 468_739_037, 0, 0, 3_715_404, 3_715_404),
    "kineto/sampled_rank-0.json.gz": (
        1_222_847_000, 547_656_000, 210_348_000, 396_199_000, 336_981_000, 1_297_000, 327_000,
    ),
}  # fmt: skip


def indexed(path: Path, folder: Path) -> QueryReader:
    build_store([path], folder / "real.store")
    return QueryReader(open_run_store(folder / "real.store"))


@pytest.mark.parametrize(
    ("name", "ticks_of_labels"),
    [
        ("kineto/nccl_data.json.gz", (108_699_398, 39_190_669, 1_924_123, 7_347_166, 0, 338_658, 0)),
        (
            "kineto/sampled_rank-0.json.gz",
            (151_120_000, 336_033_000, 327_000, 59_206_000, 10_000, 948_000, 12_000),
        ),
    ],
)
def test_labels_of_real_traces(name: str, ticks_of_labels: tuple[int, ...], tmp_path: Path) -> None:
    (row,) = labels(overlap(indexed(corpus_path(name), tmp_path)), "at_once")
    assert tuple(row[name] for name in LABELS) == ticks_of_labels
    assert sum(ticks_of_labels) == row["busy"] == REAL[name][1]


@pytest.mark.parametrize("name", REAL)
def test_figures_of_real_traces(name: str, tmp_path: Path) -> None:
    reader = indexed(corpus_path(name), tmp_path)
    (found,) = rows(overlap(reader), "devices")
    assert astuple(found) == REAL[name]


@pytest.mark.parametrize(
    ("name", "computing", "communication", "free"),
    [
        ("ascend/msprof_0_2_10.json", 5_942_800, 10_238_590, 126_070),
        ("ascend/msprof_1_0_6.json", 5_935_240, 9_938_380, 109_710),
    ],
)
def test_ascend_traces_agree_with_their_own_rows(
    name: str, computing: int, communication: int, free: int, tmp_path: Path
) -> None:
    """`Overlap Analysis` of the trace itself, in ns; all copies are parts of the communication kernel."""
    reader = indexed(corpus_path(name), tmp_path)
    answer = overlap(reader)
    (found,) = (
        [value for column in ("computation", "communication", "exposed_communication", "idle")
         for value in values_of(answer.table("devices").column(column))],
    )  # fmt: skip
    assert found == [ns * 1000 for ns in (computing, communication, communication, free)]
    assert values_of(answer.table("devices").column("copies")) == [0]
    assert answer.fact("exposed_copies").value == 0


def test_a_tpu_waits_for_its_copies(tmp_path: Path) -> None:
    """Categories of the trace say what is a copy and what a collective; asynchronous copies count beside operations."""
    reader = indexed(corpus_path("xplane/tpu_v6e_4core.xplane.pb"), tmp_path)
    found = rows(overlap(reader), "devices")
    assert [parts.communication for parts in found][:2] == [365_076_256_344, 365_112_927_984]
    assert (found[0].copies, found[0].exposed_copies) == (78_415_408_333_994, 76_048_369_511_004)
    for parts in found:
        assert parts.computation + parts.exposed_communication + parts.exposed_copies + parts.idle == parts.span


def test_communication_on_threads_of_hosts_is_said(tmp_path: Path) -> None:
    """Gloo communicates on hosts: the devices idle meanwhile, as long as in Gaps."""
    build_store(sorted(corpus_path("kineto/h100_two_ranks").iterdir()), tmp_path / "run.store")
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    answer = overlap(reader)
    gaps = finish(ask(tool("gaps"), Scope(reader), from_values(tool("gaps").question, {})))
    reasons = gaps.table("reasons")
    idle = dict(zip(values_of(reasons.column("reason")), values_of(reasons.column("idle")), strict=True))
    host, span = answer.fact("host_communication").value, answer.fact("span").value
    assert host == idle["communication on threads of the host"] == 50_267_192
    assert answer.headline is not None
    assert isinstance(span, int)
    assert (
        f"For {100 * host / span:.1f} % of their time they idle while their hosts communicate" in answer.headline.text
    )
    assert answer.fact("overlap").note == "there is no communication on devices"
    reader.store.close()
