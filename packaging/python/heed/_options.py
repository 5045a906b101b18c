# SPDX-License-Identifier: MIT
"""Windows, masks, biases, softcap and sinks as keywords."""
import ctypes

import numpy as np

from . import _declarations as d
from ._errors import check
from ._library import c
from ._plans import fill, relative_buckets_plan, whole
from ._views import dense, floats, optional_integers, require_array, require_shape, tensor

# Keywords that are members of heed_attention_options as they are.
_NUMBERS = ("left_window", "right_window", "softcap", "smooth_softmax")
NAMES = _NUMBERS + ("causal_offsets", "query_lengths", "prefix_lengths", "mask", "mask_bits", "additive_mask",
                    "pre_softcap_bias", "alibi_slopes", "relative_bias", "sink_logits", "score_selection")


class RelativeBias:
    """values float32 [heads, left + 1 + right], or [1, ...] for all heads: the key at position p adds the one at
    clamp(p - query position, -left, right) + left."""

    def __init__(self, values, left):
        self.values = floats(values, (None, None), "values")
        self.left = whole(left, "left")
        if self.left >= values.shape[1]:
            raise ValueError(f"left {left}: the table has {values.shape[1]} columns")
        self.right = values.shape[1] - 1 - self.left


class RelativeBuckets:
    """T5's buckets: num_buckets, max_distance, directions."""

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
    slopes = np.empty(max(1, whole(heads, "heads")), np.float32)
    check(c.heed_alibi_slopes(heads, slopes.ctypes.data, slopes.size), "alibi_slopes")
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


def selected_shape(selection, shape):
    """That of the scores that are asked for."""
    if selection is None:
        return shape
    first_head, heads, first_query, queries = selection
    return (shape[0], heads or shape[1] - first_head, queries or shape[2] - first_query, shape[3])


def attention_options(shape, given):
    """(heed_attention_options or None, what must stay alive) of keywords, for scores [batch, heads, queries, keys]."""
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in NAMES:
            raise TypeError(f"there is no option {name}; there are {', '.join(NAMES)}")
    if not given:
        return None, []
    batch, heads = shape[:2]
    options = fill(d.AttentionOptions(), {name: given[name] for name in _NUMBERS if name in given})
    kept = []

    def keep(array):
        kept.append(array)
        return array.ctypes.data

    for name, dtype in (("causal_offsets", np.int32), ("query_lengths", np.uint32), ("prefix_lengths", np.uint32)):
        if name in given:
            setattr(options, name, keep(optional_integers(given[name], (batch,), name, dtype)))
    for name in ("alibi_slopes", "sink_logits"):
        if name in given:
            setattr(options, name, keep(dense(given[name], (heads,), name)))
    if "mask" in given and "mask_bits" in given:
        raise ValueError("mask and mask_bits: one of them is needed")
    for name in ("mask", "mask_bits"):
        if name in given:
            if not isinstance(given[name], np.ndarray):
                raise TypeError(f"{name}: a numpy array is needed, not {type(given[name]).__name__}")
            options.bool_mask, view = _bool_mask(given[name], shape, name == "mask_bits", name)
            kept.append(view)
    for name in ("additive_mask", "pre_softcap_bias"):
        if name in given:
            bias, view = _bias(given[name], shape, name)
            setattr(options, name, bias)
            kept.append(view)
    if "relative_bias" in given:
        bias = given["relative_bias"]
        if not isinstance(bias, RelativeBias):
            raise TypeError(f"relative_bias: a RelativeBias is needed, not {type(bias).__name__}")
        require_shape(bias.values, (1 if bias.values.shape[0] == 1 else heads, None), "relative_bias")
        stride = 0 if bias.values.shape[0] == 1 else bias.values.strides[0] // 4
        options.relative_bias = d.RelativeBias(keep(bias.values), stride, bias.left, bias.right)
    if "score_selection" in given:
        selection = [whole(one, "score_selection") for one in given["score_selection"]]
        fits = len(selection) == 4 and selection[0] < heads and selection[2] < shape[2]
        if not fits or selection[1] > heads - selection[0] or selection[3] > shape[2] - selection[2]:
            raise ValueError("score_selection: (first head, heads, first query, queries) of what is there is needed")
        options.score_selection = d.ScoreSelection(*selection)
        given["score_selection"] = selection
    return options, kept
