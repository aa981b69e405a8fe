"""The browser of the tests: whichever Chromium is installed, with everything off that talks to the world."""

from __future__ import annotations

from tests.absence import find_program

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = [
    "--no-sandbox",  # containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The path of an installed Chromium, or None."""
    return find_program(*NAMES)
