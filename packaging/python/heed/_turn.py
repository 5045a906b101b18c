# SPDX-License-Identifier: MIT
"""Whose turn it is at a state that calls, threads and objects share."""
import contextlib
import threading
import weakref

import numpy as np

from ._errors import Error

_takers = weakref.WeakSet()  # turns at memory of the caller's


class Turn:
    """One call at a time: other threads wait, and a call inside of a call raises, as one does whose state is not what
    it was."""

    def __init__(self):
        self._lock = threading.RLock()
        self._calling = False
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
        with self._lock:
            if self._calling:
                raise RuntimeError("an object is called inside of one of its own calls")
            if self._taken:
                raise RuntimeError("another object has begun in this one's memory")
            if since is not None and since != self.changes:
                raise RuntimeError("another call has changed the state since")
            try:
                self._calling = True
                self.changes += changes
                yield
            except Error:  # which changed nothing
                self.changes -= changes
                raise
            finally:
                self._calling = False
