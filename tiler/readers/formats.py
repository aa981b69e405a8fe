"""Formats that can be read: ours, and those that installed packages offer as entry points `tilescope.formats`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct, field

from tilescope.tiler.details.codec import ArgsCodec, unknown_codec
from tilescope.tiler.plugins import load_plugins
from tilescope.tiler.readers.ascend import ASCEND_TABLE
from tilescope.tiler.readers.cloud_tpu import CLOUD_TPU
from tilescope.tiler.readers.format import Format
from tilescope.tiler.readers.perfetto import PERFETTO
from tilescope.tiler.readers.plugin_format import guarded, why_no_format
from tilescope.tiler.readers.sampled import COLLAPSED, CPU_PROFILE, FIREFOX, PERF_SCRIPT, SPEEDSCOPE
from tilescope.tiler.readers.sqlite import NSIGHT, ROCPD
from tilescope.tiler.readers.telemetry import JAEGER, OTLP
from tilescope.tiler.readers.tf_graph import TF_GRAPH
from tilescope.tiler.readers.trace_event import TRACE_EVENT
from tilescope.tiler.readers.xspace import XSPACE

ENTRY_POINTS: Final = "tilescope.formats"

# An XSpace may begin as JSON does, and not the other way round. A page is JSON that is no trace, a graph begins as an
# XSpace does; JSON of profiles has no events.
_OURS: Final = (
    PERFETTO,
    NSIGHT,
    ROCPD,
    CPU_PROFILE,
    SPEEDSCOPE,
    FIREFOX,
    PERF_SCRIPT,
    COLLAPSED,
    OTLP,
    JAEGER,
    CLOUD_TPU,
    ASCEND_TABLE,
    TF_GRAPH,
    TRACE_EVENT,
    XSPACE,
)
_OUR_CODECS: Final = {trace_format.args.id: trace_format.args for trace_format in _OURS}


class _Registry(Struct):
    """Formats and codecs by id; and a line for each format that cannot be used, or that failed since."""

    formats: dict[str, Format] = field(
        default_factory=lambda: {trace_format.id: trace_format for trace_format in _OURS}
    )
    codecs: dict[str, ArgsCodec] = field(default_factory=lambda: dict(_OUR_CODECS))
    offered: dict[str, ArgsCodec] = field(default_factory=lambda: dict(_OUR_CODECS))  # the same, as they were offered
    left_out: list[str] = field(default_factory=list)

    def complain(self, line: str) -> None:
        """Keeps a line, once."""
        if line not in self.left_out:
            self.left_out.append(line)

    def add(self, source: str, offered: object) -> None:
        """Takes a format of another package, or says why not."""
        why = why_no_format(offered)
        if why is not None or not isinstance(offered, Format):
            self.complain(f"{source} is left out: {why}")
        elif offered.id in self.formats:
            self.complain(f"the format {offered.id!r} of {source} is left out: there is one of that name")
        elif self.offered.get(offered.args.id) not in (None, offered.args):
            what = f"there is another codec of the name {offered.args.id!r}"
            self.complain(f"the format {offered.id!r} of {source} is left out: {what}")
        else:
            trace_format = guarded(offered, self.complain, is_codec_ours=offered.args.id in _OUR_CODECS)
            self.formats[trace_format.id] = trace_format
            self.codecs[trace_format.args.id] = trace_format.args
            self.offered[trace_format.args.id] = offered.args


@cache
def _registry() -> _Registry:
    """The registry of this process: packages are looked for once, and not before they are needed."""
    registry = _Registry()
    for offered in load_plugins(ENTRY_POINTS, "formats"):
        if offered.left_out is not None:
            registry.complain(offered.left_out)
        for offered_format in offered.objects:
            registry.add(offered.source, offered_format)
    return registry


def ours() -> tuple[Format, ...]:
    """The formats that come with Tilescope, in the order in which they are tried."""
    return _OURS


def of_others() -> tuple[Format, ...]:
    """Formats of other packages. What they raise, or give against the contract, is a FormatFailed."""
    return tuple(trace_format for trace_format in _registry().formats.values() if trace_format not in _OURS)


def formats() -> Mapping[str, Format]:
    """All formats by id, ours first."""
    return _registry().formats


def left_out() -> Sequence[str]:
    """A line for each format of another package that cannot be used, or that failed: which, and why."""
    return _registry().left_out


def complain(line: str) -> None:
    """Keeps a line about something else of another package, once: it is said where those of formats are."""
    _registry().complain(line)


def codec(name: str) -> ArgsCodec:
    """The codec of that id; one that says what is missing where its package is not installed."""
    return _OUR_CODECS.get(name) or _registry().codecs.get(name) or unknown_codec(name)


def codec_of(name: str) -> ArgsCodec:
    """That of the format of this id."""
    return formats()[name].args


@cache
def host_suffixes() -> tuple[str, ...]:
    """Suffixes of files that are named after their host, of all formats, also compressed."""
    return tuple(suffix for trace_format in formats().values() for suffix in trace_format.compressed_too())
