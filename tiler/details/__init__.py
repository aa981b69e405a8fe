"""Decoding of event arguments, one module per codec. Tables are unpacked once per file, arguments once per click."""

from tilescope.tiler.details.codec import UNREADABLE, ArgsCodec, Arguments, PageOf

__all__ = ["UNREADABLE", "ArgsCodec", "Arguments", "PageOf"]
