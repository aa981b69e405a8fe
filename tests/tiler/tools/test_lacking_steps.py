"""The note on steps that some devices lack: hosts by name, and their devices only where they differ."""

from __future__ import annotations

import pytest

from tilescope.tiler.tools.lacking_steps import lacking_notes

HOSTS = ("w-0", "w-0", "w-1", "w-1", "w-2", "w-2")
NAMES = tuple(f"{host} · TPU {place % 2}" for place, host in enumerate(HOSTS))


@pytest.mark.parametrize(
    ("lacking", "text"),
    [
        ([[], [], [40], [40], [], []], "w-1 lacks step 40"),
        ([[], [], [40], [40], [44], [44]], "w-1 lacks step 40; w-2 lacks step 44"),
        ([[40], [40], [40], [40], [], []], "w-0, w-1 lack step 40"),
        ([[], [], [40, 41, 42], [40, 41, 42], [], []], "w-1 lacks steps 40 to 42"),
        ([[], [], [40, 44], [40, 44], [], []], "w-1 lacks steps 40, 44"),
        ([[], [], [40], [], [], []], "w-1 · TPU 0 lacks step 40"),
        (
            [[40], [41], [42], [43], [44], []],
            "w-0 · TPU 0 lacks step 40; w-0 · TPU 1 lacks step 41; w-1 · TPU 0 lacks step 42; 2 more lack other steps",
        ),
        ([[], [], [40], [41], [], []], "w-1 · TPU 0 lacks step 40; w-1 · TPU 1 lacks step 41"),
    ],
)
def test_the_note_names_hosts(lacking: list[list[int]], text: str) -> None:
    assert [note.text for note in lacking_notes(lacking, NAMES, HOSTS)] == [f"{text}."]


def test_nothing_is_said_where_nothing_is_lacking() -> None:
    assert lacking_notes([[]] * 6, NAMES, HOSTS) == []
