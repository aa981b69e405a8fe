"""`overload` of `typing`, for type checkers alone.

While a program runs, `typing` keeps each overload in a registry: the function, and with it all that its module has,
native types among it. PyTorch keeps the registry beyond the end of the interpreter, and nanobind then reports our types
as leaked. Nothing here asks which overloads a function has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import overload as overload  # noqa: TID251
else:

    def overload(function):
        """Returns the function, and keeps nothing."""
        return function
