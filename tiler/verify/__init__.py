"""Proves stores: see `verify_store`."""

from tilescope.tiler.verify.report import VerifyReport
from tilescope.tiler.verify.verify import VerifyProgress, verify_store

__all__ = ["VerifyProgress", "VerifyReport", "verify_store"]
