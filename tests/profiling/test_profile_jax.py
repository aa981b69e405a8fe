"""`tilescope.profile` around real JAX code on a CPU."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.profiling.programs import run_program
from tilescope.tiler.readers import discover

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed: make deep-tools"),
]

PROGRAM = """
import json, sys
import jax, jax.numpy as jnp
import tilescope

logdir = sys.argv[1]
work = jax.jit(lambda x: (x @ x).sum())
work(jnp.ones((64, 64))).block_until_ready()
told = {}

def refused(make):
    try:
        with make():
            raise AssertionError("must not begin")
    except tilescope.UsageError as error:
        return str(error)

with tilescope.profile(logdir, python_tracer_level=0) as run:
    assert run.path is None
    for _ in range(3):
        work(jnp.ones((64, 64))).block_until_ready()
        run.step()
    told["nested"] = refused(lambda: tilescope.profile(logdir))
told["path"] = str(run.path)
told["again"] = refused(lambda: run)
opened = run.open()
steps = opened.ask("steps")
told["steps"] = steps.table("steps")["step"].tolist()
told["events"] = len(opened.events(limit=1000))
told["store"] = str(opened.ref)

try:
    with tilescope.profile(logdir, framework="jax", run_name="failing", host_tracer_level=3) as run:
        work(jnp.ones((64, 64))).block_until_ready()
        run.step()
        raise KeyError("of the loop")
except KeyError as error:
    told["raised"] = repr(error)
told["kept"] = str(run.path)
told["kept_steps"] = run.open(sys.argv[2]).ask("steps").table("steps")["step"].tolist()

told["no_option"] = refused(lambda: tilescope.profile(logdir, device_tracer_level=0))
jax.profiler.start_trace(sys.argv[3])
told["foreign"] = refused(lambda: tilescope.profile(logdir))
jax.profiler.stop_trace()

# A session that JAX does not know of, as a capture from outside is one.
from jax._src.lib import _profiler
foreign = _profiler.ProfilerSession()
try:
    with tilescope.profile(logdir):
        pass
except tilescope.TilescopeError as error:
    told["busy"] = str(error)
foreign.stop()
with tilescope.profile(logdir, run_name="after"):
    work(jnp.ones((64, 64))).block_until_ready()
told["torch"] = "torch" in sys.modules
print(json.dumps(told))
"""


def test_a_training_loop_leaves_a_run(tmp_path: Path) -> None:
    """With its steps, that opens where `tilescope view` finds its index; also when the loop raises."""
    logdir = tmp_path / "logs"
    told = run_program(PROGRAM, logdir, tmp_path / "own.store", tmp_path / "other", cache=tmp_path / "cache")

    runs = {run.name: run for run in discover(logdir)}
    assert {str(run.path) for run in runs.values()} >= {told["path"], told["kept"]}
    assert set(runs) == {Path(told["path"]).name, "failing", "after"}
    for run in runs.values():
        (file,) = run.files
        assert file.name.endswith(".xplane.pb")
        assert file.stat().st_size > 0
    assert sorted(path.name for path in (logdir / "plugins" / "profile").iterdir()) == sorted(runs), "nothing else"

    assert told["steps"] == [0, 1, 2]
    assert told["events"] > 3
    assert Path(told["store"]).is_relative_to(tmp_path / "cache" / "tilescope" / "stores")
    assert told["raised"] == "KeyError('of the loop')"
    assert told["kept_steps"] == [0]
    assert (tmp_path / "own.store").is_dir()

    assert "only one can record" in told["nested"]
    assert "used before" in told["again"]
    assert "already been started" in told["foreign"]
    assert "Another profiling session" in told["busy"]
    assert "device_tracer_level: the profiler of JAX" in told["no_option"]
    assert told["torch"] is False
