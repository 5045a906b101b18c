#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: @node-llama-cpp/linux-x64 3.22.1 (npm): the ggml of llama.cpp 0.5.0.
# Expected: block types of GGUF have a scale for each block, so their relative error is the same for weights of any
#   size, and Q6_K (6.6 bits a weight) is closer than Q4_0 (4.5).
# Seen: Q6_K, Q5_K, Q4_K and IQ4_XS keep small integers as scales and one float16 beside them, which runs out of bits.
#   For weights of standard deviation 1e-4 Q6_K is worse than Q4_0. At 3e-5 Q6_K and IQ4_XS are zero throughout and
#   Q5_K is off by a fifth, while Q4_0, Q3_K and Q2_K err as ever.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @node-llama-cpp/linux-x64@3.22.1
cat > "$work/run.py" <<'END'
import ctypes, math, random, sys
from ctypes import c_float, c_int, c_int64, c_void_p
ggml = ctypes.CDLL(sys.argv[1] + "/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/libggml-base.so")
ggml.ggml_quantize_chunk.argtypes = [c_int, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p]
types = {"q4_0": 2, "q2_K": 10, "q3_K": 11, "q4_K": 12, "q5_K": 13, "q6_K": 14, "iq4_xs": 23}
row = 4096
floats = c_float * row

def error(name, weights):
    source, packed, back = floats(*weights), ctypes.create_string_buffer(4 * row), floats()
    ggml.ggml_quantize_chunk(types[name], source, packed, 0, 1, row, None)
    getattr(ggml, "dequantize_row_" + name)(packed, back, c_int64(row))
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(source, back)) / sum(a * a for a in source))

random.seed(2)
normal = [random.gauss(0, 1) for _ in range(row)]
errors = {}
print("root mean square error over that of the weights, by their standard deviation\n", *types, sep="\t")
for size in 2e-2, 1e-3, 1e-4, 3e-5:
    errors[size] = {name: error(name, [size * weight for weight in normal]) for name in types}
    print(size, *(f"{100 * errors[size][name]:.1f} %" for name in types), sep="\t")
print("expected: every column the same throughout")
ordinary, small, least = errors[2e-2], errors[1e-4], errors[3e-5]
sys.exit(not (ordinary["q6_K"] < 0.02 and small["q6_K"] > small["q4_0"] and least["q6_K"] == least["iq4_xs"] == 1
              and least["q5_K"] > 0.2 and least["q4_0"] < 0.09 and abs(least["q2_K"] / ordinary["q2_K"] - 1) < 0.02))
END
python3 "$work/run.py" "$work"
