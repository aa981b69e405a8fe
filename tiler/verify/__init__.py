"""Proves stores: see `verify_store`."""

from tilescope.tiler.verify.report import VerifyReport
from tilescope.tiler.verify.same_entries import SameEntries, compare_entries, compare_stores
from tilescope.tiler.verify.verify import VerifyProgress, verify_store

__all__ = ["SameEntries", "VerifyProgress", "VerifyReport", "compare_entries", "compare_stores", "verify_store"]
