"""Spans of services: OpenTelemetry's JSON (whole, or an object a line), and Jaeger's."""

from tilescope.tiler.readers.telemetry.formats import JAEGER, OTLP

__all__ = ["JAEGER", "OTLP"]
