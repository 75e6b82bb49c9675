"""Preprocessors and comparisons of them: text, JSON, and the card of a model."""
