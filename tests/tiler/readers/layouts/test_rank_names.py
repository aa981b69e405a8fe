"""Ranks in names of files, and those that are missing."""

from __future__ import annotations

import pytest

from tilescope.tiler.readers.layouts.rank_names import host_in_name, missing_ranks, rank_name


@pytest.mark.parametrize(
    ("name", "template", "rank"),
    [
        ("worker0.1795750840553542999.pt.trace.json.gz", "worker*.pt.trace.json", 0),
        ("sampled_rank-12.json", "sampled_rank-*.json", 12),
        ("Rank_007.json.zst", "Rank_*.json", 7),
        ("worker1_rank3.json", "worker1_rank*.json", 3),
        ("a.r2.json", "a.r*.json", 2),
        ("resnet50_workers4.pt.trace.json", "resnet50_workers4.pt.trace.json", None),
        ("bar3.json", "bar3.json", None),
        ("rank3b.json", "rank3b.json", None),
    ],
)
def test_a_name_taken_apart(name: str, template: str, rank: int | None) -> None:
    parts = rank_name(name)
    assert (parts.template, parts.rank) == (template, rank)


def test_a_time_stamp_is_no_difference() -> None:
    assert rank_name("worker0.1795750840553542999.pt.json").written_ns == 1795750840553542999
    assert rank_name("worker0.1795750840553542.pt.json").written_ns == 1795750840553542000
    assert rank_name("worker0.json").written_ns is None


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("node7_4711.1795750840553542999.pt.trace.json.gz", "node7"),
        ("a-b.example.com_1.1795750840553.pt.trace.json", "a-b.example.com"),
        ("worker0_525.1795750840553542999.pt.trace.json", ""),
        ("worker0.1795750840553542999.pt.trace.json", ""),
    ],
)
def test_the_host_in_a_name(name: str, host: str) -> None:
    assert host_in_name(name) == host


@pytest.mark.parametrize(
    ("present", "world_size", "text"),
    [
        (range(8), 8, None),
        ([0, 1, 3, 4, 6, 7], 8, "6 of 8 ranks: 2 and 5 are missing"),
        ([0, 1, 2], 4, "3 of 4 ranks: 3 is missing"),
        ([0, 1], 128, "2 of 128 ranks: 2 to 127 are missing"),
        ([1, 9], 4, "1 of 4 ranks: 0 and 2 to 3 are missing"),
        (range(0, 100, 2), 100, "50 of 100 ranks: 1, 3, 5, 7, 9, 11, 13, 15 and 42 more ranges are missing"),
    ],
)
def test_missing_ranks_are_named(present: list[int], world_size: int, text: str | None) -> None:
    assert missing_ranks(present, world_size) == text
