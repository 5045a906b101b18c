# SPDX-License-Identifier: MIT
"""A multi-head layer with its projections and its cache."""
import ctypes
import threading

import numpy as np

from . import _declarations as d
from ._attention import Attended, score_output, with_batch
from ._cache import CacheCalls, Snapshots, storage_of
from ._errors import check
from ._library import addresses, c
from ._options import attention_options, selected_shape
from ._plans import enumerator, multi_head_plan, whole
from ._positions import Rotary
from ._views import (address, aligned, byref, dense, floats, matrix, memory, mutable_matrix, mutable_tensor, octets,
                     optional_integers, output)
from ._workers import workers_of

WEIGHT_FORMATS = {
    d.DataType.float16: "heed_float16_weights", d.DataType.bfloat16: "heed_bfloat16_weights",
    d.DataType.int8: "heed_int8_weights", d.DataType.int8_groups: "heed_int8_group_weights",
    d.DataType.int4_groups: "heed_int4_group_weights", d.DataType.int8_multipliers: "heed_int8_multiplier_weights",
    d.DataType.int4_multipliers: "heed_int4_multiplier_weights",
}


def weight_format(kind, row_types):
    """The address of what multiplies rows of some types by weights of a type; None for float32."""
    if kind == d.DataType.int8 and any(row_types):
        return addresses["heed_int8_integer_weights" if all(row_types) else "heed_int8_mixed_weights"]
    return addresses[WEIGHT_FORMATS[kind]] if kind in WEIGHT_FORMATS else None


class LayerCache(CacheCalls):
    """That of a layer, in the layer's state."""

    def __init__(self, layer):
        self._layer = layer  # which keeps the state
        self._lock = layer._lock
        self.pointer = c.heed_multi_head_cache(layer._object)


class MultiHeadAttention(Snapshots):
    """Keywords are members of heed_multi_head_config, and weights as PyTorch stores them, float32 [out, in]: `query`,
    `key`, `value`, `output` and `*_bias`; or `in_proj`, in_proj_bias, `output` and output_bias; or `packed`, what
    another layer of an equal plan has in `.packed`. They are copied into packed weights."""

    def __init__(self, *, query=None, key=None, value=None, in_proj=None, output=None, query_bias=None, key_bias=None,
                 value_bias=None, in_proj_bias=None, output_bias=None, packed=None, rotary=None, state=None,
                 scratch=None, bind=False, threads=None, **config):
        self.plan = multi_head_plan(**config)
        plan = self.plan
        if rotary is not None and not isinstance(rotary, Rotary):
            raise TypeError(f"rotary: a Rotary is needed, not {type(rotary).__name__}")
        self._rotary = rotary
        self._lock = threading.RLock()
        self._workers = workers_of(plan.config.workers, threads)
        biases = {"query": query_bias, "key": key_bias, "value": value_bias}
        given = {"query": query, "key": key, "value": value}
        if packed is not None:
            if any(one is not None for one in (*given.values(), *biases.values(), in_proj, in_proj_bias, output,
                                               output_bias)):
                raise ValueError("packed: other weights mean nothing beside it")
            self.packed = octets(packed, "packed")
        else:
            weights = self._weights(given, biases, in_proj, in_proj_bias, output, output_bias)
            self.packed = aligned(plan.weights_bytes)
            check(c.heed_pack_rounded_weights(plan._struct, weights, self.packed.ctypes.data, self.packed.size),
                  "pack_rounded_weights")
        self._state = memory(state, plan.state_bytes, "state")
        self._scratch = memory(scratch, plan.scratch_bytes, "scratch")
        made = plan.config
        self._storage = storage_of((made.key_type, made.value_type), made.ring)
        self._object = d.MultiHeadAttentionObject()
        if bind:
            self._bind(self._state, self._object)
        else:
            self._start(c.heed_multi_head_init, self._object, self._state)
        self.cache = LayerCache(self)

    def _start(self, function, layer, state):
        made = self.plan.config
        weights = d.PackedWeights(self.packed.ctypes.data, self.packed.size,
                                  weight_format(made.weight_type, (made.row_type, made.output_row_type)))
        check(function(layer, self.plan._struct, state.ctypes.data, state.size, self._scratch.ctypes.data,
                       self._scratch.size, weights, self._storage), "bind" if function is c.heed_multi_head_bind
              else "init")

    def _weights(self, given, biases, in_proj, in_proj_bias, out, out_bias):
        config = self.plan.config
        rows = {"query": config.heads * config.head_dim, "key": config.kv_heads * config.head_dim,
                "value": config.kv_heads * config.value_dim}
        columns = {"query": config.model_dim, "key": config.kv_input_dim, "value": config.kv_input_dim}
        width = config.heads * config.value_dim
        dense(out, (config.output_dim, width), "output")
        if out_bias is not None:
            dense(out_bias, (config.output_dim,), "output_bias")
        weights = d.MultiHeadWeights()
        if in_proj is not None:
            if any(one is not None for one in (*given.values(), *biases.values())):
                raise ValueError("in_proj: query, key and value mean nothing beside it")
            if config.kv_input_dim != config.model_dim:
                raise ValueError("in_proj: keys and values come from another input")
            dense(in_proj, (sum(rows.values()), config.model_dim), "in_proj")
            if in_proj_bias is not None:
                dense(in_proj_bias, (sum(rows.values()),), "in_proj_bias")
            check(c.heed_split_packed(self.plan._struct, address(in_proj), address(in_proj_bias), address(out),
                                      address(out_bias), weights), "split_packed")
            return weights
        if in_proj_bias is not None:
            raise ValueError("in_proj_bias goes with in_proj")
        for name in rows:
            setattr(weights, name, address(dense(given[name], (rows[name], columns[name]), name)))
            if biases[name] is not None:
                setattr(weights, f"{name}_bias", address(dense(biases[name], (rows[name],), f"{name}_bias")))
        weights.output, weights.output_bias = address(out), address(out_bias)
        return weights

    def _bind(self, state, layer):
        self._start(c.heed_multi_head_bind, layer, state)

    def _inputs(self, x, width, sequence_ids, page_table, past_lengths, what):
        x = floats(with_batch(x, 3, what), (None, None, width), what)
        batch, tokens, _ = x.shape
        if batch == 0:
            raise ValueError(f"{what}: the batch has no entry")
        kept = [optional_integers(sequence_ids, (batch,), "sequence_ids"),
                optional_integers(page_table, (batch, self.plan.config.max_pages), "page_table"),
                optional_integers(past_lengths, (batch,), "past_lengths")]
        inputs = d.MultiHeadInputs(batch=batch, tokens=tokens, input=matrix(x))
        inputs.sequence_ids, inputs.page_table, inputs.past_lengths = (address(one) for one in kept)
        return x, inputs, kept

    def _options(self, struct, positions):
        options = d.MultiHeadOptions()
        if struct is not None:
            options.attention = struct
        if self._rotary is not None:
            options.rotary = ctypes.pointer(self._rotary._struct)
        elif positions is not None:
            raise ValueError("positions go with a Rotary")
        options.positions = address(positions)
        return options

    def append(self, x, *, sequence_ids=None, page_table=None, past_lengths=None, positions=None):
        """Keys and values of x [batch, tokens, kv_input_dim] to the cache."""
        x, inputs, kept = self._inputs(x, self.plan.config.kv_input_dim, sequence_ids, page_table, past_lengths, "x")
        where = optional_integers(positions, x.shape[:2], "positions")
        with self._lock:
            check(c.heed_multi_head_append_with_options(self._object, inputs, self._options(None, where),
                                                        self._workers.executor)
                  if self._rotary is not None or where is not None else
                  c.heed_multi_head_append(self._object, inputs, self._workers.executor), "append")
        del kept

    def _keys(self, x, ids, pages, past, appends):
        """The most keys of an entry, after what the call appends."""
        more = x.shape[1] if appends != "attend" else 0
        config = self.plan.config
        most = 0
        for b in range(x.shape[0]):
            if pages is not None:
                most = max(most, (int(past[b]) if past is not None else 0) + more)
                continue
            sequence = int(ids[b]) if ids is not None else b
            before = 0 if appends == "encode" else self.cache.length(sequence)
            most = max(most, min(before + more, config.max_keys))
        return most

    def _run(self, name, x, *, sequence_ids=None, page_table=None, past_lengths=None, key_lengths=None, causal="none",
             causal_offset=0, scale=0.0, positions=None, scores=None, log_sum_exp=False, head_outputs=False, out=None,
             **options):
        config = self.plan.config
        single = isinstance(x, np.ndarray) and x.ndim == 2
        x, inputs, kept = self._inputs(x, config.model_dim, sequence_ids, page_table, past_lengths, "x")
        batch, tokens, _ = x.shape
        lengths = optional_integers(key_lengths, (batch,), "key_lengths")
        where = optional_integers(positions, (batch, tokens), "positions")
        inputs.key_lengths = address(lengths)
        if name == "prefill" and causal != "none":
            raise ValueError("causal: prefill is causal by itself")
        inputs.causal = enumerator(d.Causal, causal, "causal")
        inputs.causal_offset = whole(causal_offset, "causal_offset", ctypes.c_int32)
        inputs.scale = float(scale)
        with self._lock:
            shape = (batch, config.heads, tokens, self._keys(x, *kept, name))
            struct, alive = attention_options(shape, options)
            given = out[np.newaxis] if single and isinstance(out, np.ndarray) and out.ndim == 2 else out
            result = output(given, (batch, tokens, config.output_dim), "out", (x,))
            rows, stage = score_output(scores, selected_shape(options.get("score_selection"), shape))
            sums = np.empty(shape[:3], np.float32) if log_sum_exp else None
            heads = np.empty((*shape[:3], config.value_dim), np.float32) if head_outputs else None
            outputs = d.MultiHeadOutputs(output=mutable_matrix(result), score_stage=stage, log_sum_exp=address(sums))
            if rows is not None:
                outputs.scores = mutable_tensor(rows)
            if heads is not None:
                outputs.head_outputs = mutable_tensor(heads)
            arguments = [self._object, inputs, byref(outputs), self._workers.executor]
            function = getattr(c, f"heed_multi_head_{name}")
            if struct is not None or self._rotary is not None or where is not None:
                function = getattr(c, f"heed_multi_head_{name}_with_options")
                arguments.insert(2, self._options(struct, where))
            check(function(*arguments), name)
        del alive, kept
        results = [one[0] if single and one is not None else one for one in (result, rows, sums, heads)]
        if out is not None:
            results[0] = out
        if heads is not None:
            return (Attended(*results[:3]), results[3])
        return results[0] if rows is None and sums is None else Attended(*results[:3])

    def attend(self, x, **keywords):
        """From x [batch, tokens, model_dim] over what the cache holds. As in Attention, `scores`, log_sum_exp and
        options may be asked for; head_outputs=True returns (Attended, [batch, heads, tokens, value_dim])."""
        return self._run("attend", x, **keywords)

    def prefill(self, x, **keywords):
        """Appends x, and attends causally."""
        return self._run("prefill", x, **keywords)

    def encode(self, x, **keywords):
        """Empties the sequences, appends x, and attends."""
        return self._run("encode", x, **keywords)

    def decode(self, x, sequence=0, out=None):
        """Prefill of one token, x [model_dim]."""
        config = self.plan.config
        dense(x, (config.model_dim,), "x")
        result = output(out, (config.output_dim,), "out", (x,))
        sequence = whole(sequence, "sequence")
        with self._lock:
            if self._rotary is None:
                status = c.heed_multi_head_decode(self._object, x.ctypes.data, dense(result, result.shape, "out")
                                                  .ctypes.data, sequence, self._workers.executor)
            else:
                status = c.heed_multi_head_decode_with_options(self._object, x.ctypes.data,
                                                               dense(result, result.shape, "out").ctypes.data,
                                                               sequence, self._options(None, None),
                                                               self._workers.executor)
        check(status, "decode")
        return result
