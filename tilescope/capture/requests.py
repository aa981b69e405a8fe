"""The request that starts a recording."""

from __future__ import annotations

from tilescope.capture.options import CaptureOptions
from tilescope.profiler import profiler_pb2 as pb

_LEVELS_COUNT = 1  # version of the options: levels are those that are set, and not the server's own


def profile_request(
    options: CaptureOptions, *, session_id: str, host_name: str, repository_root: str, start_ns: int = 0
) -> pb.ProfileRequest:
    """Asks for the trace inline; servers that cannot send it write it below `repository_root`."""
    return pb.ProfileRequest(
        duration_ms=options.duration_ms,
        repository_root=repository_root,
        session_id=session_id,
        host_name=host_name,
        emit_xspace=True,
        opts=pb.ProfileOptions(
            version=_LEVELS_COUNT,
            duration_ms=options.duration_ms,
            start_timestamp_ns=start_ns,
            host_tracer_level=options.host_tracer_level,
            device_tracer_level=options.device_tracer_level,
            python_tracer_level=options.python_tracer_level,
            include_dataset_ops=options.include_dataset_ops,
            enable_hlo_proto=True,
        ),
    )
