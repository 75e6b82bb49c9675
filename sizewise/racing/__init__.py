"""Races: the same resize by Sizewise and by whatever else is installed, checked for equality and then timed in turns.

Facts as plain data; nothing here prints. Frameworks are imported only when a race begins.
"""
