"""Messages of tools in the words of the command line: a tool names its parameters, a command line has options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tilescope.tiler.errors import NotAvailable, UsageError

if TYPE_CHECKING:
    from tilescope.tiler.tools import Parameter


@contextmanager
def option_words(parameters: Sequence[Parameter]) -> Iterator[None]:
    """Lets what the block raises name options in place of parameters."""
    try:
        yield
    except (NotAvailable, UsageError) as error:
        raise type(error)(in_option_words(str(error), parameters)) from None


def in_option_words(text: str, parameters: Sequence[Parameter]) -> str:
    """("say with step_name", …) → "say with --step-name"; "by=argument" → "--by argument"; "limit: …" → "--limit: …".

    A name that is a plain word stays where neither a value nor a colon at the beginning marks it as a name.
    """
    for parameter in parameters:
        name, option = parameter.name, parameter.option
        text = re.sub(rf"(?<![\w-]){name}=(?=\w)", f"{option} ", text)
        text = re.sub(rf"^{name}(?=:)", option, text)
        if "_" in name:
            text = re.sub(rf"(?<![\w-]){name}\b", option, text)
    return text
