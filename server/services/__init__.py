"""What all transports answer alike."""

from tilescope.server.services.questions import Questions
from tilescope.server.services.requests import EventsQuestion, ViewRequest
from tilescope.server.services.tasks import EventPart
from tilescope.server.services.turns import Asker

__all__ = ["Asker", "EventPart", "EventsQuestion", "Questions", "ViewRequest"]
