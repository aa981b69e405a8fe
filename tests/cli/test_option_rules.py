"""Options that would have no effect are refused, on one line that names what they need or what they go without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.tiler.json_traces import busy_events, write_trace
from tilescope.cli import main

CAPTURE = ["capture", "a:1", "--logdir", "logs"]
CONTINUOUS = [*CAPTURE, "--continuous"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([*CAPTURE, "--take-over"], "--take-over needs --continuous"),
        ([*CAPTURE, "--interval", "10"], "--interval needs --continuous"),
        ([*CAPTURE, "--keep", "10"], "--keep needs --continuous"),
        ([*CAPTURE, "--keep-s", "2GB"], "--keep-size needs --continuous"),
        ([*CAPTURE, "--no-browser"], "--no-browser needs --view"),
        ([*CAPTURE, "--port", "8808"], "--port needs --view"),
        ([*CAPTURE, "--cache-size", "20GB"], "--cache-size needs --view"),
        ([*CONTINUOUS, "--view"], "--view has no effect with --continuous"),
        ([*CONTINUOUS, "--run-name", "a"], "--run-name has no effect with --continuous"),
        ([*CONTINUOUS, "--duration-ms", "1000"], "--duration-ms has no effect with --continuous"),
        ([*CONTINUOUS, "--delay-ms", "0"], "--delay-ms has no effect with --continuous"),
        ([*CONTINUOUS, "--num-tracing-attempts", "3"], "--num-tracing-attempts has no effect with --continuous"),
        ([*CONTINUOUS, "--repository-root", "/a"], "--repository-root has no effect with --continuous"),
        ([*CONTINUOUS, "--cache-dir", "a"], "--cache-dir has no effect with --continuous"),
        (["serve", "a", "--no-grpc", "--questions-per-connection", "8"], "has no effect with --no-grpc"),
        (["index", "a", "-o", "b", "--wrong"], "unrecognized arguments: --wrong (see tilescope index --help)"),
        (["--wrong", "info", "a"], "unrecognized arguments: --wrong (see tilescope --help)"),
        (["view", "a", "--questions-per-connection", "8"], "unrecognized arguments: --questions-per-connection"),
        (["verify", "a", "--same-as", "b", "--memory", "1GiB"], "--memory has no effect with --same-as"),
        (["gc", "a", "--cache-dir", "b"], "--cache-dir has no effect with STORE"),
        (["gc", "a", "--cache-size", "20GB"], "--cache-size has no effect with STORE"),
        (["attachments", "a", "-o", "b"], "--output needs NAME"),
        (["attachments", "a", "b", "--json"], "--json has no effect with NAME"),
    ],
)
def test_an_option_without_effect_is_wrong_usage(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where it has the value of its default."""
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_a_unit_of_time_is_refused_for_a_trace_that_has_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--time-unit", "ns", "-o", str(tmp_path / "x.store")]
    assert main(["index", str(DEMO_TRACE), *options]) == 2
    assert capsys.readouterr().err.startswith("tilescope: --time-unit has no effect: ")
    trace = write_trace(tmp_path / "t.json", busy_events(2))
    assert main(["index", str(trace), *options]) == 0
