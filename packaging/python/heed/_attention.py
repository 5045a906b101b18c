# SPDX-License-Identifier: MIT
"""Scaled dot-product attention on numpy arrays."""
import contextlib
import ctypes
import functools
import threading
import typing

import numpy as np

from . import _declarations as d
from ._cache import KvCache
from ._errors import check
from ._library import c
from ._options import attention_options, selected_shape
from ._plans import attention_plan, enumerator, whole
from ._views import (address, floats, memory, mutable_matrix, mutable_tensor, optional_integers, output,
                     require_array, tensor)
from ._workers import workers_of


class Attended(typing.NamedTuple):
    """What a call returns that was asked for more than its output."""

    output: np.ndarray
    scores: typing.Optional[np.ndarray]
    log_sum_exp: typing.Optional[np.ndarray]


def with_batch(array, dimensions, what):
    """An array without its batch, which is 1 then."""
    if isinstance(array, np.ndarray) and array.ndim == dimensions - 1:
        return array[np.newaxis]
    return array


def score_output(scores, shape, what="scores"):
    """(array or None, its stage): True for the weights, or the stage's name."""
    if scores is None or scores is False:
        return None, d.ScoreStage.weights
    stage = d.ScoreStage.weights if scores is True else enumerator(d.ScoreStage, scores, what)
    return np.zeros(shape, np.float32), stage


class Attention:
    """A plan with its scratch. Keywords are members of heed_attention_config; an object is for one call at a time."""

    def __init__(self, *, arena=None, threads=None, **config):
        self.plan = attention_plan(**config)
        self._arena = memory(arena, self.plan.bytes, "arena")
        self._workers = workers_of(self.plan.config.workers, threads)
        self._lock = threading.Lock()

    def __call__(self, query, key=None, value=None, *, cache=None, sequence_ids=None, page_table=None,
                 key_lengths=None, causal="none", causal_offset=0, scale=0.0, scores=None, log_sum_exp=False, out=None,
                 **options):
        """query [batch, heads, queries, head_dim], key and value [batch, kv_heads, keys, dim], of which the batch may
        be left out, or a cache. Returns [batch, heads, queries, value_dim], or an Attended if `scores` (True, or a stage)
        or log_sum_exp are asked for. Options are those of heed_attention_options."""
        config = self.plan.config
        single = isinstance(query, np.ndarray) and query.ndim == 3
        query = floats(with_batch(query, 4, "query"), (None, config.heads, None, config.head_dim), "query")
        batch, _, queries, _ = query.shape
        inputs = d.AttentionInputs(batch=batch, query_count=queries, query=tensor(query), scale=float(scale))
        if batch == 0:
            raise ValueError("query: the batch has no entry")
        inputs.causal = enumerator(d.Causal, causal, "causal")
        inputs.causal_offset = whole(causal_offset, "causal_offset", ctypes.c_int32)
        ids = optional_integers(sequence_ids, (batch,), "sequence_ids")
        pages = optional_integers(page_table, (batch, None), "page_table")
        lengths = optional_integers(key_lengths, (batch,), "key_lengths")
        if cache is not None:
            keys = self._read_cache(inputs, cache, key, value, ids, pages, lengths)
        else:
            if ids is not None or pages is not None:
                raise ValueError("sequence_ids and page_table go with a cache")
            key = floats(with_batch(key, 4, "key"), (batch, config.kv_heads, None, config.head_dim), "key")
            keys = key.shape[2]
            value = floats(with_batch(value, 4, "value"), (batch, config.kv_heads, keys, config.value_dim), "value")
            inputs.key_count, inputs.key, inputs.value = keys, tensor(key), tensor(value)
        inputs.sequence_ids, inputs.page_table, inputs.key_lengths = address(ids), address(pages), address(lengths)

        shape = (batch, config.heads, queries, keys)
        struct, kept = attention_options(shape, options)
        given = out[np.newaxis] if single and isinstance(out, np.ndarray) and out.ndim == 3 else out
        result = output(given, (batch, config.heads, queries, config.value_dim), "out", (query, key, value))
        selection = options.get("score_selection")
        rows, stage = score_output(scores, selected_shape(selection, shape))
        sums = np.empty(shape[:3], np.float32) if log_sum_exp else None
        outputs = d.AttentionOutputs(output=mutable_tensor(result), score_stage=stage, log_sum_exp=address(sums))
        if rows is not None:
            outputs.scores = mutable_tensor(rows)
        with cache._lock if cache is not None else contextlib.nullcontext():
            self._call(inputs, struct, outputs)
        del kept
        results = [one[0] if single and one is not None else one for one in (result, rows, sums)]
        if out is not None:
            results[0] = out
        return results[0] if rows is None and sums is None else Attended(*results)

    @staticmethod
    def _read_cache(inputs, cache, key, value, ids, pages, lengths):
        if not isinstance(cache, KvCache):
            raise TypeError(f"cache: a KvCache is needed, not {type(cache).__name__}")
        if key is not None or value is not None:
            raise ValueError("key and value come from the cache")
        inputs.cache = cache.pointer
        if pages is not None:
            if lengths is None:
                raise ValueError("key_lengths go with a page_table")
            inputs.max_pages = pages.shape[1]
            return int(lengths.max())
        sequences = range(inputs.batch) if ids is None else ids
        return max(cache.length(int(one)) for one in sequences)

    def _call(self, inputs, options, outputs):
        arena, executor = self._arena, self._workers.executor
        with self._lock:
            if options is None:
                status = c.heed_attend(self.plan._struct, arena.ctypes.data, arena.size, inputs, outputs, executor)
            else:
                status = c.heed_attend_with_options(self.plan._struct, arena.ctypes.data, arena.size, inputs, options,
                                                    outputs, executor)
        check(status, "attend")


@functools.lru_cache(maxsize=64)
def _planned(heads, kv_heads, head_dim, value_dim):
    return Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, value_dim=value_dim)


def attend(query, key, value, **keywords):
    """Attention()(...) with a plan from the shapes of its arrays."""
    shapes = []
    for array, what in ((query, "query"), (key, "key"), (value, "value")):
        require_array(array, np.float32, what)
        if array.ndim not in (3, 4):
            raise ValueError(f"{what}: [batch, heads, rows, dim] is needed, not {list(array.shape)}")
        shapes.append(array.shape)
    return _planned(shapes[0][-3], shapes[1][-3], shapes[0][-1], shapes[2][-1])(query, key, value, **keywords)


def merge(parts, log_sum_exp=False):
    """Attention over the keys of all parts together, of [(output, log_sum_exp)] that calls returned."""
    parts = list(parts)
    if not parts:
        raise ValueError("parts: one at least is needed, for its shape")
    structs = (d.PartialAttention * len(parts))()
    shape = None
    for i, (values, sums) in enumerate(parts):
        floats(values, shape or (None,) * 4, f"part {i}")
        shape = values.shape
        floats(sums, shape[:3], f"part {i}'s log_sum_exp")
        if not sums.flags.c_contiguous:
            raise ValueError(f"part {i}'s log_sum_exp: the array is not contiguous")
        structs[i] = d.PartialAttention(tensor(values), sums.ctypes.data)
    result = np.empty(shape, np.float32)
    sums = np.empty(shape[:3], np.float32) if log_sum_exp else None
    check(c.heed_merge(*shape, structs, len(parts), mutable_tensor(result), address(sums)), "merge")
    return (result, sums) if log_sum_exp else result


def mean_over_heads(scores, out=None):
    """[batch, queries, keys] of scores [batch, heads, queries, keys]."""
    floats(scores, (None,) * 4, "scores")
    batch, heads, queries, keys = scores.shape
    result = output(out, (batch, queries, keys), "out", (scores,))
    check(c.heed_mean_over_heads(batch, heads, queries, keys, tensor(scores), mutable_matrix(result)),
          "mean_over_heads")
    return result
