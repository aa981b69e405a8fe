"""A counter whose samples end long before the run."""

from __future__ import annotations

from tests.reports.traces import Open, answer, rows


def test_a_mean_ends_at_the_last_sample(open_by_name: Open) -> None:
    reader = open_by_name("counter_stops.json")
    whole = answer(reader, "counters")
    (row,) = rows(whole, "counters")
    track = row["track"]
    assert (row["n"], row["min"], row["max"], row["mean"], row["last"]) == (3, 3.0, 9.0, 6.0, 5.0)
    (note,) = whole.notes
    assert note.track == track
    assert "last tenth of the range: load." in note.text
    told = reader.tree.tracks[track]
    assert (told.first, told.last, reader.end) == (10_000, 30_000, 1_000_000)


def test_behind_it_there_is_a_last_value_and_no_mean(open_by_name: Open) -> None:
    reader = open_by_name("counter_stops.json")
    (row,) = rows(answer(reader, "counters", start=100_000, end=900_000), "counters")
    assert (row["n"], row["mean"], row["first"], row["last"], row["change"]) == (0, None, 5.0, 5.0, 0.0)
    (row,) = rows(answer(reader, "counters", start=0, end=30_000), "counters")
    assert (row["n"], row["mean"], row["last"]) == (2, 6.0, 9.0)
    assert answer(reader, "counters", start=0, end=31_000).notes == []
