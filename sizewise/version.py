"""The version, where both the package and the build read it."""

__version__ = "0.2.0"
