"""Files of an archive are labelled as those of the folder that it was made of."""

from __future__ import annotations

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


def test_ranks_of_several_cycles(tmp_path: Path) -> None:
    JobPlan(3, 2, [(1, 2)]).write(tmp_path / "logs")
    assert labels_of(packed(tmp_path / "logs", tmp_path / "a.zip")) == labels_of(tmp_path / "logs")
