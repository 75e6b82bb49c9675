"""Signatures: the calls of other frameworks, word for word, on top of Sizewise; one module each."""
