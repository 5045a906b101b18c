# SPDX-License-Identifier: MIT
"""Signals, threads that cannot be had, calls inside of calls, and objects that share a state: a call ends with the bits
of one worker, or raises. Each signal is sent at a known step."""
import concurrent.futures
import os
import queue
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

import heed
import numpy as np
from surroundings import SUMS, SUMS_TOKENIZER, numbers, same_bits

Q, K, V = (numbers(1, 8, 40, 16, seed=seed) for seed in range(3))
PLAIN = heed.attend(Q, K, V)
POOL = concurrent.futures.ThreadPoolExecutor


def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def is_right(run):
    """Into memory that has something else in it."""
    return same_bits(run(Q, K, V, out=np.full_like(PLAIN, 7)), PLAIN)


class Workers(unittest.TestCase):
    def setUp(self):
        self.attention = heed.Attention(heads=8, head_dim=16, workers=3)

    def right(self):
        self.assertTrue(is_right(self.attention))

    def interrupted(self, out):
        out[:] = 7
        with self.assertRaises(KeyboardInterrupt):
            self.attention(Q, K, V, out=out)

    def test_an_interrupt_waits_for_the_tasks(self):
        """One at each step that hands something to a thread, before it and after it."""
        submit, out = POOL.submit, np.empty_like(PLAIN)
        for step in range(3):
            for after in (False, True):
                steps = iter(range(100))

                def handed(pool, *arguments):
                    now = next(steps) == step
                    if now and not after:
                        interrupt()
                    done = submit(pool, *arguments)
                    if now and after:
                        interrupt()
                    return done

                with mock.patch.object(POOL, "submit", handed):
                    self.interrupted(out)
                # Before the first thread has the call, it has not begun; it does not begin later, either.
                self.assertTrue(same_bits(out, PLAIN) or (step == 0 and (out == 7).all()), (step, after))
                self.right()

    def test_an_interrupt_as_the_last_task_ends(self):
        class Queue(queue.SimpleQueue):
            def get(self, *arguments):
                item = super().get(*arguments)
                if threading.current_thread() is threading.main_thread():
                    interrupt()
                return item

        out = np.empty_like(PLAIN)
        self.right()
        with mock.patch.object(queue, "SimpleQueue", Queue):
            self.interrupted(out)
        self.assertTrue(same_bits(out, PLAIN))

    def test_where_no_thread_can_be_started(self):
        start = threading.Thread.start
        for allowed in range(3):
            left = iter(range(allowed))

            def started(thread):
                if next(left, None) is None:
                    raise RuntimeError("can't start new thread")
                start(thread)

            self.setUp()
            with mock.patch.object(threading.Thread, "start", started):
                self.right()
                self.right()
            self.right()

    def test_at_exit(self):
        program = ("import atexit, heed, threads_test as t\n"
                   "run = heed.Attention(heads=8, head_dim=16, workers=3)\n"
                   "def last(): print(t.is_right(run))\n"
                   "atexit.register(last)\n"
                   "last()\n")
        done = subprocess.run([sys.executable, "-B", "-c", program], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "True\nTrue\n")

    def test_in_the_child_of_a_fork(self):
        self.right()
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # ends a child that waits for threads of its parent
            os._exit(0 if is_right(self.attention) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_task_that_does_not_run(self):
        begin = heed._workers._Tasks.__init__

        def failing(tasks, count, run):
            def one(index):
                if index == 1:
                    raise MemoryError("of a task")
                return run(index)

            begin(tasks, count, one)

        with mock.patch.object(heed._workers._Tasks, "__init__", failing):
            with self.assertRaisesRegex(MemoryError, "of a task"):
                self.attention(Q, K, V)
        self.right()

    def test_threads_of_several_callers(self):
        shared = heed.Workers(2)
        runs = [heed.Attention(heads=8, head_dim=16, workers=2, threads=shared) for _ in range(5)]
        with POOL(5) as callers:
            for got in callers.map(lambda run: run(Q, K, V), runs * 4):
                self.assertTrue(same_bits(got, PLAIN))


class Observers(unittest.TestCase):
    def test_an_interrupt_loses_no_stage(self):
        model = heed.load(SUMS)
        with model.stages() as expected:
            model.prefill([1, 52, 46])
        seen = []

        def see(block, stage, _values):
            if not seen:
                interrupt()
            seen.append((block, stage))

        model.truncate()
        with self.assertRaises(KeyboardInterrupt), model.observed(see):
            model.prefill([1, 52, 46])
        self.assertEqual(len(seen), sum(len(one) for one in expected.values()))
        self.assertEqual(model.tokens, 3)

    def test_a_call_inside_of_a_call(self):
        model = heed.load(SUMS, workers=2)
        for call in (lambda: model.decode(1), model.truncate, model.snapshot):
            with self.assertRaisesRegex(RuntimeError, "inside of one of its own"), model.observed(lambda *_: call()):
                model.decode(1)
        other = heed.load(SUMS, threads=model._workers)
        with model.observed(lambda *_: other.truncate() or other.decode(3)):
            model.decode(1)
        self.assertEqual(other.tokens, 1)


class Growing:
    """A number, or a list of one, whose conversion does something else as well."""

    def __init__(self, value, grow):
        self.value, self.grow = value, grow

    def __float__(self):
        self.grow()
        return float(self.value)

    def __index__(self):
        self.grow()
        return self.value

    def __bool__(self):
        self.grow()
        return bool(self.value)

    def __array__(self, dtype=None, copy=None):
        self.grow()
        return np.array([self.value])

    def __iter__(self):
        self.grow()
        return iter((0, 0, 0, 0))


ARGUMENTS = (("scale", 0.5), ("causal_offset", 0), ("key_lengths", 6), ("sequence_ids", 0), ("log_sum_exp", 1),
             ("softcap", 5.0), ("left_window", 4000), ("query_lengths", 1), ("prefix_lengths", 1),
             ("causal_offsets", 0), ("score_selection", 0))


class Conversions(unittest.TestCase):
    """An argument whose conversion appends keys finds them all in the result."""

    def check(self, name, attended, held):
        scores = attended.scores if isinstance(attended, heed.Attended) else attended
        self.assertEqual(scores.shape[-1], held, name)
        np.testing.assert_allclose(scores.sum(-1), 1, atol=1e-3, err_msg=name)

    def test_cache(self):
        run = heed.Attention(heads=2, kv_heads=1, head_dim=8, max_keys=4096)
        few, many = numbers(1, 10, 8), numbers(1, 3000, 8)
        for name, value in ARGUMENTS:
            cache = heed.KvCache(kv_heads=1, head_dim=8, max_keys=4096)
            cache.append(few, few)
            given = Growing(value, lambda: cache.length() == 10 and cache.append(many, many))
            self.check(name, run(numbers(1, 2, 1, 8), cache=cache, scores=True, **{name: given}), 3010)
        cache = heed.KvCache(kv_heads=1, head_dim=8, max_keys=20)
        given = Growing(0, lambda: cache.length() or cache.append(few, few))
        cache.append(few, few, sequence=given)
        self.assertEqual(cache.length(), 20)

    def test_layer(self):
        weights = {name: numbers(8, 8) for name in ("query", "key", "value", "output")}
        few, many = numbers(1, 3, 8), numbers(1, 1500, 8)
        for name, value in ARGUMENTS:
            layer = heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=2048, **weights)
            layer.append(few)
            given = Growing(value, lambda: layer.cache.length() == 3 and layer.append(many))
            self.check(name, layer.attend(few[:, :1], scores=True, **{name: given}), 1503)

    def test_numbers_are_converted_once(self):
        class Rising:
            count = 2

            def __index__(self):
                self.count *= 1000
                return self.count

        self.assertEqual(len(heed.top_k(numbers(3000), Rising())), 2000)
        self.assertEqual(heed.alibi_slopes(Rising()).size, 2000)

    def test_parts_of_an_iterator(self):
        halves = [heed.attend(Q, K[:, :, a:b], V[:, :, a:b], log_sum_exp=True)[::2] for a, b in ((0, 20), (20, 40))]
        made = (iter([one.copy() for one in half]) for half in halves)
        self.assertTrue(same_bits(heed.merge(made), heed.merge(halves)))


class Sharing(unittest.TestCase):
    def text(self, model, **options):
        return model.generate("27+59=", tokenizer=SUMS_TOKENIZER, temperature=0, **options)

    def test_two_texts_of_one_model(self):
        model = heed.load(SUMS)
        for steps in (1, 7, 8):  # in the prompt, and after it
            first, second = self.text(model), self.text(model)
            for _ in range(steps):
                next(first)
            next(second)
            with self.assertRaisesRegex(RuntimeError, "changed the state since"):
                list(first)
            self.assertEqual("".join(self.text(model)), "27+59=86")
            with self.assertRaisesRegex(RuntimeError, "changed the state since"):
                list(second)

    def test_a_call_between_two_pieces(self):
        model = heed.load(SUMS)
        kept = model.snapshot()
        changing = (lambda: model.prefill([1]), lambda: model.decode(1), model.truncate, lambda: model.restore(kept))
        keeping = (model.snapshot, lambda: model.tokens, lambda: self.assertRaises(heed.Error, model.decode, 999),
                   lambda: self.assertRaises(heed.Error, model.truncate, 99))
        for call in changing + keeping:
            text = self.text(model)
            pieces = [next(text) for _ in range(7)]
            call()
            if call in keeping:
                self.assertEqual("".join([*pieces, *text]), "27+59=86")
            else:
                with self.assertRaisesRegex(RuntimeError, "changed the state since"):
                    list(text)

    def test_a_memory_has_one_object(self):
        config = {"kv_heads": 3, "head_dim": 16, "max_keys": 40}
        room = heed.aligned(1 << 16)
        begin, rest = room[:1 << 15], room[1 << 15:]
        first = heed.KvCache(**config, state=begin)
        first.append(K[0, :3], V[0, :3])
        second = heed.KvCache(**config, state=begin, bind=True)
        self.assertEqual(second.length(), 40)
        beside = heed.KvCache(kv_heads=1, head_dim=16, max_keys=16, state=rest)
        for call in (first.length, first.snapshot, lambda: first.append(K[0, :3], V[0, :3]),
                     lambda: heed.Attention(heads=3, head_dim=16)(Q[:, :3], cache=first)):
            self.assertRaisesRegex(RuntimeError, "another object", call)
        self.assertEqual((second.length(), beside.length()), (40, 0))
        models = [heed.load(SUMS, state=rest) for _ in range(2)]
        self.assertRaisesRegex(RuntimeError, "another object", lambda: models[0].decode(1))
        models[1].decode(1)

    def test_objects_with_one_scratch_take_turns(self):
        room = heed.aligned(1 << 16)
        first, second = heed.load(SUMS, scratch=room), heed.load(SUMS, scratch=room[64:])
        expected = heed.load(SUMS).decode(1)
        results, waits = [], []

        def see(*_):
            if not waits:
                other.start()
                other.join(0.2)
                waits.append(other.is_alive())

        other = threading.Thread(target=lambda: results.append(second.decode(1)))
        with first.observed(see):
            results.append(first.decode(1))
        other.join()
        self.assertEqual(waits, [True])
        self.assertTrue(all(same_bits(one, expected) for one in results))
        with self.assertRaisesRegex(RuntimeError, "has its scratch"), first.observed(lambda *_: second.decode(2)):
            first.decode(2)
        self.assertEqual(second.tokens, 1)
        third = heed.load(SUMS, scratch=heed.aligned(1 << 16))
        self.assertTrue(same_bits(third.decode(1), expected))

    def test_streams_are_apart(self):
        tokenizer = heed.Tokenizer(SUMS_TOKENIZER)
        ids = [int(one) for one in tokenizer.encode("zürich €")]
        texts = [[], []]
        streams = [tokenizer.stream(), tokenizer.stream()]
        for token in ids:
            for text, stream in zip(texts, streams):
                text.append(stream.next(token))
        self.assertEqual(["".join(text) for text in texts], ["zürich €"] * 2)


if __name__ == "__main__":
    unittest.main()
