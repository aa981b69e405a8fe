"""Services that all transports share."""

from tilescope.server.services.fair_queue import Asker
from tilescope.server.services.questions import Questions
from tilescope.server.services.requests import EventsQuestion, ViewRequest
from tilescope.server.services.tasks import EventPart

__all__ = ["Asker", "EventPart", "EventsQuestion", "Questions", "ViewRequest"]
