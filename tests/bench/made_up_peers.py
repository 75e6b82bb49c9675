"""Made-up peers: equal, wrong, slow, and raising ones."""

from __future__ import annotations

import time

from sizewise_bench import ours
from sizewise_bench.contender import Contender, from_call
from sizewise_bench.peers import Peer


def made_up_peer(name="Copycat", *, shift=0.0, same_pixels=True, pause=0.0):
    """Return a peer that gives the pixels of Sizewise plus `shift`, after a pause."""

    def contenders(case, source, threads):
        def call():
            time.sleep(pause)
            return ours.call(case, source)() + case.source().dtype.type(shift)

        return [from_call(name, call, same_pixels=same_pixels)]

    return Peer(name, "1.0", contenders)


def raising_peer():
    """Return a peer that does not support the case."""

    def fail():
        raise NotImplementedError("no such op")

    return Peer("Raising", "1.0", lambda case, source, threads: [Contender("Raising", fail, fail)])
