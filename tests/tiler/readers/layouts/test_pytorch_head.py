"""The rank that a PyTorch trace says before its events, however broken."""

from __future__ import annotations

import json

import pytest

from tests.tiler.readers.layouts.rank_traces import BASE_NS, FIRST_US, default_group, group, rank_trace
from tilescope.tiler.readers.layouts.pytorch_head import Distributed, ProcessGroup, parse_distributed, read_head

INFO = {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [default_group(8), group("tp", 2, 3)]}
PARSED = Distributed(
    3,
    8,
    ProcessGroup("default_pg", tuple(range(8))),
    (ProcessGroup("default_pg", tuple(range(8))), ProcessGroup("tp", (2, 3))),
)


def test_all_of_it() -> None:
    head = read_head(rank_trace(3, 8, groups=INFO["pg_config"]))  # type: ignore[arg-type]
    assert head is not None
    assert head.distributed == PARSED
    assert head.time_ns == BASE_NS + FIRST_US * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(INFO), PARSED),
        (json.dumps(json.dumps(INFO)), PARSED),  # as text
        (json.dumps({**INFO, "pg_config": json.dumps(INFO["pg_config"])}), PARSED),
        (json.dumps(INFO)[:70], Distributed(3, 8)),  # cut
        (json.dumps(json.dumps(INFO))[:80], Distributed(3, 8)),
        ('{"rank": 3, "world_size": 8, }', Distributed(3, 8)),
        ('{"rank": "3", "world_size": "8"}', Distributed(3, 8)),
        ('{"rank": -1, "world_size": true}', Distributed()),
        ('{"rank": 1e99, "world_size": 99999999999}', Distributed()),
        (
            '{"rank": 3, "world_size": 8, "pg_config": [1, {"ranks": "[0, 1, ...]"}]}',
            Distributed(3, 8, None, (ProcessGroup("None", ()),)),
        ),
        (f'{{"rank": "{"1" * 5000}", "world_size": 8}}', Distributed(None, 8)),
        (
            f'{{"rank": 3, "world_size": 8, "pg_config": [{{"pg_name": "tp", "ranks": "[2, {"3" * 5000}]"}}]}}',
            Distributed(3, 8, None, (ProcessGroup("tp", ()),)),
        ),
        ("[1, 2]", Distributed()),
        ("", Distributed()),
        ("[" * 100_000, Distributed()),
    ],
)
def test_what_is_broken_is_read_as_far_as_it_goes(text: str, expected: Distributed) -> None:
    assert parse_distributed(text) == expected


def test_times_without_a_base_are_unknown_and_those_since_the_epoch_need_none() -> None:
    relative = read_head(b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": 4893814509881.326}]}')
    epoch = read_head(b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": "1682725898236567.5"}]}')
    assert relative is not None
    assert relative.time_ns is None
    assert epoch is not None
    assert epoch.time_ns == 1682725898236567500


@pytest.mark.parametrize("head", [b"", b"[]", b'{"traceEvents": [{"name": "\\"schemaVersion\\""}]}', b"\n\x0a\x06"])
def test_other_files_are_of_no_job(head: bytes) -> None:
    assert read_head(head) is None


def test_a_head_without_events_has_no_time() -> None:
    head = read_head(b'{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [')
    assert head is not None
    assert (head.distributed, head.time_ns) == (Distributed(0, 2), None)
