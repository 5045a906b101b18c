# SPDX-License-Identifier: MIT
"""Threads for the library's independent tasks. They change no bit.

Python runs the handlers of signals between any two steps of its main thread, and C cannot pass on what they raise. So a
call that calls Python back runs in a thread of the pool, and whoever asked for it waits until it has ended."""
import collections
import os
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from . import _declarations as d
from ._plans import whole
from ._views import byref

_ParallelFor = dict(d.Executor._fields_)["parallel_for"]
_thread = threading.local()  # .failures: of tasks, in a thread that runs a call


class _Tasks:
    """Tasks 0 to count - 1. Each is run once, by whoever takes it first."""

    def __init__(self, count, run):
        self._left = collections.deque(range(count))
        self._count = count
        self._run = run
        self._ended = queue.SimpleQueue()  # wakes who waits
        self.outcomes = []  # of each task that has ended: what it raised, or None

    def claim(self):
        """The number of a task that nobody else runs; None when there are no more."""
        try:
            return self._left.popleft()
        except IndexError:
            return None

    def take(self):
        """Runs tasks until none is left."""
        while (index := self.claim()) is not None:
            failure = None
            try:
                self._run(index)
            except BaseException as raised:
                failure = raised
            self.outcomes.append(failure)
            self._ended.put(None)

    def wait(self):
        """Returns after all tasks have ended. An exception in between, of a signal's handler, leaves what a second call
        needs."""
        while len(self.outcomes) < self._count:
            self._ended.get()


class Workers:
    """So many threads, for plans of at most as many workers, which objects may share as `threads`. A call that is
    handed to C lets other threads of Python run. Where no thread can be started, all runs in the caller's."""

    def __init__(self, count):
        self.count = whole(count, "workers")
        if not 1 <= self.count <= 64:
            raise ValueError(f"workers {self.count}: 1 to 64 are allowed")
        self._pool = None
        self._process = None  # whose threads the pool has
        self._callback = _ParallelFor(self._parallel_for)
        self._executor = d.Executor(None, self._callback)

    def run(self, function, calls_back=False):
        """Returns what function(executor) returns, which calls C with the executor; with `calls_back` C calls Python in
        other ways, too. Returns or raises after all of it has ended; an exception that a signal's handler raises in the
        meantime comes after that, in place of the result."""
        if self.count == 1 and not calls_back:
            return function(None)
        if getattr(_thread, "failures", None) is not None:  # inside of a call, which has the threads
            return function(None)
        results = []
        call = _Tasks(1, lambda _: results.append(self._called(function)))
        interrupt = None
        try:
            offered = self._offer(call)
        except BaseException as raised:
            interrupt, offered = raised, False
        if not offered and call.claim() is not None:
            if interrupt is not None:
                raise interrupt
            if calls_back:
                raise RuntimeError("there is no thread for a call that is observed")
            return function(None)
        while True:
            try:
                call.wait()
                break
            except BaseException as raised:
                interrupt = raised
        failure = interrupt or call.outcomes[0]
        if failure is not None:
            raise failure
        return results[0]

    def _called(self, function):
        _thread.failures = []
        try:
            result = function(byref(self._executor) if self.count > 1 else None)
            if _thread.failures:
                raise _thread.failures[0]
            return result
        finally:
            _thread.failures = None

    def _offer(self, tasks):
        """Whether a thread will come to take tasks: not where none can be started, nor while Python ends."""
        if self._process != os.getpid():  # the child of a fork has none of its parent's threads
            self._pool = ThreadPoolExecutor(self.count)
            self._process = os.getpid()
        pool = self._pool
        try:
            pool.submit(tasks.take)
            return True
        except BaseException as raised:
            # It may hold what nobody ever comes for.
            self._process = None
            pool.shutdown(wait=False)
            if isinstance(raised, (RuntimeError, MemoryError)):
                return False
            raise

    def _parallel_for(self, _context, count, task, argument):
        tasks = _Tasks(count, lambda index: task(argument, index))
        for _ in range(min(count, self.count) - 1):
            if not self._offer(tasks):
                break
        tasks.take()
        tasks.wait()
        _thread.failures += [failure for failure in tasks.outcomes if failure is not None]


def workers_of(count, given):
    """Those of an object with so many workers in its plan."""
    if given is None:
        return Workers(max(1, count))
    if not isinstance(given, Workers):
        raise TypeError(f"workers: a Workers is needed, not {type(given).__name__}")
    return given
