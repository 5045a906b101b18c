# SPDX-License-Identifier: MIT
"""Threads for the library's independent tasks. They change no bit."""
from concurrent.futures import ThreadPoolExecutor

from . import _declarations as d
from ._plans import whole
from ._views import byref

_ParallelFor = dict(d.Executor._fields_)["parallel_for"]


class Workers:
    """So many threads, for plans of at most as many workers. A call that is handed to C lets other threads of Python
    run."""

    def __init__(self, count):
        self.count = whole(count, "workers")
        if not 1 <= self.count <= 64:
            raise ValueError(f"workers {self.count}: 1 to 64 are allowed")
        self._pool = ThreadPoolExecutor(self.count - 1) if self.count > 1 else None
        self._callback = _ParallelFor(self._run)
        self._executor = d.Executor(None, self._callback)

    def _run(self, _context, count, task, argument):
        others = [self._pool.submit(task, argument, i) for i in range(1, count)] if self._pool else []
        for i in range(count if self._pool is None else 1):
            task(argument, i)
        for other in others:
            other.result()

    @property
    def executor(self):
        """For the functions of C."""
        return byref(self._executor) if self._pool else None


def workers_of(count, given):
    """Those of an object with so many workers in its plan."""
    if given is None:
        return Workers(max(1, count))
    if not isinstance(given, Workers):
        raise TypeError(f"workers: a Workers is needed, not {type(given).__name__}")
    return given
