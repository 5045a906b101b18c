# SPDX-License-Identifier: MIT
"""Windows, masks, biases, softcap and sinks as keywords."""
import ctypes

import numpy as np

from . import _declarations as d
from ._errors import check
from ._library import c
from ._plans import enumerator, fill, relative_buckets_plan, whole
from ._ranges import first, of_options, outside
from ._signatures import members_of
from ._views import dense, fitting, floats, integers, require_array, require_shape, tensor

# Keywords that are members of heed_attention_options as they are, and arrays of whole numbers, one for each entry.
_NUMBERS = ("left_window", "right_window", "softcap", "smooth_softmax")
_INTEGERS = {"causal_offsets": np.int32, "query_lengths": np.uint32, "prefix_lengths": np.uint32}
NAMES = _NUMBERS + (*_INTEGERS, "mask", "mask_bits", "additive_mask", "pre_softcap_bias", "alibi_slopes",
                    "relative_bias", "sink_logits", "score_selection")


class RelativeBias:
    """values float32 [heads, left + 1 + right], or [1, ...] for all heads: the key at position p adds the one at
    clamp(p - query position, -left, right) + left."""

    def __init__(self, values, left):
        self._left = whole(left, "left")
        self._values = floats(values, (None, None), "values")
        if self._left >= values.shape[1]:
            raise ValueError(f"left {self._left}: the table has {values.shape[1]} columns")

    @property
    def values(self):
        return self._values

    @property
    def left(self):
        return self._left

    @property
    def right(self):
        return self._values.shape[1] - 1 - self._left


class RelativeBuckets:
    """T5's buckets: num_buckets, max_distance, directions."""

    @members_of(d.RelativeBucketsConfig)
    def __init__(self, **config):
        self.plan = relative_buckets_plan(**config)

    def bucket(self, relative_position):
        """That of a key at key position - query position."""
        return c.heed_relative_bucket(self.plan._struct, whole(relative_position, "relative_position", ctypes.c_int32))

    def expand(self, embedding):
        """The RelativeBias of T5's embedding, float32 [buckets, heads]."""
        dense(embedding, (self.plan.config.num_buckets, None), "embedding")
        heads = embedding.shape[1]
        values = np.empty((heads, self.plan.columns), np.float32)
        bias = d.RelativeBias()
        check(c.heed_expand_relative_bias(self.plan._struct, embedding.ctypes.data, embedding.size, heads,
                                          values.ctypes.data, values.size, bias), "expand_relative_bias")
        return RelativeBias(values, bias.left)


def alibi_slopes(heads):
    """ALiBi's slopes, float32 [heads]."""
    heads = whole(heads, "heads")
    slopes = np.empty(min(max(1, heads), 65536), np.float32)
    check(c.heed_alibi_slopes(heads, slopes.ctypes.data, slopes.size), "alibi_slopes",
          lambda: outside("heads", heads, 1, 65536))
    return slopes


def _broadcast(array, shape, what):
    """Strides of 0 where a mask is the same along a dimension; the keys are those of the call."""
    if array.ndim == 0 or array.ndim > 4 or array.shape[-1] != shape[-1]:
        raise ValueError(f"{what}: keys are the last dimension, and there are {shape[-1]}, not {list(array.shape)}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{what}: {list(array.shape)} does not broadcast to {list(shape)}") from None


def _bool_mask(array, shape, bits, what):
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what}: a numpy array is needed, not {type(array).__name__}")
    if array.dtype != np.bool_ or bits:
        require_array(array, np.uint8, what)
    columns = (shape[-1] + 7) // 8 if bits else shape[-1]
    view = _broadcast(array, (*shape[:-1], columns), what)
    if columns > 1 and view.strides[-1] != 1:
        raise ValueError(f"{what}: the last dimension is not contiguous")
    kind = d.MaskFormat.bits if bits else d.MaskFormat.bytes
    return d.BoolMask(view.ctypes.data, *view.strides[:-1], shape[-1], kind), view


def _bias(array, shape, what):
    require_array(array, np.float32, what)
    view = _broadcast(array, shape, what)
    floats(view, shape, what)
    return d.ScoreBias(tensor(view), shape[-1]), view


def _relative_bias(bias, heads):
    if not isinstance(bias, RelativeBias):
        raise TypeError(f"relative_bias: a RelativeBias is needed, not {type(bias).__name__}")
    values = bias.values
    require_shape(values, (1 if values.shape[0] == 1 else heads, None), "relative_bias")
    stride = 0 if values.shape[0] == 1 else values.strides[0] // 4
    return d.RelativeBias(values.ctypes.data, stride, bias.left, bias.right)


class Options:
    """Keywords of heed_attention_options. Numbers and lists are converted at once, which may run code of the caller's;
    fit() runs none, so that what it compares stays as it is until the call."""

    def __init__(self, given, scores):
        self.given = given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in NAMES:
                raise TypeError(f"there is no option {name}; there are {', '.join(NAMES)}")
        self.stage = None if scores is None or scores is False else (
            d.ScoreStage.weights if scores is True else enumerator(d.ScoreStage, scores, "scores"))
        self._struct = fill(d.AttentionOptions(), {name: given[name] for name in _NUMBERS if name in given})
        for name, dtype in _INTEGERS.items():
            if name in given:
                given[name] = integers(given[name], None, name, dtype)
        if "mask" in given and "mask_bits" in given:
            raise ValueError("mask and mask_bits: one of them is needed")
        if "score_selection" in given:
            selection = [whole(one, "score_selection") for one in given["score_selection"]]
            if len(selection) != 4:
                raise ValueError("score_selection: (first head, heads, first query, queries) is needed")
            given["score_selection"] = selection

    def fit(self, shape):
        """The heed_attention_options, or None, for scores [batch, heads, queries, keys]."""
        given, struct = self.given, self._struct
        if not given:
            return None
        batch, heads, queries, _ = shape
        self._kept = kept = []  # views, until the call has ended
        for name in _INTEGERS:
            if name in given:
                setattr(struct, name, fitting(given[name], (batch,), name))
        for name in ("alibi_slopes", "sink_logits"):
            if name in given:
                setattr(struct, name, dense(given[name], (heads,), name).ctypes.data)
        for name in ("mask", "mask_bits"):
            if name in given:
                struct.bool_mask, view = _bool_mask(given[name], shape, name == "mask_bits", name)
                kept.append(view)
        for name in ("additive_mask", "pre_softcap_bias"):
            if name in given:
                bias, view = _bias(given[name], shape, name)
                setattr(struct, name, bias)
                kept.append(view)
        if "relative_bias" in given:
            struct.relative_bias = _relative_bias(given["relative_bias"], heads)
        if "score_selection" in given:
            first_head, head_count, first_query, query_count = given["score_selection"]
            why = first(outside("first head", first_head, 0, heads - 1),
                        outside("heads", head_count, 0, heads - first_head),
                        outside("first query", first_query, 0, queries - 1),
                        outside("queries", query_count, 0, queries - first_query))
            if why:
                raise ValueError(f"score_selection: {why[1]}, of what is there")
            struct.score_selection = d.ScoreSelection(*given["score_selection"])
        return struct

    def scores(self, shape):
        """An array for the scores of a call, of all or of those that are selected; None unless they are asked for."""
        if self.stage is None:
            return None
        first_head, heads, first_query, queries = self.given.get("score_selection", (0, 0, 0, 0))
        selected = heads or shape[1] - first_head, queries or shape[2] - first_query
        return np.zeros((shape[0], *selected, shape[3]), np.float32)

    def why(self, queries):
        return of_options(self._struct, self.given, queries)
