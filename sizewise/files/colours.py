"""Old name of `colors`, for callers that are not yet renamed."""

from .colors import parse as parse
