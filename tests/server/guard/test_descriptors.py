"""Connections leave room for other files."""

from __future__ import annotations

import resource

import pytest

from tilescope.server.guard.descriptors import RESERVED, fit, raise_limit
from tilescope.server.settings import DEFAULTS, Settings


@pytest.mark.parametrize(
    ("limits", "raised"),
    [
        ((1024, 1024), 1024),
        ((1024, 4096), 4096),
        ((1024, 1 << 20), 65_536),
        ((1024, resource.RLIM_INFINITY), 65_536),
        ((100_000, 1 << 20), 100_000),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), 65_536),
    ],
)
def test_the_limit_is_raised_as_far_as_it_may(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], raised: int
) -> None:
    now = [limits]
    monkeypatch.setattr(resource, "getrlimit", lambda _: now[0])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: now.append(wanted))
    assert raise_limit() == raised
    assert now[1:] == ([] if raised in limits[:1] or limits[0] == resource.RLIM_INFINITY else [(raised, limits[1])])


def test_connections_over_http_and_grpc_fit_beside_what_is_reserved() -> None:
    assert fit(DEFAULTS, 65_536) is DEFAULTS
    for files in (1, 16, 300, 1024, 4096, 9000):
        fitting = fit(DEFAULTS, files)
        most, of_one = fitting.max_connections, fitting.max_connections_per_client
        assert 1 <= of_one <= most
        assert of_one <= max(most // 2, 1) or fitting is DEFAULTS
        assert 2 * most <= max(files - RESERVED, files // 2, 2)
    assert fit(Settings(max_connections=10, max_connections_per_client=10), 1024).max_connections_per_client == 10
