"""Transfers between TPU cores: channels of programs, and times of sending and receiving."""

from tilescope.tiler.facts.channels.channel_kinds import Channel
from tilescope.tiler.facts.channels.transfers import Transfers, run_transfers

__all__ = ["Channel", "Transfers", "run_transfers"]
