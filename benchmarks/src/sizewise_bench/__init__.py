"""Benchmarks of Sizewise and other installed libraries: the same resize, checked for equality, then timed in turns.

Installed, it adds the command `sizewise bench`. Results are plain data; only `command` prints. Frameworks are imported
when they are timed.
"""
