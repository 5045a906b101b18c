#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider on x86-64 with AVX2.
# Expected: DequantizeLinear of int4 weights and a float32 MatMul give the float32 product, with any optimization but
#   for the last bits: that is what the graph says, and only its weights are quantized.
# Seen: a session as it comes fuses them to MatMulNBits of accuracy level 4, which quantizes the activations to int8 by
#   blocks. One of 100 beside 31 of 0.3, all weights 1: 100, not 109.3. Optimizations at "basic", or the session's
#   entry qdq_matmulnbits_accuracy_level of 1, give 109.3.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
  onnxruntime-node@1.30.0 onnx-proto@8.0.1 protobufjs@6.11.6
cat > "$work/run.cjs" <<'END'
const ort = require('onnxruntime-node');
const { onnx } = require('onnx-proto');
const [float32, int4] = [1, 22];
const shape = dims => ({ dim: dims.map(dimValue => ({ dimValue })) });
const tensor = (name, dims) => ({ name, type: { tensorType: { elemType: float32, shape: shape(dims) } } });
const constant = (name, dataType, dims, data) => ({ name, dataType, dims, rawData: new Uint8Array(data.buffer) });
const model = onnx.ModelProto.encode({
  irVersion: 10, opsetImport: [{ domain: '', version: 21 }],
  graph: {
    name: 'g', input: [tensor('x', [1, 32])], output: [tensor('y', [1, 1])],
    initializer: [constant('weights', int4, [32, 1], new Uint8Array(16).fill(0x11)),
      constant('scales', float32, [1, 1], Float32Array.of(1))],
    node: [{ opType: 'DequantizeLinear', input: ['weights', 'scales'], output: ['w'],
        attribute: [{ name: 'axis', type: 2, i: 0 }, { name: 'block_size', type: 2, i: 32 }] },
      { opType: 'MatMul', input: ['x', 'w'], output: ['y'] }],
  },
}).finish();
const x = new ort.Tensor('float32', new Float32Array(32).fill(0.3), [1, 32]);
x.data[0] = 100;
const product = async options => (await (await ort.InferenceSession.create(model, options)).run({ x })).y.data[0];
const main = async () => {
  const plain = await product({});
  const basic = await product({ graphOptimizationLevel: 'basic' });
  const level1 = await product({ extra: { session: { qdq_matmulnbits_accuracy_level: '1' } } });
  console.log(`expected: 109.3\nas it comes: ${plain}\nbasic: ${basic}\naccuracy level 1: ${level1}`);
  const near = (value, wanted) => Math.abs(value - wanted) < 0.01;
  process.exit(near(plain, 100) && near(basic, 109.3) && near(level1, 109.3) ? 0 : 1);
};
main();
END
node "$work/run.cjs"
