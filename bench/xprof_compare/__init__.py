"""Answers of xprof and of our tools about the same traces, figure by figure."""
