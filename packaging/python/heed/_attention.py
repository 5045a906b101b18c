# SPDX-License-Identifier: MIT
"""Scaled dot-product attention on numpy arrays."""
import contextlib
import ctypes
import functools
import typing

import numpy as np

from . import _declarations as d
from ._cache import KvCache
from ._errors import check
from ._library import c
from ._options import NAMES, Options
from ._plans import attention_plan, described, enumerator, real, whole
from ._ranges import SCALE, first, of_inputs
from ._signatures import members_of, options_of, signature_of
from ._turn import Turn
from ._views import (address, dense, fitting, floats, memory, mutable_matrix, mutable_tensor, optional_integers, output,
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


def lifted(out, single, dimensions):
    """The caller's output with a batch of 1, where the input had none."""
    return with_batch(out, dimensions, "out") if single else out


class Attention:
    """A plan with its scratch. Keywords are members of heed_attention_config; an object is for one call at a time."""

    @members_of(d.AttentionConfig)
    def __init__(self, *, arena=None, threads=None, **config):
        self.plan = attention_plan(**config)
        self._arena = memory(arena, self.plan.bytes, "arena")
        self._workers = workers_of(self.plan.config.workers, threads)
        self._turn = Turn(arena)

    def __repr__(self):
        shown = described(self.plan.config, "heads", "kv_heads", "head_dim", "max_keys", "workers")
        return f"<heed.Attention {shown}, {self.plan.bytes} bytes>"

    @options_of(NAMES)
    def __call__(self, query, key=None, value=None, *, cache=None, sequence_ids=None, page_table=None,
                 key_lengths=None, causal="none", causal_offset=0, scale=0.0, scores=None, log_sum_exp=False, out=None,
                 **options):
        """query [batch, heads, queries, head_dim], key and value [batch, kv_heads, keys, dim], of which the batch may
        be left out, or a cache. Returns [batch, heads, queries, value_dim], or an Attended if `scores` (True, or a
        stage) or log_sum_exp are asked for. help(heed.attend) says what the options are."""
        # What may run code of the caller's comes first; sizes are read in the call's turn.
        inputs = d.AttentionInputs(scale=real(scale, "scale", SCALE))
        inputs.causal = enumerator(d.Causal, causal, "causal")
        inputs.causal_offset = whole(causal_offset, "causal_offset", ctypes.c_int32)
        ids = optional_integers(sequence_ids, "sequence_ids")
        pages = optional_integers(page_table, "page_table")
        lengths = optional_integers(key_lengths, "key_lengths")
        wanted = Options(options, scores)
        more = bool(log_sum_exp), out
        if cache is None:
            if ids is not None or pages is not None:
                raise ValueError("sequence_ids and page_table go with a cache")
        elif not isinstance(cache, KvCache):
            raise TypeError(f"cache: a KvCache is needed, not {type(cache).__name__}")
        elif key is not None or value is not None:
            raise ValueError("key and value come from the cache")
        elif pages is not None and lengths is None:
            raise ValueError("key_lengths go with a page_table")
        elif pages is not None and ids is not None:
            raise ValueError("sequence_ids mean nothing beside a page_table")

        def call(executor):
            with cache._turn() if cache is not None else contextlib.nullcontext(), self._turn():
                return self._attend(executor, inputs, query, key, value, cache, ids, pages, lengths, wanted, *more)

        return self._workers.run(call)

    def _attend(self, executor, inputs, query, key, value, cache, ids, pages, lengths, wanted, log_sum_exp, out):
        config = self.plan._struct.config
        single = isinstance(query, np.ndarray) and query.ndim == 3
        query = floats(with_batch(query, 4, "query"), (None, config.heads, None, config.head_dim), "query")
        batch, _, queries, _ = query.shape
        if batch == 0:
            raise ValueError("query: the batch has no entry")
        inputs.batch, inputs.query_count, inputs.query = batch, queries, tensor(query)
        inputs.sequence_ids = fitting(ids, (batch,), "sequence_ids")
        inputs.page_table = fitting(pages, (batch, None), "page_table")
        inputs.key_lengths = fitting(lengths, (batch,), "key_lengths")
        if cache is not None:
            held = cache.keys_of(batch, ids, pages, lengths)
            inputs.cache, inputs.max_pages = cache.pointer, 0 if pages is None else pages.shape[1]
        else:
            key = floats(with_batch(key, 4, "key"), (batch, config.kv_heads, None, config.head_dim), "key")
            held = [key.shape[2]] * batch
            value = floats(with_batch(value, 4, "value"), (batch, config.kv_heads, held[0], config.value_dim), "value")
            inputs.key_count, inputs.key, inputs.value = held[0], tensor(key), tensor(value)

        shape = (batch, config.heads, queries, max(held))
        options = wanted.fit(shape)
        result = output(lifted(out, single, 4), (batch, config.heads, queries, config.value_dim), "out",
                        (query, key, value))
        rows = wanted.scores(shape)
        sums = np.empty(shape[:3], np.float32) if log_sum_exp else None
        outputs = d.AttentionOutputs(output=mutable_tensor(result), log_sum_exp=address(sums))
        if rows is not None:
            outputs.scores, outputs.score_stage = mutable_tensor(rows), wanted.stage
        plan, arena = self.plan._struct, self._arena
        status = (c.heed_attend(plan, arena.ctypes.data, arena.size, inputs, outputs, executor) if options is None else
                  c.heed_attend_with_options(plan, arena.ctypes.data, arena.size, inputs, options, outputs, executor))
        check(status, "attend", lambda: first(of_inputs(inputs.scale, lengths, held, config.max_keys),
                                              wanted.why(queries)))
        return attended(single, out, result, rows, sums)


@functools.lru_cache(maxsize=64)
def _planned(heads, kv_heads, head_dim, value_dim):
    return Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, value_dim=value_dim)


def attended(single, out, result, *others):
    """What a call returns: its output alone, or an Attended with what else was asked for, without a batch that the
    input did not have."""
    results = [one[0] if single and one is not None else one for one in (result, *others)]
    if out is not None:
        results[0] = out
    return results[0] if all(one is None for one in others) else Attended(*results)


@signature_of(Attention.__call__, without=("self", "cache", "sequence_ids", "page_table"))
def attend(query, key, value, **keywords):
    """Attention()(...) with a plan from the shapes of its arrays: query [batch, heads, queries, head_dim], key and
    value [batch, kv_heads, keys, dim], float32, of which the batch may be left out.

    key_lengths, query_lengths [batch]: how many there are, the first; prefix_lengths [batch]: keys never causal
    causal: none, top_left, bottom_right or offset, with causal_offset, or causal_offsets [batch]
    scale: 0 means 1 / sqrt(head_dim)
    scores: True for the weights, or a stage, raw, softcapped, masked or weights; score_selection: (first head, heads,
        first query, queries) of them, where a count of 0 means all; log_sum_exp: True for that of each row
    left_window, right_window: keys on each side of a query, its own included; 0 means all
    softcap: 1e-30 to 1e30; 0 means none
    mask: bool or uint8, true where a query sees a key; mask_bits: eight keys a byte, the lowest bit first;
        additive_mask, pre_softcap_bias: float32; all broadcast to [batch, heads, queries, keys]
    alibi_slopes, sink_logits: float32 [heads]; smooth_softmax: True for a sink of 0; relative_bias: a RelativeBias
    out: float32, which the result is written to"""
    shapes = []
    for array, what in ((query, "query"), (key, "key"), (value, "value")):
        require_array(array, np.float32, what)
        if array.ndim not in (3, 4):
            raise ValueError(f"{what}: [batch, heads, rows, dim] is needed, not {list(array.shape)}")
        shapes.append(array.shape)
    return _planned(shapes[0][-3], shapes[1][-3], shapes[0][-1], shapes[2][-1])(query, key, value, **keywords)


def merge(parts, log_sum_exp=False):
    """Attention over the keys of all parts together, of [(output, log_sum_exp)] that calls returned."""
    parts = [tuple(part) for part in parts]  # which holds arrays that an iterator makes
    if not parts:
        raise ValueError("parts: one at least is needed, for its shape")
    structs = (d.PartialAttention * len(parts))()
    shape = None
    for i, (values, sums) in enumerate(parts):
        floats(values, shape or (None,) * 4, f"part {i}")
        shape = values.shape
        dense(sums, shape[:3], f"part {i}'s log_sum_exp")
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
