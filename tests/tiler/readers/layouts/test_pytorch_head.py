"""The rank that a PyTorch trace says before its events, however broken."""

from __future__ import annotations

import gc
import json
import tracemalloc

import pytest

from tests.tiler.readers.layouts.rank_traces import BASE_NS, FIRST_US, default_group, group, rank_trace
from tilescope.tiler.readers.layouts import pytorch_head
from tilescope.tiler.readers.layouts.pytorch_head import Distributed, ProcessGroup, parse_distributed, read_head

INFO = {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [default_group(8), group("tp", 2, 3)]}
DEFAULT = ProcessGroup.pack("default_pg", range(8))
PARSED = Distributed(3, 8, DEFAULT.digest, (ProcessGroup.pack("tp", (2, 3)),))


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
            Distributed(3, 8, None, (ProcessGroup("None"),)),
        ),
        (f'{{"rank": "{"1" * 5000}", "world_size": 8}}', Distributed(None, 8)),
        (
            f'{{"rank": 3, "world_size": 8, "pg_config": [{{"pg_name": "tp", "ranks": "[2, {"3" * 5000}]"}}]}}',
            Distributed(3, 8, None, (ProcessGroup("tp"),)),
        ),
        ('{"rank": 8, "world_size": 8}', Distributed(None, 8)),  # ranks count from 0
        ('{"rank": 8, "world_size": 8, }', Distributed(None, 8)),
        ('{"rank": 0, "world_size": 0}', Distributed(None, 0)),
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


@pytest.mark.parametrize(
    "groups",
    [
        [group("tp", *range(9000))],
        [group(f"g{number}", number) for number in range(900)],
        [group("x" * 60_000, 1)],
        [group("\N{ROCKET}" * 4000, *range(3000)) for _ in range(2)],
        [group("default_pg", *range(9000)), group("0", *range(4000))],
    ],
)
def test_a_head_keeps_few_bytes_whatever_it_says(groups: list[dict[str, object]]) -> None:
    kept = []
    for rank in range(3):  # each says something else: what heads have in common is kept once
        own = [{**entry, "pg_name": f"{entry['pg_name']}{rank}"} for entry in groups]
        text = json.dumps({"rank": rank, "world_size": 64, "pg_config": own})
        tracemalloc.start()
        kept.append(parse_distributed(text))
        pytorch_head._shared.cache_clear()  # it has a bound of its own
        gc.collect()
        size_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept[-1].rank == rank
        assert size_bytes < 7_000
    assert len({distributed.groups for distributed in kept}) in (1, 3)


def test_default_groups_that_differ_late_are_not_the_same() -> None:
    digests = set()
    for last in range(2):
        ranks = [*range(9000), 9000 + last]
        digests.add(parse_distributed(json.dumps({"pg_config": [group("0", *ranks)]})).default_group)
    assert len(digests) == 2
