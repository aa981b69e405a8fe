"""The browser of the tests: whichever Chromium is installed, with everything off that talks to the world."""

from __future__ import annotations

import os

from tests.absence import ABSENT, find_program

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS = "chromium-headless-shell"

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
    return find_program(*NAMES, HEADLESS)


def find_test_chromium() -> str | None:
    """The path of the Chromium that tests drive, or None: the same engine without windows, where it is installed.

    A page takes half the processor time in it. `TILESCOPE_WHOLE_CHROMIUM=1` has the tests drive what users have.
    """
    if "chromium" in ABSENT:
        return None
    return (None if os.environ.get("TILESCOPE_WHOLE_CHROMIUM") else find_program(HEADLESS)) or find_chromium()
