# SPDX-License-Identifier: MIT
"""Nothing outside of the arrays is touched: every array ends where a page begins that nobody may read or write, or
begins where such a page ends, and the results are those without guards."""
import ctypes
import mmap
import subprocess
import sys
import unittest

import heed
import numpy as np
from surroundings import SUMS, numbers, same_bits

PAGE = mmap.PAGESIZE
libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Guarded:
    """Arrays between two pages without access."""

    def __init__(self, at_end):
        self._at_end = at_end
        self._mappings = []

    def room(self, count, boundary=64):
        """uint8 [count]."""
        pages = -(-count // PAGE) + 2
        mapping = mmap.mmap(-1, pages * PAGE)
        everything = np.frombuffer(mapping, np.uint8)
        for page in (0, pages - 1):
            if libc.mprotect(everything.ctypes.data + page * PAGE, PAGE, 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")
        self._mappings.append((mapping, everything))
        begin = (pages - 1) * PAGE - count if self._at_end else PAGE
        return everything[begin - begin % boundary:][:count]

    def like(self, array, read_only=True):
        copy = self.room(array.nbytes, array.itemsize).view(array.dtype).reshape(array.shape)
        copy[...] = array
        copy.flags.writeable = not read_only
        return copy

    def empty(self, *shape):
        return self.like(np.zeros(shape, np.float32), read_only=False)


class Guards(unittest.TestCase):
    def setUp(self):
        self.guards = [Guarded(at_end) for at_end in (True, False)]

    def test_attend(self):
        query, key, value = numbers(2, 6, 37, 20), numbers(2, 3, 301, 20), numbers(2, 3, 301, 33)
        mask = np.random.default_rng(5).random((1, 1, 37, 301)) < 0.6
        plain = heed.attend(query, key, value)
        masked = heed.attend(query, key, value, mask=mask, causal="bottom_right")
        for guard in self.guards:
            plan = heed.attention_plan(heads=6, kv_heads=3, head_dim=20, value_dim=33)
            run = heed.Attention(heads=6, kv_heads=3, head_dim=20, value_dim=33, arena=guard.room(plan.bytes))
            arrays = [guard.like(one) for one in (query, key, value)]
            out = guard.empty(2, 6, 37, 33)
            self.assertTrue(same_bits(run(*arrays, out=out), plain))
            self.assertTrue(same_bits(run(*arrays, out=out, mask=guard.like(mask), causal="bottom_right"), masked))

    def test_cache(self):
        query, key, value = numbers(1, 6, 5, 24), numbers(3, 45, 24), numbers(3, 45, 24, seed=2)
        for kind in ("float32", "int8", "int4"):
            config = {"kv_heads": 3, "head_dim": 24, "max_keys": 45, "key_type": kind, "value_type": kind}
            plain = heed.KvCache(**config)
            plain.append(key, value)
            run = heed.Attention(heads=6, kv_heads=3, head_dim=24)
            for guard in self.guards:
                cache = heed.KvCache(**config, state=guard.room(heed.kv_cache_plan(**config).bytes))
                cache.append(guard.like(key[:, :20]), guard.like(value[:, :20]))
                cache.append(guard.like(key[:, 20:]), guard.like(value[:, 20:]))
                mine = run(guard.like(query), cache=cache, out=guard.empty(1, 6, 5, 24))
                self.assertTrue(same_bits(mine, run(query, cache=plain)))

    def test_layer(self):
        x = numbers(1, 13, 20)
        weights = {"query": numbers(20, 20), "key": numbers(10, 20), "value": numbers(10, 20, seed=2),
                   "output": numbers(20, 20, seed=3), "output_bias": numbers(20)}
        for kind in ("float32", "int8"):
            config = {"model_dim": 20, "heads": 4, "kv_heads": 2, "max_keys": 14, "weight_type": kind}
            plain = heed.MultiHeadAttention(**config, **weights)
            expected = plain.prefill(x), plain.decode(x[0, 0])
            plan = heed.multi_head_plan(**config)
            for guard in self.guards:
                packed = guard.room(plan.weights_bytes)
                packed[:] = plain.packed
                layer = heed.MultiHeadAttention(**config, packed=packed, state=guard.room(plan.state_bytes),
                                                scratch=guard.room(plan.scratch_bytes))
                self.assertTrue(same_bits(layer.prefill(guard.like(x), out=guard.empty(1, 13, 20)), expected[0]))
                self.assertTrue(same_bits(layer.decode(guard.like(x[0, 0]), out=guard.empty(20)), expected[1]))
                made = heed.MultiHeadAttention(**config, **{name: guard.like(one) for name, one in weights.items()})
                self.assertEqual(made.packed.tobytes(), plain.packed.tobytes())

    def test_model(self):
        plain = heed.load(SUMS)
        tokens = np.array([1, 40, 50, 60], np.uint32)
        expected = plain.prefill(tokens), plain.decode(70)
        file = np.frombuffer(SUMS.read_bytes(), np.uint8)
        for guard in self.guards:
            model = heed.load(self.on_boundary(guard, file), state=guard.room(plain.plan.state_bytes),
                              scratch=guard.room(plain.plan.scratch_bytes))
            self.assertTrue(same_bits(model.prefill(guard.like(tokens), out=guard.empty(259)), expected[0]))
            self.assertTrue(same_bits(model.decode(70, out=guard.empty(259)), expected[1]))

    @staticmethod
    def on_boundary(guard, file):
        room = guard.room(file.size)
        room[:] = file
        return room

    def test_text_and_positions(self):
        logits, x = numbers(77), numbers(1, 3, 5, 14)
        for guard in self.guards:
            mine = guard.like(logits)
            self.assertTrue(same_bits(heed.softmax(mine, out=guard.empty(77)), heed.softmax(logits)))
            self.assertEqual(list(heed.top_k(mine, 9)), list(heed.top_k(logits, 9)))
            self.assertEqual(heed.Sampler()(mine), heed.Sampler()(logits))
            turned = heed.Rotary(head_dim=14)(guard.like(x), out=guard.empty(1, 3, 5, 14))
            self.assertTrue(same_bits(turned, heed.Rotary(head_dim=14)(x)))

    def test_guards_guard(self):
        """A process that reads one byte further ends by a signal."""
        for word in ("array.ctypes.data + array.size", "array.ctypes.data - 1"):
            program = ("import ctypes, guard_test\n"
                       f"array = guard_test.Guarded({word.endswith('size')}).room(64)\n"
                       f"ctypes.string_at({word}, 1)\n")
            done = subprocess.run([sys.executable, "-B", "-c", program], check=False, capture_output=True)
            self.assertLess(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
