# SPDX-License-Identifier: MIT
"""What measures the figures refuses what it should: made-up call graphs, loops and committed values."""

import pathlib
import tempfile
import unittest

import call_graph
import inner_loop
import report
import summary

TASKS = call_graph.HOOK_FILE
TASK = "heed::detail::parallel_for_each<run()::<lambda(uint32_t)> >()::<lambda(void*, uint32_t)>::_FUN(void*, uint32_t)"


def node(title, size, kind="static", name=None):
    return f'node: {{ title: "{title}" label: "{name or title}()\\nfile.cpp:1:1\\n{size} bytes ({kind})" }}\n'


def node_in(place, title, size):
    return f'node: {{ title: "{title}" label: "{title}()\\n{place}\\n{size} bytes (static)" }}\n'


def edge(source, target, place="file.cpp:1:1"):
    return f'edge: {{ sourcename: "{source}" targetname: "{target}" label: "{place}" }}\n'


class CallGraphs(unittest.TestCase):
    def bounds(self, text, hook_file=TASKS, hook_call=call_graph.HOOK_CALL):
        with tempfile.TemporaryDirectory() as folder:
            hook = pathlib.Path(folder) / hook_file
            hook.parent.mkdir(parents=True)
            hook.write_text(f"int i;\n  {hook_call}context);\n")
            (pathlib.Path(folder) / "file.ci").write_text(text.replace("FOLDER", folder))
            files = pathlib.Path(folder).glob("*.ci")
            return {name: size for name, (size, _) in call_graph.stack_bounds(files).items()}

    def test_the_longest_path_counts(self):
        text = node("heed_a", 8) + node("b", 16) + node("c", 4) + node("d", 32)
        text += edge("heed_a", "b") + edge("heed_a", "c") + edge("c", "d") + edge("d", "memcpy")
        self.assertEqual(self.bounds(text), {"heed_a": 44})

    def test_what_the_c_interface_adds_ends_where_the_call_goes_on(self):
        text = node_in("runtime/c/a.cpp:1:1", "heed_a", 8) + node_in("runtime/c/calls.hpp:1:1", "use", 16)
        text += node_in("runtime/attention/b.cpp:1:1", "b", 100) + node_in("runtime/c/a.cpp:2:1", "heed_b", 20)
        text += edge("heed_a", "use") + edge("use", "b") + edge("heed_b", "b") + edge("b", "memcpy")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "file.ci"
            file.write_text(text)
            self.assertEqual(call_graph.c_interface_bound([file]), (24, "heed_a"))

    def test_recursion_is_refused(self):
        text = node("heed_a", 8) + node("b", 16) + node("c", 4) + edge("b", "c") + edge("c", "b")
        with self.assertRaisesRegex(call_graph.Refused, "recursion"):
            self.bounds(text)

    def test_a_frame_without_bound_is_refused(self):
        with self.assertRaisesRegex(call_graph.Refused, "no bound"):
            self.bounds(node("heed_a", 8, "dynamic"))

    def test_an_unknown_function_is_refused(self):
        with self.assertRaisesRegex(call_graph.Refused, "malloc"):
            self.bounds(node("heed_a", 8) + edge("heed_a", "malloc"))

    def test_only_the_hook_may_be_called_indirectly(self):
        task = node("task", 100, name=TASK)
        hook = edge("heed_a", call_graph.INDIRECT, f"FOLDER/{TASKS}:2:3")
        self.assertEqual(self.bounds(node("heed_a", 8) + task + hook), {"heed_a": 108})
        for place in (f"FOLDER/{TASKS}:1:3", "file.cpp:2:3"):
            with self.assertRaisesRegex(call_graph.Refused, "nobody knows"):
                self.bounds(node("heed_a", 8) + task + edge("heed_a", call_graph.INDIRECT, place))
        with self.assertRaisesRegex(call_graph.Refused, "nobody knows"):
            self.bounds(node("heed_a", 8) + hook)

    def test_what_a_cache_names_counts_in_bounds_of_its_own(self):
        file = "runtime/attention/attention.cpp"
        text = node("heed_a", 8) + edge("heed_a", call_graph.INDIRECT, f"FOLDER/{file}:2:3")
        in_ring = node_in("FOLDER/runtime/cache/ring_policy.cpp:1:1", "attend_in_ring", 100)
        found = self.bounds(text + in_ring, file, "ring->attend(")
        self.assertEqual(found, {"heed_a": 8, "heed_a, ring or pages": 108})
        with self.assertRaisesRegex(call_graph.Refused, "no function is what it calls"):
            self.bounds(text, file, "ring->attend(")


class Loops(unittest.TestCase):
    def test_a_loop_is_what_a_branch_back_spans(self):
        lines = ["0: mov x0, x1", "4: ldr q1, [x0] // comment", "8: fmla v0.4s, v1.4s, v2.s[0]", "c: b.ne 0x4 <f+0x4>"]
        self.assertEqual(list(inner_loop.loops_of(lines)),
                         [["ldr q1, [x0]", "fmla v0.4s, v1.4s, v2.s[0]", "b.ne loop"]])
        self.assertEqual(list(inner_loop.loops_of(lines + ["10: b.ne 0x0 <f>"])), list(inner_loop.loops_of(lines)))

    def test_multiply_adds_are_counted(self):
        loop = ["fmla v0.4s, v1.4s, v2.s[0]", "vfma.f32 s0, s1, s2", "vfma.f32 q0, q1, q2", "fmul v0.4s, v1.4s, v2.4s"]
        self.assertEqual(inner_loop.count_multiply_adds(loop), 3)


class Regressions(unittest.TestCase):
    def test_growth_and_absence_are_found(self):
        figures = [report.Figure("same", 100), report.Figure("little", 103), report.Figure("more", 104),
                   report.Figure("new", 1)]
        lines = list(report.regressions(figures, {"same": 100, "little": 100, "more": 100, "gone": 1}))
        self.assertEqual(lines, ["more: committed 100, measured 104", "new: nothing is committed, measured 1",
                                 "gone: committed 1, not measured"])


class Readme(unittest.TestCase):
    def test_it_states_the_committed_figures(self):
        self.assertEqual(summary.missing(), [])


if __name__ == "__main__":
    unittest.main()
