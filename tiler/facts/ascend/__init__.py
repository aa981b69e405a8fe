"""Facts that profilers of Ascend devices write beside events, or in the arguments of these."""
