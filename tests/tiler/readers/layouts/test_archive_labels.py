"""Files of an archive are labelled as those of the folder that it was made of."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers.layouts.job_ranks import JobPlan
from tilescope.tiler.readers import discover


def labels_of(path: Path) -> list[list[tuple[str, str]]]:
    """Name and label of the files of each run."""
    return sorted(
        [(file.name, host) for file, host in zip(run.files, run.hosts, strict=True)] for run in discover(path)
    )


def packed(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w") as writer:
        for file in sorted(folder.rglob("*"), reverse=True):
            writer.write(file, file.relative_to(folder.parent))
    return archive


@pytest.mark.parametrize("name", ["ascend/two_ranks", "ascend/profiler", "kineto/h100_two_ranks", "pod/plugins"])
def test_real_runs(tmp_path: Path, name: str) -> None:
    folder = corpus_path(name)
    assert labels_of(packed(folder, tmp_path / "a.zip")) == labels_of(folder)


@pytest.mark.parametrize("captures", [1, 2])
def test_captures_below_a_folder_are_called_as_there(tmp_path: Path, captures: int) -> None:
    """A run of an archive has the name of that of the folder, behind its own, and its notes."""
    top = tmp_path / "base" / "trainings"
    for capture in sorted(corpus_path("ascend/two_ranks").iterdir())[:captures]:
        shutil.copytree(capture, top / capture.name)
    (on_disk,) = discover(top.parent)
    archive = packed(top, tmp_path / "a.zip")
    (run,) = discover(archive)
    assert run.name == f"a.zip/{on_disk.name}"
    assert run.path == archive / on_disk.path.relative_to(top.parent)
    assert (run.notes, run.is_unconfirmed) == (on_disk.notes, on_disk.is_unconfirmed)
    assert [listed.files for listed in discover(run.path)] == [run.files]
    separate = [discover(path, separate=True) for path in (top.parent, archive)]
    assert [sorted(listed.path.name for listed in runs) for runs in separate] == [sorted(f.name for f in run.files)] * 2
    inside = archive / "trainings" / next(top.iterdir()).name / "device_0"
    assert {file.is_relative_to(inside) for listed in discover(inside) for file in listed.files} == {True}


def test_sources_beside_a_trace_are_no_runs(tmp_path: Path) -> None:
    """Texts in quotes begin as a plane of a profile does, and empty modules as an empty trace."""
    checkout = tmp_path / "checkout"
    (checkout / "traces").mkdir(parents=True)
    trace = {"traceEvents": [{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}
    (checkout / "traces" / "host.json").write_text(json.dumps(trace))
    (checkout / "__init__.py").touch()
    (checkout / "module.py").write_text('"""A docstring.' + " It goes on." * 9000 + '"""\n')
    (checkout / "lock.json").write_text(
        json.dumps({"packages": {f"package-{number}": "1.0" for number in range(9000)}})
    )
    assert [run.files[0].name for run in discover(checkout)] == ["host.json"]
    (run,) = discover(packed(checkout, tmp_path / "a.zip"))
    assert [file.name for file in run.files] == ["host.json"]


def test_ranks_of_several_cycles(tmp_path: Path) -> None:
    JobPlan(3, 2, [(1, 2)]).write(tmp_path / "logs")
    assert labels_of(packed(tmp_path / "logs", tmp_path / "a.zip")) == labels_of(tmp_path / "logs")
