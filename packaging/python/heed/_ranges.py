# SPDX-License-Identifier: MIT
"""Which argument a refusal is about, and what it may be. The library decides; this only finds the words for it."""
import numpy as np

GREATEST = 2.358e38  # of a scale and of a sink
MOST_WINDOW = 2**31
SCALE = "0 means 1 / sqrt(head_dim)"


def outside(name, values, least, most, zero=""):
    """(name, words) of a number, or of one in an array, that is not from `least` to `most`, nor 0 where that means
    `zero`; `most` is one, or has the shape of the array. None where there is none."""
    values, most = np.asarray(values), np.broadcast_to(most, np.shape(values))
    for index in np.ndindex(values.shape):
        value = values[index]
        if not least <= value <= most[index] and not (zero and value == 0):
            where = f"{name}{list(index) if index else ''} {value:.10g}: "
            return name, where + (f"0, which means {zero}, or " if zero else "") + allowed(least, most[index])
    return None


def allowed(least, most):
    return f"{least:.10g} to {most:.10g} are allowed" if least < most else f"{most:.10g} is allowed"


def first(*found):
    return next((one for one in found if one is not None), None)


def of_inputs(scale, lengths, keys, most_keys):
    """`keys` are those of each entry, `most_keys` the plan's."""
    named = None
    if outside("scale", abs(scale), 2.0**-126, GREATEST, zero="any"):
        named = "scale", f"scale {scale:.10g}: a size of 1.18e-38 to 2.358e+38 is allowed, and {SCALE}"
    return first(named, outside("keys", max(keys), 0, most_keys),
                 None if lengths is None else outside("key_lengths", lengths, 0, keys))


def of_options(struct, given, queries):
    """`struct` is filled with the numbers of `given`, keywords with the arrays that the library has seen."""
    if "sink_logits" in given and struct.smooth_softmax:
        return "smooth_softmax", "smooth_softmax is a sink of 0 for every head, and does not go with sink_logits"
    return first(
        outside("left_window", struct.left_window, 0, MOST_WINDOW),
        outside("right_window", struct.right_window, 0, MOST_WINDOW),
        outside("softcap", struct.softcap, 1e-30, 1e30, zero="none"),
        outside("sink_logits", given["sink_logits"], -np.inf, GREATEST) if "sink_logits" in given else None,
        outside("query_lengths", given["query_lengths"], 0, queries) if "query_lengths" in given else None)
