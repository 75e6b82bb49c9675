"""Old name of `malloc_tuning`, for callers that are not yet renamed."""

from .malloc_tuning import keep_freed as keep_freed
