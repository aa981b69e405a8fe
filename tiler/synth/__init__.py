"""Synthetic traces: realistic, of any size, with exact totals beside them."""

from tilescope.tiler.synth.trace import FORMATS, SynthResult, totals_path, write_synthetic_trace

__all__ = ["FORMATS", "SynthResult", "totals_path", "write_synthetic_trace"]
