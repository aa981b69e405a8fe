"""Keys of the application: all that it carries for its routes."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.captures.captures import Captures
from tilescope.server.guard.guests import Guests
from tilescope.server.http.viewer_files import ViewerFiles
from tilescope.server.metrics import Metrics
from tilescope.server.runs.marks import MarkFiles
from tilescope.server.runs.opened_addresses import OpenedAddresses
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.services.statements import Statements
from tilescope.server.settings import Settings
from tilescope.server.stream.connection import Connection
from tilescope.server.uploads.uploads import Uploads
from tilescope.server.watch.capture import CaptureConnection
from tilescope.server.watch.connection import WatchConnection
from tilescope.server.watch.monitor import MonitorConnection

REGISTRY = web.AppKey("registry", Registry)
QUESTIONS = web.AppKey("questions", Questions)
MARKS = web.AppKey("marks", MarkFiles)
METRICS = web.AppKey("metrics", Metrics)
GUESTS = web.AppKey("guests", Guests)
STATEMENTS = web.AppKey("statements", Statements)
SETTINGS = web.AppKey("settings", Settings)
CONNECTIONS = web.AppKey("connections", set[Connection])
WATCHES = web.AppKey("watches", set[WatchConnection])
CAPTURES = web.AppKey("captures", Captures)
CAPTURE_WATCHES = web.AppKey("capture_watches", set[CaptureConnection])
MONITORS = web.AppKey("monitors", set[MonitorConnection])
ADDRESSES = web.AppKey("addresses", OpenedAddresses)
UPLOADS = web.AppKey("uploads", Uploads)
VIEWER = web.AppKey("viewer", ViewerFiles)
