# SPDX-License-Identifier: MIT
"""A multi-head layer with its projections and its cache."""
import ctypes

import numpy as np

from . import _declarations as d
from ._attention import Attended, attended, lifted
from ._cache import CacheCalls, Snapshots, storage_of
from ._entries import Entries
from ._errors import check
from ._library import c
from ._options import NAMES, Options
from ._plans import described, enumerator, multi_head_plan, real, whole
from ._positions import Rotary
from ._ranges import SCALE, first, of_inputs, outside
from ._signatures import members_of, options_of, signature_of
from ._turn import Turn
from ._views import (address, aligned, byref, dense, fitting, memory, mutable_matrix, mutable_tensor, octets,
                     optional_integers, output)
from ._weights import multi_head_weights, weight_format
from ._workers import workers_of


class LayerCache(CacheCalls):
    """That of a layer, in the layer's state."""

    def __init__(self, layer):
        self._layer = layer  # which keeps the state
        self._turn = layer._turn
        self._config = layer.plan._struct.cache.config
        self.pointer = c.heed_multi_head_cache(layer._object)


class MultiHeadAttention(Snapshots):
    """Keywords are members of heed_multi_head_config, and weights as PyTorch stores them, float32 [out, in]: `query`,
    `key`, `value`, `output` and `*_bias`; or `in_proj`, in_proj_bias, `output` and output_bias; or `packed`, what
    another layer of an equal plan has in `.packed`. They are copied into packed weights."""

    @members_of(d.MultiHeadConfig)
    def __init__(self, *, query=None, key=None, value=None, in_proj=None, output=None, query_bias=None, key_bias=None,
                 value_bias=None, in_proj_bias=None, output_bias=None, packed=None, rotary=None, state=None,
                 scratch=None, bind=False, threads=None, **config):
        self.plan = multi_head_plan(**config)
        plan = self.plan
        if rotary is not None and not isinstance(rotary, Rotary):
            raise TypeError(f"rotary: a Rotary is needed, not {type(rotary).__name__}")
        self._rotary = rotary
        self._workers = workers_of(plan.config.workers, threads)
        biases = {"query": query_bias, "key": key_bias, "value": value_bias}
        given = {"query": query, "key": key, "value": value}
        if packed is not None:
            if any(one is not None for one in (*given.values(), *biases.values(), in_proj, in_proj_bias, output,
                                               output_bias)):
                raise ValueError("packed: other weights mean nothing beside it")
            self.packed = octets(packed, "packed")
        else:
            weights = multi_head_weights(plan, given, biases, in_proj, in_proj_bias, output, output_bias)
            self.packed = aligned(plan.weights_bytes)
            check(c.heed_pack_rounded_weights(plan._struct, weights, self.packed.ctypes.data, self.packed.size),
                  "pack_rounded_weights")
        self._state = memory(state, plan.state_bytes, "state")
        self._scratch = memory(scratch, plan.scratch_bytes, "scratch")
        self._turn = Turn(scratch)
        made = plan.config
        self._storage = storage_of((made.key_type, made.value_type), made.ring)
        self._object = d.MultiHeadAttentionObject()
        if bind:
            self._bind(self._state, self._object)
        else:
            self._start(c.heed_multi_head_init, self._object, self._state)
        if state is not None:
            self._turn.take(state)
        self.cache = LayerCache(self)

    def __repr__(self):
        shown = described(self.plan.config, "model_dim", "heads", "kv_heads", "max_keys", "weight_type", "key_type",
                          "value_type", "row_type")
        plan = self.plan
        return (f"<heed.MultiHeadAttention {shown}, {plan.weights_bytes} bytes of weights, {plan.state_bytes} of "
                f"state, {plan.scratch_bytes} of scratch>")

    def _start(self, function, layer, state):
        made = self.plan.config
        weights = d.PackedWeights(self.packed.ctypes.data, self.packed.size,
                                  weight_format(made.weight_type, (made.row_type, made.output_row_type)))
        check(function(layer, self.plan._struct, state.ctypes.data, state.size, self._scratch.ctypes.data,
                       self._scratch.size, weights, self._storage), "bind" if function is c.heed_multi_head_bind
              else "init")

    def _bind(self, state, layer):
        self._start(c.heed_multi_head_bind, layer, state)

    def _options(self, struct, positions):
        options = d.MultiHeadOptions()
        if struct is not None:
            options.attention = struct
        if self._rotary is not None:
            options.rotary = ctypes.pointer(self._rotary._struct)
        options.positions = positions
        return options

    def _keys(self, batch, tokens, entries, appends):
        """Those of each entry, after what the call appends."""
        more, most = (tokens if appends != "attend" else 0), self.plan._struct.config.max_keys
        if entries.pages is not None:
            return [int(one) + more for one in ([0] * batch if entries.past is None else entries.past)]
        before = [0] * batch if appends == "encode" else self.cache.keys_of(batch, entries.ids, None, None)
        return [min(one + more, most) for one in before]

    def append(self, x, *, sequence_ids=None, page_table=None, past_lengths=None, positions=None):
        """Keys and values of x [batch, tokens, kv_input_dim] to the cache."""
        entries = Entries(self, sequence_ids, page_table, past_lengths, positions)

        def call(executor):
            with self._turn(changes=True):
                inputs, batch, tokens = entries.inputs(x, self.plan.config.kv_input_dim)
                where = fitting(entries.positions, (batch, tokens), "positions")
                if self._rotary is not None:
                    status = c.heed_multi_head_append_with_options(self._object, inputs, self._options(None, where),
                                                                   executor)
                else:
                    status = c.heed_multi_head_append(self._object, inputs, executor)
                check(status, "append", lambda: self._no_room("append", batch, tokens, entries))

        self._workers.run(call)

    @options_of(NAMES)
    def _run(self, name, x, *, sequence_ids=None, page_table=None, past_lengths=None, key_lengths=None, causal="none",
             causal_offset=0, scale=0.0, positions=None, scores=None, log_sum_exp=False, head_outputs=False, out=None,
             **options):
        # What may run code of the caller's comes first; sizes are read in the call's turn.
        entries = Entries(self, sequence_ids, page_table, past_lengths, positions)
        entries.lengths = optional_integers(key_lengths, "key_lengths")
        entries.causal = enumerator(d.Causal, causal, "causal")
        if name == "prefill" and entries.causal != d.Causal.none:
            raise ValueError("causal: prefill is causal by itself")
        entries.causal_offset = whole(causal_offset, "causal_offset", ctypes.c_int32)
        entries.scale = real(scale, "scale", SCALE)
        wanted = Options(options, scores)
        more = bool(log_sum_exp), bool(head_outputs)

        def call(executor):
            with self._turn(changes=name != "attend"):
                return self._attend(executor, name, x, entries, wanted, *more, out)

        return self._workers.run(call)

    def _attend(self, executor, name, x, entries, wanted, log_sum_exp, head_outputs, out):
        config = self.plan._struct.config
        single = isinstance(x, np.ndarray) and x.ndim == 2
        inputs, batch, tokens = entries.inputs(x, config.model_dim)
        held = self._keys(batch, tokens, entries, name)
        shape = (batch, config.heads, tokens, max(held))
        struct = wanted.fit(shape)
        result = output(lifted(out, single, 3), (batch, tokens, config.output_dim), "out", (x,))
        rows = wanted.scores(shape)
        sums = np.empty(shape[:3], np.float32) if log_sum_exp else None
        heads = np.empty((*shape[:3], config.value_dim), np.float32) if head_outputs else None
        outputs = d.MultiHeadOutputs(output=mutable_matrix(result), log_sum_exp=address(sums))
        if rows is not None:
            outputs.scores, outputs.score_stage = mutable_tensor(rows), wanted.stage
        if heads is not None:
            outputs.head_outputs = mutable_tensor(heads)
        where = fitting(entries.positions, (batch, tokens), "positions")
        function, arguments = getattr(c, f"heed_multi_head_{name}"), [self._object, inputs, byref(outputs), executor]
        if struct is not None or self._rotary is not None:
            function = getattr(c, f"heed_multi_head_{name}_with_options")
            arguments.insert(2, self._options(struct, where))
        check(function(*arguments), name,
              lambda: first(of_inputs(inputs.scale, entries.lengths, held, config.max_keys), wanted.why(tokens),
                            self._no_room(name, batch, tokens, entries)))
        plain = attended(single, out, result, rows, sums)
        if heads is None:
            return plain
        return (plain if isinstance(plain, Attended) else Attended(plain, None, None)), heads[0] if single else heads

    def _no_room(self, name, batch, tokens, entries):
        """Words about the first entry that has no room for what the call appends."""
        if name == "attend" or entries.pages is not None:
            return None
        sequences = range(batch) if entries.ids is None else entries.ids
        if name == "encode":
            return outside("tokens", tokens, 1, self.plan.config.max_keys)
        return first(*(self.cache.room(int(one), tokens) for one in sequences))

    @signature_of(_run, without=("name",))
    def attend(self, x, **keywords):
        """From x [batch, tokens, model_dim] over what the cache holds. As in Attention, `scores`, log_sum_exp and
        options may be asked for; head_outputs=True returns (Attended, [batch, heads, tokens, value_dim])."""
        return self._run("attend", x, **keywords)

    @signature_of(_run, without=("name",))
    def prefill(self, x, **keywords):
        """Appends x, and attends causally."""
        return self._run("prefill", x, **keywords)

    @signature_of(_run, without=("name",))
    def encode(self, x, **keywords):
        """Empties the sequences, appends x, and attends."""
        return self._run("encode", x, **keywords)

    def decode(self, x, sequence=0, out=None):
        """Prefill of one token, x [model_dim]."""
        config = self.plan._struct.config
        sequence = self.cache._sequence(sequence, "decode")
        dense(x, (config.model_dim,), "x")
        result = dense(output(out, (config.output_dim,), "out", (x,)), (config.output_dim,), "out")

        def call(executor):
            with self._turn(changes=True):
                arguments = [self._object, x.ctypes.data, result.ctypes.data, sequence, executor]
                if self._rotary is None:
                    status = c.heed_multi_head_decode(*arguments)
                else:
                    arguments.insert(4, self._options(None, None))
                    status = c.heed_multi_head_decode_with_options(*arguments)
                check(status, "decode", lambda: self.cache.room(sequence, 1))

        self._workers.run(call)
        return result
