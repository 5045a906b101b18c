# SPDX-License-Identifier: MIT
"""Encoders of text: BERT (arXiv 1810.04805), RoBERTa (1907.11692), DistilBERT (1910.01108), and sentence embeddings
from them (1908.10084), as Hugging Face's configurations and sentence-transformers' modules describe them."""
import numpy as np

from arithmetic import ACTIVATIONS, attention, split_heads
from gpt import Weights

BERT = {"vocab_size": 30522, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "hidden_act": "gelu", "max_position_embeddings": 512, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "position_embedding_type": "absolute", "pad_token_id": 0, "is_decoder": False}
DEFAULTS = {
    "bert": BERT,
    "roberta": {**BERT, "vocab_size": 50265, "pad_token_id": 1},
    "xlm-roberta": {**BERT, "vocab_size": 250002, "pad_token_id": 1},
    "distilbert": {"vocab_size": 30522, "max_position_embeddings": 512, "sinusoidal_pos_embds": False, "n_layers": 6,
                   "n_heads": 12, "dim": 768, "hidden_dim": 3072, "activation": "gelu"},
}
DISTILBERT_EPSILON = 1e-12  # no member says it
PREFIXES = {"bert": "bert.", "roberta": "roberta.", "xlm-roberta": "roberta.", "distilbert": "distilbert."}


def completed(config):
    return {**DEFAULTS[config["model_type"]], **config}


def base(config, tensors):
    """The tensors of the encoder: after a prefix, but in a folder that has the encoder alone."""
    prefix = PREFIXES[config["model_type"]]
    return Weights(tensors, "" if config["architectures"][0].endswith("Model") else prefix)


def self_attention(rows, heads):
    query, key, value = (split_heads(part, heads) for part in rows)
    return attention(query, key, value, query.shape[-1]**-0.5)


def bert_rows(c, w, tokens, types):
    epsilon, e = c["layer_norm_eps"], w.inside("embeddings.")
    # RoBERTa numbers the tokens from the one after the padding's.
    first = 0 if c["model_type"] == "bert" else c["pad_token_id"] + 1
    x = e("word_embeddings.weight")[tokens] + e("token_type_embeddings.weight")[types]
    x = e.norm(x + e("position_embeddings.weight")[first:][:len(tokens)], "LayerNorm", epsilon)
    for index in range(c["num_hidden_layers"]):
        b = w.inside(f"encoder.layer.{index}.")
        projected = [b.linear(x, "attention.self." + name) for name in ("query", "key", "value")]
        added = b.linear(self_attention(projected, c["num_attention_heads"]), "attention.output.dense")
        x = b.norm(x + added, "attention.output.LayerNorm", epsilon)
        hidden = ACTIVATIONS[c["hidden_act"]](b.linear(x, "intermediate.dense"))
        x = b.norm(x + b.linear(hidden, "output.dense"), "output.LayerNorm", epsilon)
    return x


def distilbert_rows(c, w, tokens):
    e = w.inside("embeddings.")
    x = e("word_embeddings.weight")[tokens] + e("position_embeddings.weight")[:len(tokens)]
    x = e.norm(x, "LayerNorm", DISTILBERT_EPSILON)
    for index in range(c["n_layers"]):
        b = w.inside(f"transformer.layer.{index}.")
        projected = [b.linear(x, f"attention.{name}_lin") for name in "qkv"]
        x = b.norm(x + b.linear(self_attention(projected, c["n_heads"]), "attention.out_lin"), "sa_layer_norm",
                   DISTILBERT_EPSILON)
        hidden = ACTIVATIONS[c["activation"]](b.linear(x, "ffn.lin1"))
        x = b.norm(x + b.linear(hidden, "ffn.lin2"), "output_layer_norm", DISTILBERT_EPSILON)
    return x


def rows(config, tensors, tokens, types):
    """last_hidden_state, [tokens, dim]."""
    c, w = completed(config), base(config, tensors)
    return distilbert_rows(c, w, tokens) if c["model_type"] == "distilbert" else bert_rows(c, w, tokens, types)


def outputs(config, tensors, tokens, types):
    """What the class in `architectures` gives: logits, or the rows of an encoder alone, which are all that is asked of
    one for masked words."""
    x, family = rows(config, tensors, tokens, types), config["model_type"]
    w, task = Weights(tensors, ""), config["architectures"][0]
    if task.endswith(("Model", "ForMaskedLM")):
        return x
    if task.endswith("ForTokenClassification"):
        return w.linear(x, "classifier")
    if not task.endswith("ForSequenceClassification"):
        raise NotImplementedError(task)
    if family == "bert":
        return w.linear(np.tanh(w.linear(x[0], "bert.pooler.dense")), "classifier")
    if family == "distilbert":
        return w.linear(np.maximum(w.linear(x[0], "pre_classifier"), 0), "classifier")
    return w.linear(np.tanh(w.linear(x[0], "classifier.dense")), "classifier.out_proj")


def pooler_output(config, tensors, tokens, types):
    w = base(config, tensors)
    return np.tanh(w.linear(rows(config, tensors, tokens, types)[0], "pooler.dense"))


def sentence(config, tensors, tokens, types, pooling, unit):
    """The embedding that sentence-transformers' modules make of the rows."""
    x = rows(config, tensors, tokens, types)
    x = x[0] if pooling["pooling_mode_cls_token"] else x.mean(0)
    return x / np.sqrt((x**2).sum()) if unit else x
