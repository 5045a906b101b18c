# SPDX-License-Identifier: MIT
"""Decoders with LayerNorm to pack and run, and changes of their configuration's members."""
import numpy as np

import gpt

WITHOUT_MEANING = {"initializer_range": 0.02, "use_cache": True, "torch_dtype": "float32",
                   "transformers_version": "4.55.0", "bos_token_id": 1, "eos_token_id": 2}


def matrix(result, name, rows, columns, transposed=False, biased=True):
    result[name + ".weight"] = (columns, rows) if transposed else (rows, columns)
    if biased:
        result[name + ".bias"] = (rows,)


def norm(result, name, dim):
    result[name + ".weight"] = result[name + ".bias"] = (dim,)


def gpt2_shapes(c):
    dim, hidden = c["n_embd"], c["n_inner"]
    result = {"transformer.wte.weight": (c["vocab_size"], dim), "transformer.wpe.weight": (c["n_positions"], dim)}
    for block in range(c["n_layer"]):
        prefix = f"transformer.h.{block}."
        norm(result, prefix + "ln_1", dim)
        matrix(result, prefix + "attn.c_attn", 3 * dim, dim, True)
        matrix(result, prefix + "attn.c_proj", dim, dim, True)
        norm(result, prefix + "ln_2", dim)
        matrix(result, prefix + "mlp.c_fc", hidden, dim, True)
        matrix(result, prefix + "mlp.c_proj", dim, hidden, True)
    norm(result, "transformer.ln_f", dim)
    if not c["tie_word_embeddings"]:
        result["lm_head.weight"] = (c["vocab_size"], dim)
    return result


def neox_shapes(c):
    dim, hidden = c["hidden_size"], c["intermediate_size"]
    result = {"gpt_neox.embed_in.weight": (c["vocab_size"], dim)}
    for block in range(c["num_hidden_layers"]):
        prefix = f"gpt_neox.layers.{block}."
        norm(result, prefix + "input_layernorm", dim)
        norm(result, prefix + "post_attention_layernorm", dim)
        matrix(result, prefix + "attention.query_key_value", 3 * dim, dim, False, c["attention_bias"])
        matrix(result, prefix + "attention.dense", dim, dim, False, c["attention_bias"])
        matrix(result, prefix + "mlp.dense_h_to_4h", hidden, dim)
        matrix(result, prefix + "mlp.dense_4h_to_h", dim, hidden)
    norm(result, "gpt_neox.final_layer_norm", dim)
    if not c["tie_word_embeddings"]:
        result["embed_out.weight"] = (c["vocab_size"], dim)
    return result


def opt_shapes(c):
    dim, prefix = c["hidden_size"], "model.decoder."
    result = {prefix + "embed_tokens.weight": (c["vocab_size"], c["word_embed_proj_dim"]),
              prefix + "embed_positions.weight": (c["max_position_embeddings"] + gpt.OPT_FIRST_POSITION, dim)}
    for block in range(c["num_hidden_layers"]):
        inside = f"{prefix}layers.{block}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            matrix(result, inside + "self_attn." + name, dim, dim, False, c["enable_bias"])
        matrix(result, inside + "fc1", c["ffn_dim"], dim, False, c["enable_bias"])
        matrix(result, inside + "fc2", dim, c["ffn_dim"], False, c["enable_bias"])
        norm(result, inside + "self_attn_layer_norm", dim)
        norm(result, inside + "final_layer_norm", dim)
    if c["do_layer_norm_before"] and not c["_remove_final_layer_norm"]:
        norm(result, prefix + "final_layer_norm", dim)
    if c["word_embed_proj_dim"] != dim:
        result[prefix + "project_in.weight"] = (dim, c["word_embed_proj_dim"])
        result[prefix + "project_out.weight"] = (c["word_embed_proj_dim"], dim)
    if not c["tie_word_embeddings"]:
        result["lm_head.weight"] = (c["vocab_size"], c["word_embed_proj_dim"])
    return result


def shapes(config):
    c = gpt.completed(config)
    return {"gpt2": gpt2_shapes, "gpt_neox": neox_shapes, "opt": opt_shapes}[c["model_type"]](c)


def case(sizes, *, changes=(), tokens=17, kind="F32", shards=1, **members):
    return {"config": {**sizes, **WITHOUT_MEANING, **members}, "changes": changes, "tokens": tokens, "kind": kind,
            "shards": shards}


GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": 37, "n_positions": 32, "n_ctx": 32,
        "n_embd": 40, "n_layer": 3, "n_head": 5, "activation_function": "gelu_new", "layer_norm_epsilon": 0.02,
        "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1, "scale_attn_weights": True,
        "reorder_and_upcast_attn": False}
NEOX = {"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox", "vocab_size": 37, "hidden_size": 48,
        "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 56, "hidden_act": "gelu",
        "rotary_pct": 0.25, "rotary_emb_base": 300, "max_position_embeddings": 64, "layer_norm_eps": 0.02,
        "tie_word_embeddings": False, "use_parallel_residual": True, "attention_dropout": 0.0, "hidden_dropout": 0.0}
OPT = {"architectures": ["OPTForCausalLM"], "model_type": "opt", "vocab_size": 37, "hidden_size": 40,
       "num_hidden_layers": 3, "ffn_dim": 56, "max_position_embeddings": 32, "do_layer_norm_before": True,
       "word_embed_proj_dim": 40, "num_attention_heads": 5, "activation_function": "relu", "dropout": 0.1,
       "attention_dropout": 0.0, "layerdrop": 0.0, "pad_token_id": 1, "prefix": "</s>"}
CASES = {
    "gpt2": [
        case(GPT2, changes=[
            ({"activation_function": "gelu"}, "same"), ({"activation_function": "relu"}, "same"),
            ({"layer_norm_epsilon": 0.5}, "same"), ({"scale_attn_weights": False}, "same"), ({"n_head": 8}, "same"),
            ({"scale_attn_by_inverse_layer_idx": True}, "same"), ({"n_inner": 160}, "same"), ({"n_inner": 80}, "refused"),
            ({"n_positions": 33}, "refused"), ({"n_layer": 2}, "refused"), ({"add_cross_attention": True}, "refused")]),
        case(GPT2, n_inner=56, n_head=1, activation_function="gelu", tie_word_embeddings=False, kind="BF16", shards=2)],
    "gpt_neox": [
        case(NEOX, changes=[
            ({"use_parallel_residual": False}, "same"), ({"rotary_pct": 1.0}, "same"), ({"rotary_pct": 0.5}, "same"),
            ({"rotary_emb_base": 10000}, "same"), ({"layer_norm_eps": 0.5}, "same"), ({"num_attention_heads": 6}, "same"),
            ({"hidden_act": "gelu_new"}, "same"), ({"rope_scaling": {"type": "linear", "factor": 4.0}}, "same"),
            ({"attention_bias": False}, "refused"), ({"num_hidden_layers": 2}, "refused")]),
        case(NEOX, use_parallel_residual=False, attention_bias=False, tie_word_embeddings=True, rotary_pct=1.0,
             hidden_act="gelu_new", kind="F16")],
    "opt": [
        case(OPT, changes=[
            ({"activation_function": "gelu"}, "same"), ({"num_attention_heads": 4}, "same"),
            ({"do_layer_norm_before": False}, "refused"), ({"_remove_final_layer_norm": True}, "refused"),
            ({"enable_bias": False}, "refused"), ({"word_embed_proj_dim": 24}, "refused"),
            ({"max_position_embeddings": 34}, "refused")]),
        case(OPT, do_layer_norm_before=False, activation_function="gelu", num_attention_heads=1,
             tie_word_embeddings=False),
        case(OPT, _remove_final_layer_norm=True)],
}


def meaningful(case):
    return [member for member in case["config"] if member in gpt.DEFAULTS[case["config"]["model_type"]]]


def inputs(case, random):
    case["options"] = ["--every"]
    return {"input": random.integers(0, case["config"]["vocab_size"], case["tokens"]).astype(np.int32)}


def expected(case, config, tensors):
    return gpt.logits(config, tensors, case["inputs"]["input"])
