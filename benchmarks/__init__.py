"""Benchmarks: one list of cases, checked for equality and then timed against the frameworks in the same run."""
