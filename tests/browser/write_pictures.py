"""Makes the pictures of the README anew, in `docs/images`: `make pictures`. Needs Chromium and the built viewer."""

from __future__ import annotations

import json
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from bench.pod_run import PodShape, write_pod
from bench.server_process import serving
from tests.browser.chromium import FLAGS, find_chromium
from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store

IMAGES: Final = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDTH_PX, HEIGHT_PX = 1360, 765
SETTLED = "document.querySelector('[aria-busy=true]') === null"
FADED_MS = 700  # until colours stand
MOST_MS = 180_000  # on a busy machine


def take(page: Page, url: str, name: str) -> None:
    """The picture of a page, when all that was asked for is there."""
    page.goto("about:blank")  # else only the address would change
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(FADED_MS)
    page.screenshot(path=IMAGES / name)
    print(IMAGES / name)


def addresses(server_url: str) -> dict[str, str]:
    """Name of a picture → the address of what it shows."""
    with urllib.request.urlopen(f"{server_url}api/v1/runs") as answer:
        runs: dict[str, dict[str, Any]] = {run["name"]: run for run in json.load(answer)["runs"]}
    demo, pod = runs["demo.store"], runs["pod.store"]
    with urllib.request.urlopen(f"{server_url}api/v1/runs/{demo['id']}/manifest") as answer:
        manifest = json.load(answer)
    start, end = int(manifest["start"]), int(manifest["end"])
    area = f"{start + (end - start) * 45 // 100}-{start + (end - start) * 62 // 100}"
    return {
        "viewer.png": f"{server_url}?run={demo['id']}#v=1&area={area}&tracks=0-4",
        "overview.png": f"{server_url}?run={pod['id']}#v=1&tool=overview",
        "pod.png": f"{server_url}?run={pod['id']}#v=1&tool=pod",
    }


def main() -> int:
    """Serves the demo trace and a pod that is made up, and takes the pictures."""
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium on PATH: make browser")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_store([DEMO_TRACE], folder / "demo.store")
        pod = write_pod(folder / "pod", PodShape(hosts=4, chips=4, steps=12))
        build_store(pod.files, folder / "pod.store")
        with (
            serving(folder / "demo.store", folder / "pod.store") as server,
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=chromium, args=FLAGS) as browser,
        ):
            page = browser.new_page(viewport={"width": WIDTH_PX, "height": HEIGHT_PX}, color_scheme="dark")
            page.set_default_timeout(MOST_MS)
            for picture, address in addresses(server.url).items():
                take(page, address, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
