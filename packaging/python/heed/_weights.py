# SPDX-License-Identifier: MIT
"""A layer's weights, and what multiplies rows by them."""
from . import _declarations as d
from ._errors import check
from ._library import addresses, c
from ._views import address, dense

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


def multi_head_weights(plan, given, biases, in_proj, in_proj_bias, out, out_bias):
    """The heed_multi_head_weights of arrays, which outlive it, checked against a plan."""
    config = plan.config
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
        check(c.heed_split_packed(plan._struct, address(in_proj), address(in_proj_bias), address(out),
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
