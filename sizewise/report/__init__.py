"""Reports: one renderer per file, each fed by the facts of `insight`. Computes no facts of its own."""
