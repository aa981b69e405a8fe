"""Tells a trace of Perfetto by its first packets."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.readers.wire_head import head_fields

_VARINTS: Final = (8, 10)  # TracePacket.timestamp, .trusted_packet_sequence_id; unknown to planes of an XSpace
_PACKETS: Final = 32


def is_perfetto(head: bytes) -> bool:
    """True if it begins as a binary Perfetto trace, which an XSpace may be taken for."""
    try:
        for count, packet in enumerate(head_fields(head)):
            if packet.number != 1 or packet.wire_type != 2 or count == _PACKETS:
                return False
            for field in head_fields(packet.payload):
                if field.number in _VARINTS and field.wire_type == 0:
                    return True
    except WireDamage:
        pass
    return False
