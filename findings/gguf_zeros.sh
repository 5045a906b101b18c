#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: @node-llama-cpp/linux-x64 3.22.1 (npm): the ggml of llama.cpp 0.5.0.
# Expected: a weight of zero is zero after quantization, as with every integer zero point, so a pruned matrix is sparse
#   in GGUF, too.
# Seen: of a matrix with two zeros in every four weights Q4_K keeps none, nor do IQ4_NL and IQ4_XS; Q5_K, Q2_K, Q4_1
#   and Q5_1 keep at most one in fifty. Values are counted from the least of a block, which is no multiple of the step,
#   or are of a table without a zero. Q4_0, Q5_0, Q8_0, Q3_K and Q6_K keep all.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @node-llama-cpp/linux-x64@3.22.1
cat > "$work/run.py" <<'END'
import ctypes, random, sys
from ctypes import c_float, c_int, c_int64, c_void_p
ggml = ctypes.CDLL(sys.argv[1] + "/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/libggml-base.so")
ggml.ggml_quantize_chunk.argtypes = [c_int, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p]
kept_by = {"q4_0": 2, "q5_0": 6, "q8_0": 8, "q3_K": 11, "q6_K": 14}
lost_by = {"q4_1": 3, "q5_1": 7, "q2_K": 10, "q4_K": 12, "q5_K": 13, "iq4_nl": 20, "iq4_xs": 23}
row = 4096
floats = c_float * row

random.seed(1)
weights = []
for _ in range(row // 4):
    weights += random.sample([0, 0, random.gauss(0, 0.05), random.gauss(0, 0.05)], 4)
kept = {}
for name, number in {**kept_by, **lost_by}.items():
    source, packed, back = floats(*weights), ctypes.create_string_buffer(4 * row), floats()
    ggml.ggml_quantize_chunk(number, source, packed, 0, 1, row, None)
    getattr(ggml, "dequantize_row_" + name)(packed, back, c_int64(row))
    kept[name] = sum(weight == 0 == value for weight, value in zip(weights, back)) / (row / 2)
    print(f"{name}: {100 * kept[name]:.1f} % of the zeros kept")
print("expected: 100 %")
sys.exit(any(kept[name] < 1 for name in kept_by) or any(kept[name] > 0.02 for name in lost_by) or kept["q4_K"] > 0)
END
python3 "$work/run.py" "$work"
