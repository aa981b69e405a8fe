"""What all transports answer alike."""

from tilescope.server.services.questions import EventPart, Questions
from tilescope.server.services.requests import EventsRequest, StatsRequest, ViewRequest, find_query

__all__ = ["EventPart", "EventsRequest", "Questions", "StatsRequest", "ViewRequest", "find_query"]
