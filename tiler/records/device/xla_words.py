"""Categories of XLA's operations and what they say, marks in names, and stats that several records of operations have.

One place for them, so that code that knows no format need not spell them. Stats that metadata has are in
`details/instruction_stats.py`.
"""

from __future__ import annotations

from typing import Final

# Stats of operations.
ALL_REDUCE_ID: Final = "all_reduce_unique_id"
DMA_STALL: Final = "dma_stall_duration_ps"

# The category of operations whose events may say themselves what they do.
CUSTOM_CALL: Final = "custom-call"

_CONTROL: Final = frozenset({"while", "conditional", "call"})
_FEEDS: Final = frozenset({"infeed", "outfeed"})
_EXCHANGES: Final = (
    *("all-reduce", "all-gather", "all-to-all", "ragged-all-to-all", "reduce-scatter", "all-reduce-scatter"),
    *("collective-permute", "collective-broadcast", "send", "recv"),
)
_EXCHANGE_CATEGORIES: Final = frozenset(name + end for name in _EXCHANGES for end in ("", "-start", "-done", " fusion"))
_HOST_TRANSFERS: Final = (":XlaSendToHost", ":XlaRecvFromHost")


def is_control(category: str) -> bool:
    """True if operations of a category run others, which are operations of their own."""
    return category in _CONTROL


def is_feed(category: str) -> bool:
    """True if operations of a category wait for the host's input or take its output."""
    return category in _FEEDS


def is_exchange(category: str) -> bool:
    """True if operations of a category move values between devices: collectives, sends and receives."""
    return category in _EXCHANGE_CATEGORIES


def is_start(category: str) -> bool:
    """True if operations of a category start what goes on after their event."""
    return category.endswith("-start")


def is_wait(category: str) -> bool:
    """True if operations of a category wait for what was started before."""
    return category.endswith("-done")


def is_recomputed(name: str, framework: str) -> bool:
    """True if an instruction computes again what there was before, to save memory: names say so, of XLA and of JAX."""
    return ".remat" in name or "rematted_computation" in framework


def is_outside(framework: str, expression: str) -> bool:
    """True if an instruction exchanges values with what the host computes for the program (outside compilation)."""
    return framework.endswith(_HOST_TRANSFERS) or "is_host_transfer=true" in expression
