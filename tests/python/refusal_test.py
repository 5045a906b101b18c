# SPDX-License-Identifier: MIT
"""Wrong calls raise, say what was wrong, and change nothing. Each line is one."""
import tempfile
import unittest

import heed
import numpy as np
from surroundings import SUMS, SUMS_TOKENIZER, numbers

Q, K, V = numbers(1, 4, 5, 16), numbers(1, 2, 9, 16), numbers(1, 2, 9, 16)
X = numbers(1, 3, 8)
WEIGHTS = {"query": numbers(8, 8), "key": numbers(8, 8), "value": numbers(8, 8), "output": numbers(8, 8)}
CACHE = {"kv_heads": 2, "head_dim": 16, "max_keys": 9}


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def filled(count):
    room = heed.aligned(count)
    room[:] = 255
    return room


def wrong_tensors():
    """(words that the exception says, call)"""
    wide = np.zeros((1, 4, 5, 32), np.float32)
    out = np.empty((1, 4, 5, 16), np.float32)
    raw = np.zeros(4 * Q.size + 1, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(Q.shape)
    odd = np.lib.stride_tricks.as_strided(raw[:-1].view(np.float32), Q.shape, (4, 66, 6, 4))
    same = np.broadcast_to(Q[:, :1], Q.shape)
    flat = np.lib.stride_tricks.as_strided(out, out.shape, (0, 0, 64, 4))
    return [
        ("float32 is needed", lambda: heed.attend(Q.astype(np.float64), K, V)),
        ("float32 is needed", lambda: heed.attend(Q, K.astype(np.float16), V)),
        ("float32 is needed", lambda: heed.attend(Q, K, V.astype(np.int32))),
        ("float32 is needed", lambda: heed.attend(Q.astype(">f4"), K, V)),
        ("numpy array", lambda: heed.attend(Q.tolist(), K, V)),
        ("numpy array", lambda: heed.attend(Q, None, V)),
        ("numpy array", lambda: heed.attend(np.ma.masked_array(Q), K, V)),
        ("last dimension is not contiguous", lambda: heed.attend(wide[..., ::2], K, V)),
        ("last dimension is not contiguous", lambda: heed.attend(Q[..., ::-1], K, V)),
        ("last dimension is not contiguous", lambda: heed.attend(Q, K, np.asfortranarray(V))),
        ("not aligned", lambda: heed.attend(unaligned, K, V)),
        ("not aligned", lambda: heed.attend(odd, K, V)),
        ("[batch, heads, rows, dim]", lambda: heed.attend(Q[0, 0], K, V)),
        ("shape", lambda: heed.attend(Q, K[..., :8], V)),
        ("shape", lambda: heed.attend(Q, K, V[:, :, :8])),
        ("shape", lambda: heed.attend(Q, K[:, :1], V)),
        ("shape", lambda: heed.attend(np.concatenate([Q, Q]), K, V)),
        ("must divide", lambda: heed.attend(Q[:, :3], K, V)),
        ("head_dim", lambda: heed.attend(Q[..., :0], K[..., :0], V)),
        ("at least 1", lambda: heed.attend(Q[:, :, :0], K, V)),
        ("the batch has no entry", lambda: heed.attend(Q[:0], K[:0], V[:0])),
        ("32 bits", lambda: heed.attend(np.broadcast_to(Q, (2**32, 4, 5, 16)), np.broadcast_to(K, (2**32, 2, 9, 16)),
                                        np.broadcast_to(V, (2**32, 2, 9, 16)))),
        ("shape", lambda: heed.attend(Q, K, V, out=out[:, :, :4])),
        ("float32", lambda: heed.attend(Q, K, V, out=out.astype(np.float64))),
        ("read-only", lambda: heed.attend(Q, K, V, out=frozen(out))),
        ("read-only", lambda: heed.attend(Q, K, V, out=same)),
        ("overlaps", lambda: heed.attend(Q, K, V, out=Q)),
        ("overlaps", lambda: heed.attend(wide[..., :16], K, V, out=wide[..., 8:24])),
        ("stride", lambda: heed.attend(Q, K, V, out=flat)),
        ("not contiguous", lambda: heed.attend(Q, K, V, out=wide[..., ::2])),
    ]


def wrong_options():
    run = heed.Attention(heads=4, kv_heads=2, head_dim=16, max_keys=9)
    long = numbers(1, 2, 10, 16)
    return [
        ("one of none, top_left", lambda: run(Q, K, V, causal="bottom-right")),
        ("one of none, top_left", lambda: run(Q, K, V, causal=1)),
        ("whole number", lambda: run(Q, K, V, causal="offset", causal_offset=0.5)),
        ("what it can be", lambda: run(Q, K, V, causal="offset", causal_offset=2**31)),
        ("scale", lambda: run(Q, K, V, scale=float("nan"))),
        ("scale", lambda: run(Q, K, V, scale=float("inf"))),
        ("scale", lambda: run(Q, K, V, scale=1e-45)),
        ("max_keys", lambda: run(Q, long, long)),
        ("length", lambda: run(Q, K, V, key_lengths=[10])),
        ("shape", lambda: run(Q, K, V, key_lengths=[9, 9])),
        ("outside", lambda: run(Q, K, V, key_lengths=[-1])),
        ("outside", lambda: run(Q, K, V, key_lengths=[2**32])),
        ("whole numbers", lambda: run(Q, K, V, key_lengths=[1.0])),
        ("go with a cache", lambda: run(Q, K, V, sequence_ids=[0])),
        ("there is no option", lambda: run(Q, K, V, window=3)),
        ("what it can be", lambda: run(Q, K, V, left_window=-1)),
        ("option", lambda: run(Q, K, V, left_window=2**31 + 1)),
        ("option", lambda: run(Q, K, V, softcap=-1.0)),
        ("True or False", lambda: run(Q, K, V, smooth_softmax=1)),
        ("option", lambda: run(Q, K, V, smooth_softmax=True, sink_logits=numbers(4))),
        ("option", lambda: run(Q, K, V, sink_logits=np.full(4, np.nan, np.float32))),
        ("shape", lambda: run(Q, K, V, sink_logits=numbers(3))),
        ("shape", lambda: run(Q, K, V, alibi_slopes=numbers(2))),
        ("uint8 is needed", lambda: run(Q, K, V, mask=np.ones((5, 9), np.int32))),
        ("numpy array", lambda: run(Q, K, V, mask=[[True]])),
        ("keys are the last dimension", lambda: run(Q, K, V, mask=np.ones((5, 8), bool))),
        ("does not broadcast", lambda: run(Q, K, V, mask=np.ones((3, 9), bool))),
        ("keys are the last dimension", lambda: run(Q, K, V, mask_bits=np.ones((5, 9), np.uint8))),
        ("one of them", lambda: run(Q, K, V, mask=np.ones((5, 9), bool), mask_bits=np.ones((5, 2), np.uint8))),
        ("contiguous", lambda: run(Q, K, V, mask=np.ones((5, 18), bool)[:, ::2])),
        ("float32 is needed", lambda: run(Q, K, V, additive_mask=np.zeros((5, 9)))),
        ("keys are the last dimension", lambda: run(Q, K, V, pre_softcap_bias=numbers(5, 1))),
        ("RelativeBias is needed", lambda: run(Q, K, V, relative_bias=numbers(4, 9))),
        ("shape", lambda: run(Q, K, V, relative_bias=heed.RelativeBias(numbers(3, 9), 4))),
        ("columns", lambda: heed.RelativeBias(numbers(4, 9), 9)),
        ("of what is there", lambda: run(Q, K, V, scores=True, score_selection=(4, 0, 0, 0))),
        ("of what is there", lambda: run(Q, K, V, scores=True, score_selection=(0, 5, 0, 0))),
        ("length", lambda: run(Q, K, V, query_lengths=[6])),
        ("one of weights", lambda: run(Q, K, V, scores="raws")),
        ("fewer bytes", lambda: heed.Attention(heads=4, head_dim=16, arena=heed.aligned(64))(Q, Q, Q)),
        ("boundary", lambda: heed.Attention(heads=4, head_dim=16, arena=heed.aligned(1 << 20)[4:])(Q, Q, Q)),
        ("read-only", lambda: heed.Attention(heads=4, head_dim=16, arena=frozen(heed.aligned(64)))),
    ]


def wrong_numbers():
    """What each message says of a number: the argument's name, and its range."""
    run = heed.Attention(heads=4, kv_heads=2, head_dim=16, max_keys=9)
    cache = heed.KvCache(**CACHE, max_sequences=2)
    cache.append(K[0, :, :4], V[0, :, :4])
    layer = heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, **WEIGHTS)
    layer.append(X[:, :2])
    model = heed.load(SUMS)
    return [
        ("softcap -1: 0, which means none, or 1e-30 to 1e+30 are allowed", lambda: run(Q, K, V, softcap=-1)),
        ("softcap inf: 0, which means none, or 1e-30", lambda: layer.attend(X, softcap=float("inf"))),
        ("softcap 1e-50: no float32 is as small", lambda: run(Q, K, V, softcap=1e-50)),
        ("softcap: a number is needed, not str", lambda: run(Q, K, V, softcap="3")),
        ("scale: a number is needed, not NoneType; 0 means 1 / sqrt(head_dim)", lambda: run(Q, K, V, scale=None)),
        ("scale: a number is needed, not NoneType; 0 means 1 / sqrt(head_dim)", lambda: layer.attend(X, scale=None)),
        ("scale nan: a size of 1.18e-38 to 2.358e+38 is allowed", lambda: run(Q, K, V, scale=float("nan"))),
        ("scale 1e-50: no float32 is as small", lambda: run(Q, K, V, scale=1e-50)),
        ("scale 1e+39: no float32 is as small or as large", lambda: run(Q, K, V, scale=1e39)),
        ("key_lengths[0] 99: 0 to 9 are allowed", lambda: run(Q, K, V, key_lengths=[99])),
        ("key_lengths[0] 5: 0 to 4 are allowed", lambda: run(Q, cache=cache, key_lengths=[5])),
        ("key_lengths[0] 3: 0 to 2 are allowed", lambda: layer.attend(X, key_lengths=[3])),
        ("query_lengths[0] 6: 0 to 5 are allowed", lambda: run(Q, K, V, query_lengths=[6])),
        ("left_window 2147483649: 0 to 2147483648 are allowed", lambda: run(Q, K, V, left_window=2**31 + 1)),
        ("sink_logits[2] nan: -inf to", lambda: run(Q, K, V, sink_logits=np.float32([0, 0, np.nan, 0]))),
        ("smooth_softmax is a sink", lambda: run(Q, K, V, sink_logits=numbers(4), smooth_softmax=True)),
        ("keys 10: 0 to 9 are allowed", lambda: run(Q, numbers(1, 2, 10, 16), numbers(1, 2, 10, 16))),
        ("first head 4: 0 to 3 are allowed", lambda: run(Q, K, V, score_selection=(4, 0, 0, 0))),
        ("length 99: 0 to 4 are allowed", lambda: cache.truncate(0, 99)),
        ("length 99: 0 to 2 are allowed", lambda: layer.cache.truncate(0, 99)),
        ("sequence 2: 0 to 1 are allowed", lambda: cache.length(2)),
        ("sequence 2: 0 to 1 are allowed", lambda: cache.append(K[0], V[0], sequence=2)),
        ("sequence 7: 0 to 1 are allowed", lambda: run(Q, cache=cache, sequence_ids=[7])),
        ("sequence 1: 0 is allowed", lambda: layer.decode(X[0, 0], sequence=1)),
        ("slot 4: the sequence has 4 in use", lambda: cache.position(0, 4)),
        ("9 tokens: sequence 0 has room for 5", lambda: cache.append(K[0], V[0])),
        ("3 tokens: sequence 0 has room for 1", lambda: layer.prefill(X)),
        ("past_lengths go with a page_table", lambda: layer.attend(X, past_lengths=[1])),
        ("beside a page_table", lambda: run(Q, cache=cache, sequence_ids=[0], page_table=[[0]], key_lengths=[4])),
        ("tokens[1] 259: 0 to 258 are allowed", lambda: model.prefill([1, 259])),
        ("token 259: 0 to 258 are allowed", lambda: model.decode(259)),
        ("13 tokens: the model has room for 12", lambda: model.prefill([1] * 13)),
        ("length 1: 0 is allowed", lambda: model.truncate(1)),
        ("temperature -2: 0, which means the likeliest, or 0.001 to 1000 are", lambda: heed.Sampler(temperature=-2)),
        ("temperature -2: 0, which means the likeliest, or 0.001 to 1000 are",
         lambda: model.generate("1+1=", tokenizer=SUMS_TOKENIZER, temperature=-2)),
        ("temperature 1e-50: no float32 is as small", lambda: heed.Sampler(temperature=1e-50)),
        ("temperature: a number is needed, not NoneType", lambda: heed.Sampler(temperature=None)),
        ("temperature 0: 1.175494351e-38 to 8.507059173e+37 are allowed", lambda: heed.softmax(numbers(3), 0)),
        ("top_p 1.5: 0 to 1 are allowed", lambda: heed.Sampler(top_p=1.5)),
        ("k 4: 1 to 3 are allowed", lambda: heed.top_k(numbers(3), 4)),
        ("heads 0: 1 to 65536 are allowed", lambda: heed.alibi_slopes(0)),
        ("tokens[0] 4: 0 to 3 are allowed", lambda: heed.embedding_lookup(numbers(4, 3), [4])),
        ("first_position + rows 5: 1 to 4 are", lambda: heed.add_learned_positions(numbers(4, 3), numbers(3, 3), 2)),
        ("base: a number is needed, not str", lambda: heed.Rotary(head_dim=16, base="10000")),
        ("rotary: a Rotary is needed", lambda: cache.append(K[0], V[0], rotary=3)),
        ("token -1: 0 to", lambda: heed.Tokenizer(SUMS_TOKENIZER).stream().next(-1)),
        ("not", lambda: run(Q, K, V, key_lengths=np.ma.masked_array([9]))),
    ]


def wrong_plans():
    return [
        ("no member head_dims", lambda: heed.attention_plan(head_dims=3)),
        ("head_dim 0", lambda: heed.attention_plan(heads=2)),
        ("what it can be", lambda: heed.attention_plan(head_dim=2**32)),
        ("what it can be", lambda: heed.attention_plan(head_dim=-1)),
        ("whole number", lambda: heed.attention_plan(head_dim=16.0)),
        ("whole number", lambda: heed.attention_plan(head_dim=True)),
        ("workers 65", lambda: heed.attention_plan(head_dim=16, workers=65)),
        ("1 to 64", lambda: heed.Workers(0)),
        ("Workers is needed", lambda: heed.Attention(head_dim=16, threads=2)),
        ("one of float32", lambda: heed.kv_cache_plan(**CACHE, key_type="int9")),
        ("key_type", lambda: heed.kv_cache_plan(**CACHE, key_type="int8_groups")),
        ("sink_tokens", lambda: heed.kv_cache_plan(**CACHE, sink_tokens=2)),
        ("head_dim", lambda: heed.multi_head_plan(model_dim=10, heads=4, max_keys=4)),
        ("base", lambda: heed.Rotary(head_dim=16, base=0.5)),
        ("option", lambda: heed.RelativeBuckets(num_buckets=1)),
        ("dict", lambda: heed.model_plan({"block": 3})),
    ]


def wrong_objects():
    cache = heed.KvCache(**CACHE)
    cache.append(K[0], V[0])
    layer = heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, **WEIGHTS)
    layer.prefill(X[:, :2])
    read = heed.Attention(heads=4, kv_heads=2, head_dim=16)
    return [
        ("no room", lambda: cache.append(K[0, :, :1], V[0, :, :1])),
        ("shape", lambda: cache.append(K[0], V[0, :, :3])),
        ("sequence", lambda: cache.append(K[0], V[0], sequence=1)),
        ("length", lambda: cache.truncate(0, 10)),
        ("sequence", lambda: cache.reset(3)),
        ("what it can be", lambda: cache.length(-1)),
        ("plan", lambda: cache.set_key_scales(numbers(2, 16))),
        ("has", lambda: cache.restore(cache.snapshot()[:-1])),
        ("state", lambda: cache.restore(b"\xff" * len(cache.snapshot()))),
        ("bytes of snapshot", lambda: cache.restore("state")),
        ("fewer bytes", lambda: heed.KvCache(**CACHE, state=heed.aligned(64))),
        ("state", lambda: heed.KvCache(**CACHE, bind=True, state=filled(1 << 14))),
        ("KvCache is needed", lambda: read(Q, cache=layer.cache)),
        ("come from the cache", lambda: read(Q, K, V, cache=cache)),
        ("sequence", lambda: read(Q, cache=cache, sequence_ids=[5])),
        ("plan", lambda: heed.Attention(heads=4, kv_heads=4, head_dim=16)(Q, cache=cache)),
        ("key_lengths go", lambda: read(Q, cache=cache, page_table=[[0]])),
        ("multiple of 16", lambda: heed.multi_head_plan(model_dim=8, heads=2, max_keys=3, max_pages=2)),
        ("no room", lambda: layer.prefill(X[:, :2])),
        ("shape", lambda: layer.prefill(numbers(1, 1, 9))),
        ("twice", lambda: layer.append(numbers(2, 1, 8), sequence_ids=[0, 0])),
        ("causal by itself", lambda: layer.prefill(X[:, :1], causal="top_left")),
        ("Rotary", lambda: layer.prefill(X[:, :1], positions=[[0]])),
        ("there is no option", lambda: layer.attend(X, windows=1)),
        ("option", lambda: layer.attend(X, causal="offset", causal_offset=2**31 - 1)),
        ("shape", lambda: layer.decode(numbers(9))),
        ("sequence", lambda: layer.decode(numbers(8), sequence=4)),
        ("overlaps", lambda: layer.attend(X, out=X)),
        ("numpy array", lambda: heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3)),
        ("shape", lambda: heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3,
                                                  **{**WEIGHTS, "key": numbers(7, 8)})),
        ("mean nothing", lambda: heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, packed=layer.packed,
                                                         **WEIGHTS)),
        ("not made for this plan", lambda: heed.MultiHeadAttention(
            model_dim=8, heads=2, max_keys=3, weight_type="float16", packed=layer.packed)),
        ("Rotary is needed", lambda: heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, rotary=3, **WEIGHTS)),
        ("plan", lambda: heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, rotary=heed.Rotary(head_dim=8),
                                                 **WEIGHTS).prefill(X)),
        ("position", lambda: heed.Rotary(head_dim=16, max_position=4)(Q)),
        ("shape", lambda: heed.Rotary(head_dim=16)(Q, positions=[[1, 2]])),
        ("token id", lambda: heed.embedding_lookup(numbers(4, 3), [4])),
        ("position", lambda: heed.add_learned_positions(numbers(4, 3), numbers(3, 3), 2)),
        ("base", lambda: heed.add_sinusoidal_positions(numbers(3, 4), base=1.0)),
        ("shape", lambda: heed.merge([(numbers(1, 2, 3, 4), numbers(1, 2, 4))])),
        ("one at least", lambda: heed.merge([])),
    ]


def wrong_models():
    model = heed.load(SUMS)
    file = heed.aligned(SUMS.stat().st_size)
    file[:] = np.frombuffer(SUMS.read_bytes(), np.uint8)
    broken = heed.aligned(file.size)
    broken[:] = file
    broken[5000] ^= 1
    empty = tempfile.NamedTemporaryFile()
    return [
        ("No such file", lambda: heed.load("/nowhere.heed")),
        ("empty", lambda: heed.load(empty.name)),
        ("file", lambda: heed.load(SUMS_TOKENIZER)),
        ("checksum", lambda: heed.load(broken)),
        ("length", lambda: heed.load(file[:-64])),
        ("boundary", lambda: heed.load(np.concatenate([file, file])[1:][:file.size])),
        ("uint8 is needed", lambda: heed.load(file.view(np.float32))),
        ("no member keys", lambda: heed.load(file, keys=3)),
        ("max_keys", lambda: heed.load(file, max_keys=2**31)),
        ("fewer bytes", lambda: heed.load(file, state=heed.aligned(64))),
        ("token", lambda: model.prefill([1, 259])),
        ("whole numbers", lambda: model.prefill([1.5])),
        ("at least 1", lambda: model.prefill(np.zeros(0, np.int64))),
        ("outside", lambda: model.prefill([-1])),
        ("no room", lambda: model.prefill([1] * 13)),
        ("shape", lambda: model.prefill([1], out=np.empty(7, np.float32))),
        ("token", lambda: model.decode(259)),
        ("whole number", lambda: model.decode(None)),
        ("plan", lambda: model.encode([1])),
        ("plan", lambda: model.set_context(np.zeros((1, 0), np.float32))),
        ("length", lambda: model.truncate(1)),
        ("state", lambda: model.restore(b"\xff" * len(model.snapshot()))),
        ("leaves", lambda: model.generate("1+1=", tokenizer=SUMS_TOKENIZER, tokens=20)),
        ("room", lambda: model.generate("1+1=1+1=1+1=", tokenizer=SUMS_TOKENIZER)),
        ("option", lambda: model.generate("1+1=", tokenizer=SUMS_TOKENIZER, temperature=-1)),
        ("token", lambda: model.generate("1+1=", tokenizer=SUMS)),
        ("a str is needed", lambda: heed.Tokenizer(SUMS_TOKENIZER).encode(5)),
        ("vocabulary", lambda: heed.Tokenizer(SUMS_TOKENIZER).piece(259)),
        ("length", lambda: heed.top_k(numbers(3), 4)),
        ("scale", lambda: heed.softmax(numbers(3), 0.0)),
        ("none", lambda: heed.argmax(numbers(0))),
        ("at least 1", lambda: heed.softmax(numbers(0))),
        ("option", lambda: heed.Sampler(top_p=1.5)),
        ("top_p 0", lambda: heed.Sampler(top_p=0)),
        ("no logit is a number", lambda: heed.Sampler()(np.full(3, np.nan, np.float32))),
        ("what it can be", lambda: heed.Sampler(seed=2**64)),
    ]


class Refusals(unittest.TestCase):
    def each(self, calls):
        for i, (words, call) in enumerate(calls()):
            with self.subTest(f"{calls.__name__} {i}: {words}"):
                with self.assertRaises((ValueError, TypeError, OSError)) as raised:
                    call()
                self.assertIn(words, str(raised.exception))

    def test_tensors(self):
        self.each(wrong_tensors)

    def test_options(self):
        self.each(wrong_options)

    def test_numbers(self):
        self.each(wrong_numbers)

    def test_the_argument_is_a_member(self):
        for name, call in (("softcap", lambda: heed.attend(Q, K, V, softcap=-1)),
                           ("temperature", lambda: heed.Sampler(temperature=-2))):
            with self.assertRaises(heed.Error) as raised:
                call()
            self.assertEqual((raised.exception.member, raised.exception.status), (name, heed.Status.bad_option))

    def test_plans(self):
        self.each(wrong_plans)

    def test_objects(self):
        self.each(wrong_objects)

    def test_models(self):
        self.each(wrong_models)

    def test_there_are_enough(self):
        calls = (wrong_tensors, wrong_options, wrong_numbers, wrong_plans, wrong_objects,
                 wrong_models)
        self.assertGreaterEqual(sum(len(one()) for one in calls), 140)

    def test_null_configurations_are_explained(self):
        for name in ("attention", "kv_cache", "multi_head", "rotary"):
            why = getattr(heed.c, f"heed_explain_{name}")(None)
            self.assertEqual(heed.Status(why.status), heed.Status.null_pointer)
        config = heed.declarations.ModelConfig()
        self.assertEqual(heed.c.heed_explain_model(config, None).status, heed.Status.null_pointer)

    def test_refused_calls_change_nothing(self):
        cache = heed.KvCache(**CACHE)
        cache.append(K[0, :, :4], V[0, :, :4])
        kept = cache.snapshot()
        for call in (lambda: cache.append(K[0], V[0]), lambda: cache.restore(b"\xff" * len(kept))):
            self.assertRaises(heed.Error, call)
            self.assertEqual(cache.snapshot(), kept)
        out = np.full((1, 4, 5, 16), 7, np.float32)
        self.assertRaises(heed.Error, lambda: heed.attend(Q, K, V, scale=float("nan"), out=out))
        self.assertTrue((out == 7).all())


if __name__ == "__main__":
    unittest.main()
