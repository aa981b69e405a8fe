"""Facts of the tables that profilers of Ascend devices write beside the timeline."""
