"""What the Makefile does with files that are not its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def make_hook(repository: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", "--file", str(ROOT / "Makefile"), "hook"]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(command, cwd=repository, env=environment, check=False, capture_output=True, text=True)


def test_the_hook_checks_each_commit(repository: Path) -> None:
    for _ in range(2):
        assert make_hook(repository).returncode == 0
    hook = repository / ".git/hooks/pre-commit"
    assert os.access(hook, os.X_OK)
    assert hook.read_text() == "#!/bin/sh\nexec make --no-print-directory lint\n"
    commit = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--allow-empty", "--message", "Try"]
    (repository / "Makefile").write_text("lint:\n\t@echo checked >&2; false\n")
    done = subprocess.run(commit, cwd=repository, check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "checked" in done.stderr


def test_a_hook_of_ones_own_is_left_alone(repository: Path) -> None:
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec mine\n")
    done = make_hook(repository)
    assert done.returncode != 0
    assert "is there already" in done.stderr
    assert hook.read_text() == "#!/bin/sh\nexec mine\n"
