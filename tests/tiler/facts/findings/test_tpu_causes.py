"""Causes that were put into runs of TPU pods: class, place and loss of the first finding."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.tpu_run import PS, Pod, run, write_hosts

HEALTHY = Pod()
FOUR_CHIPS = Pod(chips=4)
THREE_HOSTS = Pod(hosts=3, chips=4, batch=(900,) * 3, written=(50,) * 3)
SLOW_HOST = {(1, chip): 1.3 for chip in range(4)}

PLANTED = {
    "batches of a host": (replace(HEALTHY, batch=(900, 9_400)), HEALTHY, "input", "node-b · tf_data_map · Iterator"),
    "batches of all hosts": (replace(HEALTHY, batch=(8_100, 8_100)), HEALTHY, "input", "all hosts · .*TFRecord|Map"),
    "results": (replace(HEALTHY, written=(9_900, 9_900)), HEALTHY, "output", "outfeed.* · writer · .*WriteScalars"),
    "a slow chip": (replace(FOUR_CHIPS, factors={(1, 2): 1.4}), FOUR_CHIPS, "straggler", "^node-b · /device:TPU:2$"),
    "a slow host": (
        replace(
            FOUR_CHIPS, hosts=3, batch=(900,) * 3, written=(50,) * 3, factors={(1, chip): 1.3 for chip in range(4)}
        ),
        replace(FOUR_CHIPS, hosts=3, batch=(900,) * 3, written=(50,) * 3),
        "straggler",
        "^node-b$",
    ),
    "collectives": (replace(HEALTHY, reduce=3_700), replace(HEALTHY, reduce=0), "collective", r"all 4 .*all-reduce\.3"),
    "copies": (replace(HEALTHY, copied=1_900), HEALTHY, "copy", r"copy-done\.9"),
    "nothing": (HEALTHY, HEALTHY, "none", r"fusion|convolution"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_first_finding_is_the_planted_cause(tmp_path: Path, name: str) -> None:
    planted, without, cause, where = PLANTED[name]
    lines = run(planted)
    loss_us = lines.mean_step - run(without).mean_step
    with reading(write_hosts(lines, tmp_path), tmp_path) as reader:
        answer = findings(reader)
        first = answer.rows[0]
        assert first.cause == cause, text(answer.rows)
        assert re.search(where, first.where), text(answer.rows)
        assert first.steps == (), text(answer.rows)
        assert answer.step * reader.tick_ps / PS == pytest.approx(lines.mean_step, rel=0.02), text(answer.rows)
        assert first.loss * reader.tick_ps / PS == pytest.approx(loss_us, rel=0.1), text(answer.rows)


def test_a_late_chip_is_late_among_those_that_wait_for_it(tmp_path: Path) -> None:
    """The chips of a host reduce among themselves. Those of the other host have half of the work, and none is late."""
    healthy = replace(FOUR_CHIPS, host_reduces=(120, 2_900), factors={(0, chip): 0.5 for chip in range(4)})
    planted = replace(healthy, factors={**healthy.factors, (1, 2): 1.4})
    lines = run(planted)
    loss_us = lines.mean_step - run(healthy).mean_step
    reduce = "%all-reduce.3 = f32[8] all-reduce(%x), replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add"
    numbers = {(host, f"/device:TPU:{chip}"): 4 * host + chip for host in range(2) for chip in range(4)}
    files = write_hosts(lines, tmp_path, expressions={"all-reduce.3": reduce}, numbers=numbers)
    with reading(files, tmp_path) as reader:
        answer = findings(reader)
        assert [row.cause for row in answer.rows] == ["collective", "straggler"], text(answer.rows)
        collective, straggler = answer.rows
        assert straggler.where == "node-b · /device:TPU:2", text(answer.rows)
        assert straggler.loss * reader.tick_ps / PS == pytest.approx(loss_us, rel=0.1), text(answer.rows)
        without_reduce_us = run(replace(planted, host_reduces=(0, 0))).mean_step
        assert collective.loss * reader.tick_ps / PS == pytest.approx(lines.mean_step - without_reduce_us, rel=0.1)
        assert answer.step * reader.tick_ps / PS == pytest.approx(lines.mean_step, rel=0.02)
        assert all("node-b" in lead.text for row in answer.rows for lead in row.leads), answer.rows
