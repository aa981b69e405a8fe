"""Rules of users, which are asked before the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.device_trace import DeviceTrace
from tests.tiler.query.conftest import _many_histograms
from tests.tiler.tools.conftest import devices
from tilescope.tiler.facts import Work, devices_of
from tilescope.tiler.facts.work import Classifier, Origin, classifier
from tilescope.tiler.facts.work.kinds import code_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Name, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.work_rules import MAX_RULES, NO_WORK_RULES, WorkKind, WorkRule, WorkRules

__all__ = ["_many_histograms", "devices"]


def by_rules(*rules: WorkRule) -> Classifier:
    return classifier(WorkRules(rules))


@pytest.mark.parametrize(
    ("kind", "work"),
    [
        ("none", Work.NONE),
        ("computation", Work.COMPUTATION),
        ("communication", Work.COMMUNICATION),
        ("copy", Work.COPY),
    ],
)
def test_a_rule_wins_over_the_table_in_each_format(kind: WorkKind, work: Work) -> None:
    rules = by_rules(WorkRule(kind, "(?i)allreduce|all-reduce|NOTIFY"))
    code = code_of(work, Origin.USER)
    assert rules.pytorch_event(Name("ncclAllReduce", "kernel")) == code
    assert rules.gpu_stream(Name("ncclAllReduce", "")) == code
    assert rules.xla_operation(Name("all-reduce.1", "")) == code
    assert rules.ascend_stream(Name("NOTIFY_WAIT", "")) == code
    assert rules.ascend_communication(Name("Default/AllReduce-op1", "")) == code
    other = Name("ncclAllGather", "kernel")
    assert rules.pytorch_event(other) == classifier(NO_WORK_RULES).pytorch_event(other)


@pytest.mark.parametrize("rules", [[], [WorkRule("communication", "^send")]])
def test_kinds_of_many_names_are_those_of_each(rules: list[WorkRule]) -> None:
    names = [Name("send.1", ""), Name("send.1", "convolution fusion"), Name("all-reduce.1", ""), Name("", "all-reduce")]
    of_all = by_rules(*rules)
    assert of_all.xla_operations(names) == list(map(of_all.xla_operation, names))


def test_the_first_rule_counts() -> None:
    rules = by_rules(WorkRule("copy", "^ab"), WorkRule("none", "^a"), WorkRule("copy", "^a"))
    assert rules.gpu_stream(Name("abc", "")) == code_of(Work.COPY, Origin.USER)
    assert rules.gpu_stream(Name("acc", "")) == code_of(Work.NONE, Origin.USER)


def test_a_rule_without_a_category_is_about_work_of_devices_alone() -> None:
    rules = by_rules(WorkRule("communication", "exchange"))
    assert rules.pytorch_event(Name("exchange", "cpu_op")) == code_of(Work.NONE, Origin.TABLE)
    assert rules.pytorch_event(Name("exchange", "gpu_memcpy")) == code_of(Work.COMMUNICATION, Origin.USER)


def test_a_rule_with_a_category_makes_its_events_work() -> None:
    rules = by_rules(WorkRule("computation", "", "^mtia_ccp"))
    assert rules.pytorch_event(Name("matmul", "mtia_ccp_events")) == code_of(Work.COMPUTATION, Origin.USER)
    assert rules.pytorch_event(Name("matmul", "cpu_op")) == code_of(Work.NONE, Origin.TABLE)


def test_as_many_rules_as_there_may_be() -> None:
    rules = by_rules(*(WorkRule("copy", f"^name{number}{'x?' * 400}$") for number in range(MAX_RULES)))
    assert rules.gpu_stream(Name(f"name{MAX_RULES - 1}xx", "")) == code_of(Work.COPY, Origin.USER)
    assert rules.gpu_stream(Name("gemm", "")) == code_of(Work.COMPUTATION, Origin.TABLE)


def test_readers_with_other_rules_share_nothing(devices: DeviceTrace) -> None:
    rules = WorkRules((WorkRule("copy", "^ncclKernel"),))
    theirs = finish(devices_of(QueryReader(devices.store, rules)))
    ours = finish(devices_of(devices.reader))
    assert [[track.track for track in device.tracks] for device in theirs] == [
        [track.track for track in device.tracks] for device in ours
    ]
    assert any((track.kinds == Work.COMMUNICATION).any() for device in ours for track in device.tracks)
    assert not any((track.kinds == Work.COMMUNICATION).any() for device in theirs for track in device.tracks)


@pytest.mark.parametrize(
    "rule", [WorkRule("communication", "^broadcast_add_fusion"), WorkRule("communication", "", "^loop fusion$")]
)
def test_operations_of_a_tpu_by_name_and_by_the_category_of_the_metadata(rule: WorkRule, tmp_path: Path) -> None:
    build_store([corpus_path("xplane/tpu_v6e_4core.xplane.pb")], tmp_path / "tpu.store")
    reader = QueryReader(open_run_store(tmp_path / "tpu.store"), WorkRules((rule,)))
    kinds = finish(devices_of(reader))[0].tracks[0].kinds
    named = {reader.names[name].text: Work(kinds[name + 1]) for name in range(reader.names.count)}
    assert {named[f"broadcast_add_fusion{number}"] for number in ("", ".1", ".2")} == {Work.COMMUNICATION}
    assert named["copy-done.2"] is Work.COPY
