"""What all tests share."""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.absence import hide_packages
from tests.examples import EXAMPLES
from tests.run_stages import FAILED_PROPERTIES

# How long an example takes says more about the machine than about the code: speed is measured in bench/.
settings.register_profile("tilescope", deadline=None, max_examples=EXAMPLES)
settings.load_profile("tilescope")

hide_packages()

# A shell starts what it runs in the background with Ctrl-C ignored, and so would all processes that tests start: those
# that are interrupted would run for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps the names of properties that fail in the cache of pytest."""
    report = yield
    if report.when == "call" and report.failed and is_hypothesis_test(getattr(item, "obj", None)):
        cache = item.config.cache
        assert cache is not None
        cache.set(FAILED_PROPERTIES, [*cache.get(FAILED_PROPERTIES, []), item.nodeid])
    return report
