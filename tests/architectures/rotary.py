# SPDX-License-Identifier: MIT
"""Rotary positions (https://arxiv.org/abs/2104.09864) in the halves' layout, and how configurations stretch them."""
import math

import numpy as np


def frequencies(dim, base):
    return base ** -(np.arange(0, dim, 2) / dim)


def linear_scaling(inverse, scaling):
    return inverse / scaling["factor"]


def llama3_scaling(inverse, scaling):
    """Llama 3.1: long waves are stretched, short ones not, those between in proportion."""
    factor, low, high = (scaling[name] for name in ("factor", "low_freq_factor", "high_freq_factor"))
    original = scaling["original_max_position_embeddings"]
    waves = original * inverse / (2 * math.pi)  # in the length of the pretraining
    smooth = np.clip((waves - low) / (high - low), 0, 1)
    return (1 - smooth) * inverse / factor + smooth * inverse


def yarn_scaling(inverse, scaling, base, original):
    """https://arxiv.org/abs/2309.00071, section 3.2, between whole dimensions as its code has them."""
    dim = 2 * len(inverse)

    def dimension(rotations):
        return dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(dimension(scaling.get("beta_fast") or 32)), 0)
    high = min(math.ceil(dimension(scaling.get("beta_slow") or 1)), dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low if high != low else 0.001), 0, 1)
    return inverse / scaling["factor"] * ramp + inverse * (1 - ramp)


def yarn_factor(scaling):
    """What cosines and sines are multiplied by."""
    if scaling.get("attention_factor") is not None:
        return scaling["attention_factor"]

    def stretch(scale):
        return 1.0 if scaling["factor"] <= 1 else 0.1 * scale * math.log(scaling["factor"]) + 1

    if scaling.get("mscale") and scaling.get("mscale_all_dim"):
        return stretch(scaling["mscale"]) / stretch(scaling["mscale_all_dim"])
    return stretch(1)


def cosines(rows, dim, base, scaling=None, max_positions=0):
    """[rows, dim / 2] of cosines and of sines."""
    inverse, factor = frequencies(dim, base), 1.0
    kind = (scaling or {}).get("rope_type") or (scaling or {}).get("type") or "default"
    if kind == "linear":
        inverse = linear_scaling(inverse, scaling)
    elif kind == "llama3":
        inverse = llama3_scaling(inverse, scaling)
    elif kind == "yarn":
        inverse = yarn_scaling(inverse, scaling, base, scaling.get("original_max_position_embeddings") or max_positions)
        factor = yarn_factor(scaling)
    elif kind != "default":
        raise NotImplementedError(kind)
    angles = np.arange(rows)[:, None] * inverse
    return factor * np.cos(angles), factor * np.sin(angles)


def rotate(x, cosine, sine):
    """x [heads, rows, head_dim]: element i of the first half turns with element i of the second; what is longer than
    both halves stays as it is."""
    half = cosine.shape[-1]
    first, second, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine, rest], -1)
