"""What TPU cores send to each other: channels of programs, and when what went through them was sent and received."""

from tilescope.tiler.facts.channels.channel_kinds import Channel
from tilescope.tiler.facts.channels.transfers import Transfers, run_transfers

__all__ = ["Channel", "Transfers", "run_transfers"]
