"""Image and array files: reading, resizing, and atomic writing."""
