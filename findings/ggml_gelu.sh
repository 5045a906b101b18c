#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: @node-llama-cpp/linux-x64 3.22.1 (npm): the ggml of llama.cpp 0.5.0, its backend for any x86-64.
# Expected: GELU of float32 is float32. The approximation by tanh differs from the one by erf by its formula, 5e-4 at
#   most, and both have some 23 bits.
# Seen: ggml_gelu and ggml_gelu_quick round their argument and their result to float16, by a table. 8192 numbers from 1
#   to 2 give 1025 values (ggml_gelu_erf: 8192), GELU of 9.957 is 9.953125, and ggml_gelu_quick of 65520 is infinite.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @node-llama-cpp/linux-x64@3.22.1
cat > "$work/run.py" <<'END'
import ctypes, sys
from ctypes import c_bool, c_int, c_int64, c_size_t, c_void_p
folder = sys.argv[1] + "/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/"
ggml = ctypes.CDLL(folder + "libggml-base.so", mode=ctypes.RTLD_GLOBAL)
cpu = ctypes.CDLL(folder + "libggml-cpu-x64.so")

class Parameters(ctypes.Structure):
    _fields_ = [("bytes", c_size_t), ("buffer", c_void_p), ("no_alloc", c_bool)]

def declare(library, name, result, *arguments):
    getattr(library, name).restype, getattr(library, name).argtypes = result, arguments

declare(ggml, "ggml_init", c_void_p, Parameters)
declare(ggml, "ggml_new_tensor_1d", c_void_p, c_void_p, c_int, c_int64)
declare(ggml, "ggml_get_data", c_void_p, c_void_p)
declare(ggml, "ggml_new_graph", c_void_p, c_void_p)
declare(ggml, "ggml_build_forward_expand", None, c_void_p, c_void_p)
declare(cpu, "ggml_graph_compute_with_ctx", c_int, c_void_p, c_void_p, c_int)
cpu.ggml_cpu_init()

def run(name, numbers):
    declare(ggml, name, c_void_p, c_void_p, c_void_p)
    floats = ctypes.c_float * len(numbers)
    context = ggml.ggml_init(Parameters(1 << 24, None, False))
    x = ggml.ggml_new_tensor_1d(context, 0, len(numbers))
    ctypes.memmove(ggml.ggml_get_data(x), floats(*numbers), 4 * len(numbers))
    y, graph = getattr(ggml, name)(context, x), ggml.ggml_new_graph(context)
    ggml.ggml_build_forward_expand(graph, y)
    cpu.ggml_graph_compute_with_ctx(context, graph, 1)
    return list(floats.from_address(ggml.ggml_get_data(y)))

octave = [1 + i / 8192 for i in range(8192)]
values = {name: len(set(run(name, octave))) for name in ("ggml_gelu", "ggml_gelu_quick", "ggml_gelu_erf")}
near, large = run("ggml_gelu", [9.957])[0], run("ggml_gelu_quick", [65520])[0]
print("values of 8192 numbers from 1 to 2:", values)
print(f"ggml_gelu(9.957) = {near}, ggml_gelu_quick(65520) = {large}")
print("expected: 8192 each; 9.957 and 65520")
sys.exit(values != {"ggml_gelu": 1025, "ggml_gelu_quick": values["ggml_gelu_quick"], "ggml_gelu_erf": 8192}
         or values["ggml_gelu_quick"] > 1100 or near != 9.953125 or large != float("inf"))
END
python3 "$work/run.py" "$work"
