"""`tilescope.profile` around real PyTorch code on a CPU: where it is installed, as `make torch` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.profiling.programs import run_program, torch_path
from tilescope.tiler.readers import discover

pytestmark = pytest.mark.skipif(torch_path() is None, reason="torch is not installed (make torch)")

PROGRAM = """
import json, sys
import torch
import tilescope

logdir = sys.argv[1]
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
told = {}

def train():
    optimizer.zero_grad()
    loss = model(torch.randn(32, 64)).square().mean()
    loss.backward()
    optimizer.step()

def refused(make):
    try:
        with make():
            raise AssertionError("must not begin")
    except tilescope.UsageError as error:
        return str(error)

def steps(run, *store):
    return run.open(*store).ask("steps").table("steps")["step"].tolist()

with tilescope.profile(logdir, record_shapes=True, profile_memory=True, with_stack=True) as run:
    for _ in range(3):
        train()
        run.step()
    told["nested"] = refused(lambda: tilescope.profile(logdir))
told["path"] = str(run.path)
opened = run.open()
told["steps"] = opened.ask("steps").table("steps")["step"].tolist()
told["after"] = opened.find("after the last step").count
told["allocations"] = opened.search("[memory]").count
memory = opened.ask("memory_profile")
told["memories"] = [table.id for table in memory.tables]
told["stacks"] = opened.search("cat:python_function").count
dims = opened.events(columns=["args.Input Dims"], name="aten::addmm", limit=10)["args.Input Dims"]
told["shapes"] = [str(one) for one in dims]

schedule = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
with tilescope.profile(logdir, run_name="cycles", schedule=schedule) as run:
    for _ in range(10):
        train()
        run.step()
told["cycles"] = [path.name for path in run.paths]
told["cycle_steps"] = steps(run, sys.argv[2])

try:
    with tilescope.profile(logdir, run_name="failing") as run:
        train()
        run.step()
        raise KeyError("of the loop")
except KeyError as error:
    told["raised"] = repr(error)
told["kept_steps"] = steps(run)

try:
    with tilescope.profile(logdir, run_name="never", schedule=torch.profiler.schedule(wait=5, warmup=0, active=1)):
        train()
except tilescope.TilescopeError as error:
    told["never"] = str(error)
with torch.profiler.profile():
    told["foreign"] = refused(lambda: tilescope.profile(logdir))
print(json.dumps(told))
"""


def test_a_training_loop_leaves_a_run(tmp_path: Path) -> None:
    """With steps, memory, shapes and stacks."""
    logdir = tmp_path / "logs"
    path = torch_path()
    assert path is not None
    told = run_program(PROGRAM, logdir, tmp_path / "own.store", python_path=path, cache=tmp_path / "cache")

    runs = {run.name: run for run in discover(logdir)}
    assert set(runs) == {Path(told["path"]).name, "cycles", "cycles.2", "failing"}
    assert all(run.files[0].name.endswith(".pt.trace.json.gz") for run in runs.values())
    assert sorted(path.name for path in (logdir / "plugins" / "profile").iterdir()) == sorted(runs), "nothing else"

    assert told["steps"] == [0, 1, 2]
    assert told["after"] == 1
    assert told["allocations"] > 0
    assert told["stacks"] > 0
    assert "[32, 64]" in told["shapes"][0]
    assert told["cycles"] == ["cycles", "cycles.2"]
    assert told["cycle_steps"] == [6, 7]
    assert told["raised"] == "KeyError('of the loop')"
    assert told["kept_steps"] == [0]
    assert "had not come to a step to record after 0 steps" in told["never"]
    assert "only one can record" in told["nested"]
    assert "another one is active" in told["foreign"]
