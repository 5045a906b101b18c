# SPDX-License-Identifier: MIT
"""The bits are those of the command."""
import os
import pathlib
import unittest

import heed
import numpy as np
from surroundings import SOURCE, SUMS, SUMS_TOKENIZER, Files, numbers, same_bits


class Attend(unittest.TestCase):
    def compare(self, arguments, **keywords):
        query, key, value = numbers(2, 6, 37, 24), numbers(2, 3, 300, 24), numbers(2, 3, 300, 40)
        with Files() as files:
            paths = [files.save(name, array) for name, array in (("q", query), ("k", key), ("v", value))]
            for word in range(len(arguments)):
                if isinstance(arguments[word], np.ndarray):
                    arguments[word] = files.save(f"a{word}", arguments[word])
            files.run("attend", "--query", paths[0], "--key", paths[1], "--value", paths[2], "--out",
                      files.path / "out.npy", "--scores", files.path / "scores.npy", "--lse", files.path / "lse.npy",
                      *arguments)
            mine = heed.attend(query, key, value, scores=True, log_sum_exp=True, **keywords)
            self.assertTrue(same_bits(mine.output, files.array("out.npy")))
            self.assertTrue(same_bits(mine.scores, files.array("scores.npy")))
            self.assertTrue(same_bits(mine.log_sum_exp, files.array("lse.npy")))
        alone = heed.attend(query, key, value, **keywords)
        self.assertTrue(same_bits(alone, mine.output))
        # Strides are passed on: heads behind rows, a view of a wider array, a key repeated for each entry.
        moved = np.ascontiguousarray(query.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
        wide = np.zeros((2, 3, 300, 64), np.float32)
        wide[..., 8:32] = key
        self.assertTrue(same_bits(heed.attend(moved, wide[..., 8:32], value, **keywords), alone))
        backward = np.ascontiguousarray(query[:, :, ::-1])[:, :, ::-1]
        self.assertTrue(same_bits(heed.attend(backward, key, value, **keywords), alone))

    def test_plain(self):
        self.compare([])

    def test_causal(self):
        self.compare(["--causal", "bottom-right"], causal="bottom_right")
        self.compare(["--causal", "top-left"], causal="top_left")
        self.compare(["--causal", "5", "--scale", "0.25"], causal="offset", causal_offset=5, scale=0.25)

    def test_options(self):
        mask = np.random.default_rng(3).random((6, 37, 300)) < 0.7
        self.compare(["--mask", mask], mask=mask)
        added = numbers(1, 1, 37, 300)
        self.compare(["--mask", added, "--softcap", "3"], additive_mask=added, softcap=3.0)
        self.compare(["--causal", "bottom-right", "--alibi", heed.alibi_slopes(6), "--left-window", "21",
                      "--right-window", "1"],
                     causal="bottom_right", alibi_slopes=heed.alibi_slopes(6), left_window=21, right_window=1)
        sinks = numbers(6)
        self.compare(["--sink-logits", sinks], sink_logits=sinks)
        self.compare(["--smooth-softmax", "--key-lengths", "100,300"], smooth_softmax=True, key_lengths=[100, 300])

    def test_bits_of_masks(self):
        query, key, value = numbers(1, 2, 5, 16), numbers(1, 2, 30, 16), numbers(1, 2, 30, 16)
        mask = np.random.default_rng(4).random((5, 30)) < 0.5
        bits = np.packbits(mask, axis=-1, bitorder="little")
        self.assertTrue(same_bits(heed.attend(query, key, value, mask=mask),
                                  heed.attend(query, key, value, mask_bits=bits)))

    def test_workers_caches_and_parts(self):
        query, key, value = numbers(1, 4, 40, 32), numbers(1, 2, 96, 32), numbers(1, 2, 96, 32)
        plain = heed.attend(query, key, value)
        many = heed.Attention(heads=4, kv_heads=2, head_dim=32, workers=4, scratch_budget=4096)
        self.assertTrue(same_bits(many(query, key, value), plain))
        cache = heed.KvCache(kv_heads=2, head_dim=32, max_keys=128)
        cache.append(key[0, :, :50], value[0, :, :50])
        kept = cache.snapshot()
        cache.append(key[0, :, 50:], value[0, :, 50:])
        self.assertEqual((cache.length(), cache.tokens(), cache.position(0, 7)), (96, 96, 7))
        self.assertTrue(same_bits(many(query, cache=cache), plain))
        cache.restore(kept)
        self.assertEqual(cache.length(), 50)
        self.assertTrue(same_bits(many(query, cache=cache), heed.attend(query, key[:, :, :50], value[:, :, :50])))
        parts = [heed.attend(query, key[:, :, a:b], value[:, :, a:b], log_sum_exp=True) for a, b in ((0, 40), (40, 96))]
        merged = heed.merge([(one.output, one.log_sum_exp) for one in parts])
        np.testing.assert_allclose(merged, plain, rtol=0, atol=1e-6)
        mean = heed.mean_over_heads(heed.attend(query, key, value, scores=True).scores)
        np.testing.assert_allclose(mean.sum(-1), 1, rtol=1e-5)


    def test_rings_pages_and_scales(self):
        query, key, value = numbers(2, 4, 3, 16), numbers(2, 40, 16), numbers(2, 40, 16, seed=2)
        run = heed.Attention(heads=4, kv_heads=2, head_dim=16)
        ring = heed.KvCache(kv_heads=2, head_dim=16, max_keys=16, ring=True, sink_tokens=2)
        ring.append(key, value)
        self.assertEqual((ring.length(), ring.tokens()), (16, 40))
        slots = [ring.position(0, slot) for slot in range(16)]
        self.assertEqual(sorted(slots), [0, 1, *range(26, 40)])
        kept = np.ascontiguousarray(key[:, slots])[np.newaxis], np.ascontiguousarray(value[:, slots])[np.newaxis]
        self.assertTrue(same_bits(run(query[:1], cache=ring), run(query[:1], *kept)))

        pages = heed.KvCache(kv_heads=2, head_dim=16, max_keys=16, max_sequences=4)
        for page, begin in ((2, 0), (0, 16), (3, 32)):
            pages.append(key[:, begin:begin + 16], value[:, begin:begin + 16], sequence=page)
        mine = run(query, cache=pages, page_table=[[2, 0, 3], [2, 0, 1]], key_lengths=[40, 20], scores=True)
        self.assertEqual(mine.scores.shape, (2, 4, 3, 40))
        for entry, length in enumerate((40, 20)):
            parts = key[np.newaxis, :, :length], value[np.newaxis, :, :length]
            self.assertTrue(same_bits(mine.output[entry], run(query[entry:entry + 1], *parts)[0]))

        scaled = heed.KvCache(kv_heads=2, head_dim=16, max_keys=40, key_type="int8_channels", value_type="int8")
        self.assertRaises(heed.Error, lambda: scaled.append(key, value))
        scaled.set_key_scales(np.ascontiguousarray(abs(key).max(axis=1) / 127))
        scaled.append(key, value)
        exact = run(query[:1], key[np.newaxis], value[np.newaxis])
        np.testing.assert_allclose(run(query[:1], cache=scaled), exact, atol=0.05)

        turned = heed.KvCache(kv_heads=2, head_dim=16, max_keys=40)
        turned.append(key, value, rotary=heed.Rotary(head_dim=16))
        rotated = heed.Rotary(head_dim=16)(key[np.newaxis])
        self.assertTrue(same_bits(run(query[:1], cache=turned), run(query[:1], rotated, value[np.newaxis])))


class Layer(unittest.TestCase):
    def weights(self):
        return {"in_proj": numbers(3 * 48, 48) / 7, "in_proj_bias": numbers(3 * 48), "output": numbers(48, 48, seed=2),
                "output_bias": numbers(48)}

    def test_is_the_command_mha(self):
        weights, x = self.weights(), numbers(2, 21, 48)
        names = {"in_proj": "in_proj_weight", "in_proj_bias": "in_proj_bias", "output": "out_proj.weight",
                 "output_bias": "out_proj.bias"}
        layer = heed.MultiHeadAttention(model_dim=48, heads=6, max_keys=21, max_sequences=2, **weights)
        with Files() as files:
            (files.path / "weights").mkdir()
            for name, stored in names.items():
                np.save(files.path / "weights" / f"{stored}.npy", weights[name])
            common = ["mha", "--weights", files.path / "weights", "--heads", 6, "--input", files.save("x", x)]
            files.run(*common, "--out", files.path / "y.npy", "--scores", files.path / "s.npy", "--head-outputs",
                      files.path / "h.npy")
            attended, heads = layer.encode(x, scores=True, head_outputs=True)
            self.assertTrue(same_bits(attended.output, files.array("y.npy")))
            self.assertTrue(same_bits(attended.scores, files.array("s.npy")))
            self.assertTrue(same_bits(heads, files.array("h.npy")))
            files.run(*common, "--out", files.path / "y.npy", "--causal", "--rope", "10000")
            turned = heed.MultiHeadAttention(model_dim=48, heads=6, max_keys=21, max_sequences=2, **weights,
                                             rotary=heed.Rotary(head_dim=8))
            y = files.array("y.npy")
            self.assertTrue(same_bits(turned.prefill(x), y))
        turned.cache.truncate(1, 5)
        turned.cache.reset(0)
        again = turned.prefill(np.ascontiguousarray(x[1, 5:20]), sequence_ids=[1])
        self.assertTrue(same_bits(again, y[1, 5:20]))
        kept = turned.snapshot()
        last = turned.decode(np.ascontiguousarray(x[1, 20]), sequence=1)
        self.assertTrue(same_bits(last, y[1, 20]))
        turned.restore(kept)
        self.assertEqual(turned.cache.length(1), 20)
        self.assertTrue(same_bits(turned.decode(np.ascontiguousarray(x[1, 20]), sequence=1), last))

    def test_separate_weights_and_packed(self):
        weights, x = self.weights(), numbers(1, 9, 48)
        stacked = np.split(weights["in_proj"], 3)
        biases = np.split(weights["in_proj_bias"], 3)
        config = {"model_dim": 48, "heads": 6, "max_keys": 9, "weight_type": "int8", "key_type": "int8",
                  "value_type": "int4"}
        one = heed.MultiHeadAttention(**weights, **config)
        two = heed.MultiHeadAttention(query=stacked[0], key=stacked[1], value=stacked[2], query_bias=biases[0],
                                      key_bias=biases[1], value_bias=biases[2], output=weights["output"],
                                      output_bias=weights["output_bias"], **config)
        three = heed.MultiHeadAttention(packed=one.packed, **config)
        y = one.prefill(x)
        self.assertTrue(same_bits(two.prefill(x), y))
        self.assertTrue(same_bits(three.prefill(x), y))


class Models(unittest.TestCase):
    def test_is_the_command_run(self):
        model = heed.load(SUMS)
        tokens = heed.Tokenizer(SUMS_TOKENIZER).encode("27+59=")
        with Files() as files:
            files.run("run", SUMS, "--input", files.save("t", tokens.astype(np.int32)), "--output",
                      files.path / "o.npy", "--stages", files.path / "s.json")
            with model.stages() as hashes:
                logits = model.prefill(tokens)
            self.assertTrue(same_bits(logits, files.array("o.npy")))
            self.assertEqual(hashes, files.stages("s.json"))
            files.run("run", SUMS, "--every", "--input", files.path / "t.npy", "--output", files.path / "o.npy")
            model.truncate(0)
            every = np.stack([model.decode(int(token)) for token in tokens])
            self.assertTrue(same_bits(every, files.array("o.npy")))
        self.assertEqual(model.tokens, tokens.size)
        kept = model.snapshot()
        after = model.decode(20)
        other = heed.load(SUMS, workers=3)
        other.restore(kept)
        self.assertTrue(same_bits(other.decode(20), after))

    def test_text_that_boards_print(self):
        folder = pathlib.Path(os.environ.get("HEED_MODELS") or "none")
        if not (folder / "two_models.txt").exists():
            self.skipTest("HEED_MODELS has no two_models.txt")
        console = (folder / "two_models.txt").read_text().splitlines(keepends=True)
        model = heed.load(folder / "tale_model.heed")
        self.assertEqual(model.config.block.row_type, heed.DataType.float32)
        prompts = ("Once upon a time", 27), ("And they all lived", 26)
        texts = ["".join(model.generate(prompt, tokens=tokens, temperature=0)) for prompt, tokens in prompts]
        # Between what the other model prints, and the hash.
        self.assertEqual("".join(text + "\n" for text in texts), "".join(console[1:-1]))

    def test_text_with_the_models_own_tokenizer(self):
        folder = pathlib.Path(os.environ.get("HEED_STORIES656K", SOURCE.parent / "shared" / "stories656k"))
        if not (folder / "tokenizer.json").exists():
            self.skipTest("no stories656K")
        with Files() as files:
            model, alone = files.path / "m.heed", files.path / "t.tok"
            files.run("pack", folder, "--out", model, "--tokenizer", alone)
            text = files.run("generate", model, "--prompt", "Once upon a time", "--tokens", "24", "--seed", "5").decode()
            tokenizer = heed.TextTokenizer(alone)
            for given in (None, tokenizer):
                mine = heed.load(model).generate("Once upon a time", tokenizer=given, tokens=24, seed=5)
                self.assertEqual("".join(mine) + "\n", text)
            ids = tokenizer.encode(text)
            command = files.run("tokenize", model, "--text", text).split()
            self.assertEqual([int(one) for one in command], ids.tolist())
            self.assertEqual(tokenizer.decode(ids),
                             files.run("tokenize", model, "--decode", "--skip-special", "--text",
                                       " ".join(map(str, ids))).decode())
            damaged = files.path / "d.heed"
            content = bytearray(model.read_bytes())
            content[-1] ^= 1
            damaged.write_bytes(content)
            with self.assertRaisesRegex(heed.Error, "its tokenizer: .*checksum"):
                heed.load(damaged)
            damaged.write_bytes(content[:-64])
            with self.assertRaisesRegex(heed.Error, "what comes after the model"):
                heed.load(damaged)

    def test_text_is_the_commands(self):
        for keywords, arguments in (({"temperature": 0}, ["--temperature", "0"]), ({}, []),
                                    ({"top_k": 5, "seed": 9, "top_p": 0.5, "ignore_end": True},
                                     ["--top-k", "5", "--seed", "9", "--top-p", "0.5", "--ignore-end"])):
            with Files() as files:
                text = files.run("generate", SUMS, "--tokenizer", SUMS_TOKENIZER, "--prompt", "27+59=", *arguments)
            mine = heed.load(SUMS).generate("27+59=", tokenizer=SUMS_TOKENIZER, **keywords)
            self.assertEqual("".join(mine) + "\n", text.decode(errors="replace"))
        self.assertEqual("".join(heed.load(SUMS).generate("27+59=", tokenizer=SUMS_TOKENIZER, temperature=0)),
                         "27+59=86")

    def test_observer_sees_and_raises(self):
        model = heed.load(SUMS)
        seen = []
        with model.observed(lambda block, stage, values: seen.append((block, stage, values.shape))):
            model.decode(1)
        self.assertEqual(seen[0], (0, "embedding", (1, model.config.block.model_dim)))
        with self.assertRaises(ZeroDivisionError), model.observed(lambda *_: 1 // 0):
            model.decode(1)
        self.assertEqual(model.tokens, 2)


class Others(unittest.TestCase):
    def test_positions(self):
        x = numbers(2, 3, 7, 16)
        table = heed.Rotary(head_dim=16, max_position=64)
        free = heed.Rotary(head_dim=16)
        places = np.arange(14).reshape(2, 7)
        self.assertTrue(same_bits(table(x, places), free(x, places)))
        self.assertTrue(same_bits(free(x, first_positions=[0, 7]), free(x, places)))
        in_place = x.copy()
        self.assertIs(free(in_place, places, out=in_place), in_place)
        self.assertTrue(same_bits(in_place, free(x, places)))
        rows = heed.embedding_lookup(numbers(9, 6), [8, 0])
        self.assertTrue(same_bits(rows, numbers(9, 6)[[8, 0]]))
        learned = heed.add_learned_positions(numbers(9, 6), rows.copy(), 3)
        self.assertTrue(same_bits(learned, rows + numbers(9, 6)[3:5]))
        waves = heed.add_sinusoidal_positions(np.zeros((3, 4), np.float32), 2)
        np.testing.assert_allclose(waves[0], [np.sin(2), np.cos(2), np.sin(0.02), np.cos(0.02)], rtol=1e-6)

    def test_buckets_and_biases(self):
        buckets = heed.RelativeBuckets(num_buckets=8, max_distance=20)
        embedding = numbers(8, 2)
        bias = buckets.expand(embedding)
        self.assertEqual(bias.values[1, bias.left + 3], embedding[buckets.bucket(3), 1])
        query, key, value = numbers(1, 2, 6, 8), numbers(1, 2, 6, 8), numbers(1, 2, 6, 8)
        added = np.array([[[[embedding[buckets.bucket(j - i), h] for j in range(6)] for i in range(6)]
                           for h in range(2)]], np.float32)
        np.testing.assert_allclose(heed.attend(query, key, value, relative_bias=bias),
                                   heed.attend(query, key, value, additive_mask=added), atol=1e-6)

    def test_text(self):
        logits = numbers(100)
        order = np.argsort(-logits, kind="stable")
        self.assertEqual(heed.argmax(logits), order[0])
        self.assertEqual(list(heed.top_k(logits, 5)), list(order[:5]))
        np.testing.assert_allclose(heed.softmax(logits, 2.0), np.exp(logits / 2) / np.exp(logits / 2).sum(), rtol=1e-5)
        before = logits.copy()
        draws = [heed.Sampler(seed=seed)(logits) for seed in range(50)]
        self.assertTrue(same_bits(logits, before))
        self.assertEqual(draws, [heed.Sampler(seed=seed)(logits) for seed in range(50)])
        self.assertGreater(len(set(draws)), 5)
        tokenizer = heed.Tokenizer(SUMS_TOKENIZER.read_bytes())
        self.assertEqual(tokenizer.decode(tokenizer.encode("12+3=15")), "12+3=15")
        self.assertEqual(tokenizer.decode(tokenizer.encode("zürich €")), "zürich €")

    def test_plans_are_constant_numbers(self):
        plan = heed.attention_plan(heads=6, kv_heads=3, head_dim=40)
        self.assertEqual((plan.config.value_dim, plan.bytes), (40, plan.worker_bytes))
        self.assertEqual(plan, heed.attention_plan(heads=6, kv_heads=3, head_dim=40))
        self.assertIn("bytes", plan.to_dict())
        self.assertTrue(any(bytes_ for _, _, bytes_ in plan.regions()))
        for change in (lambda: setattr(plan, "bytes", 1), lambda: setattr(plan.config, "heads", 1)):
            self.assertRaises(AttributeError, change)
        with self.assertRaises(heed.Error) as raised:
            heed.attention_plan(heads=4, kv_heads=3, head_dim=8)
        self.assertEqual(raised.exception.status, heed.Status.heads_not_divisible)
        self.assertEqual(raised.exception.member, "kv_heads")
        self.assertIn("must divide heads", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
