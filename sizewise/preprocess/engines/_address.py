"""Addresses of clusters: errors that name them, and no long wait for a port without a listener."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from ...errors import ArgumentError

TIMEOUT_SECONDS = 10


@contextlib.contextmanager
def connecting(engine: str, address: str | None) -> Iterator[None]:
    """Raise ArgumentError, with the address, if the block cannot connect to the cluster there.

    Ray tries again for minutes where nothing listens, so a connection to the port is tried before.
    """
    try:
        if address is not None and (place := host_and_port(address)) is not None:
            socket.create_connection(place, TIMEOUT_SECONDS).close()
        yield
    except (OSError, ValueError, RuntimeError) as error:
        if address is None:
            raise
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise ArgumentError(f"cannot connect to {engine} at {address!r}: {reason}") from error


def host_and_port(address: str) -> tuple[str, int] | None:
    """Return the host and the port of an address; None if it has none, as "auto".

    >>> host_and_port("tcp://head:8786"), host_and_port("10.0.0.1:6379"), host_and_port("auto")
    (('head', 8786), ('10.0.0.1', 6379), None)
    """
    parts = urlsplit(address if "//" in address else f"//{address}")
    return None if parts.hostname is None or parts.port is None else (parts.hostname, parts.port)
