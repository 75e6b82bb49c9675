"""Resizing functions of other libraries, with their own signatures, on top of Sizewise; one module per library."""
