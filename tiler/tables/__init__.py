"""Tables of a run: one definition of their columns, and scans that yield batches."""

from tilescope.tiler.tables.batch import Batch, Column
from tilescope.tiler.tables.catalogue import TABLES, run_table, scan
from tilescope.tiler.tables.column import ColumnKind, ColumnType
from tilescope.tiler.tables.table import TableKind, TablePart

__all__ = ["TABLES", "Batch", "Column", "ColumnKind", "ColumnType", "TableKind", "TablePart", "run_table", "scan"]
