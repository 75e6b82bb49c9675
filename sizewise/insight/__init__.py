"""Insight: what a resize does, as plain data. Draws nothing and prints nothing; `report` does that."""
