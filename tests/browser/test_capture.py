"""Captures from the dialog, against real servers: a trace that comes, one that is stopped, and every way to fail."""

from __future__ import annotations

import itertools
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import grpc
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import ARTEFACTS, Viewer
from tests.browser.test_accessibility import faults
from tests.capture.fake_profiler import FakeProfiler, Recording, answering, refusing
from tests.demo import DEMO_TRACE
from tilescope.profiler import profiler_pb2 as pb

JAX_LOOP = Path(__file__).parents[1] / "capture" / "jax_loop.py"
NARROW = {"width": 480, "height": 800}
WIDE = {"width": 1280, "height": 800}

# Nothing in the dialog is cut off at its side.
_FITS = """() => [...document.querySelectorAll('dialog[open], dialog[open] *')].every(one =>
    one.scrollWidth <= one.clientWidth + 1 || getComputedStyle(one).display === 'inline'
    || getComputedStyle(one).overflowX !== 'visible')"""


@contextmanager
def captured_into(browser: Browser, folder: Path, *options: str) -> Iterator[Viewer]:
    """A viewer of a log directory, which may be empty."""
    logs = folder / "logs"
    logs.mkdir(parents=True)
    with serving([logs], folder / "cache", "--no-grpc", *options) as served, watched_page(browser, served.url) as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        viewer = Viewer(page, served.url)
        page.goto(served.url)
        yield viewer


def dialog_of(page: Page) -> Locator:
    """The dialog, opened by its key."""
    page.locator("main h2").first.wait_for()
    page.keyboard.press("j")
    dialog = page.get_by_role("dialog", name="Capture a trace")
    dialog.get_by_role("button", name="Capture").or_(dialog.locator("h3, .error-line")).first.wait_for()
    return dialog


def judged(viewer: Viewer, name: str) -> None:
    """Pictures for people in both themes and a narrow window, and what axe-core finds fault with: nothing."""
    page = viewer.page
    ARTEFACTS.mkdir(exist_ok=True)
    for theme, size in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.set_viewport_size(size)  # type: ignore[arg-type]
        viewer.wait(f"document.documentElement.dataset.theme === '{theme}'")
        viewer.frames()
        page.screenshot(path=str(ARTEFACTS / f"capture_{name}_{theme}.png"))
        assert faults(viewer) == [], (name, theme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(_FITS), (name, theme)
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]


def test_a_trace_comes_and_is_opened(browser: Browser, tmp_path: Path) -> None:
    recording = Recording(DEMO_TRACE.read_bytes())
    profiler = FakeProfiler(recording.methods)
    with captured_into(browser, tmp_path) as viewer, profiler.serving() as address:
        page = viewer.page
        page.get_by_role("button", name="Capture …").click()
        dialog = page.get_by_role("dialog", name="Capture a trace")
        field = dialog.get_by_label("Address")
        field.wait_for()
        judged(viewer, "form")
        # By keys alone: what is wrong is said at its field.
        viewer.wait("document.activeElement.id === 'capture-addresses'")
        page.keyboard.type("localhost")
        page.keyboard.press("Enter")
        wrong = dialog.locator(".capture-wrong")
        wrong.wait_for()
        assert "write HOST:PORT" in wrong.inner_text()
        viewer.wait("document.activeElement.getAttribute('aria-invalid') === 'true'")
        page.keyboard.type(f":{address.port}")
        dialog.get_by_label("Duration").fill("60000")
        dialog.locator("summary").click()
        dialog.get_by_label("Calls of Python functions").check()
        dialog.get_by_label("Name of the run").fill("by-hand")
        judged(viewer, "options")
        page.keyboard.press("Enter")
        dialog.get_by_text("left").wait_for()
        assert recording.began.wait(10)
        judged(viewer, "progress")
        assert dialog.get_by_role("progressbar").get_attribute("aria-valuenow") is not None
        # The dialog is closed and shown again: the capture goes on.
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        page.keyboard.press("j")
        dialog.get_by_role("button", name="Stop").click()
        dialog.wait_for(state="detached")
        viewer.wait("tilescope.state === 'open'", 60)
        assert page.locator(".topbar h1").inner_text() == "by-hand"
        (asked,) = profiler.requests("Profile")
        assert (asked.opts.duration_ms, asked.opts.python_tracer_level) == (60_000, 1)
        page.get_by_role("button", name="All runs").click()
        assert page.locator(".runs-name a").all_inner_texts() == ["by-hand"]
        # What was filled in last is there again, but for the name.
        dialog = dialog_of(page)
        assert dialog.get_by_label("Address").input_value() == f"localhost:{address.port}"
        dialog.locator("summary").click()
        assert dialog.get_by_label("Name of the run").input_value() == ""
        assert dialog.get_by_label("Calls of Python functions").is_checked()
    assert [file.name for file in tmp_path.glob("logs/plugins/profile/by-hand/*")] == ["localhost.xplane.pb"]


@contextmanager
def web_server() -> Iterator[int]:
    """What listens there speaks HTTP/1."""

    class Page(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield int(server.server_address[1])
        server.shutdown()


@pytest.mark.deep
def test_every_failure_is_said_with_what_to_do(browser: Browser, tmp_path: Path) -> None:
    busy = refusing(grpc.StatusCode.INTERNAL, "Another profiling session active.")
    empty = lambda request, context: pb.ProfileResponse(empty_trace=True)  # noqa: E731
    with ExitStack() as stack:
        viewer = stack.enter_context(captured_into(browser, tmp_path))
        ports = {
            "busy": stack.enter_context(FakeProfiler({"Profile": busy}).serving()).port,
            "empty": stack.enter_context(FakeProfiler({"Profile": empty}).serving()).port,
            "good": stack.enter_context(FakeProfiler({"Profile": answering(DEMO_TRACE.read_bytes())}).serving()).port,
            "unimplemented": stack.enter_context(FakeProfiler({}).serving()).port,
            "web": stack.enter_context(web_server()),
        }
        page = viewer.page
        dialog = dialog_of(page)
        for name, words in (
            ("busy", "Another profiling run is active"),
            ("empty", "Let the job run some steps first"),
            ("unimplemented", "The server does not offer this"),
            ("web", "What listens at this port is no profiler server"),
        ):
            dialog.get_by_label("Address").fill(f"127.0.0.1:{ports[name]}")
            if dialog.get_by_label("Attempts").is_hidden():
                dialog.locator("summary").click()
            dialog.get_by_label("Attempts").fill("2" if name == "busy" else "1")
            dialog.get_by_role("button", name="Capture").click()
            if name == "busy":  # it is said why, and that there is another attempt
                dialog.get_by_text("attempt 1 of 2").wait_for()
                judged(viewer, "waiting")
            dialog.get_by_role("alert").wait_for()
            assert words in dialog.inner_text()
            judged(viewer, f"failed_{name}")
            dialog.get_by_role("button", name="Change").click()
        # Of several hosts, one gives a trace: it is kept, and the others say why not.
        hosts = [f"127.0.0.1:{ports[name]}" for name in ("good", "empty")] + ["127.0.0.1:1", "127.0.0.2:1"]
        dialog.get_by_label("Address").fill(", ".join(hosts))
        dialog.get_by_role("button", name="Capture").click()
        dialog.get_by_text("1 of 4 hosts gave a trace").wait_for()
        assert "127.0.0.1:1, 127.0.0.2:1" in dialog.inner_text()
        judged(viewer, "partly")
        dialog.get_by_role("button", name="Open the run").click()
        viewer.wait("tilescope.state === 'open'", 60)


@pytest.mark.deep
def test_where_the_operator_allows_nothing(browser: Browser, tmp_path: Path) -> None:
    with captured_into(browser, tmp_path, "--allow-capture", "none") as viewer:
        dialog = dialog_of(viewer.page)
        assert "Start the server with --allow-capture HOST:PORT" in dialog.inner_text()
        judged(viewer, "not_allowed")


@pytest.mark.deep
def test_targets_of_the_operator(browser: Browser, tmp_path: Path) -> None:
    names = [f"trainer {number}" for number in range(5)]
    options = [part for k, name in enumerate(names) for part in ("--capture-target", f"{name}=127.0.0.{k + 1}:9")]
    with captured_into(browser, tmp_path, *options) as viewer:
        dialog = dialog_of(viewer.page)
        dialog.get_by_label("All 5").check()
        dialog.get_by_label("trainer 3").uncheck()
        judged(viewer, "targets")
        dialog.locator("summary").click()
        dialog.get_by_label("Attempts").fill("1")
        dialog.get_by_role("button", name="Capture").click()
        dialog.get_by_text("None of 4 hosts gave a trace").wait_for()
        assert "trainer 0, trainer 1, trainer 2, trainer 4" in dialog.inner_text()


def panel_of(page: Page) -> Locator:
    """The panel of the monitor, opened by its key."""
    page.locator("main h2").first.wait_for()
    page.keyboard.press("Shift+J")
    panel = page.get_by_role("region", name="Monitor")
    panel.wait_for()
    return panel


@pytest.mark.deep
def test_a_job_is_monitored(browser: Browser, tmp_path: Path) -> None:
    numbers = itertools.count()

    def figures(request: pb.MonitorRequest, context: grpc.ServicerContext) -> pb.MonitorResponse:
        part = abs(next(numbers) % 20 - 10)
        lines = (
            "TPU type: TPU v5e",
            "Number of TPU cores: 4 (Replica count = 4, num cores per replica = 1)",
            f"TPU idle time (lower is better): {4 * part}%",
            f"Utilization of TPU Matrix Units (higher is better): {60 - 3 * part}%",
            f"Step time: {120 + part}ms (avg), {110 + part}ms (min), {140 + 3 * part}ms (max)",
            f"Infeed percentage: {part}% (avg), 0.000% (min), {2 * part}% (max)",
        )
        return pb.MonitorResponse(data="\n".join(lines))

    with ExitStack() as stack:
        viewer = stack.enter_context(captured_into(browser, tmp_path))
        job = stack.enter_context(FakeProfiler({"Monitor": figures}).serving())
        other = FakeProfiler({"Profile": answering(DEMO_TRACE.read_bytes())})
        silent = stack.enter_context(other.serving())
        page = viewer.page
        panel = panel_of(page)
        viewer.wait("document.activeElement.id === 'monitor-host'")
        judged(viewer, "monitor_form")
        page.keyboard.type(f"localhost:{job.port}")
        page.keyboard.press("Enter")
        step = panel.locator("[data-row=step]")
        step.wait_for()
        viewer.wait("document.querySelector('[data-row=step] .spark-line').getAttribute('d').split('L').length > 3")
        assert re.fullmatch(r"1[23]\d\.0\u202fms", step.locator(".monitor-value").inner_text())
        assert "to" in str(panel.get_by_role("img", name="Devices idle").get_attribute("aria-label"))
        expect(panel.get_by_text("the job has no monitor of its own")).to_have_count(0)
        judged(viewer, "monitor")
        # Paused, nothing is asked of the job; what was seen stays.
        panel.get_by_role("button", name="Pause").click()
        panel.get_by_text("Paused").wait_for()
        judged(viewer, "monitor_paused")
        panel.get_by_role("button", name="Go on").click()
        panel.get_by_text("Paused").wait_for(state="detached")
        # A job that has no monitor is captured, again and again.
        panel.get_by_role("button", name=f"localhost:{job.port}").click()
        panel.get_by_label("Address or name").fill(f"localhost:{silent.port}")
        page.keyboard.press("Enter")
        panel.get_by_text("the job has no monitor of its own").wait_for(timeout=60_000)
        judged(viewer, "monitor_captures")
        # It makes way for a capture, which is begun from here.
        panel.get_by_role("button", name="Capture …").click()
        dialog = page.get_by_role("dialog", name="Capture a trace")
        dialog.get_by_label("Address").fill(f"localhost:{silent.port}")
        dialog.get_by_role("button", name="Capture").click()
        viewer.wait("tilescope.state === 'open'", 60)
        # Escape, from within, stops it.
        panel.get_by_role("button", name="Pause").focus()
        page.keyboard.press("Escape")
        panel.wait_for(state="detached")
    with captured_into(browser, tmp_path / "again", "--allow-capture", "10.0.0.7:9012") as viewer:
        panel = panel_of(viewer.page)
        viewer.page.keyboard.type("localhost:1")
        viewer.page.keyboard.press("Enter")
        panel.get_by_role("alert").wait_for()
        assert "start it with --allow-capture localhost:1" in panel.inner_text()
        judged(viewer, "monitor_refused")


@contextmanager
def training(folder: Path) -> Iterator[int]:
    """A training loop of JAX, and the port of its profiler server."""
    with socket.socket() as free:
        free.bind(("", 0))
        port = int(free.getsockname()[1])
    steps = folder / "steps"
    process = subprocess.Popen([sys.executable, JAX_LOOP, str(port), steps], stdin=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not (steps.exists() and int(steps.read_text() or 0) > 0):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.communicate()


@pytest.mark.deep
@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed: make deep-tools")
def test_a_training_loop_of_jax(browser: Browser, tmp_path: Path) -> None:
    with captured_into(browser, tmp_path) as viewer, training(tmp_path) as port:
        page = viewer.page
        dialog = dialog_of(page)
        dialog.get_by_label("Address").fill(f"localhost:{port}")
        dialog.get_by_role("button", name="Capture").click()
        viewer.wait("tilescope.state === 'open'", 120)
        viewer.wait("tilescope.sharp && tilescope.events > 0", 60)
        page.screenshot(path=str(ARTEFACTS / "capture_jax.png"))
        run = str(viewer.look()["run"])
        manifest = Served(viewer.url).get(f"/runs/{run}/manifest")
        assert int(manifest["steps"]["count"]) > 5
        page.goto(f"{viewer.url}/?run={run}#v=1&tool=steps")
        page.reload()
        page.get_by_role("heading", name="Steps").first.wait_for()
        page.locator(".data-table tbody tr").first.wait_for(timeout=60_000)
        page.screenshot(path=str(ARTEFACTS / "capture_jax_steps.png"))
