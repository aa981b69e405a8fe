"""Names of processes and threads in timelines that have numbers alone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.corpus import corpus_path
from tilescope.tiler.readers.trace_event.reader import TraceEventReader

NUMBERS = ((1, 7999), (1, 519), (9000, 0), (10000, 8001), (11000, 100000), (12000, 8002), (99999, 1))


def names_of(path: Path) -> list[tuple[str, str]]:
    with closing(TraceEventReader.open(path)) as reader:
        for _ in reader.chunks():
            pass
        summary = reader.summary()
        return [(summary.processes[track.process].name, track.name) for track in summary.tracks]


def write(path: Path, *more: str) -> Path:
    events = [f'{{"ph":"X","name":"a","ts":1,"dur":1,"pid":{pid},"tid":"{tid}"}}' for pid, tid in NUMBERS]
    path.write_text(f"[{','.join((*more, *events))}]")
    return path


def test_numbers_have_names(tmp_path: Path) -> None:
    assert set(names_of(write(tmp_path / "ascend_timeline_display_3.json"))) == {
        ("Device 1", "Merged computation"),
        ("Device 1", "Stream 519"),
        ("AI CPU", "Thread 0"),
        ("Communication", "Merged communication"),
        ("Host CPU", "Steps"),
        ("Overlap", "Free"),
        ("Process 99999", "Thread 1"),
    }


def test_other_files_keep_their_numbers(tmp_path: Path) -> None:
    assert ("Process 9000", "Thread 0") in names_of(write(tmp_path / "trace.json"))
    label = '{"ph":"M","name":"process_name","pid":1,"args":{"name":"mine"}}'
    assert ("Process 9000", "Thread 0") in names_of(write(tmp_path / "timeline_display_0.json", label))


def test_a_real_timeline() -> None:
    names = names_of(corpus_path("ascend/timeline_display_1.json"))
    assert set(names) == {
        *(("Device 1", f"Stream {number}") for number in range(519, 542, 2) if number != 521),
        *(("Communication", f"Stream {number}") for number in range(520, 541, 2)),
    }
