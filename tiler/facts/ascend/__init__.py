"""Figures of the tables that profilers of Ascend devices write."""
