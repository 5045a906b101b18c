# SPDX-License-Identifier: MIT
"""What the references share, in double precision: norms, activations, attention with every score in memory."""
import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def layer_norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return normal * weight + (0 if bias is None else bias)


def rms_norm(x, weight, epsilon):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * weight


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    """x times the normal distribution's integral up to x."""
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    """Its approximation in Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# By the names of configuration files.
ACTIVATIONS = {
    "gelu": gelu,
    "gelu_python": gelu,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "gelu_fast": gelu_tanh,
    "quick_gelu": lambda x: x * sigmoid(1.702 * x),
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x * sigmoid(x),
    "swish": lambda x: x * sigmoid(x),
}


def softcap(x, cap):
    return x if not cap else cap * np.tanh(x / cap)


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def linear(x, weight, bias=None):
    """weight [out, in], as nn.Linear keeps it."""
    y = x @ weight.T
    return y if bias is None else y + bias


def split_heads(x, heads):
    """[rows, heads * dim] as [heads, rows, dim]."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def join_heads(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def causal_mask(rows, window=0):
    """0 where row r may look at column c, -inf elsewhere: up to itself, the last `window` of them if given."""
    row, column = np.arange(rows)[:, None], np.arange(rows)[None, :]
    hidden = column > row
    if window:
        hidden |= column <= row - window
    return np.where(hidden, -np.inf, 0.0)


def attention(query, key, value, scale, mask=0.0, cap=0.0):
    """query [heads, rows, dim], key and value [kv_heads, keys, dim]; [rows, heads * dim]. Each key's head serves
    the query heads that follow each other."""
    groups = len(query) // len(key)
    key, value = key.repeat(groups, 0), value.repeat(groups, 0)
    scores = softcap(query @ key.swapaxes(1, 2) * scale, cap) + mask
    return join_heads(softmax(scores) @ value)
