# SPDX-License-Identifier: MIT
"""Whose turn it is at a state, and at scratch, that calls, threads and objects share."""
import contextlib
import threading
import weakref

import numpy as np

from ._errors import Error

_takers = weakref.WeakSet()  # turns at states in memory of the caller's
_floors = weakref.WeakSet()  # for scratch in memory of the caller's


class _Floor:
    """What one call at a time works on."""

    def __init__(self):
        self.lock = threading.RLock()
        self.calling = False
        self.memories = {}

    @staticmethod
    def at(scratch):
        """That of all objects whose scratch, of the caller's, overlaps; another one for each that has its own."""
        if scratch is None:
            return _Floor()
        found = [floor for floor in list(_floors)
                 if any(np.may_share_memory(one, scratch) for one in floor.memories.values())]
        if len(found) > 1:
            raise ValueError("scratch: it overlaps that of two objects which have none in common")
        floor = found[0] if found else _Floor()
        floor.memories[scratch.ctypes.data, scratch.size] = scratch
        _floors.add(floor)
        return floor


class Turn:
    """One call at a time: other threads wait, and a call inside of a call raises, as one does whose state is not what
    it was. `scratch` is the caller's memory, if that is what the object works in."""

    def __init__(self, scratch=None):
        self._floor = _Floor.at(scratch)
        self._memory = None
        self._taken = False
        self.changes = 0  # of the state so far

    def take(self, memory):
        """An object has begun in memory of the caller's, which ends what others had in it."""
        for other in list(_takers):
            if np.may_share_memory(other._memory, memory):
                other._taken = True
                _takers.discard(other)
        self._memory = memory
        _takers.add(self)

    @contextlib.contextmanager
    def __call__(self, changes=False, since=None):
        """`since`: the changes that there were when the caller last had a turn, if it needs the state of then."""
        floor = self._floor
        with floor.lock:
            if floor.calling:
                raise RuntimeError("an object is called inside of one of its own calls, or of one that has its scratch")
            if self._taken:
                raise RuntimeError("another object has begun in this one's memory")
            if since is not None and since != self.changes:
                raise RuntimeError("another call has changed the state since")
            try:
                floor.calling = True
                self.changes += changes
                yield
            except Error:  # which changed nothing
                self.changes -= changes
                raise
            finally:
                floor.calling = False
