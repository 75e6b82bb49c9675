"""Peers that are made up: quick ones, wrong ones, slow ones, and one that raises."""

from __future__ import annotations

import time

from sizewise.racing import ours
from sizewise.racing.entrant import Entrant, of_call
from sizewise.racing.peers import Peer


def peer(name="Copycat", *, shift=0.0, same=True, pause=0.0):
    """A peer that gives our pixels, moved by `shift`, after a pause."""

    def enter(case, source, threads):
        def call():
            time.sleep(pause)
            return ours.call(case, source)() + case.source().dtype.type(shift)

        return [of_call(name, call, same=same)]

    return Peer(name, "1.0", enter)


def raising():
    """A peer that has no such op."""

    def fail():
        raise NotImplementedError("no such op")

    return Peer("Raising", "1.0", lambda case, source, threads: [Entrant("Raising", fail, fail)])
