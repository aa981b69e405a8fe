"""Which framework `tilescope.profile` records, and what becomes of traces; frameworks are stand-ins here."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tilescope
from tilescope.profiling.recorder import RecorderOptions, choose_framework
from tilescope.profiling.recording_place import RecordingPlace
from tilescope.tiler.errors import UsageError

NONE = RecorderOptions()


@pytest.fixture(autouse=True)
def nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    monkeypatch.delitem(sys.modules, "torch", raising=False)


def pretend(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for module in modules:
        monkeypatch.setitem(sys.modules, module, SimpleNamespace())


def test_the_framework_is_the_one_that_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="neither jax nor torch is imported"):
        choose_framework(None, NONE)
    assert choose_framework("jax", NONE) == "jax", "it may be chosen before it is imported"
    pretend(monkeypatch, "torch")
    assert choose_framework(None, NONE) == "pytorch"
    assert choose_framework("jax", NONE) == "jax"
    pretend(monkeypatch, "jax")
    with pytest.raises(UsageError, match=r"both jax and torch are imported .* framework="):
        choose_framework(None, NONE)
    assert choose_framework("pytorch", NONE) == "pytorch"
    assert choose_framework(None, RecorderOptions(with_stack=True)) == "pytorch"
    assert choose_framework(None, RecorderOptions(python_tracer_level=0)) == "jax"


def test_options_of_the_other_framework_are_refused() -> None:
    with pytest.raises(UsageError, match="record_shapes: an option of pytorch, and this profiles jax"):
        choose_framework("jax", RecorderOptions(record_shapes=False))
    with pytest.raises(UsageError, match="host_tracer_level: an option of jax"):
        choose_framework("pytorch", RecorderOptions(host_tracer_level=2))
    with pytest.raises(UsageError, match="there are 'jax' and 'pytorch'"):
        choose_framework("keras", NONE)  # type: ignore[arg-type]


def test_it_is_used_with_with(tmp_path: Path) -> None:
    run = tilescope.profile(tmp_path, framework="jax")
    assert run.path is None
    with pytest.raises(UsageError, match="`with` block"):
        run.step()
    with pytest.raises(UsageError, match="no run yet"):
        run.open()
    with (
        pytest.raises(UsageError, match="no name for a run"),
        tilescope.profile(tmp_path, framework="jax", run_name="../elsewhere"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def trace(folder: RecordingPlace, content: bytes) -> Path:
    path = folder.scratch / "trace"
    path.write_bytes(content)
    return path


def test_traces_are_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.profiling.recording_place.time.strftime", lambda _: "now")
    monkeypatch.setattr("tilescope.profiling.recording_place.socket.gethostname", lambda: "the host")
    first, second = RecordingPlace(tmp_path, None), RecordingPlace(tmp_path, None)
    runs = tmp_path / "plugins" / "profile"
    assert first.keep(trace(first, b"1"), ".x", 1) == runs / "now"
    assert second.keep(trace(second, b"2"), ".x", 1) == runs / "now.2", "in the same second"
    assert first.keep(trace(first, b"3"), ".x", 2) == runs / "now.2.2", "the second cycle"
    named = [RecordingPlace(tmp_path, "together") for _ in range(2)]
    for folder in named:
        assert folder.keep(trace(folder, b"4"), ".x", 1) == runs / "together"
    assert len(list((runs / "together").iterdir())) == 2
    for folder in (first, second, *named):
        folder.close()
    assert {path.name: path.read_bytes() for path in (runs / "now").iterdir()} == {"the_host.x": b"1"}
    assert not [path for path in runs.iterdir() if path.name.startswith(".")]


def test_ranks_of_one_machine_have_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed: Any = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 3)
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)
    monkeypatch.setattr("tilescope.profiling.recording_place.socket.gethostname", lambda: "node")
    folder = RecordingPlace(tmp_path, "run")
    folder.keep(trace(folder, b""), ".pt.trace.json.gz", 1)
    assert [path.name for path in (tmp_path / "plugins/profile/run").iterdir()] == ["node_rank3.pt.trace.json.gz"]


def test_files_that_cannot_be_linked_are_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("this file system has no links")

    monkeypatch.setattr("tilescope.profiling.recording_place.os.link", no_links)
    one, other = RecordingPlace(tmp_path, "run"), RecordingPlace(tmp_path, "run")
    assert one.keep(trace(one, b"1"), ".x", 1).name == "run"
    assert other.keep(trace(other, b"2"), ".x", 1).name == "run"
    assert len(list((tmp_path / "plugins/profile/run").iterdir())) == 2
