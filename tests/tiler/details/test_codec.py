"""The functions of a codec take their parameters by place: packages name them as they like."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest

from tilescope.tiler.details.codec import Integers, ReadValues


@pytest.mark.parametrize("protocol", [Integers, ReadValues])
def test_parameters_are_positional_only(protocol: type) -> None:
    parameters = signature(protocol.__call__).parameters.values()
    assert {parameter.kind for parameter in parameters} == {Parameter.POSITIONAL_ONLY}
