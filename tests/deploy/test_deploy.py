"""Files of deploy/: our parser takes their commands, and the programs that they are for take the files."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.absence import find_program
from tilescope.cli.parser import build_parser

ROOT: Final = Path(__file__).resolve().parents[2]
DEPLOY: Final = ROOT / "deploy"
MANIFESTS: Final = sorted((DEPLOY / "kubernetes").glob("*.yaml"))

# Options that sbatch and srun may have here, all of them in the manual pages of Slurm 22.05.
SBATCH: Final = frozenset(
    {"job-name", "nodes", "ntasks", "ntasks-per-node", "cpus-per-task", "mem", "mem-per-cpu", "time", "output", "error"}
    | {"partition", "account", "array", "dependency", "exclusive", "constraint", "qos", "requeue", "chdir"}
)

# Releases of Kubernetes for which manifests are checked.
RELEASES: Final = ("1.29", "1.34")


def documents(path: Path) -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (make dev)")
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def containers(document: dict[str, Any]) -> list[dict[str, Any]]:
    if document["kind"] not in {"Deployment", "Job"}:
        return []
    pod = document["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    return list(pod["containers"])


def parse(words: list[str]) -> None:
    """Exits where our command line refuses these words."""
    build_parser().parse_args(words)


def dockerfile() -> dict[str, str]:
    """The last instruction of each kind, with continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines}


def test_the_image_serves_without_root_or_compiler() -> None:
    instructions = dockerfile()
    assert json.loads(instructions["ENTRYPOINT"]) == ["tilescope"]
    parse(json.loads(instructions["CMD"]))
    assert instructions["USER"] == "10001:10001"
    assert "--only-binary :all:" in (DEPLOY / "Dockerfile").read_text()
    check = json.loads(re.sub(r"^.*?CMD ", "", instructions["HEALTHCHECK"]))
    assert check[0] == "python"
    compile(check[2], "HEALTHCHECK", "exec")
    assert "/healthz" in check[2]
    assert (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()[1:] == ["*", "!dist"]


def test_no_file_names_a_registry() -> None:
    """Images are those that whoever deploys has by these names."""
    for path in (DEPLOY / "Dockerfile", DEPLOY / "compose.yaml", *MANIFESTS):
        for image in re.findall(r"^\s*(?:FROM|image:)\s+(\S+)", path.read_text(), re.MULTILINE):
            assert "/" not in image, f"{path.name}: {image}"


def test_compose_has_a_server_with_a_read_only_root_behind_caddy() -> None:
    (compose,) = documents(DEPLOY / "compose.yaml")
    server, caddy = compose["services"]["tilescope"], compose["services"]["caddy"]
    parse(server["command"])
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])
    assert "ports" not in server
    assert caddy["depends_on"]["tilescope"]["condition"] == "service_healthy"
    mounted = [volume.split(":")[0] for volume in caddy["volumes"] if volume.startswith("./")]
    assert all((DEPLOY / name).is_file() for name in mounted)


def test_caddy_takes_its_file() -> None:
    caddy = find_program("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed (apt-get install caddy)")
    command = [caddy, "validate", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    checked = subprocess.run(command, env={**os.environ, "SITE": "localhost"}, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def unit() -> Iterator[tuple[str, str]]:
    for line in (DEPLOY / "tilescope.service").read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            yield key, value


def test_the_unit_serves() -> None:
    (command,) = [value for key, value in unit() if key == "ExecStart"]
    words = shlex.split(command)
    assert words[0].endswith("/tilescope")
    parse(words[1:])


def test_systemd_takes_the_unit_and_finds_it_confined(tmp_path: Path) -> None:
    systemd = find_program("systemd-analyze")
    if systemd is None:
        pytest.skip("systemd is not installed (apt-get install systemd)")
    text = (DEPLOY / "tilescope.service").read_text()
    copy = tmp_path / "tilescope.service"
    copy.write_text(text.replace("/opt/tilescope/bin/tilescope", "/bin/true"))  # it is not installed there
    checked = subprocess.run([systemd, "verify", str(copy)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    security = [systemd, "security", "--offline=true", "--threshold=20", "--no-pager", str(copy)]  # tenths of 10
    exposure = subprocess.run(security, capture_output=True, text=True)
    assert exposure.returncode == 0, exposure.stdout


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_pods_run_what_our_command_line_takes(path: Path) -> None:
    for document in documents(path):
        for container in containers(document):
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert "memory" in container["resources"]["limits"]
            if "command" not in container:
                parse(container["args"])


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
@pytest.mark.parametrize("release", RELEASES)
def test_kubernetes_takes_the_manifests(path: Path, release: str) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed (make dev)")
    for document in documents(path):
        validate.validate(document, release, strict=True)


def test_names_in_manifests_lead_to_each_other() -> None:
    everything = [document for path in MANIFESTS for document in documents(path)]
    claims = {document["metadata"]["name"] for document in everything if document["kind"] == "PersistentVolumeClaim"}
    services = {document["metadata"]["name"] for document in everything if document["kind"] == "Service"}
    text = "\n".join(path.read_text() for path in MANIFESTS)
    assert set(re.findall(r"claimName: (\S+?)}", text)) == claims
    assert set(re.findall(r"([a-z-]+):8786", text)) <= services
    for document in everything:
        if document["kind"] == "Service":
            selector = document["spec"]["selector"]
            deployments = [each for each in everything if each["kind"] == "Deployment"]
            assert any(each["spec"]["template"]["metadata"]["labels"] == selector for each in deployments)


def test_dask_takes_the_workers_command() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed (make dev)")
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    commands = {"scheduler": scheduler, "worker": worker}
    for document in documents(DEPLOY / "kubernetes" / "dask.yaml"):
        for container in containers(document):
            words = [*container["command"], *container.get("args", [])]
            assert words[0] == "dask"
            commands[words[1]].make_context(words[1], words[2:])  # raises for what it does not take


def test_bash_takes_the_script_and_its_directives_are_known() -> None:
    path = DEPLOY / "slurm-index.sh"
    assert subprocess.run(["bash", "-n", str(path)], capture_output=True).returncode == 0
    text = path.read_text()
    directives = re.findall(r"^#SBATCH --([a-z-]+)=(\S+)$", text, re.MULTILINE)
    assert len(directives) == text.count("#SBATCH")
    assert {option for option, _ in directives} <= SBATCH
    # After the first command sbatch reads no directive any more.
    assert text.index("set -euo pipefail") > text.rindex("#SBATCH")
    assert os.access(path, os.X_OK)
    (line,) = [line for line in text.splitlines() if line.startswith("srun ")]
    options = dict(re.findall(r"--([a-z-]+)=(\S+)", line.split(" python ", 1)[0]))
    assert options == {"mpi": '"${TILESCOPE_MPI:-pmix}"', "cpus-per-task": '"$SLURM_CPUS_PER_TASK"'}
    parse(shlex.split(line.split(" -m tilescope ", 1)[1].replace("$1", "logs").replace("$2", "pod.run")))


def test_each_task_has_the_memory_that_it_may_take() -> None:
    text = (DEPLOY / "slurm-index.sh").read_text()
    options = dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)$", text, re.MULTILINE))
    gigabytes = int(options["cpus-per-task"]) * int(options["mem-per-cpu"].removesuffix("G"))
    assert gigabytes >= 2 * int(re.search(r"--memory (\d+)GiB", text)[1])  # type: ignore[index]
